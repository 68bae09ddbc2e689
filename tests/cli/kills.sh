#!/bin/sh
# isoglot run killed or stopped at any moment: status --clean, or the next run, leaves nothing of it, and the same bits come out.
# $2: how many kills (6).
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
kills=${2:-6}

cat >e.yaml <<'END'
base: {preset: bert-tiny, world: demo, world_sentences: 120, dev_take: 40, vocab_size: 150, updates: 40, batch: 16,
       world_words: true, languages: 'en; x(world=SOV+post)'}
cells: {a: {}, b: {trainer: word2vec}}
seeds: 2
measure: {what: [alignment, retrieval, perplexity, words], checkpoints: log}
tasks: {tags: {world: tags, train: 60, dev: 20, test: 20, epochs: 2, seeds: 2}}
END
sed 's/measure: {/measure: {take: 10, /; s/epochs: 2, seeds: 2}/epochs: 1}/' e.yaml >other.yaml

# --- what is to come out
begun=$(date +%s%N)
try run e.yaml --store want --jobs 2 --quiet
want_code 0
took=$((($(date +%s%N) - begun) / 1000000))
try run other.yaml --store want --jobs 2 --quiet
want_code 0

leftovers() { # STORE, which is not there if the run was killed before it made it
    [ -d "$1" ] || return 0
    find "$1" -name '*.tmp-*' -o -name '.step-*' -o -name '.old-*' -o -path '*/tasks/model'
    find "$1" -path '*/tasks/*/tuning-*' -prune -print | while read -r folder; do
        seed=${folder##*/tuning-}
        [ ! -f "${folder%/*}/seed-$seed.json" ] || echo "$folder"
    done
}
settled() { # waits for the children of who was killed
    i=0
    while [ $i -lt 100 ] && pgrep -f -- "--store $1 " >/dev/null; do
        sleep .05
        i=$((i + 1))
    done
}
same() { # FILE STORE
    try status "$1" --store "$2" --json
    want_out_has '"done": 4'
    try report "$1" --store "$2" --metrics
    cut -d, -f2-4,6-15 .out | grep -v ',\(seconds\|tokens_per_second\|peak_memory\),' >got
    try report "$1" --store want --metrics
    cut -d, -f2-4,6-15 .out | grep -v ',\(seconds\|tokens_per_second\|peak_memory\),' >expected
    cmp -s got expected || fail "other values of $1 after a kill: $(diff expected got | head -8)"
}

n=0
while [ "$n" -lt "$kills" ]; do
    for file in e.yaml other.yaml; do
        "$isoglot" run $file --store st --jobs 2 --quiet </dev/null >/dev/null 2>&1 &
        pid=$!
        # Anywhere in the run, and often in its first tenth.
        ms=$(awk -v n="$n$$" -v t="$took" 'BEGIN {srand(n); x = rand(); print int(t * (rand() < .3 ? x / 10 : x))}')
        sleep "$(awk -v ms="$ms" 'BEGIN {print ms / 1000}')"
        case $((n % 4)) in
        2) signal=TERM ;;
        3) signal=INT ;;
        *) signal=KILL ;;
        esac
        kill -$signal $pid 2>/dev/null || true
        wait $pid 2>/dev/null || true
        settled st
        try status $file --store st --clean
        want_code 0
        if grep -q '"running": [1-9]' .out; then fail "a killed run still runs"; fi
        left=$(leftovers st)
        [ -z "$left" ] || fail "left after SIG$signal at $ms ms: $left"
    done
    n=$((n + 1))
    [ $((n % 3)) -eq 0 ] || continue
    try run e.yaml --store st --jobs 2 --quiet
    want_code 0
    try run other.yaml --store st --jobs 2 --quiet
    want_code 0
    same e.yaml st
    same other.yaml st
    left=$(leftovers st)
    [ -z "$left" ] || fail "left after a run: $left"
    for lock in want/runs/*/lock; do # what is set aside has none
        for file in checkpoints/step-00000040/model.safetensors vectors.bin; do
            model=${lock%/lock}/$file
            [ ! -f "$model" ] || cmp -s "$model" "st${model#want}" || fail "another model: $model"
        done
    done
    try status --verify --store st
    want_code 0
    rm -rf st
done

# --- killed between a finished run's DONE and its new measures, or its new scores: what the folder has is by the plan of its
# manifest, and by no other
try run e.yaml --store st --jobs 2 --quiet
want_code 0
rm st/runs/*/DONE
try run other.yaml --store st --jobs 2 --quiet
want_code 0
same other.yaml st
run=$(grep -l '"trainer": "bert"' st/runs/*/run.json | head -n 1)
run=${run%/*}
cp "$run/log.jsonl" log
rm "$run/DONE"
try run other.yaml --store st --jobs 2 --quiet
want_code 0
same other.yaml st
cmp -s log "$run/log.jsonl" || fail "trained again by the same plan"
rm -rf st

# --- leftovers of old, and files that are none
try run e.yaml --store st --only a:0 --quiet
want_code 0
run=$(dirname "$(find st/runs -name tasks.json)")
key=$(basename "$(dirname "$(find "$run/tasks" -name 'seed-0.json')")")
dead=$(sh -c 'echo $$')
mkdir "$run/tasks/$key/tuning-0" "$run/tasks/$key/tuning-7" "$run/tasks/0123456789abcdef" "$run/tasks/0123456789abcdef/tuning-1"
: >"$run/tasks/$key/seed-0.json.tmp-$dead"
: >"$run/measures.jsonl.tmp-$dead"
data=$(echo st/data/*/)
: >"${data}o.shard.tmp-$dead"
: >"${data}o.shard.tmp-$$"
: >"st/store.sqlite.tmp-notes"
try status --clean --store st
want_code 0
want_err "st: 4 leftovers removed"
for stays in "$run/tasks/$key/tuning-7" "$run/tasks/0123456789abcdef/tuning-1" "${data}o.shard.tmp-$$" st/store.sqlite.tmp-notes; do
    [ -e "$stays" ] || fail "$stays is gone"
done
[ ! -e "$run/tasks/$key/tuning-0" ] || fail "a fine-tuning whose scores are there stays"
# These are not requested by the file.
try status e.yaml --clean --store st
want_code 0
[ ! -e "$run/tasks/0123456789abcdef/tuning-1" ] || fail "a fine-tuning that nobody asks for stays"
[ -e "$run/tasks/$key/tuning-7" ] || fail "a fine-tuning of a way that is asked for is gone"
# Not while a process has the run.
: >"$run/measures.jsonl.tmp-$dead"
flock "$run/lock" sleep 20 &
pid=$!
sleep .3
try status --clean --store st
kill $pid
[ -e "$run/measures.jsonl.tmp-$dead" ] || fail "a file of a run that is worked on is gone"

# --- a command's own output: the next one removes what the last one left
echo 'a b c' >text.txt
: >"o.vec.tmp-$dead"
try embed train text.txt --method sgns --dim 4 --epochs 1 --min-count 1 --out o.vec
[ "$code" -ne 0 ] || [ ! -e "o.vec.tmp-$dead" ] || fail "o.vec.tmp-$dead stays"
