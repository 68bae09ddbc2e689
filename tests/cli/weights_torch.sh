#!/bin/sh
# The forms of weights that transformers writes, where torch is installed (ISOGLOT_PEER_PYTHON, else python3): the same vectors.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
python=${ISOGLOT_PEER_PYTHON:-python3}
data=$(cd "$(dirname "$0")/../data/foreign" && pwd)
if ! "$python" -c 'import torch, safetensors' 2>/dev/null; then
    skip_here "no torch and safetensors in $python (ISOGLOT_PEER_PYTHON names another)"
    exit 0
fi
"$isoglot" encode --quiet "$data/roberta" "$data/en.txt" >native
for form in bin bins shards; do
    mkdir $form
    cp "$data/roberta/config.json" "$data/roberta/tokenizer.json" $form
done
"$python" - "$data/roberta/model.safetensors" <<'EOF'
import json, sys, torch
from safetensors.torch import load_file, save_file
state = load_file(sys.argv[1])
torch.save(state, "bin/pytorch_model.bin")
names = sorted(state)
halves = {"1": names[::2], "2": names[1::2]}
for folder, stem, ending, save in (("bins", "pytorch_model", "bin", torch.save), ("shards", "model", "safetensors", save_file)):
    of = {n: f"{stem}-0000{k}-of-00002.{ending}" for k, v in halves.items() for n in v}
    for k, v in halves.items():
        save({n: state[n] for n in v}, f"{folder}/{stem}-0000{k}-of-00002.{ending}")
    json.dump({"metadata": {}, "weight_map": of}, open(f"{folder}/{stem}.{ending}.index.json", "w"))
EOF
for form in bin bins shards; do
    try encode --quiet $form "$data/en.txt"
    want_code 0
    cmp -s native .out || fail "other vectors of $form"
done
# An adapter's tensors are named in each form.
"$python" - <<'EOF'
import json, torch
from safetensors.torch import load_file, save_file
extra = {"roberta.encoder.layer.0.attention.self.query.lora_A.weight": torch.zeros(2, 16)}
torch.save({**torch.load("bin/pytorch_model.bin"), **extra}, "bin/pytorch_model.bin")
for folder, path, load, save in (("bins", "pytorch_model-00002-of-00002.bin", torch.load, torch.save),
                                 ("shards", "model-00002-of-00002.safetensors", load_file, save_file)):
    save({**load(f"{folder}/{path}"), **extra}, f"{folder}/{path}")
    index = f"{folder}/{'pytorch_model.bin' if folder == 'bins' else 'model.safetensors'}.index.json"
    whole = json.load(open(index))
    whole["weight_map"].update({name: path for name in extra})
    json.dump(whole, open(index, "w"))
EOF
for form in bin bins shards; do
    try diagnose --quiet --ignore-extra $form --text "en=$data/en.txt" --text "de=$data/de.txt" --allow-unknown --json
    want_code 0
    want_out_has '"kind": "adapter"'
done
