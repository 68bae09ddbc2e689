#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Word translation of a model that was trained with attention to padding, by the length its words are padded to.

    python tools/words_padded.py RUN/model [--block 2048] [--layers 0,8] [--lengths 3,8,16,32,64,128]

isoglot, as the authors of Dufter & Schuetze 2020, sends a word through the model as [CLS] word [SEP]; a model that saw hardly a
sequence without padding has then to do with something it does not know. Here the same words get [PAD] after
them, attended to. The second language's ids are the first one's plus the block. Needs torch and transformers.
"""
import argparse

import torch
from transformers import BertModel

PAD, CLS, SEP, FIRST_WORD = 0, 2, 3, 5


def encode(model, ids, length, layers):
    """[layers, words, D]: the states of the words."""
    parts = []
    for i in range(0, len(ids), 256):
        batch = ids[i : i + 256]
        x = torch.full((len(batch), length), PAD)
        x[:, 0], x[:, 1], x[:, 2] = CLS, torch.tensor(batch), SEP
        with torch.no_grad():
            states = model(x, attention_mask=torch.ones_like(x), output_hidden_states=True).hidden_states
        parts.append(torch.stack([states[l][:, 1] for l in layers]))
    return torch.nn.functional.normalize(torch.cat(parts, 1), dim=-1)


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("model")
    p.add_argument("--block", type=int, default=2048)
    p.add_argument("--layers", default="0,8")
    p.add_argument("--lengths", default="3,8,16,32,64,128")
    args = p.parse_args()
    model = BertModel.from_pretrained(args.model).eval()
    layers = [int(l) for l in args.layers.split(",")]
    words = list(range(FIRST_WORD, args.block))
    right = torch.arange(len(words))
    for length in map(int, args.lengths.split(",")):
        x = encode(model, words, length, layers)
        y = encode(model, [w + args.block for w in words], length, layers)
        tau = []
        for a, b in zip(x, y):
            s = a @ b.T
            tau.append(((s.argmax(1) == right).float().mean() + (s.argmax(0) == right).float().mean()).item() / 2)
        print(f"{length:4d} positions:", *(f"tau of layer {l} {t:.3f}" for l, t in zip(layers, tau)))


if __name__ == "__main__":
    main()
