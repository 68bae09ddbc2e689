#!/bin/sh
# The script of docs/diagnose.md, where torch is installed (ISOGLOT_PEER_PYTHON, else python3): the numbers of its files are
# those of the model read natively.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
python=${ISOGLOT_PEER_PYTHON:-python3}
data=$(cd "$(dirname "$0")/../data/foreign" && pwd)
if ! "$python" -c 'import torch, transformers' 2>/dev/null; then
    skip_here "no torch and transformers in $python (ISOGLOT_PEER_PYTHON names another)"
    exit 0
fi
# shellcheck disable=SC2016
sed -n '/^```python states.py$/,/^```$/p' "$docs/diagnose.md" | grep -v '^```' >states.py
for l in en de; do
    HF_HUB_OFFLINE=1 "$python" states.py "$data/roberta" "$data/$l.txt" $l.safetensors 2>said || fail "$(cat said)"
done
# The probe counts sentences on either side of a border.
numbers() {
    sed -n '/"layers"/,/"best_layer"/p' "$1" |
        awk '/{$/ { key = $1 } $1 == "\"value\":" && key != "\"probe\":" { print key, $2 + 0 }'
}
try diagnose "$data/roberta" --text en="$data/en.txt" --text de="$data/de.txt" --json
numbers .out >native
try diagnose --states en=en.safetensors --states de=de.safetensors --json
want_code 0
numbers .out >ours
[ -s native ] || fail "no numbers"
paste native ours | awk '{ d = $2 - $4; if ($1 != $3 || d > .0005 || d < -.0005) print }' >other
[ ! -s other ] || fail "other numbers: $(cat other)"
