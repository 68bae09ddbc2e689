#!/bin/sh
# A finished run that takes more updates: the bits of one that was long from the start, its record, what is refused.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

hash() { sha256sum "$1/model/model.safetensors" | cut -d' ' -f1; }
train() { # OUT OPTIONS
    out=$1
    shift
    try train --quiet --out "$out" --world demo --world-sentences 120 --dev-take 40 --vocab-size 120 --preset bert-tiny \
        --batch 16 --languages "en; fake = shift" --warmup 5 "$@"
}

for schedule in constant inverse-sqrt; do
    train "whole-$schedule" --schedule "$schedule" --updates 33
    want_code 0
    train "$schedule" --schedule "$schedule" --updates 17
    want_code 0
    [ -f "$schedule/eval.json" ] || fail "no measures of the short run"
    cp "$schedule/log.jsonl" short.jsonl
    train "$schedule" --schedule "$schedule" --updates 17
    cmp -s short.jsonl "$schedule/log.jsonl" || fail "a finished run has another log when it is asked for again"
    train "$schedule" --schedule "$schedule" --updates 33
    want_code 0
    [ "$(hash "whole-$schedule")" = "$(hash "$schedule")" ] || fail "$schedule: other bits than of a run long from the start"
    [ "$(readlink "$schedule/model")" = checkpoints/step-00000033 ] || fail "the model is not the last one"
    grep -q '"finished_with"' "$schedule/run.json" || fail "the record does not know of the shorter run"
    same=$(python3 - "$schedule" "whole-$schedule" <<'EOF'
import json, sys

a, b = (json.load(open(run + "/eval.json")) for run in sys.argv[1:])
logs = [[json.loads(line) for line in open(run + "/log.jsonl")] for run in sys.argv[1:]]
for line in logs[0] + logs[1]:
    line.pop("tokens_per_second", None)
a.pop("run"), b.pop("run")
print(a == b and logs[0] == logs[1])
EOF
)
    [ "$same" = True ] || fail "$schedule: other measures, or another log, than of a run long from the start"
done

# In phases, the last of which has no end; stopped on the way there; with epochs.
phases='[{until: 10, languages: [en]}, {mask_prob: 0.3}]'
train whole-phases --schedule constant --updates 33 --phases "$phases" --no-eval
train phases --schedule constant --updates 17 --phases "$phases" --no-eval
train phases --schedule constant --updates 33 --phases "$phases" --no-eval
want_code 0
[ "$(hash whole-phases)" = "$(hash phases)" ] || fail "phases: other bits than of a run long from the start"
train whole-epochs --schedule constant --epochs 3 --no-eval
train epochs --schedule constant --epochs 2 --no-eval
train epochs --schedule constant --epochs 3 --no-eval
want_code 0
[ "$(hash whole-epochs)" = "$(hash epochs)" ] || fail "epochs: other bits than of a run long from the start"

# What is no longer run of the same kind: a shorter one, one whose rate falls to 0, another seed.
train constant --schedule constant --updates 17
want_code 2
want_err_has "constant: the folder holds another run: updates is 33 there, 17 here (choose another --out, or give"
train linear --updates 12 --no-eval
want_code 0
before=$(hash linear)
train linear --updates 24 --no-eval
want_error 2 "isoglot train: error: linear: the folder holds another run: updates is 12 there, 24 here; its rate is 0 after the last one (schedule linear) (choose another --out: with --from it starts from this run's weights; runs of schedule constant or inverse-sqrt take more)"
[ "$before" = "$(hash linear)" ] || fail "a refused command changes the run"
train constant --schedule constant --updates 40 --seed 3
want_err_has "the folder holds another run: seed is 0 there, 3 here"
[ "$(readlink constant/model)" = checkpoints/step-00000033 ] || fail "a refused command changes the run"

# In an experiment a raised `updates` goes on from the shorter run, with the bits of one from the start; not where the
# schedule is linear, another setting differs, or checkpoints are measured on the way.
experiment() { # UPDATES SCHEDULE CHECKPOINTS: and its weights
    cat >e.yaml <<END
base: {world: demo, world_sentences: 120, dev_take: 40, vocab_size: 120, preset: bert-tiny, batch: 16, warmup: 5,
       languages: "en; fake = shift", updates: $1, schedule: $2}
seeds: [3]
measure: {what: [retrieval], checkpoints: $3}
END
}
went_on() { grep -l went_on_from "$1"/runs/*/manifest.json 2>/dev/null | wc -l; }
model() { sha256sum "$1"/runs/*/checkpoints/step-00000033/model.safetensors | cut -d' ' -f1 | sort -u; }
experiment 33 constant end
try run --quiet e.yaml --store from-start
want_code 0
[ "$(went_on from-start)" = 0 ] || fail "a first run went on"
for updates in 9 17 33; do
    experiment $updates constant end
    try run --quiet e.yaml --store raised
    want_code 0
done
[ "$(went_on raised)" = 2 ] || fail "the longer runs were trained from the start"
grep -q '"updates": 17' raised/runs/*/longer.json || fail "not from the longest"
[ "$(model raised)" = "$(model from-start)" ] || fail "other bits than from the start"
try report e.yaml --store raised --as csv
cp "$work/.out" raised.csv
try report e.yaml --store from-start --as csv
[ "$(cat "$work/.out")" = "$(cat raised.csv)" ] || fail "other measures than from the start"
experiment 33 constant end
sed -i 's/seeds: .3./seeds: [3, 4]/' e.yaml
try run --quiet e.yaml --store raised
try report e.yaml --store raised
want_code 0
if grep -q "differ in more than" .out; then fail "a run that went on is taken for another kind of run"; fi
want_out_has " 2 "
for other in "40 linear end" "44 constant [10]"; do
    # shellcheck disable=SC2086 # three arguments
    experiment $other
    try run --quiet e.yaml --store raised
    want_code 0
    [ "$(went_on raised)" = 2 ] || fail "$other: went on"
done
try status e.yaml --store raised
want_out_has "1 done"
