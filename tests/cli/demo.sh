#!/bin/sh
# The demonstration, a few updates long: four cells from the file alone; what needs no training is as the paper has it.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
unset ISOGLOT_STORE ISOGLOT_DATA
cat >short.yaml <<END
extends: $(cd "$(dirname "$0")/../.." && pwd)/experiments/demo.yaml
base: {updates: 3, world_seed: 3}
seeds: [3]
END
try run short.yaml --store st --quiet
want_code 0
want_out_has "4 of 4 runs done"
try report short.yaml --store st --csv
want_code 0
value() { # CELL QUANTITY COLUMNS: the mean of a cell
    awk -F, -v cell="$1" -v quantity="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["cell"] == cell && $at["quantity"] == quantity { print $at["mean"] }' .out
}
# Table 1 of the paper, ID 18: shared positions alone align words (.97). Apart, chance is left: about one in the length of
# a sentence, here 5 to 10 words.
within() { # CELL QUANTITY FROM TO
    value "$1" "$2" | awk -v a="$3" -v b="$4" '{ ok = $1 >= a && $1 <= b } END { exit !ok }' ||
        fail "$2 of $1 is '$(value "$1" "$2")', expected $3 to $4"
}
within untrained 'f1[low]' 0.9 1
within separate 'f1[low]' 0 0.4
within untrained mu 0 0.02
within original 'perplexity[dev]' 100 1e9
