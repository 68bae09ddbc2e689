#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files of PyTorch's for the tests of its reader, and what they hold.

usage: torch_files.py FOLDER      writes FOLDER/*.bin and FOLDER/expected.json (tests/data/torch)

views: tensors that share a storage, transposed, sliced, of no dimension, without numbers, parameters, of every type. The other
files are refused: legacy (the format of before PyTorch 1.6), wrapped (a training's checkpoint), code (a pickle that would run
something).
"""
import json
import os
import sys
from collections import OrderedDict

import torch

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
torch.manual_seed(0)
a = torch.randn(3, 4)
state = OrderedDict(a=a, transposed=a.t(), row=a[1], every_second=a[:, ::2], half=torch.randn(2, 2).half(),
                    bf16=torch.randn(5).bfloat16(), double=torch.randn(2).double(), parameter=torch.nn.Parameter(torch.randn(2)),
                    one=torch.tensor(3.5), none=torch.zeros(0, 3), expanded=torch.arange(4.).expand((1, -1)),
                    folded=torch.randn(2, 3, 4).permute(2, 0, 1))
state._metadata = OrderedDict([("", {"version": 1})])
torch.save(OrderedDict(state, whole=torch.arange(6)), os.path.join(folder, "views.bin"))
torch.save(state, os.path.join(folder, "legacy.bin"), _use_new_zipfile_serialization=False)
torch.save({"state_dict": state, "epoch": 3}, os.path.join(folder, "wrapped.bin"))


class Code:
    def __reduce__(self):
        return os.system, ("echo run",)


torch.save({"a": a, "b": Code()}, os.path.join(folder, "code.bin"))
with open(os.path.join(folder, "expected.json"), "w") as f:
    json.dump({k: {"shape": list(t.shape), "value": t.detach().float().flatten().tolist()} for k, t in state.items()}, f, indent=1)
    f.write("\n")
