#!/bin/sh
# Folders are authoritative over the index of a store: what was damaged, removed or put back after a report is in the next
# one as in a report without an index, and as status says.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
unset ISOGLOT_STORE ISOGLOT_DATA

cat >e.yaml <<'END'
base: {preset: bert-tiny, world: demo, world_sentences: 60, dev_take: 20, vocab_size: 120, updates: 2, batch: 16}
cells: {a: {}, b: {lr: 2e-4}}
seeds: 1
tasks: {tags: {world: tags, train: 20, dev: 10, test: 10, epochs: 1}}
END
try run e.yaml --store whole --quiet --jobs 1
want_code 0
try report e.yaml --store whole --csv
want_code 0
cp .out whole.csv
try status e.yaml --store whole --json
address=$(python3 -c '
import json
print(next(r["address"] for r in json.load(open(".out"))["runs"] if r["cell"] == "b"))')
run=st/runs/$address

# same WHAT STATUS: status, a report and an export of the store agree with each other, and with those without its index.
same() {
    try status e.yaml --store st --json
    want_code 0
    grep -A 4 "\"address\": \"$address\"" .out | grep -q "\"status\": \"$2\"" || fail "$1: status does not say $2"
    # A store without an experiment's file is exported as it was last reported, but for what is not whole now.
    try export st
    want_code 0
    runs=$(grep -c '^{"run":' .out)
    [ "$2" = "done" ] || [ "$runs" -eq 1 ] || fail "$1: $2, but $runs runs of the store"
    for of in index folders; do
        [ $of = index ] || rm st/store.sqlite*
        try report e.yaml --store st --csv
        want_code 0
        sed 's/^store .*//' .out >$of.csv
        try export e.yaml --store st
        want_code 0
        cp .out $of.jsonl
    done
    cmp -s index.csv folders.csv || fail "$1: a report from the index differs: $(diff index.csv folders.csv | head -n 3)"
    cmp -s index.jsonl folders.jsonl || fail "$1: an export from the index differs"
    values=$(grep -c '^results,b,[^,]*,mu,.*0\.' index.csv || true)
    if [ "$2" = "done" ]; then [ "$values" -gt 0 ]; else [ "$values" = 0 ]; fi || fail "$1: $2, with $values values"
}
copy() { # of the store, with an index that knows both runs as they were
    rm -rf st
    cp -Rp whole st
}
for file in manifest.json measures.jsonl tasks.json; do
    copy
    head -c 100 "whole/runs/$address/$file" >"$run/$file"
    same "$file is truncated" failed
    copy
    rm "$run/$file"
    same "$file is removed" failed
    cp -p "whole/runs/$address/$file" "$run/$file"
    same "$file is put back" "done"
done
copy
echo '{}' >"$run/manifest.json"
same "manifest.json has no settings" failed
copy
rm "$run/log.jsonl"
same "log.jsonl is removed" failed
copy
: >"$run/log.jsonl"
same "log.jsonl is empty" "done"
copy
mv "$run" aside
same "the folder is removed" missing
mv aside "$run"
same "the folder is put back" "done"
cmp -s whole.csv index.csv || fail "other values than before"
copy
sed 's/"value": *0\.[0-9]*/"value":0.5/' "whole/runs/$address/measures.jsonl" >"$run/measures.jsonl"
cmp -s "whole/runs/$address/measures.jsonl" "$run/measures.jsonl" && fail "nothing was changed"
same "measures.jsonl has other values" "done"
