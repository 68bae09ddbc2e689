#!/bin/sh
# Models of the families with their tokenizers against transformers, where it is installed (ISOGLOT_PEER_PYTHON, else python3):
# from text to states; a model without special tokens around a text is read by some commands, refused by others.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
python=${ISOGLOT_PEER_PYTHON:-python3}
if ! "$python" -c 'import torch, transformers, tokenizers' 2>/dev/null; then
    skip_here "no torch, transformers and tokenizers in $python (ISOGLOT_PEER_PYTHON names another)"
    exit 0
fi
HF_HUB_OFFLINE=1 "$python" "$docs/../tools/family_tokens.py" "$isoglot" >said 2>&1 || fail "$(cat said)"
grep ' lines, ' said
