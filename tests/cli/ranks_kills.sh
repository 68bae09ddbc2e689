#!/bin/sh
# Kills of one training over three processes, each rank in turn: the others end in seconds with one line, and after all of them
# the bits are those of a training that nothing disturbed. $2: how many kills (6); each takes a few seconds.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
kills=${2:-6}

if ! command -v mpirun >/dev/null || [ ! -e "${isoglot%/*}/libisoglot_mpi.so" ]; then
    skip_here "no mpirun, or a build without MPI"
    exit 0
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
# There are more ranks than processors, and other tests: one that waits lets the others compute.
export OMPI_MCA_mpi_yield_when_idle=1

long="train --quiet --world demo --world-sentences 200 --dev-take 40 --vocab-size 120 --preset bert-tiny --batch 64 --no-eval
    --updates $((kills * 150)) --save-every 10 --threads 1"
rank_of() { { tr '\0' '\n' <"/proc/$1/environ"; } 2>/dev/null | sed -n 's/^OMPI_COMM_WORLD_RANK=//p'; }
newest() { find killed/checkpoints -name 'step*' 2>/dev/null | sort | tail -n 1; }
launch() { # N OUT
    # shellcheck disable=SC2086
    mpirun -q --oversubscribe -n "$1" "$isoglot" $long --out "$2" >"$work/.out" 2>"$work/.err" </dev/null
}
# shellcheck disable=SC2086
try $long --out quiet
want_code 0
for k in $(seq "$kills"); do
    before=$(newest)
    launch 3 killed &
    launcher=$!
    tried="(mpirun -n 3, kill $k)"
    for _ in $(seq 1200); do
        [ "$(newest)" = "$before" ] || break
        sleep 0.05
    done
    sleep "0.0$((k % 10))"
    for p in $(pgrep -f -- "$isoglot train.*--out killed"); do
        [ "$(rank_of "$p")" != $((k % 3)) ] || kill -9 "$p"
    done
    from=$(date +%s) code=0
    wait $launcher || code=$?
    [ $(($(date +%s) - from)) -le 10 ] || fail "the others lived on for more than ten seconds"
    [ "$code" -ne 0 ] || fail "nothing was killed"
    [ "$(grep -c "^isoglot: error: rank $((k % 3)) (.*) was lost; the same command resumes from the last checkpoint" \
        "$work/.err")" -eq 1 ] || fail "no line about rank $((k % 3)), or more than one"
done
tried="(mpirun -n 2 after all kills)"
launch 2 killed || fail "the same command does not end the training"
cmp -s quiet/model/model.safetensors killed/model/model.safetensors || fail "other bits after all kills"
