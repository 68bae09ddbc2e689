#!/bin/sh
# experiments/liu2020: every file and its variants are read, without data; in the smallest a static cell is run and told.
# shellcheck source=tests/cli/lib.sh
files=$(cd "$(dirname "$0")/../../experiments/liu2020" && pwd)
. "$(dirname "$0")/lib.sh"

for f in setup size window word2vec-window pos shift; do
    for v in world world,anchors world,short; do
        # shellcheck disable=SC2034  # lib.sh prints it
        tried="status $f.yaml --variant $v"
        "$isoglot" status "$files/$f.yaml" --variant "$v" --store s >.out 2>.err || fail "is not read"
    done
done
# shellcheck disable=SC2034  # lib.sh prints it
tried="run size.yaml --only glove/sentences=500:0"
"$isoglot" run "$files/size.yaml" --variant world --store s --only 'glove/sentences=500:0' >.out 2>.err || fail "fails"
"$isoglot" report "$files/size.yaml" --variant world --store s --json >.out 2>.err || fail "no report"
grep -q '"mrr\[low\]"' .out || fail "no column of MRR"
