#!/bin/sh
# isoglot embed: vectors are trained, written in each format, read again; neighbours; errors.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
data=$(cd "$(dirname "$0")/../data" && pwd)

# Lines of two kinds that share no word.
awk 'BEGIN { srand(1); split("sleeps eats purrs barks food", a); split("wheels road fuel driver seat", b)
    for (i = 0; i < 1500; i++) {
        animal = i % 2; s = ""
        for (k = 1; k <= 6; k++) {
            r = 1 + int(rand() * 5); s = s (animal ? a[r] : b[r]) " "
            if (k == 3) s = s (animal ? (rand() < .5 ? "cat" : "dog") : (rand() < .5 ? "car" : "bus")) " " }
        print s } }' >text.txt

for kind in "word2vec --embed-model skipgram --sample 0" \
    "word2vec --embed-model cbow --sample 0" "fasttext --bucket 1000 --sample 0" \
    "glove --window 5 --x-max 10"; do
    # shellcheck disable=SC2086  # words of the command
    set -- $kind
    try embed "$@" --dim 8 --seed 3 --threads 1 --out one.vec text.txt
    want_code 0
    grep -qE '^vocabulary           1[45]$' .out || fail 'fourteen words expected, and the line end of fastText'
    try embed "$@" --dim 8 --seed 3 --threads 3 --out three.vec text.txt
    want_code 0
    cmp -s one.vec three.vec || fail "$kind: one and three threads differ"
    if [ "$1" = glove ]; then continue; fi # it knows nothing of words that never met
    try embed neighbours --top 1 one.vec cat bus
    want_code 0
    sed -n 2p .out | grep -qE 'dog|sleeps|eats|purrs|barks|food' || fail "$kind: expected a word of cat's lines"
    sed -n 4p .out | grep -qE 'car$|wheels|road|fuel|driver|seat' || fail "$kind: expected a word of bus's lines"
done

# One option selects two settings of the original programs. With one thread: two words at a time are too few for more.
for kind in word2vec fasttext; do
    try embed $kind --dim 8 --seed 3 --threads 1 --sequential --out one.vec text.txt
    want_code 0
    grep -qE '^group +2$' .out || fail "$kind: groups of two"
    grep -qE '^groups +1$' .out || fail "$kind: one group at a time"
    try embed $kind --dim 8 --seed 3 --threads 1 --group 2 --groups 1 --out three.vec text.txt
    cmp -s one.vec three.vec || fail "$kind: --sequential is --group 2 --groups 1"
    try embed $kind --sequential --group 2 text.txt
    want_error 2 "isoglot embed $kind: error: --sequential: together with --group, expected one of them"
done

# Each format has the same vectors and gives the same neighbours.
for name in v.vec v.txt v.bin; do
    try embed glove --dim 8 --out $name text.txt
    want_code 0
    try embed neighbours --json $name cat
    want_code 0
    if [ -f first ]; then cmp -s first .out || fail "$name has other neighbours"; fi
    cp .out first
done
[ "$(head -n 1 v.vec)" = "14 8" ] || fail "text has a header"
[ "$(wc -l <v.txt)" -eq 14 ] || fail "plain has none"

# Neighbours from a second file, the word itself among them.
try embed neighbours v.vec --second v.bin --top 1 cat bus
want_code 0
[ "$(sed -n '2s/^ *[0-9.]* *//p;4s/^ *[0-9.]* *//p' .out)" = "cat
bus" ] || fail "each is its own nearest in the same space"
try embed glove --dim 7 --out seven.vec text.txt
try embed neighbours v.vec --second seven.vec cat
want_error 3 "isoglot embed neighbours: error: seven.vec: found vectors of 7 dimensions, expected 8 as in v.vec" \
    "both files must be in one space: 'isoglot map' puts them there"

# Compressed, a file is the same.
gzip -k v.vec v.bin
for name in v.vec.gz v.bin.gz; do
    try embed neighbours --json $name cat
    want_code 0
    cmp -s first .out || fail "$name has other neighbours"
done
head -c 100 v.vec.gz >cut.vec.gz
try embed neighbours cut.vec.gz cat
want_code 3

# A fastText model knows unknown words; one of fastText's own opens, too.
try embed fasttext --dim 8 --bucket 1000 --out f.vec --save f.bin text.txt
want_code 0
try embed neighbours --top 2 f.bin cats
want_code 0
try embed neighbours --top 3 "$data/embed/fasttext.bin" Katze Katzen
want_code 0
[ "$(wc -l <.out)" -eq 8 ] || fail "three neighbours of two words"

# Word pieces.
try embed word2vec --vocab "$data/tokenizer/vocab.txt" --min-count 1 --out p.vec text.txt
want_code 0
grep -q '^##' p.vec || fail "word pieces expected"

# Too little for vectors that mean anything: written all the same, and told.
echo 'the cat sleeps' >little.txt
for kind in word2vec fasttext glove; do
    try embed $kind --min-count 1 --dim 2 --out little.vec little.txt
    want_code 0
    n=3
    [ $kind = fasttext ] && n=4 # the line end of fastText
    want_err "warning: $n words of text are too few for vectors that mean anything"
    try embed $kind --quiet --min-count 1 --dim 2 --out little.vec little.txt
    want_err ""
done
# 12 600 words, of which next to none is left by subsampling; else nothing is said.
try embed word2vec --epochs 1 --sample 1e-9 --out little.vec text.txt
want_code 0
grep -qE '^warning: [0-9]+ words were trained in all epochs, too few for 14 vectors that mean anything$' .err || fail "no warning"
try embed word2vec --epochs 1 --out little.vec text.txt
want_err ""

# A string longer than any word is left out and reported.
{
    cat text.txt
    head -c 4001 /dev/zero | tr '\0' x
    printf ' cat '
    head -c 4001 /dev/zero | tr '\0' y
    echo
} >long.txt
for how in blanks words; do
    try embed glove --dim 2 --split $how --out long.vec long.txt
    want_code 0
    want_err "warning: 2 words of the text are too long to be words and were left out"
    grep -qE '^words_too_long  *2$' .out || fail "$how: words that are too long are not counted"
done
try embed glove --dim 2 --split words --vocab "$data/tokenizer/vocab.txt" --min-count 1 --out long.vec text.txt
want_err ""

# Every setting is printed; JSON is one object.
try embed glove --json --iterations 1 --out g.vec text.txt
want_code 0
want_out_has '"x_max": 100.0'
want_out_has '"cells":'
head -60 text.txt >some.txt
for kind in word2vec fasttext glove; do
    try embed $kind --json --dim 2 --out g.vec some.txt
    want_code 0
    want_keys_in embeddings.md
done

# A run's folder or its shard: sentences and words are what they are there.
try train --quiet --world-sentences 40 --dev-take 10 --vocab-size 100 --preset bert-tiny --updates 1 --no-eval --out r --threads 1
want_code 0
for input in r r/data/train.shard; do
    try embed glove --dim 2 --out r.vec $input
    want_code 0
    what="a run's folder"
    if [ $input != r ]; then what="a shard"; fi
    for option in "--take 5" "--split words" --clauses --strip-quotes "--ids NT" "--format plain" --abbreviations; do
        # shellcheck disable=SC2086  # an option and its value
        try embed glove --dim 2 --out r.vec $option $input
        want_error 2 "isoglot embed glove: error: ${option%% *}: has no effect: $input is $what, whose sentences are cut"
    done
done

try embed word2vec text.txt
want_error 2 "isoglot embed word2vec: error: --out: not given, expected a file for the vectors"
try embed word2vec --as fasttext --out x.vec text.txt
want_error 2 "isoglot embed word2vec: error: --as: found fasttext, expected text, plain or binary" \
    "'isoglot embed fasttext --save FILE' writes a fastText model"
# A place that nothing can be written to is told before anything is read.
for kind in word2vec glove "fasttext --out x.vec --save"; do
    case $kind in *save) out='' ;; *) out=--out ;; esac
    # shellcheck disable=SC2086  # words of the command
    try embed $kind $out no/where.vec nothing.txt
    want_error 4 "isoglot embed ${kind%% *}: error: no/where.vec: cannot create: No such file or directory"
done
try embed fasttext --out same.bin --save ./same.bin text.txt
want_error 2 "isoglot embed fasttext: error: --save: is the same file as --out"
# The vectors and the model, or none: 10 kB are room for the model of 60 words (9 kB, without n-grams), not for
# the vectors (12 kB as text).
awk 'BEGIN { for (i = 0; i < 420; i++) printf "w%d%s", i * 17 % 60, (i % 7 == 6 ? "\n" : " ") }' >sixty.txt
echo before >model.bin
code=0
tried='embed fasttext with little room'
(ulimit -f 20 && exec "$isoglot" embed fasttext --dim 16 --epochs 1 --min-count 1 --maxn 0 --bucket 1 --out many.vec \
    --save model.bin --overwrite sixty.txt >.out 2>.err) || code=$?
want_code 4
grep -q 'many.vec' .err || fail "the error is not of the vectors"
[ "$(cat model.bin)" = before ] || fail "the model is written though there is no room for the vectors"
[ ! -e many.vec ] || fail "half of the vectors is there"
[ -z "$(find . -name '*.tmp-*')" ] || fail "a temporary file is left"
try embed fasttext --dim 16 --epochs 1 --min-count 1 --maxn 0 --bucket 1 --out many.vec --save model.bin --overwrite sixty.txt
want_code 0
try embed neighbours model.bin w1
want_code 0
cp .out first
try embed neighbours many.vec w1
want_code 0
cmp -s first .out || fail "the vectors are not those of the model"
try embed word2vec --min-count 10000 --out x.vec text.txt
want_error 3 "isoglot embed word2vec: error: text.txt: none of 14 words occurs 10000 times (the minimum count)"
[ ! -e x.vec ] || fail "nothing should be written"
try embed fasttext --minn 4 --maxn 3 --out x.vec text.txt
want_error 2 "isoglot embed fasttext: error: --minn: found 4, expected at most --maxn 3"
try embed neighbours v.vec catt
want_error 3 "isoglot embed neighbours: error: v.vec: has no vector for 'catt'" \
    "did you mean 'cat'?"
printf '2 2\na 1 2\nb 1\n' >bad.vec
try embed neighbours bad.vec a
want_error 3 "isoglot embed neighbours: error: bad.vec:3: found 1 value after the word, expected 2" \
    "--skip-bad leaves out and names such rows"
printf '5 2\na 1 2\nat x@y 2 1\na 3 4\n\355\225 5 6\nb 1\n' >bad.vec
try embed neighbours --skip-bad bad.vec 'at x@y'
want_code 0
want_out_has 'a'
want_err "warning: bad.vec: left out 1 row, the word is there already: 'a' (line 4)
warning: bad.vec: left out 1 row, the word is not UTF-8: line 5
warning: bad.vec: left out 1 row, damaged: line 6"
