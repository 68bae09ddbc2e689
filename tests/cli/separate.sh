#!/bin/sh
# Parts that each language has of its own, and kinds of positions, through the program: what they do
# to a training, that a stopped one goes on with the same bits, and what other programs get of it.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

hash() { sha256sum "$1/model/model.safetensors" | cut -d' ' -f1; }
train() { # OUT OPTIONS
    out=$1
    shift
    try train --quiet --out "$out" --world demo --world-sentences 120 --dev-take 40 --vocab-size 120 --preset bert-tiny \
        --batch 16 --threads 2 --updates 24 "$@"
}

# Stopped after its first checkpoint, it ends with the bits of one that was not; counts of updates that
# differ by language (single) are in the state.
train whole --separate "embeddings; layers=1; bias" --batch-languages single --save-every 9 --keep 9
want_code 0
cp -r whole again
rm -r again/checkpoints/step-00000018 again/checkpoints/step-00000024 again/model
train again --separate "embeddings; layers=1; bias" --batch-languages single --save-every 9 --keep 9
want_code 0
[ "$(hash whole)" = "$(hash again)" ] || fail "another result after a stop"
try model whole
want_code 0
want_out_has "separate    words; positions; segments; norm; layers=1; bias, for each of 2 languages"
want_out_has "missing     0"

# Measured with each language's parts: at the end of the training as by eval.
numbers() { # FILE: the measures, to six digits
    grep -E '"(f1|rho|tau|mu|by_[a-z]*)"' "$1" | awk '{ gsub(",", ""); printf "%s %.6g\n", $1, $2 }'
}
try eval whole --json
want_code 0
numbers .out >one
numbers whole/eval.json >two
[ -s one ] || fail "no numbers"
cmp -s one two || fail "other numbers than at the end of the training: $(diff one two)"

# Each language's view is a model folder of its own.
for language in en fake; do
    try model whole --language "$language" --out "view-$language"
    want_code 0
    want_out_has "unexpected  0"
    [ -f "view-$language/vocab.txt" ] || fail "no vocabulary"
    grep -q "\"name\": \"$language\"" "view-$language/config.json" || fail "no $language in config.json"
    if grep -q separate "view-$language/config.json"; then fail "separate in a view"; fi
done
if cmp -s view-en/model.safetensors view-fake/model.safetensors; then fail "two views, one model"; fi
try model whole --language de --out view-de
want_error 2 "isoglot model: error: language: found 'de', expected one of: en, fake"
try model whole --language en --out view-en
want_error 2 "isoglot model: error: view-en: is there already, expected a new folder"
try model whole --language en
want_error 2 "isoglot model: error: out: is missing, expected --language and --out together"

# A list without parts of the model leaves the batches and every bit as they are.
train plain --no-eval
train nothing --no-eval --separate ";"
[ "$(hash plain)" = "$(hash nothing)" ] || fail "nothing is separate, but the model is another"
train specials --no-eval --separate specials
train shifted --no-eval --shift-special
[ "$(hash specials)" = "$(hash shifted)" ] || fail "special tokens of a language's own are two things"
train both --no-eval --separate specials --tlm all
want_code 0

# A language's view has its own rows, pieces, positions and segment alone: it gives the vectors that the run gives for that
# language, in the names of its tensors nothing tells languages apart, and a training starts from it.
view_of() { # RUN LANGUAGE TEXT
    try model "$1" --language "$2" --out "$1-$2"
    want_code 0
    want_out_has "opens as    ${4:-BertForMaskedLM}"
    if grep -q '^::' "$1-$2/vocab.txt"; then fail "rows of another language"; fi
    grep -q '"pipeline": "",' "$1-$2/config.json" || fail "transforms in a view"
    try encode "$1" "$3" --language "$2"
    want_code 0
    cp .out of-run
    try encode "$1-$2" "$3"
    want_code 0
    cmp -s .out of-run || fail "other vectors than the run's"
    try train --quiet --from "$1-$2" --text "$3" --languages x --updates 1 --block 16 --no-eval --out "$1-$2-on"
    want_code 0
}
try corpus world --quiet --preset demo --languages "eng; x" --sentences 60 --out w
cp w/eng.txt en.txt
tr a-y b-z <en.txt >de.txt
train positioned --shift-special --lang-pos --block 32 --tied=false --no-eval
try train --quiet --out own --text en.txt --files 'd=de.txt' --languages 'en; de(text=d, vocab=own)' --vocab-size 120 \
    --preset bert-tiny --updates 2 --no-eval
want_code 0
for run in whole shifted positioned; do
    view_of "$run" fake en.txt
    try encode "$run" en.txt
    if cmp -s .out of-run; then fail "the first language's vectors"; fi
done
view_of positioned en en.txt
view_of own de de.txt
# Merges of its own, which the first one's tokenizer.json has not.
try train --quiet --out merged --text en.txt --files 'd=de.txt' --languages 'en; de(text=d, vocab=own)' --vocab-size 90 \
    --vocab-model bpe --preset bert-tiny --updates 2 --no-eval
want_code 0
view_of merged de de.txt
"$isoglot" tokenize --vocab merged/data/vocab-de.txt de.txt >pieces
"$isoglot" tokenize --vocab merged-de de.txt | cmp -s - pieces || fail "not the language's own pieces"
awk '{ print $0 "\t" NR % 2 }' de.txt >rows.tsv
printf 'kind: single\ntrain: {de: rows.tsv}\ntest: {de: rows.tsv}\n' >rows.yaml
for model in merged merged-de; do
    try finetune --quiet --model $model --task rows.yaml --out tuned-$model --updates 2
    want_code 0
    try predict --quiet --model tuned-$model --language de --scores de.txt
    want_code 0
    cp .out scores-$model
done
cmp -s scores-merged scores-merged-de || fail "other labels than of the language's own model"
train modern --architecture modernbert --no-eval
view_of modern fake en.txt ModernBertForMaskedLM
train turned --no-eval --inv-order
try model turned --language fake --out turned-fake
want_error 2 "isoglot model: error: language: 'fake' has the order 'invert', which no folder of other programs can have" \
    "isoglot encode --language fake orders a text so"
[ ! -e turned-fake ] || fail "a view in another order"

# Impossible settings are reported before anything is made.
train x --separate "layers=1-3"
want_error 2 "isoglot train: error: separate: no layer 3: the model has 1 to 2"
train x --separate "output"
want_code 2
train x --separate positions --position-type rotary
want_error 2 "isoglot train: error: positions are separate, but with position-type rotary none are trained, expected learned or relative ones"
train x --position-type rotary --lang-pos
want_error 2 "isoglot train: error: position-type: separate positions for language 'fake', which rotary positions do not see: expected learned or sinusoidal"
[ ! -e x ] || fail "a folder of a run that cannot be"

# Without positions and dropout an inverted copy is the copy: the same losses but for rounding, where
# learned positions see another text.
last() { sed -n 's/.*"step":20,"loss":\([0-9.]*\),.*/\1/p' "$1/log.jsonl"; }
for kind in none learned; do
    for order in "" --inv-order; do
        # shellcheck disable=SC2086
        train "$kind$order" --position-type $kind $order --hidden-dropout 0 --attention-dropout 0 --no-eval
        want_code 0
    done
done
[ "$(last none | cut -c1-5)" = "$(last none--inv-order | cut -c1-5)" ] || fail "order matters without positions"
[ "$(last learned)" != "$(last learned--inv-order)" ] || fail "order does not matter with positions"
