#!/bin/sh
# --edit of eval, predict and finetune: an edit by nothing changes nothing, others do; layers of another model are that
# model; a fine-tuning goes on with the same edits; what is refused.
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
        print a "\t" (a ~ /ba|be/ ? "yes" : "no") >"texts.tsv"
    }
}'
head -30 text.txt >dev.txt
printf 'kind: single\ntrain: {en: texts.tsv}\ntest: {en: texts.tsv, fake: texts.tsv}\n' >task.yaml
try train --quiet --text text.txt --dev-text dev.txt --vocab-size 60 --preset bert-tiny --batch 32 --updates 30 --no-eval --threads 1 --out pre
want_code 0

try eval pre --json --layers 0,1,2
want_code 0
sed '/"seconds"/d' .out >plain.json
try eval pre --json --layers 0,1,2 --edit '{kind: shift, layer: 1, from: en, to: fake, alpha: 0}'
want_code 0
want_out_has '"edit": ['
# Less the list of edits, which comes before the run's name.
sed '/"seconds"/d; /"edit"/,/^  \]/d' .out >none.json
cmp -s plain.json none.json || fail "a shift by nothing changes a measure"
try eval pre --json --layers 0,1,2 --edit '[{kind: centre, layer: 0}, {kind: project, layer: 1, how: inlp, take: 100}]'
want_code 0
sed '/"seconds"/d; /"edit"/,/^  \]/d' .out >edited.json
cmp -s plain.json edited.json && fail "centring changes no measure"
try means --model pre --out m.safetensors
want_code 0
cat >edits.yaml <<'Y'
edit:
  - {kind: centre, layer: 0, means: m.safetensors}
  - {kind: project, layer: 1, how: inlp, take: 100}
Y
try eval pre --json --layers 0,1,2 --edit edits.yaml --threads 2
want_code 0
sed '/"seconds"/d; /"edit"/,/^  \]/d' .out >again.json
cmp -s edited.json again.json || fail "means of a file give other numbers than those of the same text"
try eval pre --edit '{kind: reinit, layer: 1}'
want_out_has 'edited: reinit at layer 1'
want_code 0

try finetune --quiet --model pre --task task.yaml --lr 5e-4 --batch 16 --updates 300 --out tuned --threads 1
want_code 0
try finetune --quiet --model pre --task task.yaml --lr 5e-4 --batch 16 --updates 300 --out same --threads 1 --edit '{kind: shift, layer: 1, from: fake, to: en, alpha: 0, means: m.safetensors}'
want_code 0
cmp -s tuned/model.safetensors same/model.safetensors || fail "a shift by nothing changes a fine-tuning"
edit='[{kind: shift, layer: 1, from: fake, to: en, means: m.safetensors}, {kind: reinit, layer: 2, seed: 3}]'
try finetune --quiet --model pre --task task.yaml --lr 5e-4 --batch 16 --updates 60 --out whole --threads 1 --edit "$edit"
want_code 0
cmp -s tuned/model.safetensors whole/model.safetensors && fail "layer 2 drawn anew changes no fine-tuning"
# Stopped by its time limit as often as it takes, it comes to the same model and scores.
n=0
code=8
while [ "$code" -eq 8 ] && [ "$n" -lt 60 ]; do
    try finetune --quiet --model pre --task task.yaml --lr 5e-4 --batch 16 --updates 60 --out parts --threads 1 --edit "$edit" --max-time 0.05
    n=$((n + 1))
done
want_code 0
cmp -s parts/model.safetensors whole/model.safetensors || fail "other bits when it goes on"

# The first layer, a map learned from linked words of the run's own text, and new layers: what is kept has not moved, the new
# ones are as many as asked for; stopped and gone on, the same bits.
map='{kind: rotate, layer: 1, from: fake, to: en, by: words, take: 100}'
try finetune --quiet --model pre --task task.yaml --lr 5e-4 --batch 16 --updates 40 --out cut --threads 1 --keep-layers 1 --new-layers 2 --edit "$map"
want_code 0
grep -q '"num_hidden_layers": 3' cut/config.json || fail "not one layer and two new ones"
code=8
n=0
while [ "$code" -eq 8 ] && [ "$n" -lt 60 ]; do
    try finetune --quiet --model pre --task task.yaml --lr 5e-4 --batch 16 --updates 40 --out cut-parts --threads 1 --keep-layers 1 --new-layers 2 --edit "$map" --max-time 0.05
    n=$((n + 1))
done
want_code 0
cmp -s cut/model.safetensors cut-parts/model.safetensors || fail "other bits when a model with new layers goes on"
try finetune --quiet --model pre --task task.yaml --lr 0 --batch 16 --updates 1 --weight-decay 0 --out still --threads 1 --keep-layers 1 --new-layers 2
want_code 0
try similarity cut still --text en=text.txt --take 50 --json
want_code 0
sed -n '/"1": {/,/}/s/.*"neurons_order": //p' .out >kept
sed -n '/"3": {/,/}/s/.*"neurons_order": //p' .out >new
if [ ! -s kept ] || [ ! -s new ]; then fail "no neurons"; fi
awk '$1 < .9999999 { exit 1 }' kept || fail "layer 1 has been trained"
awk '$1 > .9999999 { exit 1 }' new || fail "the new layers have not been trained"
try finetune --quiet --model pre --task task.yaml --updates 1 --out none --keep-layers 3
want_code 2
# A task's head is for all languages, also where each has a whole model of its own.
try train --quiet --text text.txt --dev-text dev.txt --vocab-size 60 --preset bert-tiny --batch 32 --updates 2 --no-eval --threads 1 --separate all --out apart
want_code 0
try finetune --quiet --model apart --task task.yaml --updates 2 --out apart-tuned --threads 1 --keep-layers 1 --new-layers 1 --edit "$map"
want_code 0
grep -aq '"language.1.bert.encoder.layer.0.' apart-tuned/model.safetensors || fail "fake has lost its first layer"
grep -aq '"language.1.classifier\|"language.1.bert.encoder.layer.1.' apart-tuned/model.safetensors &&
    fail "fake has a head or a new layer of its own, which nothing has trained"

try predict --model tuned --language fake text.txt
want_code 0
cp .out plain
try predict --model tuned --language fake --edit '{kind: shift, layer: 1, from: fake, to: en, alpha: 0, means: m.safetensors}' text.txt
want_code 0
cmp -s .out plain || fail "a shift by nothing changes a prediction"
try predict --model tuned text.txt
want_code 0
cp .out plain
# The layers of another model: all of them are that model, in each command; its own are nothing new.
try train --quiet --text text.txt --dev-text dev.txt --vocab-size 60 --preset bert-tiny --batch 32 --updates 5 --seed 2 --no-eval --threads 1 --out other
want_code 0
swap() { echo "[{kind: swap, layer: 0, model: $1}, {kind: swap, layer: 1, model: $1}, {kind: swap, layer: 2, model: $1}]"; }
states() { rows_of .out | grep '"layer"'; }
try eval other --json --layers 0,1,2
want_code 0
states >other.json
[ -s other.json ] || fail "no layers"
try eval pre --json --layers 0,1,2 --edit "$(swap other)"
want_code 0
states >swapped.json
cmp -s other.json swapped.json || fail "all layers swapped are not the other model"
try finetune --quiet --model pre --task task.yaml --lr 0 --weight-decay 0 --batch 16 --updates 1 --out swapped --threads 1 --edit "$(swap other)"
want_code 0
try similarity swapped other --text en=text.txt --take 50 --json
want_code 0
sed -n 's/.*"neurons_order": //p' .out >equal
awk '$1 < .9999999 { exit 1 } END { exit NR != 4 }' equal || fail "a fine-tuning does not begin with the layers swapped"
try predict --model tuned --edit "$(swap tuned)" text.txt
want_code 0
cmp -s .out plain || fail "its own layers change a prediction"
try predict --model tuned --edit "$(swap other)" text.txt
want_code 0
cmp -s .out plain && fail "the other's layers change no prediction"

# Attention: a model's own changes nothing, another's and a uniform one do; one of another shape is refused.
attend() { echo "[{kind: attention, layer: 1, model: $1}, {kind: attention, layer: 2, model: $1}]"; }
try predict --model tuned --edit "$(attend tuned)" text.txt
want_code 0
cmp -s .out plain || fail "its own attention changes a prediction"
try eval pre --json --layers 0,1,2 --edit "$(attend pre)"
want_code 0
sed '/"seconds"/d; /"edit"/,/^  \]/d' .out >own.json
cmp -s plain.json own.json || fail "its own attention changes a measure"
for edit in "$(attend other)" '{kind: attention, layer: 2}'; do
    try eval pre --json --layers 0,1,2 --edit "$edit" --threads 2
    want_code 0
    sed '/"seconds"/d; /"edit"/,/^  \]/d' .out >attended.json
    cmp -s plain.json attended.json && fail "$edit changes no measure"
    try finetune --quiet --model pre --task task.yaml --lr 5e-4 --batch 16 --updates 20 --weight-decay 0 --out attended --threads 1 --edit "$edit"
    want_code 0
    rm -r attended
done
try train --quiet --text text.txt --dev-text dev.txt --vocab-size 60 --preset bert-tiny --layers 3 --batch 32 --updates 1 --no-eval --threads 1 --out deep
want_code 0
try eval pre --edit "$(attend deep)"
want_error 3 "isoglot eval: error: deep: attention: found 3 layers, expected 2 as the edited model has"
try train --quiet --text text.txt --dev-text dev.txt --vocab-size 60 --preset bert-tiny --heads 4 --batch 32 --updates 1 --no-eval --threads 1 --out heads
want_code 0
try predict --model tuned --edit "$(attend heads)" text.txt
want_error 3 "isoglot predict: error: heads: attention: found 4 attention heads, expected 2 as the edited model has"

try predict --model tuned --edit '{kind: project, layer: 2, how: inlp-paper, take: 100, rounds: 30, text: {en: text.txt, fake: text.txt}}' text.txt
want_code 0
cmp -s .out plain && fail "a projection out of thirty directions changes no prediction"

try eval pre --edit '{kind: shift}'
want_error 2 "isoglot eval: error: --edit:1: shift: layer is not given"
try eval pre --edit '{kind: centre, layer: 9}'
want_error 2 "isoglot eval: error: edit: no layer 9: the model has 0 (embeddings) to 2"
try predict --model tuned --edit '{kind: centre, layer: 1}' text.txt
want_error 2 "isoglot predict: error: edit: centre at layer 1: has no text to learn from, expected text: {LANGUAGE: FILE}"

# Minimal pairs learn an edit from the run's development text, as tasks that train do.
printf 'ba be bi\tbi be ba\torder\nda de di\tdi de da\torder\n' >pairs.tsv
printf 'kind: minimal_pairs\ncolumns: {good: 1, bad: 2, phenomenon: 3}\ntest: {en: pairs.tsv}\n' >pairs.yaml
for fill in zero mean; do
    try finetune --quiet --model pre --task pairs.yaml --out pairs-$fill --edit "{kind: heads, list: '1:0', fill: $fill}"
    want_code 0
    grep margin pairs-$fill/scores.json >$fill
done
try predict --model pairs-zero pairs.tsv
want_error 4 "isoglot predict: error: pairs-zero: found scores alone: minimal pairs train no model, expected the one that they are of"
rm pairs-zero/scores.json
try predict --model pairs-zero pairs.tsv
want_error 4 "isoglot predict: error: pairs-zero: the run has not finished, and has no checkpoint yet" "the command that began it resumes it; of minimal pairs there are scores alone"
if cmp -s zero mean; then fail "a head is the same as its mean and as nothing"; fi
try finetune --quiet --model pre --task pairs.yaml --out pairs-lr --lr 1e-3
want_error 2 "isoglot finetune: error: --lr: has no effect: minimal pairs train nothing"
printf 'base: {preset: bert-tiny, updates: 4}\ntasks:\n  pairs: {world: minimal, lowercase: true, seeds: 1}\n' >minimal.yaml
try run minimal.yaml --dry-run --store minimal-store
want_code 0
echo '  more: {world: minimal, epochs: 2}' >>minimal.yaml
try run minimal.yaml --dry-run --store minimal-store
want_error 2 "isoglot run: error: minimal.yaml:4: tasks: 'epochs' has no effect: minimal pairs train nothing"
printf 'base: {preset: bert-tiny, updates: 4}\ntasks: {pairs: {world: minimal, train: 8}}\n' >minimal.yaml
try run minimal.yaml --dry-run --store minimal-store
want_error 2 "isoglot run: error: minimal.yaml:2: tasks: 'train' has no effect: minimal pairs train nothing"
printf 'base: {preset: bert-tiny, updates: 4}\ntasks: {pairs: {task: pairs.yaml, batch: 8}}\n' >minimal.yaml
try run minimal.yaml --dry-run --store minimal-store
want_error 2 "isoglot run: error: minimal.yaml:2: tasks: 'batch' has no effect: minimal pairs train nothing"
sed 's/{en:/{fr:/' pairs.yaml >other.yaml
try finetune --model pre --task other.yaml --out pairs-other
want_code 0
want_err_has "warning: the model knows no language 'fr': its texts are read as 'en'"

# In an experiment: the development text once more on edited models, on the way and at the end. The training is the one without.
unset ISOGLOT_STORE ISOGLOT_DATA
cat >plain.yaml <<'Y'
base: {preset: bert-tiny, updates: 20, batch: 16, block: 48, vocab_size: 200, world_sentences: 60, dev_take: 20}
measure: {layers: all, checkpoints: [0, 10]}
seeds: 1
Y
cat >edited.yaml <<'Y'
extends: plain.yaml
measure:
  text:
    centred: {edit: {kind: centre, layer: 1}}
    moved: {edit: [{kind: shift, layer: 1, from: en, to: fake, alpha: 0}]}
    fresh: {edit: {kind: reinit, layer: 2}}
    even: {edit: {kind: attention, layer: 2}, what: [perplexity]}
report:
  tables:
    - {name: t, columns: [mu, "mu[text=moved]", "rho[1]", "rho[text=centred,1]", "tau[2]", "tau[text=fresh,2]", "perplexity[dev]", "perplexity[text=even]"]}
Y
try run plain.yaml --jobs 1 --store a
want_code 0
try run edited.yaml --jobs 1 --store b
want_code 0
for run in a/runs/*; do
    cmp -s "$run/model/model.safetensors" "b/runs/${run##*/}/model/model.safetensors" ||
        fail "measuring edited models changes a training"
done
try report edited.yaml --store b --as csv
want_code 0
mean_of() { # QUANTITY as the report writes it
    grep -F "t,base,original,$1," .out | sed 's/"[^"]*"/q/' | cut -d, -f7
}
[ -n "$(mean_of mu)" ] || fail "no mu"
[ "$(mean_of mu)" = "$(mean_of 'mu[text=moved]')" ] || fail "a shift by nothing changes mu"
[ "$(mean_of 'rho[1]')" != "$(mean_of '"rho[1,text=centred]"')" ] || fail "centring changes nothing"
[ "$(mean_of 'perplexity[dev]')" != "$(mean_of 'perplexity[text=even]')" ] || fail "uniform attention changes nothing"
even=$(echo b/runs/*/measures.jsonl)
! rows_of "$even" | grep -q '^"measure":"mu","split":"even"' || fail "an edited model is measured for what its text leaves out"
# A run that is there is only measured again; who asks for other edits keeps these.
sed 's/moved/kept/; s/text=moved/text=kept/' edited.yaml >other.yaml
try run edited.yaml --jobs 1 --store a
want_code 0
try run other.yaml --jobs 1 --store a
want_code 0
try status edited.yaml --store a
want_out_has "1 run: 1 done"
try run --jobs 1 --store a edited.yaml --dry-run
want_code 0
# Another seed, which no other experiment measured, is averaged with it.
try run plain.yaml --set seeds=2 --jobs 1 --store a
want_code 0
try export plain.yaml --set seeds=2 --store a -o both.jsonl
want_code 0
if grep -q centred both.jsonl; then fail "results name a text of another experiment"; fi
# A fine-tuning with an edit that is chosen by the target's development data (Liu et al., Table 4).
cat >tuned.yaml <<'Y'
extends: plain.yaml
base: {world: tasks, world_words: true}
tasks:
  tags: {world: tags, train: 40, dev: 20, test: 20, epochs: 1, freeze: layers 1-1,
         edit: {half: "{layer: 1, kind: shift, from: fake, to: en, alpha: .5}", one: "{layer: 1, kind: shift, from: fake, to: en}"}}
report: {tables: [{name: t, columns: ["accuracy[task=tags,select=target-dev,fake]", "accuracy[task=tags/edit=half,en]"]}]}
Y
try run tuned.yaml --jobs 1 --store d --dry-run
want_code 0
try run tuned.yaml --jobs 1 --store d
want_code 0
try report tuned.yaml --store d --as csv
want_code 0
[ "$(grep -c '^t,base,original,"*accuracy' .out)" -eq 2 ] || fail "no score of a way by name"
# The page and JSON say how each task was tuned for: the recipe's settings too, and the examples that were read.
try report tuned.yaml --store d --json
tr -d ' \n' <.out >flat
grep -q '"freeze":"layers1-1"' flat || fail "no settings of the task"
[ "$(grep -o '"examples":{"entrain":40,"endev":20' flat | wc -l)" -eq 2 ] || fail "no examples of each way"
try report tuned.yaml --store d --html page
sed 's/<[^>]*>/ /g' page/index.html | grep -q 'recipe bert.*; examples read: en train 40, en dev 20' || fail "no examples on the page"
# A file of results carries the examples, also one that is made of a file.
try export tuned.yaml --store d -o tuned.jsonl
want_code 0
try export tuned.yaml --results tuned.jsonl -o again.jsonl
want_code 0
cmp tuned.jsonl again.jsonl || fail "another file of results from itself"
try report tuned.yaml --results tuned.jsonl --json
tr -d ' \n' <.out >flat
[ "$(grep -o '"examples":{"entrain":40,"endev":20' flat | wc -l)" -eq 2 ] || fail "no examples from a file"
try report tuned.yaml --results tuned.jsonl --html page2
sed 's/<[^>]*>/ /g' page2/index.html | grep -q 'recipe bert.*; examples read: en train 40, en dev 20' || fail "no examples on the page of a file"
sed 's/"en train":40/"en train":"40"/' tuned.jsonl >wrong.jsonl
try report tuned.yaml --results wrong.jsonl
want_error 3 "isoglot report: error: wrong.jsonl:2: examples: found $(sed -n '2s/.*"examples":\(.\{60\}\).*/\1/p' wrong.jsonl), expected counts of texts of ways of tasks"
edit_error() { # EDIT MESSAGE [HINT]
    printf 'extends: plain.yaml\nmeasure: {text: {x: %s}}\n' "$1" >bad.yaml
    try run bad.yaml --jobs 1 --store c
    message="isoglot run: error: bad.yaml:2: $2"
    shift 2
    want_error 2 "$message" "$@"
}
edit_error '{edit: {kind: centre, layer: 9}}' "edit: no layer 9 in cell 'base': it has 0 (embeddings) to 2" \
    "low and high are the layers of μ at any depth"
edit_error '{edit: {kind: shift, layer: 1, from: en, to: de}}' "edit: cell 'base' has no language 'de'"
edit_error '{edit: {kind: centre, layer: 1, means: m}}' "edit: centre takes a file, expected none: a run learns from its own text"
edit_error '{edit: {kind: centre, layer: 1}, take: 3}' "take: beside edit, which is of the development text"
edit_error '{edit: {kind: attention, layer: 1, model: m}}' "edit: attention takes a file, expected none: a run learns from its own text"
edit_error '{edit: []}' "edit: found nothing, expected edits"
