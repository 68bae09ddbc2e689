#!/bin/sh
# isoglot info: the keys, the choice of kernels, and its restriction.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

try info --json
want_code 0
want_err ""
for key in version commit compiler cpu isa threads kernels table bfloat16 ops gemm attention adamw blas libraries icu; do
    want_out_has "\"$key\": "
done
try info
want_code 0
want_out_has "kernels"

# The manifest of a run names the kernels of its own precision.
bfloat16=$(sed -n 's/^kernels .* in bfloat16 //p' .out)
cat >p.yaml <<'END'
base: {world: demo, world_sentences: 300, dev_take: 20, preset: bert-tiny, updates: 1, batch: 8, precision: bfloat16}
cells: {a: {}}
END
try run p.yaml --store p -q
want_code 0
grep -q "\"table\": \"$bfloat16\"" p/runs/*/manifest.json || fail "the manifest names other kernels than $bfloat16"

ISOGLOT_CPU=ref
export ISOGLOT_CPU
try info --json
want_code 0
want_out_has '"table": "ref"'
want_out_has '"gemm": "ref"'
want_out_has '"bfloat16": null'

ISOGLOT_CPU=sparc
try info
want_error 2 "isoglot info: error: ISOGLOT_CPU: found 'sparc', expected a table that this CPU can run" \
    "the tables are ref, portable, avx2, avx512"
