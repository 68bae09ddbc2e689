#!/usr/bin/env python3
"""Means of a text's hidden states by transformers: the numbers of tests/apply/edit/test_language_means.c.

means_reference.py MODEL TEXT: the first three columns of each layer, over tokens without [CLS] and [SEP], then over
sentences of means with them.
"""
import sys

import numpy as np
import torch
from transformers import BertModel, BertTokenizer

model = BertModel.from_pretrained(sys.argv[1], add_pooling_layer=False).eval()
tokenizer = BertTokenizer(sys.argv[1] + "/vocab.txt", do_lower_case=False)
states = []
with torch.no_grad():
    for line in open(sys.argv[2], encoding="utf-8"):
        x = tokenizer(line.strip(), return_tensors="pt")
        states.append(np.stack([h[0].double().numpy() for h in model(**x, output_hidden_states=True).hidden_states]))
tokens = np.concatenate([s[:, 1:-1] for s in states], axis=1).mean(axis=1)
sentences = np.mean([s.mean(axis=1) for s in states], axis=0)
for name, mean in (("paper-text", tokens), ("paper-code", sentences)):
    print(name)
    for row in mean:
        print("    {" + ", ".join(f"{v:.7f}" for v in row[:3]) + "},")
