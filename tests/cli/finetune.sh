#!/bin/sh
# isoglot finetune: it learns, in a language made of the text too; stopped and gone on with, and with any number of threads,
# the same bytes; what it refuses.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# Sentences of twelve words. The last word of the second text says the label of a pair: each has two words, which stand nowhere
# else.
awk 'BEGIN {
    srand(3)
    n = split("ba be bi bo bu da de di do du fa fe", w)
    name[0] = "entailment"; name[1] = "neutral"; name[2] = "contradiction"
    for (i = 0; i < 400; i++) {
        a = b = tags = ""
        for (k = 0; k < 5; k++) a = a " " w[7 + int(rand() * 6)]
        for (k = 0; k < 3; k++) b = b " " w[7 + int(rand() * 6)]
        l = int(rand() * 3)
        b = b " " w[2 * l + 1 + int(rand() * 2)]
        print substr(a, 2) >"text.txt"
        print substr(b, 2) >"text.txt"
        f = i < 300 ? "train" : i < 350 ? "dev" : "test"
        print substr(a, 2) "\t" substr(b, 2) "\t" name[l] >(f ".tsv")
        m = split(substr(a, 2), v, " ")
        for (k = 1; k <= m; k++)
            print v[k] "\t" (v[k] ~ /^d/ ? (k > 1 && v[k - 1] ~ /^d/ ? "I-X" : "B-X") : "O") >(f ".conll")
        print "" >(f ".conll")
        for (k = 1; k <= m; k++)
            print k "\t" v[k] "\t_\tX\t_\t_\t" k - 1 "\t" (k == 1 ? "root" : v[k] ~ /^d/ ? "dep" : "flat") "\t_\t_" >(f ".conllu")
        print "" >(f ".conllu")
    }
}'
for split in train dev test; do cut -f2,3 $split.tsv >$split.single; done
cat >pair.yaml <<EOF
kind: pair
labels: [contradiction, entailment, neutral]
train: {en: train.tsv}
dev: {en: dev.tsv, fake: dev.tsv}
test: {en: test.tsv, fake: test.tsv}
crossed: [en+fake, fake+en]
EOF
cat >single.yaml <<EOF
kind: single
train: {en: train.single}
test: {en: test.single}
EOF
cat >tags.yaml <<EOF
kind: tagging
train: {en: train.conll}
dev: {en: dev.conll}
test: {en: test.conll, fake: test.conll}
EOF
cat >trees.yaml <<EOF
kind: parsing
train: {en: train.conllu}
dev: {en: dev.conllu}
test: {en: test.conllu, fake: test.conllu}
EOF
try train --quiet --text text.txt --dev-take 10 --vocab-size 60 --preset bert-tiny --hidden 64 --batch 32 --updates 200 --no-eval \
    --threads 1 --languages 'en; fake = shift | invert | positions' --out pre
want_code 0

tune="finetune --quiet --model pre --lr 5e-4 --log-every 1 --seed 2"

value() { # FILE PATH: a number of a JSON file, by jq-like keys
    awk -v path="$2" 'BEGIN { n = split(path, key, "/"); at = 1 }
        at <= n && index($0, "\"" key[at] "\":") { if (at == n) { sub(/.*: /, ""); sub(/,$/, ""); print; exit } at++ }' "$1"
}
above() { # FILE PATH LEAST
    v=$(value "$1" "$2")
    [ -n "$v" ] || fail "no $2 in $1"
    awk -v v="$v" -v least="$3" 'BEGIN { exit !(v > least) }' || fail "$1: $2 is $v, expected above $3"
}

# Pairs: well above the majority's .4; the folder is a model's; --json prints scores.json.
# shellcheck disable=SC2086
try $tune --task pair.yaml --out pairs --epochs 15 --batch 16 --json --threads 2
want_code 0
above .out scores/en/test/accuracy 0.8
above .out scores/fake+en/test/accuracy 0.8
cmp -s .out pairs/scores.json || fail "--json is not scores.json"
grep -q '"BertForSequenceClassification"' pairs/config.json || fail "another architecture"
grep -A1 '"id2label"' pairs/config.json | grep -q '"0": "contradiction"' || fail "labels in another order than TASK.yaml's"
for f in model.safetensors vocab.txt tokenizer_config.json run.json log.jsonl; do [ -s pairs/$f ] || fail "no pairs/$f"; done
for f in checkpoints best; do [ ! -e pairs/$f ] || fail "pairs/$f is left"; done
want_out_has '"last"'
want_out_has '"source-dev"'
want_out_has '"target-dev"'
want_out_has '"confusion"'
above .out baselines/en/test/majority/accuracy 0.25
# That command again has nothing to do, another one is refused.
cp pairs/scores.json before
# shellcheck disable=SC2086
try $tune --task pair.yaml --out pairs --epochs 15 --batch 16 --json
want_code 0
cmp -s .out before || fail "another result"
# A record that is older than an option: it had the default.
try eval pairs
want_error 3 "isoglot eval: error: pairs/run.json: found the record of a fine-tuning, expected that of a run" \
    "isoglot predict labels texts with the model; isoglot eval --text LANGUAGE=FILE, once for each language, measures its encoder"
grep -q '"clip": 1' pairs/run.json || fail "no clip in the record"
sed '/"clip": 1/d' pairs/run.json >record && cat record >pairs/run.json
# shellcheck disable=SC2086
try $tune --task pair.yaml --out pairs --epochs 15 --batch 16 --json
want_code 0
cmp -s .out before || fail "another result from an older record"
# shellcheck disable=SC2086
try $tune --task pair.yaml --out pairs --epochs 15 --batch 16 --clip 2
want_error 2 "isoglot finetune: error: pairs: the folder holds a fine-tuning with clip 1.0, not 2.0" "choose another folder"
# shellcheck disable=SC2086
try $tune --task pair.yaml --out pairs --epochs 13 --batch 16
want_error 2 "isoglot finetune: error: pairs: the folder holds a fine-tuning with epochs 15, not 13" "choose another folder"
mkdir full && echo mine >full/notes
# shellcheck disable=SC2086
try $tune --task pair.yaml --out full
want_error 2 "isoglot finetune: error: full: the folder holds files, but no run.json" "choose a new or empty folder"

# A share of the updates as a warm-up is cut to whole ones: .1 of 15 is 1.
for warmup in .1 1 2; do
    # shellcheck disable=SC2086
    try $tune --task single.yaml --out "warm$warmup" --updates 15 --batch 4 --warmup $warmup --threads 1
    want_code 0
    grep -o '"lr":[^,]*' "warm$warmup/log.jsonl" >"warm$warmup.lr"
done
[ "$(wc -l <warm.1.lr)" -eq 15 ] || fail "not a line for every update"
cmp -s warm.1.lr warm1.lr || fail "a share of the updates is not cut"
if cmp -s warm1.lr warm2.lr; then fail "the warm-up changes nothing"; fi

# Single texts, from the labels of the data; labels of words.
# shellcheck disable=SC2086
try $tune --task single.yaml --out single --epochs 15 --batch 16 --threads 1
want_code 0
above single/scores.json scores/en/test/accuracy 0.8
# shellcheck disable=SC2086
try $tune --task tags.yaml --out tags --epochs 20 --batch 16 --threads 2
want_code 0
above tags/scores.json scores/en/test/f1.conlleval 0.9
above tags/scores.json scores/en/test/f1.strict 0.9
grep -q '"scheme": "iob2"' tags/scores.json || fail "no scheme of the tags"
grep -q '"BertForTokenClassification"' tags/config.json || fail "another architecture"

# Tags by a CRF on a frozen model, and trees.
# shellcheck disable=SC2086
try $tune --task tags.yaml --out crf --recipe k2020 --batch 8 --rates head=10 --epochs 20 --lstm-size 20 --threads 2
want_code 0
above crf/scores.json scores/en/test/f1.strict 0.8
# It learned BIOUL: its labels, and never an open span in what it predicts.
for label in B-X I-X L-X U-X; do grep -q "\"$label\"" crf/config.json || fail "no label $label"; done
"$isoglot" predict --model crf test.conll >crf.out || fail "predict"
grep -q 'L-X$' crf.out || fail "no L-X predicted"
awk '{ now = substr($2, 1, 1); if (open != (now == "I" || now == "L")) bad = 1; open = now == "B" || now == "I" } END { exit bad }' \
    crf.out || fail "BIOUL's constraints are broken"
# shellcheck disable=SC2086
try $tune --task trees.yaml --out trees --epochs 15 --batch 8 --rates head=4 --arc-size 40 --label-size 20 --threads 2
want_code 0
above trees/scores.json scores/en/test/uas 0.9
above trees/scores.json scores/en/test/las_nopunct 0.9
sed 's/\t[0-9]*\t[a-z]*\t_\t_$/\t_\t_\t_\t_/' test.conllu >bare.conllu
"$isoglot" predict --model trees bare.conllu >trees.out || fail "predict"
las=$(paste trees.out test.conllu | awk -F '\t' 'NF { n++; r += $7 == $17 && $8 == $18 } END { print r / n }')
above_las=$(value trees/scores.json scores/en/test/las)
awk -v a="$las" -v b="$above_las" 'BEGIN { d = a - b; exit !(d < 1e-4 && d > -1e-4) }' || fail "predicted trees have LAS $las"

# Sentences in several sequences: each has one tree; and words that were not read are labelled "_".
for use in windows split; do
    # shellcheck disable=SC2086
    try $tune --task trees.yaml --out trees.$use --updates 3 --batch 8 --arc-size 16 --label-size 8 --length 6 --too-long $use --threads 2
    want_code 0
    "$isoglot" predict --model trees.$use bare.conllu >short.out || fail "predict"
    awk -F '\t' 'NF { h[$1] = $7; n = $1; next }
        { roots = 0
          for (i = 1; i <= n; i++) { roots += h[i] == 0; k = i; for (s = 0; k > 0 && s <= n; s++) k = h[k]; bad += k > 0 }
          bad += roots != 1; m++ } END { exit bad > 0 || m < 40 }' short.out || fail "$use: no trees"
done
# shellcheck disable=SC2086
try $tune --task tags.yaml --out tags.cut --updates 3 --batch 8 --length 5 --too-long truncate --threads 2
want_code 0
"$isoglot" predict --model tags.cut test.conll >short.out || fail "predict"
[ "$(cut -f 2 short.out | grep -c '^_$')" -eq 100 ] || fail "words that were not read are not shown"
want=$(paste short.out test.conll | awk -F '\t' '$1 != "" { n++; r += $2 == $4 } END { print r / n }')
got=$(value tags.cut/scores.json scores/en/test/accuracy)
awk -v a="$want" -v b="$got" 'BEGIN { d = a - b; exit !(d < 1e-4 && d > -1e-4) }' || fail "accuracy $got of words shown is $want"

# A fine-tuned model is a model to fine-tune: its encoder.
try finetune --quiet --model tags --task single.yaml --out again --updates 2 --threads 1
want_code 0

# Stopped and killed, with other threads: the same bytes.
k="--task pair.yaml --epochs 4 --recipe xtreme --batch 8 --accum 2 --eval-every 9 --definition paper-code"
# shellcheck disable=SC2086
try $tune $k --out whole --threads 2
want_code 0
for signal in INT KILL; do
    # shellcheck disable=SC2086
    "$isoglot" $tune $k --out $signal --threads 1 --save-every 5 >.out 2>.err </dev/null &
    pid=$!
    i=0
    while [ ! -d $signal/checkpoints ] && [ $i -lt 1000 ]; do
        sleep .01
        i=$((i + 1))
    done
    kill -$signal $pid 2>/dev/null || true
    code=0
    wait $pid 2>.wait || code=$?
    [ "$code" -ne 0 ] || echo "the run was over before SIG$signal reached it"
    # shellcheck disable=SC2086
    try $tune $k --out $signal --threads 2
    want_code 0
    cmp -s whole/model.safetensors $signal/model.safetensors || fail "$signal: other weights"
    for d in whole "$signal"; do sed '/"run": {/,/}/d; /"settings": {/,/}/d' "$d/scores.json" >"$d.scores"; done
    cmp -s whole.scores $signal.scores || fail "$signal: other scores"
    for d in whole "$signal"; do sed 's/,"tokens_per_second":.*//' "$d/log.jsonl" >"$d.log"; done
    cmp -s whole.log $signal.log || fail "$signal: another log"
done

# Every recipe, by both kinds of head; what is frozen stays.
for recipe in bert xtreme xlm crosslingual-nlp k2020 minimult; do
    for task in pair tags trees; do
        try finetune --quiet --model pre --task $task.yaml --recipe $recipe --out $recipe.$task --updates 2 --threads 1
        want_code 0
    done
done
grep -q '"BertForTokenClassification"' xlm.pair/config.json || fail "xlm: a pooler"
grep -q '"reads"' k2020.tags/config.json || fail "k2020: the last layer alone"

# Mistakes.
wrong() { # LINE HINT ARGUMENTS
    line=$1 hint=$2
    shift 2
    # shellcheck disable=SC2086
    try $tune --out bad "$@"
    if [ -n "$hint" ]; then want_error 2 "isoglot finetune: error: $line" "$hint"; else want_error 2 "isoglot finetune: error: $line"; fi
    [ ! -e bad ] || fail "left behind: $(ls -aR bad)"
}
wrong "--task: no task to fine-tune for" ""
wrong "head: found a head for words, but the task is pair" "" --task pair.yaml --head crf
wrong "trees.yaml: found labels that name no spans, expected tags as B-X and I-X" "" --task trees.yaml --bioul
wrong "freeze: found 'layers 1-9', expected words, embeddings, layers, layers A-B (1 to 2), separate, head or all" "" \
    --task pair.yaml --freeze "layers 1-9"
wrong "rates: found 'head', expected words, embeddings, layers, layers A-B (1 to 2), separate, head or all, each with =FACTOR" "" \
    --task pair.yaml --rates head
wrong "select: found source-dev, but the task has no development text to select by" "" --task single.yaml --select source-dev
sed '/^train/d' pair.yaml >untrained.yaml
wrong "untrained.yaml: found no training text, expected train" "" --task untrained.yaml

# XLM-R's positions begin after its padding; the folder that is written is a BERT of the same states.
foreign=$(cd "$(dirname "$0")/../data/foreign" && pwd)
try finetune --quiet --model "$foreign/xlmr" --task single.yaml --out xlmr --epochs 1 --lr 1e-12 --length 20
want_code 0
for line in '"tokenizer_class": "XLMRobertaTokenizer"' '"model_max_length": 20'; do
    grep -q "$line" xlmr/tokenizer_config.json || fail "the tokenizer of xlmr lacks $line"
done
try info xlmr
want_out_has "tokenizer  XLMRobertaTokenizer (from tokenizer_config.json) of tokenizer.json, Unigram, 185 pieces"
try model xlmr --json
want_out_has '"pair": "<s> a </s> </s> b </s>"'
for model in "$foreign/xlmr" xlmr; do
    try diagnose "$model" --text en="$foreign/en.txt" --text de="$foreign/de.txt" --json
    want_code 0
    sed -n '/"mean_cosine"/{n;s/.*"value": \([0-9.]\{7\}\).*/\1/p;}' .out >"cosine-$(basename "$(dirname "$model")")"
done
[ "$(wc -l <cosine-foreign)" -eq 3 ] || fail "no states"
cmp -s cosine-foreign cosine-. || fail "other states after fine-tuning with a rate of nothing"

# Examples left out, changed or in two splits are reported, and are in the result.
printf 'label\tpremise\thypothesis\tlanguage\nneutral\tda\tfe\ten\n-\tda\tdi\ten\nneutral\tda\tbe\tfr\nnever\tdu\tfe\ten\n' >own.tsv
printf 'kind: pair\ntrain: {en: train.tsv}\ntest: {en: [own.tsv, train.tsv], xx: test.tsv}\ndev: {xx: dev.tsv}\n' >own.yaml
try finetune --model pre --task own.yaml --out own --updates 1 --threads 1
want_code 0
same=$(sort -u train.tsv | cut -f1,2 | sort -u | wc -l)
cat >want.err <<EOF
en test: read 304, other_language 1, unlabelled 1, unknown_label 1
warning: en test: 300 of 302 pairs are in train too
warning: own.tsv:5: label 'never' is in no training file: it counts as missed (1 in all)
warning: the model knows no language 'xx': its texts are read as 'en'
EOF
sed 's/, duplicate [0-9]*//' .err >.told
cmp -s .told want.err || fail "not what is told"
[ "$same" -gt 290 ] || fail "too many pairs stand twice: $same of 300 are different"
sed -n '/"en test": {/,/"cut"/p' own/scores.json | tr -d ' \n' >counts
for count in '"read":304' '"other_language":1' '"unlabelled":1' '"unknown_label":1' '"overlap":{"train":300,"dev":0}'; do
    grep -qF "$count," counts || fail "the result lacks $count: $(cat counts)"
done

# One label is none to choose.
printf 'a\tyes\nb\tyes\n' >one.tsv
printf 'kind: single\ntrain: {en: one.tsv}\ntest: {en: one.tsv}\n' >one.yaml
try finetune --model pre --task one.yaml --out one --updates 1 --threads 1
want_code 3
want_err_has "isoglot finetune: error: one.yaml: found one label in the training files, 'yes', expected at least two"
