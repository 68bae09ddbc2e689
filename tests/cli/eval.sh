#!/bin/sh
# isoglot eval: the contract of its JSON, the same numbers as at the end of the training, on any
# threads, from any name of the run; and what it says to folders that are no run.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

for seed in 1 2; do
    try train --quiet --out run$seed --world-sentences 300 --dev-take 60 --vocab-size 150 --preset bert-tiny \
        --updates 3 --batch 32 --save-every 1 --keep 5 --seed $seed
    want_code 0
done

numbers() { # FILE: the rows and counts, without what depends on the run's name and the clock
    rows_of "$1" | sed 's/\(\.[0-9]\{9\}\)[0-9]*/\1/g'
    grep -E '"n_[a-z_]*"' "$1" | grep -v n_parameters
}

try eval run1 --json --threads 1
want_code 0
for key in rows measure split layer n value languages mu_layers n_sentences tie_rule; do
    want_out_has "\"$key\": "
done
for measure in f1 rho tau rho_ties mu perplexity; do
    [ -n "$(values_of $measure .out)" ] || fail "no $measure"
done
numbers .out >one
[ -s one ] || fail "no numbers"
for other in "run1 --threads 3" "run1/model" "run1/checkpoints/step-00000003" "run1 --step 3" "run1 --layers 2,0"; do
    # shellcheck disable=SC2086
    try eval $other --json
    want_code 0
    numbers .out >two
    cmp -s one two || fail "other numbers than with --threads 1: $(diff one two)"
done
try eval run1 --step 1 --json
want_code 0
numbers .out >two
! cmp -s one two || fail "updates 1 and 3 measure the same"

# These are the numbers that the training wrote at its end.
values_of mu run1/eval.json >two
try eval run1 --json
values_of mu .out >one
[ -s one ] || fail "no mu"
cmp -s one two || fail "mu differs from the run's eval.json: $(cat one two)"

try eval run1 run2 --json --no-train
want_code 0
want_out_has '"runs": {'
want_out_has '"run2": {'
! grep -q '"split": "train"' .out || fail "perplexity of the training text"
try eval run1 run2
want_code 0
want_out_has 'run2'
want_out_has 'perplexity'

# Another text; the run's folder stays as it is.
printf 'the the\na b c\n' >text
ls -lR run1 >before
try eval run1 --text text --no-train --json
want_code 0
want_out_has '"n_sentences": 2'
ls -lR run1 >after
cmp -s before after || fail "an evaluation changed the run's folder"

try eval
want_code 2
try eval nothere
want_error 4 "isoglot eval: error: nothere: no such folder"
try eval text
want_error 4 "isoglot eval: error: text: found a file, expected a folder"
try eval run1/data
want_error 4 "isoglot eval: error: run1/data: no run.json here: not the folder of a run" \
    "isoglot train --out DIR makes one"
try eval run1 --layers 0,9
want_error 2 "isoglot eval: error: layers: no layer 9: the model has 0 (embeddings) to 2"
try eval run1 --step 77
want_error 2 "isoglot eval: error: run1/checkpoints/step-00000077: no checkpoint of update 77" \
    "there are 3, from update 1 to 3"
try eval run1 run1
want_error 2 "isoglot eval: error: run1: is given twice"
try eval run1 --pair 0,2
want_error 2 "isoglot eval: error: pair: found '0,2', expected A,B: two different languages of en, fake, or their numbers from 0 to 1"
try eval run1 --pair fake
want_code 2
try eval run1 --pair fake,fake
want_code 2
try eval run1 --pair fake,en --json
want_code 0
cp .out named
try eval run1 --pair 1,0 --json
numbers .out >two
numbers named >one
cmp -s one two || fail "other numbers by name than by number"
try eval run1 --words --json
want_code 0
values_of mrr .out | grep -q '^0' || fail "no mrr"
try eval run1 run2 --words
want_code 0
want_out_has 'MRR'
try eval run1 --words --text text
want_error 2 "isoglot eval: error: --words: words are retrieved in the training text, expected no --text"
try eval run1 --words --pair fake,en
want_error 2 "isoglot eval: error: words: are retrieved from the first language, found a pair that begins with fake, expected en,fake"
ls -lR run1 >after
cmp -s before after || fail "an evaluation of words changed the run's folder"
try eval run1 --take 5 --json
want_code 0
cp .out five
try eval run1 --max-sentences 5 --json
want_code 0
want_err "--max-sentences is called --take now; the old name goes in the next version"
few=$(sed -n 's/.*"n_sentences": \([0-9]*\).*/\1/p' .out)
if [ "$few" != 5 ] || [ "$few" != "$(sed -n 's/.*"n_sentences": \([0-9]*\).*/\1/p' five)" ]; then fail "sentences: '$few'"; fi
try eval run1 --text nothere
want_code 4
mkdir empty && cp run1/run.json empty/
try eval empty
want_error 3 "isoglot eval: error: empty/data/vocab.txt: is missing: the run's data are not complete"
[ "$(ls empty)" = run.json ] || fail "an evaluation made files"
rm -rf run2/checkpoints run2/model
try eval run2
want_error 4 "isoglot eval: error: run2: the run has not finished, and has no checkpoint yet"

# A model from elsewhere has no record of languages; a text without a sentence; a run of one language.
mkdir -p elsewhere && cp run1/model/config.json run1/model/model.safetensors elsewhere/
try eval elsewhere
want_error 4 "isoglot eval: error: elsewhere: found a model without the record of a run (run.json), which says what languages and texts to measure it on" \
    "isoglot eval takes texts: --text LANGUAGE=FILE for each"

# Its texts given, it is measured as it would be in its run, whose seed and batch are the default ones.
try train --quiet --out plain --world-sentences 60 --dev-take 20 --vocab-size 120 --preset bert-tiny --updates 1
want_code 0
cp -rL plain/model folder
same() { rows_of .out | grep -E '^"measure":"(rho|perplexity)'; }
try eval plain --text text --no-train --json
same >one
for order in "--text en=text --text fake=text" "--text fake=text --text en=text"; do
    # shellcheck disable=SC2086
    try eval folder $order --json
    want_code 0
    same >two
    cmp -s one two || fail "other numbers than of the run: $(diff one two)"
done
try eval folder --text fake=text
want_error 2 "isoglot eval: error: --text: found 1, expected a text of each of the model's 2 languages"
try eval folder --text xx=text --text en=text
want_error 2 "isoglot eval: error: --text: found 'xx', expected one of: en, fake"

# A published model: what it lacks is said, the rest is measured.
foreign=$(cd "$(dirname "$0")/../data/foreign" && pwd)
cp "$foreign/en.txt" "$foreign/de.txt" .
printf 'cat Katze\nKatze Hund\nVater Vogel\nApfel Apfel\n' >words.txt
try eval "$foreign/labse" --text en=en.txt --text de=de.txt --dictionary words.txt --json --allow-unknown
want_code 0
want_out_has '"perplexity": "needs a head of masked words (cls.predictions), which the model does not have"'
want_out_has '"n_words": 3'
want_out_has '"n_distinct_words": 2'
want_err_has 'warning: words.txt: both words of 3 of 4 pairs are one piece; τ and μ rest on so few'
[ -n "$(values_of mu .out)" ] || fail "no mu in spite of a dictionary"
try eval "$foreign/labse" --text en=en.txt --text de=de.txt --json --allow-unknown
values_of rho .out | cut -c 1-8 >one
try diagnose "$foreign/labse" --text en=en.txt --text de=de.txt --json --allow-unknown
sed -n '/"retrieval_cosine"/{n;s/.*"value": \([0-9.]\{1,8\}\).*/\1/p;}' .out | sed -n '1p;$p' >two
[ -s one ] || fail "no rho"
cmp -s one two || fail "other retrieval than diagnose's: $(diff one two)"
try eval "$foreign/roberta" --text en=en.txt --text de=de.txt --edit '{layer: 1, kind: centre}'
want_code 0
want_out_has 'no μ: needs a dictionary: --dictionary FILE'
printf 'qwx zzzy\n' >words.txt
try eval "$foreign/xlmr" --text en=en.txt --text de=words.txt --dictionary words.txt
want_code 0
want_out_has 'no μ: needs pairs of --dictionary both of whose words are one piece; it has none; needs parallel texts'
try eval "$foreign/roberta" --text en=en.txt
want_code 0
want_out_has 'no μ: needs two languages'
try eval "$foreign/roberta" --text en=en.txt --text en=de.txt
want_error 2 "isoglot eval: error: --text: found two texts of en"
try eval "$foreign/roberta" --text en.txt --text de.txt
want_error 2 "isoglot eval: error: --text: found 2 of them, expected one, or LANGUAGE=FILE in each"
try eval "$foreign/roberta" --text en=en.txt --step 3
want_error 2 "isoglot eval: error: step: is of a run, expected the folder of a checkpoint"
try eval run1 --dictionary words.txt
want_error 2 "isoglot eval: error: --dictionary: needs texts of languages, --text LANGUAGE=FILE"

# A model without tokens around a text, as GPT-2's: measured, sentences as `encode` has them.
cp -R "$foreign/roberta" bare
sed 's/"post_processor":{[^}]*}/"post_processor":null/' "$foreign/roberta/tokenizer.json" >bare/tokenizer.json
printf '{"tokenizer_class": "PreTrainedTokenizerFast", "mask_token": "<mask>"}\n' >bare/tokenizer_config.json
for l in en de; do
    try encode bare $l.txt --quiet --allow-unknown --out $l.safetensors
    want_code 0
done
try eval --states en=en.safetensors --states de=de.safetensors --layers 2 --json --quiet
values_of rho .out >one
try eval bare --text en=en.txt --text de=de.txt --allow-unknown --layers 2 --json --quiet
want_code 0
values_of rho .out >two
values_of perplexity .out >of_bare
cp -R bare maskless
sed 's/"<mask>"/"<other>"/g' bare/tokenizer.json >maskless/tokenizer.json
printf '{"tokenizer_class": "PreTrainedTokenizerFast"}\n' >maskless/tokenizer_config.json
try eval maskless --text en=en.txt --text de=de.txt --allow-unknown --quiet
want_error 3 "isoglot eval: error: maskless: predicts masked words, but its tokenizer has no [MASK]"
[ -s one ] || fail "no rho"
cmp -s one two || fail "other retrieval than of encoded sentences: $(cat one two)"
try eval "$foreign/roberta" --text en=en.txt --text de=de.txt --allow-unknown --layers 2 --json --quiet
values_of perplexity .out >one
[ -s one ] || fail "no perplexity"
if cmp -s one of_bare; then fail "as with tokens around the text: $(cat one)"; fi

# A text so short that none of its tokens is masked has no gradient.
echo cat >word.txt
try eval "$foreign/roberta" --text en=word.txt --text de=word.txt --gradients --allow-unknown --quiet
want_code 0

# Blocks with RMSNorm are not trained, so that they have no gradients; the other measures are taken.
cp -R "$foreign/../families/llama" norm
printf '%s\n' '[PAD]' '[UNK]' '[CLS]' '[SEP]' '[MASK]' a b c d e f g h i j k l m n o >norm/vocab.txt
printf '{"tokenizer_class": "BertTokenizer", "do_lower_case": true}\n' >norm/tokenizer_config.json
try eval norm --text en=en.txt --text de=de.txt --gradients --allow-unknown --json --quiet
want_code 0
want_out_has '"gradients": "blocks with RMSNorm are read, not trained"'
[ -n "$(values_of rho .out)" ] || fail "no other measure"
if grep -q gradient_cosine .out; then fail "gradients of a model without"; fi
try eval norm --text en=en.txt --text de=de.txt --gradients --allow-unknown --quiet
want_out_has "no gradients: blocks with RMSNorm are read, not trained"

: >empty.txt
try eval run1 --text empty.txt
want_error 3 "isoglot eval: error: empty.txt: found no sentence, expected at least 1"
try train --quiet --out alone --world-sentences 40 --dev-take 10 --vocab-size 100 --preset bert-tiny --updates 1 \
    --batch 32 --languages only
want_code 0
! grep -q 'only - ' .out || fail "a second language in the table of one"
try eval alone --json
want_code 0
[ -z "$(values_of mu .out)" ] || fail "a mu of one language"
rows_of .out | grep -q '^"measure":"perplexity","split":"dev","languages":""' || fail "no perplexity of the one language"
try eval alone --pair 0,2
want_code 2
try eval alone --words
want_error 2 "isoglot eval: error: words: the run has one language, expected two"

# One that diverged has no perplexity that is a number, and all other measures.
try train --quiet --out hot --world-sentences 40 --dev-take 10 --vocab-size 100 --preset bert-tiny --updates 20 \
    --batch 16 --lr 100 --clip 0 --warmup 0
want_code 0
[ -z "$(values_of perplexity hot/eval.json)" ] || fail "a perplexity that is no number"
[ -n "$(values_of mu hot/eval.json)" ] || fail "no mu of a model that diverged"
