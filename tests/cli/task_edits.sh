#!/bin/sh
# Files that edits read: those of a task are a part of it, and means are of the model that they were made of.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
unset ISOGLOT_DATA # its messages name the default data root

export XDG_DATA_HOME="$work/share"
mkdir dir
cat >dir/plain.yaml <<'END'
base: {preset: bert-tiny, world: demo, world_sentences: 80, dev_take: 20, vocab_size: 120, updates: 10, batch: 16}
cells: {a: {}}
seeds: 1
END
cp dir/plain.yaml dir/other.yaml
sed -i 's/seeds: 1/seeds: [7]/' dir/other.yaml
try run dir/plain.yaml --store st --quiet
want_code 0
try run dir/other.yaml --store st --quiet
want_code 0
own=$(dirname "$(grep -l '"seed": 0' st/runs/*/manifest.json)")
other=$(dirname "$(grep -l '"seed": 7' st/runs/*/manifest.json)")
i=0
while [ $i -lt 20 ]; do echo "a b c d $i"; i=$((i + 1)); done >text.txt
try means --model "$own" --text en=text.txt --text fake=text.txt --out own.st
want_code 0
try means --model "$other" --text en=text.txt --text fake=text.txt --out other.st
want_code 0

# --- means of another model
of() { echo "{layer: 1, kind: $1, from: fake, means: $2}"; }
try eval "$own" --edit "$(of centre own.st)"
want_code 0
for kind in centre "shift, to: en"; do
    try eval "$own" --edit "$(of "$kind" other.st)"
    want_code 3
    grep -q "^isoglot eval: error: other.st: found means of another model ([0-9a-f]\{16\}), expected of this one ([0-9a-f]\{16\})" .err ||
        fail "another message"
done
try eval "$own" --edit '{layer: 1, kind: project, means: other.st}'
want_code 3
try translate --model "$own" --from en --to fake --means other.st --layer 1 --alpha 1 text.txt
want_code 3
want_err_has "found means of another model"
try translate --model "$own" --from en --to fake --means own.st --layer 1 --alpha 1 text.txt
want_code 0
# A file without the digest cannot be checked and is read. Another key of the same length keeps the header valid.
sed 's/isoglot\.model/isoglot.motel/' other.st >untold.st
try eval "$own" --edit "$(of centre untold.st)"
want_code 0

# --- what was tuned with edits takes the same edits, and not those of another model
printf 'the dog sees\tgood\na cat runs\tbad\nthe fish swims\tgood\na bird sings\tbad\n' >train.tsv
printf 'kind: single\ntrain: {en: train.tsv}\ndev: {en: train.tsv}\ntest: {en: train.tsv}\n' >TASK.yaml
cut -f1 train.tsv >texts.txt
try finetune --model "$own" --task TASK.yaml --epochs 1 --edit '{layer: 1, kind: project, means: own.st}' --out tuned --quiet
want_code 0
try predict --model tuned --edit '{layer: 1, kind: project, means: own.st}' texts.txt
want_code 0
try predict --model tuned --edit '{layer: 1, kind: project, means: other.st}' texts.txt
want_code 3
want_err_has "found means of another model"

# --- in an experiment: beside its file, wherever the command is given, and a part of the task
cp own.st dir/m.st
cat >>dir/plain.yaml <<'END'
tasks: {t: {world: tags, train: 20, dev: 10, test: 10, epochs: 1, edit: "{layer: 1, kind: project, means: m.st}"}}
report: {tables: [{name: t, rows: ["*"], columns: ["accuracy[task=t,en]"]}]}
END
try run dir/plain.yaml --store st --quiet
want_code 0
try status dir/plain.yaml --store st
want_out_has "1 run: 1 done"
( cd dir && "$isoglot" status plain.yaml --store ../st ) >.out 2>.err || fail "from another folder"
want_out_has "1 run: 1 done"
# Moved: the same task.
mkdir moved && cp dir/m.st dir/plain.yaml moved
try status moved/plain.yaml --store st
want_out_has "1 run: 1 done"
rm dir/m.st
try means --model "$own" --text en=text.txt --text fake=train.tsv --out dir/m.st
want_code 0
try status dir/plain.yaml --store st
want_out_has "(t: the task, its data or its settings are others)"
try report dir/plain.yaml --store st --json
want_err_has "left out: 1 run: 1 fine-tuned otherwise"
if grep -q '"mean": [0-9]' .out; then fail "scores with other means"; fi
cp other.st dir/m.st
try run dir/plain.yaml --store st
want_code 3
want_err_has "m.st: found means of another model"
# It has failed for that task: another one is fine-tuned without --retry.
sed 's/{t: {/{u: {/; s/task=t/task=u/; s/, edit: "[^"]*"//' dir/plain.yaml >dir/other.yaml
try status dir/plain.yaml --store st
want_out_has "1 run: 1 failed"
try status dir/other.yaml --store st
want_out_has "1 run: 1 stopped"
try run dir/other.yaml --store st --quiet
want_code 0
rm dir/m.st
try run dir/plain.yaml --store st
want_error 4 "isoglot run: error: dir/plain.yaml: task t: edit: found no file $XDG_DATA_HOME/isoglot/m.st, expected it there or beside the experiment's file"

# --- edits in a file of their own, and the files that it names
cat >dir/edits.yaml <<'END'
edit: {layer: 1, kind: project, means: m.st}
END
sed -i 's/edit: "[^"]*"/edit: edits.yaml/' dir/plain.yaml
cp own.st dir/m.st
try run dir/plain.yaml --store st --retry --quiet
want_code 0
try status dir/plain.yaml --store st
want_out_has "1 run: 1 done"
sed -i 's/layer: 1/layer: 2/' dir/edits.yaml
try status dir/plain.yaml --store st
want_out_has "(t: the task, its data or its settings are others)"
sed -i 's/layer: 2/layer: 1/' dir/edits.yaml
try status dir/plain.yaml --store st
want_out_has "1 run: 1 done"
cp dir/m.st moved/m.st
rm dir/m.st
try means --model "$own" --text en=train.tsv --text fake=text.txt --out dir/m.st
try status dir/plain.yaml --store st
want_out_has "(t: the task, its data or its settings are others)"
