#!/bin/sh
# isoglot tokenize beside Hugging Face `tokenizers`, where a Python with that package is present
# (ISOGLOT_PEER_PYTHON, else python3): the beginnings of the shared Bibles and wikis.
set -eu
tools=$(cd "$(dirname "$0")/../../tools" && pwd)
python=${ISOGLOT_PEER_PYTHON:-python3}
"$python" -c 'import tokenizers' 2>/dev/null || { echo "skipped: no tokenizers for $python to compare with"; exit 77; }
exec "$python" "$tools/check_tokenizer_parity.py" --isoglot "$1" --quick --lines 300
