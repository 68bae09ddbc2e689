#!/bin/sh
# A store that another program began is read, gone on with and reported unchanged by this one.
#   old_store.sh OLD NEW
set -eu
old=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
new=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
export OPENBLAS_NUM_THREADS=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat >e.yaml <<'YAML'
title: store
base: {world: demo, world_sentences: 400, vocab_size: 250, layers: 2, hidden: 32, ffn: 64, heads: 2, updates: 12, batch: 24,
       dev_take: 60}
axes: {lang_pos: [false, true]}
seeds: 3
measure: {checkpoints: log}
YAML
report() { # PROGRAM STORE: cell, quantity, layer, seeds and values
    "$1" report e.yaml --store "$2" --as csv 2>/dev/null | cut -d, -f 2,4-10
}
sums() { # STORE
    (cd "$1/runs" && find . -name model.safetensors -exec sha256sum {} + | sort -k 2)
}
"$old" run e.yaml --store whole --jobs 1 >/dev/null 2>&1
report "$old" whole >wanted
[ -s wanted ] || { echo "the old program reports nothing"; exit 1; }
report "$new" whole | diff wanted - || { echo "a whole store is reported otherwise"; exit 1; }
"$old" run e.yaml --store part --jobs 1 --only '*:0' >/dev/null 2>&1
"$new" run e.yaml --store part --jobs 1 >/dev/null 2>&1
report "$new" part | diff wanted - || { echo "a store that was gone on with is reported otherwise"; exit 1; }
sums whole >a
sums part | diff a - || { echo "the models of a store that was gone on with differ"; exit 1; }
echo "the old store is read, gone on with and reported as before"
