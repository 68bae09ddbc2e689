# SPDX-License-Identifier: Apache-2.0
"""Whether transformers opens a checkpoint, and computes the same from it.

usage: check_transformers.py RUN [BUILD]     RUN: a folder of `isoglot train`; BUILD: the build folder (build)

RUN/model with AutoModelForMaskedLM, or AutoModelForPreTraining where next sentences are predicted (BERT, or RoFormer for rotary positions; relative ones open nowhere) and
BertTokenizer: nothing missing or unexpected; row i of vocab.txt is token i;
the log probabilities of 40 sequences in each language's ids, positions and segments (config.json, "isoglot") agree
with those of BUILD/tests/tool_nll. Tolerance: both sides compute in float32 over at most a few hundred terms a
sum, 12 layers deep: 2e-4 absolute on values up to about 15.
"""
import inspect
import json
import os
import random
import subprocess
import sys

import torch
from transformers import AutoModelForMaskedLM, AutoModelForPreTraining, BertTokenizer

run = sys.argv[1]
build = sys.argv[2] if len(sys.argv) > 2 else "build"
folder = os.path.join(run, "model")
config = json.load(open(os.path.join(folder, "config.json")))
pairs = config["architectures"][0].endswith("ForPreTraining")
model, info = (AutoModelForPreTraining if pairs else AutoModelForMaskedLM).from_pretrained(folder, output_loading_info=True, attn_implementation="eager")
model.eval()
bad = {k: v for k, v in info.items() if v and k in ("missing_keys", "unexpected_keys", "mismatched_keys")}
assert not bad, bad
tokenizer = BertTokenizer.from_pretrained(folder)
pieces = open(os.path.join(folder, "vocab.txt"), encoding="utf-8").read().split("\n")[:-1]
assert len(pieces) == len(tokenizer) == model.config.vocab_size, (len(pieces), len(tokenizer), model.config.vocab_size)
assert tokenizer.convert_tokens_to_ids(pieces) == list(range(len(pieces)))
languages = config["isoglot"]["languages"]
takes_positions = "position_ids" in inspect.signature(model.forward).parameters
rng = random.Random(1)
lines, want = [], []
for language in languages:
    for _ in range(40):
        n = rng.randint(3, 60)
        special = language["special"]
        ids = [special["cls"]] + [language["first_id"] + rng.randrange(language["n_id"]) for _ in range(n - 2)]
        ids.append(special["sep"])
        position = [language["position_offset"] + i for i in range(n)]
        segment = [language["segment"]] * n
        lines.append(" ".join(map(str, [n] + ids + position + segment)))
        with torch.no_grad():
            where = {"position_ids": torch.tensor([position])} if takes_positions else {}
            out = model(input_ids=torch.tensor([ids]), token_type_ids=torch.tensor([segment]), **where)
        logits = out.prediction_logits if pairs else out.logits
        values = -torch.log_softmax(logits[0], -1)[range(n), ids]
        if pairs:
            values = torch.cat([values, -torch.log_softmax(out.seq_relationship_logits[0], -1)[1:]])
        want.append(values)
answer = subprocess.run([os.path.join(build, "tests", "tool_nll"), folder], input="\n".join(lines) + "\n", text=True,
                        capture_output=True, check=True).stdout.split("\n")
worst = max((torch.tensor([float(x) for x in a.split()]) - w).abs().max().item() for a, w in zip(answer, want))
print(f"{len(pieces)} pieces, {len(lines)} sequences in {len(languages)} languages, largest difference {worst:.2g}")
assert worst < 2e-4
