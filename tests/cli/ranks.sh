#!/bin/sh
# One training over several processes, started by mpirun: the bits of one process, whatever the ranks, threads, precision and
# kind of model; ranks that are lost; ranks that do not fit.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

if ! command -v mpirun >/dev/null || [ ! -e "${isoglot%/*}/libisoglot_mpi.so" ]; then
    skip_here "no mpirun, or a build without MPI"
    exit 0
fi
# What MPI keeps at its end is not ours to free.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
# There are more ranks than processors, and other tests: one that waits lets the others compute.
export OMPI_MCA_mpi_yield_when_idle=1

hash() { sha256sum "$1/model/model.safetensors" | cut -d' ' -f1; }
# The log without what the clock decides.
lines() { sed 's/,"tokens_per_second":[^,}]*//' "$1/log.jsonl"; }
ranks() { # N ARGUMENTS: the program as N processes
    tried="(mpirun -n $1) $*"
    n=$1
    shift
    code=0
    mpirun -q --oversubscribe -n "$n" "$isoglot" "$@" >"$work/.out" 2>"$work/.err" </dev/null || code=$?
}
common="train --quiet --world demo --world-sentences 400 --dev-take 40 --vocab-size 200 --updates 3"
tiny="$common --preset bert-tiny --no-eval"
small="$common --preset bert-tiny --batch 400"
large="$common --layers 1 --hidden 160 --ffn 640 --heads 2 --block 64 --no-eval"

# --- bits ---

same() { # RANKS THREADS WHAT ARGUMENTS: of one process and of several
    n=$1 threads=$2 what=$3
    shift 3
    # With sanitizers, which are slow, each kind of training once.
    if [ -d "one-$what" ]; then
        [ -z "${ISOGLOT_SANITIZED:-}" ] || return 0
    else
        try "$@" --out "one-$what" --threads 1
        want_code 0
    fi
    ranks "$n" "$@" --out "many-$what-$n" --threads "$threads"
    want_code 0
    [ "$(hash "one-$what")" = "$(hash "many-$what-$n")" ] || fail "$what: other bits with $n ranks"
    [ "$(lines "one-$what")" = "$(lines "many-$what-$n")" ] || fail "$what: another log with $n ranks"
}
# shellcheck disable=SC2086
{
    same 2 1 small $small --languages "en; fake = shift"
    [ "$(rows_of one-small/eval.json)" = "$(rows_of many-small-2/eval.json)" ] || fail "other measures with 2 ranks"
    same 3 2 small $small --languages "en; fake = shift"
    same 4 1 small $small --languages "en; fake = shift"
    same 2 2 large $large --batch 700
    same 3 1 large $large --batch 700
    same 4 1 large $large --batch 700
    same 3 1 bfloat16 $tiny --batch 400 --precision bfloat16
    same 2 1 large-bfloat16 $large --batch 700 --precision bfloat16
    same 3 1 accum $tiny --batch 200 --accum 2
    same 3 1 large-accum $large --batch 350 --accum 2
    same 2 1 separate $tiny --batch 400 --languages "en; fake = shift" --separate "words; layers=1"
    same 2 1 frozen $tiny --batch 400 --freeze words
    # Ranks that have nothing to compute.
    same 4 1 short $tiny --batch 8
}
[ "$(hash one-small)" != "$(hash one-large)" ] || fail "all models have the same bits"

# A fine-tuning and its predictions; with edits, which rank 0 computes alone.
printf 'red fox\tA\nblue fox\tB\nred hen\tA\nblue hen\tB\nred cow\tA\nblue cow\tB\n' >train.tsv
printf 'kind: single\ntrain: {en: train.tsv}\ndev: {en: train.tsv}\ntest: {en: train.tsv}\n' >TASK.yaml
for edit in "" "{kind: centre, layer: 1}"; do
    rm -rf tuned-1 tuned-3
    try finetune --quiet --model one-small --task TASK.yaml --out tuned-1 --batch 6 --epochs 4 --threads 1 ${edit:+--edit "$edit"}
    want_code 0
    ranks 3 finetune --quiet --model one-small --task TASK.yaml --out tuned-3 --batch 6 --epochs 4 --threads 1 \
        ${edit:+--edit "$edit"}
    want_code 0
    [ "$(sha256sum <tuned-1/model.safetensors)" = "$(sha256sum <tuned-3/model.safetensors)" ] ||
        fail "a fine-tuning has other bits with 3 ranks ($edit)"
done

# --- started by the program ---

# shellcheck disable=SC2086
try $small --languages "en; fake = shift" --out own --ranks 3 --threads 1
want_code 0
[ "$(hash one-small)" = "$(hash own)" ] || fail "other bits with ranks that the program starts"
cat >two.yaml <<'END'
base: {world: demo, world_sentences: 120, dev_take: 40, vocab_size: 120, preset: bert-tiny, batch: 64, updates: 24}
cells: {plain: {}, two: {ranks: 2, lr: 1e-3}}
measure: {what: [retrieval]}
END
sed 's/ranks: 2, //' two.yaml >one.yaml
for n in one two; do
    try run --quiet $n.yaml --store store-$n
    want_code 0
done
[ "$(cd store-one && sha256sum runs/*/measures.jsonl runs/*/model/*.safetensors)" = \
    "$(cd store-two && sha256sum runs/*/measures.jsonl runs/*/model/*.safetensors)" ] || fail "a cell's runs depend on its ranks"
try run two.yaml --store store-three --launcher slurm --threads 4
want_code 0
for line in --ntasks=2 --cpus-per-task=4; do
    grep -qx "#SBATCH $line" store-three/jobs/two.sh || fail "the script does not ask for $line"
done

# What a rank sends: half of the 4 bytes of each parameter as gradients, and as weights; with four ranks, and the moments of
# a quarter.
plan() { # RANKS KEY
    # shellcheck disable=SC2086
    try $small --no-eval --dry-run --json --ranks "$1"
    want_code 0
    tr -d ' \n' <"$work/.out" | sed -n "s/.*\"$2\":\([0-9]*\).*/\1/p"
}
parameters=$(plan 1 parameters)
[ "$(plan 2 sent_bytes)" -eq $((4 * parameters)) ] || fail "bytes of an update with 2 ranks"
[ "$(plan 4 sent_bytes)" -eq $((6 * parameters)) ] || fail "bytes of an update with 4 ranks"
[ "$(plan 4 lanes)" -eq 8 ] || fail "lanes of a batch"

# --- what does not fit ---

refused() { # MESSAGE
    want_code 2
    want_err_has "isoglot train: error: rank 1 ("
    want_err_has "$1"
    [ "$(grep -c . "$work/.err")" -eq 1 ] || fail "more than one line"
    [ ! -e no ] || fail "something was written"
}
two() { # PROGRAM ARGUMENTS: rank 0 as it should be, rank 1 another
    tried="two kinds of ranks: $*"
    code=0
    # shellcheck disable=SC2086
    mpirun -q --oversubscribe -n 1 "$isoglot" $text --out no : -n 1 "$@" >"$work/.out" 2>"$work/.err" \
        </dev/null || code=$?
}
printf 'a b c\nd e f\n' >here.txt
text="train --text here.txt --preset bert-tiny --updates 3"
# shellcheck disable=SC2086
{
    two "$isoglot" $text --out no --seed 7
    refused "found seed 7, expected 0 as of rank 0"
    two env ISOGLOT_CPU=portable "$isoglot" $text --out no
    refused "found CPU kernels portable"
    mkdir other there
    cp "$isoglot" other/isoglot
    cp "${isoglot%/*}/libisoglot_mpi.so" other
    echo >>other/isoglot
    two "$PWD/other/isoglot" $text --out no
    refused "found build "
    printf 'a b c\nd e g\n' >there/here.txt
    two sh -c 'cd there && exec "$@"' sh "$isoglot" $text --out no
    refused "found bytes of text "
    two "$isoglot" $text --out no --updtes 3
    want_error 2 "isoglot train: error: unknown option '--updtes' (did you mean '--updates'?)"
    ranks 3 $text --out no --updtes 3
    want_error 2 "isoglot train: error: unknown option '--updtes' (did you mean '--updates'?)"
}

# --- ranks that are lost ---

long="train --quiet --world demo --world-sentences 200 --dev-take 40 --vocab-size 120 --preset bert-tiny --batch 64 --no-eval
    --updates 400 --save-every 10 --threads 1"
rank_of() { { tr '\0' '\n' <"/proc/$1/environ"; } 2>/dev/null | sed -n 's/^OMPI_COMM_WORLD_RANK=//p'; }
# shellcheck disable=SC2086
try $long --out quiet
want_code 0
newest() { find lost/checkpoints -name 'step*' 2>/dev/null | sort | tail -n 1; }
for victim in 1 0 2; do
    before=$(newest)
    # shellcheck disable=SC2086
    mpirun -q --oversubscribe -n 3 "$isoglot" $long --out lost >"$work/.out" 2>"$work/.err" </dev/null &
    launcher=$!
    tried="(mpirun -n 3, rank $victim killed) $long"
    for _ in $(seq 600); do
        [ "$(newest)" = "$before" ] || break
        sleep 0.05
    done
    for p in $(pgrep -P $launcher); do
        [ "$(rank_of "$p")" != $victim ] || kill -9 "$p"
    done
    from=$(date +%s)
    code=0
    wait $launcher || code=$?
    [ $(($(date +%s) - from)) -le 10 ] || fail "the others lived on for more than ten seconds"
    [ "$code" -ne 0 ] || fail "nothing was killed"
    [ "$(grep -c "^isoglot: error: rank $victim (.*) was lost; the same command resumes from the last checkpoint" \
        "$work/.err")" -eq 1 ] || fail "no line about rank $victim, or more than one"
done
# shellcheck disable=SC2086
ranks 2 $long --out lost
want_code 0
[ "$(hash quiet)" = "$(hash lost)" ] || fail "other bits after three ranks were lost"
