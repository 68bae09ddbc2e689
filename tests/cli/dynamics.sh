#!/bin/sh
# Scores over the training: checkpoints that are kept for a task, fine-tuned and edited there; curves, onsets and claims
# over them; a task that comes later, a run that is stopped, mistakes.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

file() { # TASKS
    cat >e.yaml <<END
base: {world: tasks, world_words: true, world_sentences: 1500, dev_take: 200, languages: "en; fake = shift", layers: 2,
       hidden: 32, heads: 2, ffn: 64, mask_prob: 0.3, updates: 400, batch: 64, lr: 5e-3, warmup: 20}
seeds: 6
measure:
  what: [retrieval, translation]
  checkpoints: [0, 20, 50, 100, 200]
  take: 100
  text: {centred: {edit: [{layer: 2, kind: centre}], what: [retrieval]}}
tasks:
$1
report:
  tables:
    - name: end
      columns: [mu, "mu[step=20]", "accuracy[task=tags,en]", "accuracy[task=tags,fake]", "accuracy[task=tags,fake,step=50]"]
  figures:
    - {name: course, kind: curves, values: ["accuracy[task=tags,fake]", mu, "rho[text=centred,2]"], onset: true}
claims:
  order: {text: transfer comes before alignment, statement: "onset(mu(base)) > onset(accuracy[task=tags,fake](base))"}
  later: {text: transfer grows with alignment, statement: "accuracy[task=tags,fake,step=400](base) - accuracy[task=tags,fake,step=50](base) > .05 and mu(base) > mu[step=20](base)"}
END
}
small="world: tags, train: 300, dev: 60, test: 100, epochs: 2, lr: 2e-3"
file "  tags: {$small, checkpoints: all}"
try run --quiet e.yaml
want_code 0
try report e.yaml
want_code 0
want_out_has "course: accuracy[task=tags,fake] sets in at update "
want_out_has "order  transfer comes before alignment"
want_out_has "later  transfer grows with alignment"
want_out_has "2 claims of no paper: 2 supported"
want_out_has "μ, update 20"
want_out_has "accuracy tags fake, update 50"

# A row at each checkpoint, which rise from what an untrained model transfers to what the finished one does.
try export e.yaml --curves -o rows.jsonl
want_code 0
python3 - <<'END' || fail "not a score at each checkpoint that rises"
import json

of = {}
for row in map(json.loads, open("rows.jsonl")):
    if row.get("measure") == "accuracy" and row["languages"] == "fake":
        of.setdefault(row["step"], []).append(row["value"])
    if row.get("split") == "centred":
        of.setdefault(("centred", row["step"]), []).append(row["value"])
steps = [0, 20, 50, 100, 200, 400]
assert all(len(of[s]) == 6 and len(of["centred", s]) >= 6 for s in steps)
mean = [sum(of[s]) / 6 for s in steps]
assert mean[0] + 0.1 < mean[1] and mean[1] + 0.05 < mean[3] and mean[3] + 0.05 < mean[5], mean
assert sum(of["centred", 0]) / len(of["centred", 0]) + 0.2 < sum(of["centred", 400]) / len(of["centred", 400])
END

# A table and claims of checkpoints from a file of results.
try export e.yaml --out end.jsonl
try claims e.yaml --results rows.jsonl
want_out_has "2 claims of no paper: 2 supported"
try report e.yaml --results rows.jsonl --table end --as csv
want_code 0
cp "$work/.out" from-file
try report e.yaml --results end.jsonl --table end --as csv
[ "$(cat "$work/.out")" = "$(cat from-file)" ] || fail "an export without curves lacks the checkpoints of its tables"

# Another task, on edited models: what was done is kept.
set -- isoglot-store/runs/*/tasks/*
run=${1%/tasks/*} key=${1##*/}
[ ! -f "$run/checkpoints/step-00000050/trainer.state" ] || fail "a kept model has a state to go on from"
file "  tags: {$small, checkpoints: all}
  edited: {$small, seeds: [3], edit: '{layer: 1, kind: reinit}', checkpoints: [50]}"
before=$(cat isoglot-store/runs/*/tasks/"$key"/step-00000050/seed-0.json | sha256sum)
model=$(sha256sum isoglot-store/runs/*/model/model.safetensors)
try run e.yaml --dry-run
want_out_has "for 12 fine-tunings"
try run --quiet e.yaml
want_code 0
set -- isoglot-store/runs/*/tasks/*/step-00000050/seed-3.json
[ $# = 6 ] || fail "no edited model of a checkpoint is fine-tuned"
[ "$before" = "$(cat isoglot-store/runs/*/tasks/"$key"/step-00000050/seed-0.json | sha256sum)" ] || fail "what was there is done again"

# What a process left that was killed after the scores were written.
mkdir "$run/tasks/$key/step-00000050/tuning-0"
try status e.yaml --clean
want_code 0
[ ! -d "$run/tasks/$key/step-00000050/tuning-0" ] || fail "what a killed fine-tuning of a checkpoint left is still there"

# A checkpoint that was not kept: the training is made again, with the same bits.
file "  tags: {$small, checkpoints: [0, 20, 50, 70]}"
try status e.yaml
want_out_has "(the model of update 70 was not kept for tags)"
try run --quiet e.yaml --only '*:0'
want_code 0
printf '%s\n' "$model" | sha256sum --quiet -c || fail "other bits"
ls isoglot-store/runs/*/checkpoints/step-00000070/model.safetensors >kept 2>/dev/null || fail "not kept"

file "  tags: {$small, checkpoints: [0, 20, 500]}"
try run e.yaml
want_error 2 "isoglot run: error: e.yaml:10: checkpoints: no run comes to update 500, the longest has 400"
file "  tags: {$small, checkpoints: [0, 20, 100]}"
try run e.yaml
want_err_has "columns: nothing is fine-tuned at update 50 (tags: {checkpoints: [50]})"
file "  tags: {$small, checkpoints: sometimes}"
try run e.yaml
want_err_has "checkpoints: found 'sometimes', expected end, log, all, a list of updates or {every: N}"
file "  tags: {$small}"
sed -i 's/, "accuracy.task=tags,fake,step=50."//' e.yaml
try run e.yaml
want_err_has "figure 'course': curves, but only the finished models are fine-tuned (tags: {checkpoints: log})"
