#!/bin/sh
# A training that is stopped, by Ctrl-C, SIGTERM or SIGKILL, and gone on with ends with the bytes of one that was
# left alone; a second Ctrl-C stops at once. (Killed in the middle of a write, and full disks: test_resume.)
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

tiny="train --quiet --world-sentences 40 --dev-take 10 --vocab-size 100 --preset bert-tiny --batch 16 --no-eval
    --updates 200 --save-every 7 --log-every 1"

# In the background, as a shell's jobs are; its process is $pid.
begin() { # ARGUMENTS
    tried="$* &"
    "$isoglot" "$@" >.out 2>.err </dev/null &
    pid=$!
}

until_there() { # FILE: waits for it to have content
    i=0
    while [ ! -s "$1" ] && [ $i -lt 3000 ]; do
        sleep .02
        i=$((i + 1))
    done
    [ -s "$1" ] || fail "no $1 within a minute"
}

ended() {
    code=0
    wait $pid 2>.wait || code=$?
}

same() { # FOLDER
    for f in model/model.safetensors model/trainer.state model/config.json model/vocab.txt data/train.shard; do
        [ -s "$1/$f" ] || fail "no $1/$f"
    done
    for f in model/model.safetensors model/config.json model/vocab.txt data/train.shard; do
        cmp -s "whole/$f" "$1/$f" || fail "$1/$f differs from an undisturbed run's"
    done
    # Without the times.
    sed 's/,"tokens_per_second":.*//' whole/log.jsonl >.log1
    sed 's/,"tokens_per_second":.*//' "$1/log.jsonl" >.log2
    cmp -s .log1 .log2 || fail "$1/log.jsonl differs: $(diff .log1 .log2)"
    [ "$(ls "$1/checkpoints")" = step-00000200 ] || fail "other checkpoints: $(ls -A "$1/checkpoints")"
}

# shellcheck disable=SC2086
try $tiny --threads 2 --out whole
want_code 0

for signal in INT TERM KILL; do
    # shellcheck disable=SC2086
    begin $tiny --threads 1 --out "$signal"
    until_there "$signal/log.jsonl"
    kill "-$signal" $pid
    ended
    if [ "$code" -eq 0 ]; then
        echo "the run was over before SIG$signal reached it"
    elif [ "$signal" = KILL ]; then
        want_code 137
    else
        want_code 8
        [ "$(sed -n 2p .err)" = "stopping after this update; once more stops at once" ] || fail "no word of the stop"
        sed -n 3p .err | grep -q "^isoglot train: error: $signal: stopped on request after update [0-9]* of 200; all of it is saved (the same command resumes from there)$" ||
            fail "no word of what is saved"
    fi
    # shellcheck disable=SC2086
    try $tiny --threads 3 --out "$signal"
    want_code 0
    same "$signal"
done

# Ctrl-C twice within one update, which takes long here; what comes of it is a run as any other.
slow="train --quiet --world-sentences 60 --dev-take 10 --vocab-size 100 --batch 120 --updates 2 --no-eval --threads 1"
# shellcheck disable=SC2086
begin $slow --out twice
until_there twice/run.json
kill -INT $pid
until_there .err
kill -INT $pid
ended
want_code 130
[ "$(sed -n 2p .err)" = "stopping after this update; once more stops at once" ] || fail "no word of the stop"
[ ! -e twice/checkpoints/step-00000001 ] || fail "saved, although it was to stop at once"
# shellcheck disable=SC2086
try $slow --out twice
want_code 0

# --- waiting for a pipe that nobody writes: the first signal ends it, and says so
mkfifo pipe
sleep 60 >pipe &
holder=$!
printf 'a b c d\n' >text.txt
for way in file input align; do
    case $way in
    file) set -- train --text pipe --vocab-size 100 --preset bert-tiny --updates 5 --out waits ;;
    input) set -- align ibm2 - ;;
    align) set -- align ibm2 pipe text.txt ;;
    esac
    tried="$* <pipe"
    # The shell opens standard input; as a FIFO with a writer it does not wait.
    "$isoglot" "$@" <pipe >.out 2>.err &
    pid=$!
    sleep .5
    kill -TERM $pid || fail "ended before the signal"
    i=0
    while kill -0 $pid 2>/dev/null && [ $i -lt 200 ]; do
        sleep .05
        i=$((i + 1))
    done
    [ $i -lt 200 ] || { kill -KILL $pid $holder; fail "SIGTERM does not end a command that waits for a pipe"; }
    ended
    case $code in
    8) want_err_has "stopped while it waited for input" ;;
    143) ;; # a command that has nothing to save dies of it
    *) fail "exit code $code, expected 8 or 143" ;;
    esac
done
kill $holder
