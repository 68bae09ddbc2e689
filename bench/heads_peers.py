# SPDX-License-Identifier: Apache-2.0
"""Training of the heads of isoglot beside PyTorch: BiLSTM-CRF (nn.LSTM over packed sentences, pytorch-crf) and a
biaffine parser (linear layers, nn.Bilinear).

usage: heads_peers.py [--isoglot PROGRAM] [--rounds N] [--batch N] [--length N]

Needs torch and pytorch-crf. One thread, processor time of a forward and backward pass, the best of each round's
updates; the programs take turns. Both have frozen features of 768 numbers: PyTorch is given them; of isoglot's time
that of a training of `--head tokens` on the same encoder of one layer is taken away, and the optimizer's.
"""
import argparse
import json
import subprocess
import time

import torch
from torch.nn.functional import cross_entropy, elu
from torchcrf import CRF

D, LABELS, RELATIONS = 768, 17, 38


class Tagger(torch.nn.Module):
    """K et al. 2020: dropout, two layers of BiLSTM with dropout between, dropout, scores, CRF."""

    def __init__(self):
        super().__init__()
        self.dropout = torch.nn.Dropout(0.5)
        self.lstm = torch.nn.LSTM(D, 200, 2, bidirectional=True, batch_first=True, dropout=0.5)
        self.score = torch.nn.Linear(400, LABELS)
        self.crf = CRF(LABELS, batch_first=True)

    def forward(self, x, lengths, mask, labels, heads):
        packed = torch.nn.utils.rnn.pack_padded_sequence(self.dropout(x), lengths, batch_first=True)
        out, _ = torch.nn.utils.rnn.pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        return -self.crf(self.score(self.dropout(out)), labels % LABELS, mask, reduction="mean")


class Parser(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.read, self.inner = torch.nn.Dropout(0.2), torch.nn.Dropout(0.33)
        self.sides = torch.nn.ModuleList(torch.nn.Linear(D, n) for n in (512, 512, 128, 128))
        self.arc, self.bias = torch.nn.Parameter(torch.randn(512, 512) / 30), torch.nn.Parameter(torch.zeros(512))
        self.label = torch.nn.Bilinear(128, 128, RELATIONS)

    def forward(self, x, lengths, mask, labels, heads):
        x = self.read(x)
        arc_head, arc_word, label_head, label_word = (self.inner(elu(side(x))) for side in self.sides)
        score = (arc_word @ self.arc.T + self.bias) @ arc_head.transpose(1, 2)
        score = score.masked_fill(~mask[:, None, :], -1e8)
        words = mask.clone()
        words[:, 0] = False
        of_head = torch.gather(label_head, 1, heads[:, :, None].expand(-1, -1, 128))
        return (cross_entropy(score[words], heads[words]) +
                cross_entropy(self.label(of_head[words], label_word[words]), labels[words]))


def of_torch(model, inputs, n_update=8):
    best = float("inf")
    for k in range(n_update):
        start = time.process_time()
        model.zero_grad()
        model(*inputs).backward()
        if k > 0:
            best = min(best, time.process_time() - start)
    return best


def of_isoglot(args, head):
    line = [args.isoglot, "bench", "train", "--preset", "bert-base", "--layers", "1", "--vocab-size", "200", "--batch",
            str(args.batch), "--length", str(args.length), "--updates", "9", "--threads", "1", "--busy-time", "--head",
            head, "--json"]
    r = json.loads(subprocess.run(line, check=True, capture_output=True).stdout)
    return r["seconds_per_update"] * (1 - r["optimizer_share"])


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--isoglot", default="build/isoglot")
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--batch", type=int, default=32)
    p.add_argument("--length", type=int, default=25)
    args = p.parse_args()
    torch.set_num_threads(1)
    n, length = args.batch, args.length
    inputs = (torch.randn(n, length, D), torch.full((n,), length), torch.ones(n, length, dtype=torch.bool),
              torch.randint(0, RELATIONS, (n, length)), torch.randint(0, length, (n, length)))
    for head, peer in (("bilstm-crf", Tagger()), ("parser", Parser())):
        rows = []
        for _ in range(args.rounds):
            theirs = of_torch(peer, inputs)
            rows.append((theirs, of_isoglot(args, head) - of_isoglot(args, "tokens")))
        for theirs, ours in rows:
            print(f"{head}: PyTorch {theirs * 1e3:.0f} ms, isoglot {ours * 1e3:.0f} ms, {theirs / ours:.1f} times")


main()
