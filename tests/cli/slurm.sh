#!/bin/sh
# The job array that `isoglot run --launcher slurm --submit` hands to sbatch, on a real Slurm of one machine: munged,
# slurmctld and slurmd are started here, as this user, without an init system. Skipped where they are not installed.
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

mkdir munge state spool
chmod 755 "$work" munge
head -c 1024 /dev/urandom >munge/key
chmod 400 munge/key
host=$(hostname -s)
port=$((20000 + $$ % 20000))
cat >slurm.conf <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CredType=cred/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
ReturnToService=2
MailProg=/bin/true
KillWait=5
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=cpu Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
SLURM_CONF=$work/slurm.conf
export SLURM_CONF

down() {
    for f in slurmd.pid slurmctld.pid munge/pid; do
        [ ! -s "$work/$f" ] || kill "$(cat "$work/$f")" 2>/dev/null || :
    done
    sleep 1
    rm -rf "$work"
}
trap down EXIT

munged --force --key-file="$work/munge/key" --socket="$work/munge/socket" --pid-file="$work/munge/pid" \
    --log-file="$work/munge/log" --seed-file="$work/munge/seed" >.daemons 2>&1
slurmctld -f slurm.conf >>.daemons 2>&1
slurmd -f slurm.conf >>.daemons 2>&1
tried="(bringing up Slurm)"
: >.out
cp .daemons .err

until_true() { # SECONDS COMMAND…
    left=$(($1 * 5))
    shift
    until "$@"; do
        left=$((left - 1))
        [ $left -gt 0 ] || fail "not within its time: $*; $(squeue 2>&1; tail -5 slurmctld.log slurmd.log)"
        sleep .2
    done
}
is_up() { sinfo -h -o %t 2>/dev/null | grep -q idle; }
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
