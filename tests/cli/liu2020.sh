#!/bin/sh
# experiments/liu2020/words.sh in the smallest: every method gets a line with a figure, a second call makes nothing again.
# shellcheck source=tests/cli/lib.sh
script=$(cd "$(dirname "$0")/../../experiments/liu2020" && pwd)/words.sh
. "$(dirname "$0")/lib.sh"
# shellcheck disable=SC2034  # lib.sh prints it
tried="words.sh world"
export ISOGLOT="$isoglot" SIZES="60 120" WINDOWS=10 UPDATES=4 DIM=8 LAYERS=1 VOCAB=200 PRESET=demo

sh "$script" world o >.out 2>.err || fail "the script fails"
[ "$(wc -l <.out)" -eq 13 ] || fail "not a line for each size, method, layer and window"
awk -F '\t' 'NR > 1 && !($5 > 10 && $6 > 0 && $6 <= 1 && $7 >= 0) { exit 1 }' .out || fail "a line without figures"
# All sizes are asked for the same pairs.
[ "$(awk -F '\t' 'NR > 1 { print $5 }' .out | sort -u | wc -l)" -eq 1 ] || fail "other pairs at another size"
cp .out first
before=$(cksum o/60/bert-10/model/model.safetensors)
sh "$script" world o >.out 2>.err || fail "the second call fails"
cmp -s .out first || fail "the second call says something else"
[ "$before" = "$(cksum o/60/bert-10/model/model.safetensors)" ] || fail "trained again"
