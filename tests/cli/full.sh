#!/bin/sh
# No space left, wherever in a command's writing: exit code 4, the file by name, nothing half-written; and the same
# command succeeds when there is space. The limit on file sizes fails a write in the kernel as a full disk does.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

limited() { # BLOCKS OF 512 BYTES, ARGUMENTS
    blocks=$1
    shift
    tried="$* (files of at most $blocks blocks)"
    code=0
    # The messages go through a pipe, which has no limit.
    { (ulimit -f "$blocks" && exec "$isoglot" "$@" 2>&1 >/dev/null </dev/null) || echo "code $?"; } | cat >.both
    : >.out
    sed '/^code [0-9]*$/d' .both >.err
    code=$(sed -n 's/^code //p' .both)
    code=${code:-0}
}

no_space() { # PATTERN OF THE FILE'S NAME
    want_code 4
    grep -qE "^isoglot [a-z ]*: error: $1: cannot write[a-z ]*: File too large$" .err || fail "no word of $1"
    [ "$(wc -l <.err)" -eq 1 ] || fail "more than a line"
    [ -z "$(find . -name '*.tmp-*' -o -name '.step-*')" ] || fail "left behind: $(find . -name '*.tmp-*')"
}

i=0
while [ $i -lt 300 ]; do
    echo "some words of line $i which are told apart"
    i=$((i + 1))
done >text.txt
try vocab --size 60 --out vocab.txt text.txt
want_code 0
for arguments in "corpus sentences text.txt --out out" \
    "vocab --size 200 --min-frequency 1 text.txt --out out"; do
    # shellcheck disable=SC2086
    limited 1 $arguments
    no_space out
    [ ! -e out ] || fail "out is there"
    echo before >out
    # shellcheck disable=SC2086
    limited 1 $arguments --overwrite
    no_space out
    [ "$(cat out)" = before ] || fail "the old file is not untouched"
    # shellcheck disable=SC2086
    try $arguments --overwrite
    want_code 0
    rm out
done

limited 0 corpus world --out world --sentences 200
no_space "world/[a-z.-]*"
[ ! -e world ] || fail "an empty folder stays"
mkdir world
limited 0 corpus world --out world --sentences 200
[ -d world ] || fail "the folder that was there is gone"
rmdir world
limited 8 corpus world --out world --sentences 200
no_space "world/[a-z.-]*"
try corpus world --out world --sentences 200 --quiet
want_code 0

# A training, stopped by the limit in each file in turn until it fits; then the whole of it.
tiny="train --quiet --world-sentences 40 --dev-take 10 --vocab-size 100 --preset bert-tiny --batch 16 --updates 4
    --save-every 2 --threads 1"
# shellcheck disable=SC2086
try $tiny --out whole
want_code 0
n=0
for blocks in 1 2 4 8 16 32 64 128 256 512 4096; do
    # shellcheck disable=SC2086
    limited $blocks $tiny --out run
    [ "$code" -eq 0 ] && break
    no_space "run/[a-z0-9./-]*"
    n=$((n + 1))
done
[ "$code" -eq 0 ] || fail "does not fit files of 2 MiB"
[ $n -ge 4 ] || fail "failed only $n times: nothing was tested"
cmp -s whole/model/model.safetensors run/model/model.safetensors || fail "other weights than in one go"

# An experiment, in the same way: also a file of measures that a flush fails on is named by its path.
cat >e.yaml <<'END'
base: {preset: bert-tiny, world: demo, world_sentences: 40, dev_take: 10, vocab_size: 100, updates: 4, batch: 16}
cells: {a: {}}
measure: {what: [alignment, retrieval], checkpoints: log}
END
n=0
for blocks in 1 2 4 8 16 32 64 128 256 512 4096; do
    limited $blocks run e.yaml --store st --quiet
    [ "$code" -eq 0 ] && break
    grep -qE "^isoglot run: error: .*st/[A-Za-z0-9./-]*: (cannot write[a-z ]*: File too large|disk I/O error)" .err || fail "no file named at $blocks"
    n=$((n + 1))
done
[ "$code" -eq 0 ] || fail "does not fit files of 2 MiB"
[ $n -ge 3 ] || fail "failed only $n times: nothing was tested"
