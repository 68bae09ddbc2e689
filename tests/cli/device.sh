#!/bin/sh
# --device: the module of a GPU is loaded when it is asked for, here the emulated one; a training there, alone and as one
# of several together, comes to the same bits, also the runs of an experiment, which runs there cells that need a GPU; what is
# not there, or too large, is said.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

settings="--world-sentences 200 --dev-take 20 --vocab-size 120 --preset bert-tiny --updates 3 --batch 8 --save-every 2 -q"
module=$(dirname "$isoglot")/tests/libisoglot-emulated.so
[ -f "$module" ] || fail "$module is not built"

# shellcheck disable=SC2086  # a list of options
try train --out none $settings --device gpu
want_error 2 "isoglot train: error: device: found 'gpu', expected cpu, cuda or cuda:N"
[ ! -e none ] || fail "a folder for a device that is none"
# shellcheck disable=SC2086
try train --out none $settings --replicas 2
want_error 2 "isoglot train: error: replicas: train together on a GPU alone: found the device cpu, expected cuda"

ISOGLOT_CUDA_MODULE=$PWD/absent.so
export ISOGLOT_CUDA_MODULE
# shellcheck disable=SC2086
try train --out none $settings --device cuda
want_code 7
want_err_has "error: device: no module for CUDA can be loaded: $PWD/absent.so"
try info
want_code 0
want_out_has "gpu        none: no module for CUDA can be loaded"

ISOGLOT_CUDA_MODULE=$module
try info
want_code 0
want_out_has "gpu        emulated card, 1.1 of 1.1 GB free, on the host"
try info --json
want_out_has '"name": "emulated card"'
# shellcheck disable=SC2086
try train --out none $settings --device cuda:1
want_code 7
want_err_has "error: device: card 1: this machine has one card, number 0"

for seed in 5 6; do
    # shellcheck disable=SC2086
    try train --out "alone/$seed" $settings --seed "$seed" --device cuda
    want_code 0
done
# shellcheck disable=SC2086
try train --out together $settings --seed 5 --replicas 2 --device cuda --json
want_code 0
want_out_has '"replicas": ['
# shellcheck disable=SC2086
try train --out host $settings --seed 5
want_code 0
for seed in 5 6; do
    cmp "alone/$seed/model/model.safetensors" "together/$seed/model/model.safetensors" ||
        fail "seed $seed has other bits together than alone"
done
if cmp -s host/model/model.safetensors alone/5/model/model.safetensors; then
    fail "the CPU's bits: it was not on the device"
fi

cat >p.yaml <<'EOF'
base: {world: demo, world_sentences: 200, dev_take: 20, preset: bert-tiny, updates: 2, batch: 8}
cells: {a: {}, b: {lr: 1e-3, needs: gpu}}
EOF
try run p.yaml --store p -q --device cuda
want_code 0
[ "$(grep -l '"device": "emulated card"' p/runs/*/manifest.json | wc -l)" = 2 ] || fail "two runs on the card expected"
try run p.yaml --store q -q
want_code 0
[ "$(grep -L '"device": "' q/runs/*/manifest.json | wc -l)" = 1 ] || fail "one run on the CPU expected"
try run p.yaml --store r --device gpu
want_code 2

# --- runs of one shape together ---

cat >q.yaml <<'EOF'
base: {world: demo, world_sentences: 200, dev_take: 20, preset: bert-tiny, updates: 6, batch: 8}
cells: {a: {}, b: {lr: 1e-3, lang_pos: true, ranks: 2}, wide: {hidden: 96}}
seeds: 2
measure: {what: [retrieval], checkpoints: [2]}
tasks: {tags: {world: tags, train: 20, dev: 10, test: 10, head: crf, updates: 2}}
EOF
bits() { (cd "$1" && sha256sum runs/*/measures.jsonl runs/*/tasks.json runs/*/model/model.safetensors); }
try run q.yaml --store alone-runs --device cuda --jobs 1
want_code 0
want_err_has "task tags: no kernel of a GPU for a CRF: fine-tuned on the CPU"
if grep -q '"together"' alone-runs/runs/*/manifest.json; then fail "one job, and yet several together"; fi
# Stopped in between, and killed; then all of them go on.
tried="run q.yaml --store group --device cuda"
"$isoglot" run q.yaml --store group --device cuda --save-every 0.01s >.out 2>.err </dev/null &
scheduler=$!
for _ in $(seq 400); do
    [ -z "$(find group -name trainer.state 2>/dev/null)" ] || break
    sleep .02
done
pgrep -P $scheduler | xargs kill -9 || :
wait $scheduler || fail "runs that were killed together did not go on"
[ "$(grep -l '"together": 4' group/runs/*/manifest.json | wc -l)" = 4 ] || fail "four runs of one shape together expected"
[ "$(grep -l '"together": 2' group/runs/*/manifest.json | wc -l)" = 2 ] || fail "two runs of the other shape together expected"
[ "$(bits alone-runs)" = "$(bits group)" ] || fail "runs have other bits together than alone"

# --- vectors, measures, fine-tuning ---

data=host/data/world-dev.txt
head -n 12 $data | sed 's/.*/&\t&/' >pairs.tsv
cat >tags.yaml <<'EOF'
kind: tagging
train: {en: words.tsv}
dev: {en: words.tsv}
test: {en: words.tsv}
EOF
for word in $(head -n 12 $data); do
    case $word in . | ,) printf '%s\tmark\n' "$word" ;; *) printf '%s\tword\n' "$word" ;; esac
    [ "$word" != . ] || echo
done >words.tsv
# Numbers of two outputs are equal but for rounding, and not the same: the second is of the card.
same() {
    python3 - "$1" "$2" <<'EOF' || fail "$1 and $2 differ by more than rounding, or not at all"
import re, sys
texts = [open(path, encoding="utf-8").read() for path in sys.argv[1:]]
numbers = [[float(x) for x in re.findall(r"-?\d+\.\d+(?:e[+-]?\d+)?", re.sub(r'"(seconds|tokens_per_second|model_gflops)": [^,}]*', "", t))] for t in texts]
assert len(numbers[0]) == len(numbers[1]) > 10
assert all(abs(a - b) <= 1e-4 * (1 + abs(a)) for a, b in zip(*numbers))
assert numbers[0] != numbers[1]
EOF
}
for d in cpu cuda; do
    for c in "encode host $data" "eval host --json" "diagnose host --text en=$data --text fake=$data --unrelated --json" \
        "finetune --model host --task tags.yaml --out tuned-$d --updates 4 --batch 4 --json"; do
        # shellcheck disable=SC2086
        try $c --device $d -q
        want_code 0
        cp .out "${c%% *}-$d"
    done
    try predict --model tuned-cpu --scores --device $d --kind tagging words.tsv -q
    want_code 0
    cp .out predict-$d
    try align words --model host pairs.tsv --device $d -q
    want_code 0
    cp .out align-$d
    try embed contextual --model host --out words-$d.txt --device $d $data -q
    want_code 0
done
for c in encode eval diagnose finetune predict; do
    same $c-cpu $c-cuda
done
same words-cpu.txt words-cuda.txt
cmp align-cpu align-cuda || fail "other links on the card"
try encode host $data --device cuda:1
want_code 7
want_err_has "isoglot encode: error: device: card 1: this machine has one card, number 0"
try finetune --model host --task tags.yaml --out tuned-crf --updates 1 --batch 4 --head crf --device cuda --json
want_code 0
want_err_has "no kernel of a GPU for a CRF: computed on the CPU"

# --- memory, in advance ---

try train --dry-run --preset bert-tiny --world-sentences 200 --dev-take 20 --updates 3 --batch 8 --device cuda
want_code 0
grep -q "^device      about [0-9]* MB of cuda; the time is a processor's$" .out || fail "no word of the card's memory"
try train --out large -q --preset bert-base --world-sentences 4000 --dev-take 20 --updates 3 --instances stream --device cuda
want_code 5
want_err_has "isoglot train: error: device: about "
want_err_has " GB of memory are needed on emulated card, "
[ "$(wc -l <.err)" -eq 1 ] || fail "more than one line"
[ ! -e large ] || fail "a folder of a training that does not fit"
