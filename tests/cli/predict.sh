#!/bin/sh
# isoglot predict: labels of texts, pairs and words, the same as the scores say; formats; what it refuses.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

awk 'BEGIN {
    srand(5)
    n = split("ba be bi bo da de di do", w)
    for (i = 0; i < 200; i++) {
        a = ""
        for (k = 0; k < 4; k++) a = a " " w[1 + int(rand() * n)]
        a = substr(a, 2)
        print a >"text.txt"
        m = split(a, v, " ")
        print a "\t" (a ~ /ba|be/ ? "yes" : "no") >"texts.tsv"
        print v[1] "\t" a "\t" (a ~ /ba|be/ ? "yes" : "no") >"pairs.tsv"
        for (k = 1; k <= m; k++) print v[k] "\t" (v[k] ~ /^b/ ? "B" : "D") >"words.conll"
        print "" >"words.conll"
    }
}'
for kind in single:texts.tsv pair:pairs.tsv tagging:words.conll; do
    printf 'kind: %s\ntrain: {en: %s}\ntest: {en: %s}\n' "${kind%:*}" "${kind#*:}" "${kind#*:}" >"${kind%:*}.yaml"
done
try train --quiet --text text.txt --dev-take 10 --vocab-size 60 --preset bert-tiny --batch 32 --updates 5 --no-eval --threads 1 --out pre
want_code 0
for kind in single pair tagging; do
    try finetune --quiet --model pre --task $kind.yaml --lr 5e-4 --batch 16 --updates 300 --out $kind --threads 1
    want_code 0
done

agree() { # FOLDER: standard output's labels against gold, as many as scores.json says
    right=$(paste .out gold | awk -F '\t' '$1 == $2' | wc -l)
    n=$(wc -l <gold)
    said=$(sed -n 's/.*"accuracy": \([0-9.]*\).*/\1/p' "$1/scores.json" | head -1)
    awk -v r="$right" -v n="$n" -v s="$said" 'BEGIN { d = r / n - s; exit !(d < 1e-6 && d > -1e-6 && s > .9) }' ||
        fail "$1: $right of $n, but scores.json says $said"
}
cut -f1 texts.tsv >in && cut -f2 texts.tsv >gold
try predict --model single in
want_code 0
agree single
cut -f1,2 pairs.tsv >in && cut -f3 pairs.tsv >gold
try predict --model pair in
want_code 0
agree pair
cp .out .first
"$isoglot" predict --model pair --threads 2 - <in >.out 2>.err || fail "standard input"
cmp -s .out .first || fail "standard input: other labels"

# The files of the task themselves: a label, a line of names and JSON are read as fine-tuning reads them; every row counts.
cp .first want.pair
try predict --model pair pairs.tsv
want_code 0
cmp -s .out want.pair || fail "premise, hypothesis, label: other labels"
awk -F '\t' 'BEGIN { OFS = "\t"; print "language", "gold_label", "sentence1", "sentence2" }
    { print NR % 2 ? "en" : "de", NR % 3 ? $3 : "-", $1, $2 }' pairs.tsv >names.tsv
try predict --model pair names.tsv
want_code 0
cmp -s .out want.pair || fail "a line of names: other labels"
awk -F '\t' '{ printf "{\"sentence2\": \"%s\", \"sentence1\": \"%s\"}\n", $2, $1 }' pairs.tsv >pairs.jsonl
try predict --model pair pairs.jsonl
want_code 0
cmp -s .out want.pair || fail "JSON: other labels"
try predict --model single texts.tsv
want_code 0
cp .out want.single
cut -f1 texts.tsv >in
try predict --model single in
cmp -s .out want.single || fail "text, label: other labels"
{ echo text && sed '2s/.*//' in; } >in.names
try predict --model single in.names
[ "$(wc -l <.out)" -eq 200 ] || fail "an empty text: $(wc -l <.out) labels"

# Names that the task's `columns` has: a line of them is no pair, and messages have them.
{ printf 'q1\tq2\n' && cut -f1,2 pairs.tsv; } >own.tsv
{ printf 'q1\tq2\tgold\n' && cat pairs.tsv; } >gold.tsv
printf 'kind: pair\ncolumns: {premise: q1, hypothesis: q2, label: gold}\ntrain: {en: gold.tsv}\n' >own.yaml
try finetune --quiet --model pre --task own.yaml --updates 2 --batch 4 --out own --threads 1
want_code 0
try predict --model own own.tsv
want_code 0
[ "$(wc -l <.out)" -eq 200 ] || fail "the task's names: $(wc -l <.out) labels"
sed 1d own.tsv >in
cp .out want.own
try predict --model own in
cmp -s .out want.own || fail "the task's names: other labels"
awk -F '\t' '{ printf "{\"%s\": \"%s\", \"%s\": \"%s\"}\n", NR % 2 ? "q1" : "premise", $1, NR % 2 ? "q2" : "sentence2", $2 }' in >own.jsonl
try predict --model own own.jsonl
cmp -s .out want.own || fail "the task's names in JSON: other labels"
{ printf 'q1\tx\n' && cat in; } >own.tsv
try predict --model own own.tsv
want_error 3 "isoglot predict: error: own.tsv:1: found a line of names, but not two texts among them, expected q1 and q2"
try predict --model own text.txt
want_error 3 "isoglot predict: error: text.txt:1: found 1 column between tabs, expected 2" \
    "a line of names (q1, q2), or premise, hypothesis and perhaps a label"

# A line without text stays one, so that line i of the output is of line i of the file.
{ echo && sed '2s/.*//; 5s/.*/  /' texts.tsv; } >blank.tsv
try predict --model single blank.tsv
want_code 0
{ echo && sed '2s/.*//; 5s/.*//' want.single; } >want
cmp -s .out want || fail "blank lines: $(diff .out want | head -3)"
printf 'ba\tbe\n\nba\tda\n\n' >blank.pairs
try predict --model pair blank.pairs
want_code 0
[ "$(sed "s/..*/x/" .out | tr "\n" ,)" = "x,,x,," ] || fail "blank lines between pairs: $(cat .out)"

# Scores: the label is that of the largest; a model's softmax is not needed to compare them.
scored() { # COLUMN of the label
    awk -F '\t' -v c="$1" 'NF > c { best = ""
        for (i = c + 1; i <= NF; i++) { split($i, v, "="); if (best == "" || v[2] > top) { top = v[2] + 0; best = v[1] } }
        if (best != $c || NF != c + 2) exit 1; n++ } END { exit !(n >= 200) }' .out || fail "scores: $(head -3 .out)"
}
try predict --model single texts.tsv --scores
want_code 0
scored 1
cut -f1 .out >.same
cmp -s .same want.single || fail "with scores other labels"
"$isoglot" predict --model single texts.tsv --scores --threads 2 >two
cmp -s .out two || fail "other scores with two threads"
try predict --model tagging words.conll --scores
want_code 0
scored 2

# Words: columns after the first are not read, empty lines stay; CoNLL-U keeps what has no word.
try predict --model tagging words.conll
want_code 0
sed '/^$/d' words.conll | cut -f2 >gold
[ "$(grep -c '^$' .out)" -eq 200 ] || fail "empty lines"
cut -f2 .out | sed '/^$/d' >.labels && mv .labels .out
agree tagging
sed 's/^\(.\)/en:\1/' words.conll >prefix.conll
try predict --model tagging prefix.conll
want_code 0
sed 's/^en://' .out >.same && cp .same prefix.out
grep -q '^en:' .out || fail "the words are not as in the file"
try predict --model tagging words.conll
cmp -s .out prefix.out || fail "a language before every word: other labels"
{ printf -- '-DOCSTART- O O\n\n' && sed 's/\t/ x /' words.conll; } >blanks.conll
try predict --model tagging blanks.conll
sed 1,2d .out >.same
cmp -s .same prefix.out || fail "columns between blanks: other labels"
# Words in the second column of a file that counts, below a line of names, and in CoNLL-U between blanks.
awk -F '\t' '$0 == "" { n = 0; print; next } n == 0 { print "#\thttp://source" } { print ++n "\t" $1 "\tO\tO" }' words.conll >counted.conll
try predict --model tagging counted.conll
want_code 0
grep -v '^#' .out >.same
cmp -s .same prefix.out || fail "a column that counts: other labels"
{ printf 'Tag\tWord\n' && awk -F '\t' 'NF { print $2 "\t" $1; next } { print }' words.conll; } >named.conll
try predict --model tagging named.conll
sed 1d .out >.same
cmp -s .same prefix.out || fail "a line of names: other labels"
awk -F '\t' '$0 == "" { n = 0; print; next } { print ++n, $1, "_ _ _ _ _ _ _ _" }' words.conll >blanks.conllu
try predict --model tagging blanks.conllu
cut -f 2,4 .out >.same
cmp -s .same prefix.out || fail "CoNLL-U between blanks: other labels"
{ for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do printf '%s\tba\tO\n' $i; done && printf 'x\tda\tO\n'; } >wrong.conll
try predict --model tagging wrong.conll
want_error 3 "isoglot predict: error: wrong.conll:16: found 'x' in the first column, expected a number"
printf 'ba\tB\nda D\n' >wrong.conll
try predict --model tagging wrong.conll
want_error 3 "isoglot predict: error: wrong.conll:2: found 1 column between tabs, expected 2 as in line 1"
printf '1 ba B\n1 da D\n\n2 ba B\n2 da D\n' >wrong.conll
try predict --model tagging wrong.conll
want_error 3 "isoglot predict: error: wrong.conll:1: found nothing but numbers in the first column, expected words there" \
    "a line of names, as 'word' and 'tag', says which column has the words"
sed 's/^[12]/d&/' wrong.conll >document.conll
try predict --model tagging document.conll
want_error 3 "isoglot predict: error: document.conll:1: found the same first column in all lines of a sentence, expected words there" \
    "a line of names, as 'word' and 'tag', says which column has the words"
printf 'ba da ba\tD\nda ba\tB\n' >wrong.conll
try predict --model tagging wrong.conll
want_error 3 "isoglot predict: error: wrong.conll: found several words between blanks in 2 lines, without a tag at the end of 2, expected a word a line" \
    "an empty line ends a sentence; tabs are between other columns"
printf 'ba B\nda\tD\n' >both.conll
try predict --model tagging both.conll
[ "$(cut -f1 .out | tr '\n' ' ')" = "ba da " ] || fail "tabs and blanks: $(cat .out)"
printf '# NN O\nba x D\n' >sign.conll
try predict --model tagging sign.conll
want_code 0
[ "$(cut -f1 .out | tr '\n' ' ')" = "# ba " ] || fail "the word #: $(cat .out)"
printf '# a comment\nba\n' >one.conll
try predict --model tagging one.conll
[ "$(sed -n 1p .out)" = "# a comment" ] || fail "a comment: $(cat .out)"
printf '# text = ba da\n1-2\tbada\t_\t_\t_\t_\t_\t_\t_\t_\n1\tba\tba\tX\t_\t_\t0\troot\t_\t_\n2\tda\tda\t_\t_\t_\t1\tdep\t_\t_\n\n' >in.conllu
try predict --model tagging in.conllu
want_code 0
want_out "# text = ba da
1-2	bada	_	_	_	_	_	_	_	_
1	ba	ba	B	_	_	0	root	_	_
2	da	da	D	_	_	1	dep	_	_"

try predict --model single --language fake in.conllu
want_error 3 "isoglot predict: error: in.conllu:2: found 10 columns between tabs, expected 1" \
    "a line of names (text), or a text and perhaps a label"
printf 'ba\n' >one
try predict --model single --language fake one
want_code 0
try predict --model single --language xx one
want_error 2 "isoglot predict: error: --language: found 'xx', expected one of: en, fake"
try predict --model pair one
want_error 3 "isoglot predict: error: one:1: found 1 column between tabs, expected 2" \
    "a line of names (sentence1, sentence2), or premise, hypothesis and perhaps a label"
try predict --model pre one
want_error 3 "isoglot predict: error: $(cd pre/model && pwd -P | sed "s|^$work/||" | sed 's|.*/pre/|pre/|')/config.json: the model has no head for labels" \
    "isoglot finetune trains one"
: >empty
try predict --model pair empty
want_code 0
want_out ""
try predict --model tagging --scores in.conllu
want_error 2 "isoglot predict: error: --scores: found CoNLL-U, which has no column for scores"
