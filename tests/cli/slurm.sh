#!/bin/sh
# The job array that `isoglot run --launcher slurm --submit` hands to sbatch, and one training over two nodes, on a real Slurm
# of one machine: munged, slurmctld and two slurmd, which are nodes of their own, are started here, as this user, without an
# init system. Skipped where they are not installed.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
unset ISOGLOT_STORE ISOGLOT_DATA
PATH=$PATH:/usr/sbin

for tool in munged slurmctld slurmd sbatch squeue scancel; do
    command -v "$tool" >/dev/null || {
        skip_here "no $tool, for a job array on Slurm"
        exit 0
    }
done

mkdir munge state spool spool/n1 spool/n2 tmp-n1 tmp-n2
chmod 755 "$work" munge
head -c 1024 /dev/urandom >munge/key
chmod 400 munge/key
host=$(hostname -s)
port=$((20000 + $$ % 20000))
cat >slurm.conf <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CredType=cred/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool/%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd-%n.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd-%n.log
TmpFS=$work/tmp-%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
ReturnToService=2
MailProg=/bin/true
KillWait=5
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=$(nproc) State=UNKNOWN
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=$(nproc) State=UNKNOWN
PartitionName=cpu Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
END
SLURM_CONF=$work/slurm.conf
export SLURM_CONF

down() {
    for f in slurmd-n1.pid slurmd-n2.pid slurmctld.pid munge/pid; do
        [ ! -s "$work/$f" ] || kill "$(cat "$work/$f")" 2>/dev/null || :
    done
    sleep 1
    rm -rf "$work"
}
trap down EXIT

munged --force --key-file="$work/munge/key" --socket="$work/munge/socket" --pid-file="$work/munge/pid" \
    --log-file="$work/munge/log" --seed-file="$work/munge/seed" >.daemons 2>&1
slurmctld -f "$SLURM_CONF" >>.daemons 2>&1
for node in n1 n2; do slurmd -f "$SLURM_CONF" -N $node >>.daemons 2>&1; done
tried="(bringing up Slurm)"
: >.out
cp .daemons .err

until_true() { # SECONDS COMMAND…
    left=$(($1 * 5))
    shift
    until "$@"; do
        left=$((left - 1))
        [ $left -gt 0 ] || fail "not within its time: $*; $(squeue 2>&1; tail -n 5 slurmctld.log; tail -n 5 slurmd-n1.log; tail -n 5 slurmd-n2.log)"
        sleep .2
    done
}
is_up() { [ "$(sinfo -h -t idle -o %D 2>/dev/null)" = 2 ]; }
is_running() { squeue -h -t R 2>/dev/null | grep -q .; }
is_empty() { [ -z "$(squeue -h 2>/dev/null)" ]; }
is_saved() { [ -n "$(find "$1" -name trainer.state 2>/dev/null)" ]; }
until_true 30 is_up

cat >e.yaml <<'END'
base: {preset: bert-tiny, updates: 400, batch: 16, block: 48, vocab_size: 200, world_sentences: 60, dev_take: 20}
cells:
  original: {}
  apart: {lang_pos: true, shift_special: true, no_random: fixed}
seeds: 2
END
try run e.yaml --store here --jobs 2
want_code 0

# An array of more tasks than there are processors shares the runs, and its jobs can be cancelled.
try run e.yaml --store cluster --launcher slurm --array 3 --submit --sbatch-args='--partition=cpu'
want_code 0
want_out_has "Submitted batch job "
job=$(sed -n 's/.*batch job //p' .out)
until_true 30 is_running
until_true 30 is_saved cluster
scancel "$job"
until_true 30 is_empty
try status e.yaml --store cluster
grep -q "stopped\|missing" .out || echo "the array was done before it was cancelled"
! grep -q "running\|failed" .out || fail "a cancelled task runs on or has failed"

# Submitted again it goes on, and ends with the same bits.
try run e.yaml --store cluster --launcher slurm --submit
want_code 0
until_true 120 is_empty
try status e.yaml --store cluster
want_out_has "4 runs: 4 done"
for dir in here/runs/*; do
    for f in measures.jsonl model/model.safetensors; do
        cmp -s "$dir/$f" "cluster/runs/${dir##*/}/$f" || fail "${dir##*/}/$f differs"
    done
done
[ ! -e cluster/store.sqlite ] || fail "a task wrote the store's index"

# The message is sbatch's.
try run e.yaml --store other --launcher slurm --submit --sbatch-args='--partition=nowhere'
want_code 4
grep -q "^isoglot run: error: sbatch: invalid partition specified: nowhere$" .err || fail "no word of the partition"

# --- one training over two nodes ---

if [ ! -e "${isoglot%/*}/libisoglot_mpi.so" ] || ! srun --mpi=list 2>&1 | grep -q pmix; then
    skip_here "no MPI, or no srun with PMIx, for a training over two nodes"
    exit 0
fi
# What MPI keeps at its end is not ours to free.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
model() { sha256sum "$1/model/model.safetensors" | cut -d' ' -f1; }
tasks() { # ARGUMENTS: the program as a task on each node
    tried="(srun --mpi=pmix -N 2 -n 2) $*"
    code=0
    srun -Q --mpi=pmix -N 2 -n 2 "$isoglot" "$@" >.out 2>.err </dev/null || code=$?
}
common="train --quiet --world demo --world-sentences 200 --dev-take 20 --vocab-size 120 --preset bert-tiny --no-eval --threads 1"
# shellcheck disable=SC2086  # lists of options
{
    try $common --batch 400 --updates 3 --out alone
    want_code 0
    tasks $common --batch 400 --updates 3 --out both
    want_code 0
    [ "$(model alone)" = "$(model both)" ] || fail "other bits with a task on each node"
    # A task that is killed ends the other; the same command goes on, also with other tasks.
    try $common --batch 64 --updates 400 --out alone-long
    want_code 0
    tasks $common --batch 64 --updates 400 --save-every 10 --out long &
    waiting=$!
    until_true 60 is_saved long
    for p in $(pgrep -f -- "^$isoglot train.*--out long\$"); do
        ! tr '\0' '\n' <"/proc/$p/environ" | grep -qx PMIX_RANK=1 || kill -9 "$p"
    done
    wait $waiting
    want_err_has "isoglot: error: rank 1 ("
    want_err_has ") was lost; the same command resumes from the last checkpoint"
    tasks $common --batch 64 --updates 400 --save-every 10 --out long
    want_code 0
    [ "$(model alone-long)" = "$(model long)" ] || fail "other bits after a task was lost"
}

# The script of a cell of two ranks, with a node for each.
cat >ranks.yaml <<'END'
base: {preset: bert-tiny, updates: 300, batch: 64, block: 48, vocab_size: 200, world_sentences: 60, dev_take: 20}
cells: {two: {ranks: 2}}
measure: {what: [retrieval]}
END
try run ranks.yaml --store here --set ranks=1
want_code 0
try run ranks.yaml --store nodes --launcher slurm --submit --sbatch-args='--nodes=2'
want_code 0
until_true 120 is_empty
try status ranks.yaml --store nodes
want_out_has "1 run: 1 done"
for dir in nodes/runs/*; do
    for f in measures.jsonl model/model.safetensors; do
        cmp -s "here/runs/${dir##*/}/$f" "$dir/$f" || fail "${dir##*/}/$f differs with two nodes"
    done
done
