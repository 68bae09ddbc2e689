# SPDX-License-Identifier: Apache-2.0
"""Training of the heads of isoglot beside PyTorch: BiLSTM-CRF (nn.LSTM over packed sentences, pytorch-crf) and a
biaffine parser (linear layers, nn.Bilinear; "supar": BiaffineDependencyModel of supar with sizes as here).

usage: heads_peers.py [--program PROGRAM] [--rounds N] [--batch N] [--length N] [--text FILE] [--threads N]
                      [--heads HEAD …]

Needs torch and pytorch-crf, and supar for "supar". One thread: processor time of a forward and backward pass;
several: the time on the wall, of PyTorch the better of one and of all threads. Of PyTorch the best update of each
batch, of isoglot the mean; the programs take turns. All sentences have --length words, or with --text what eight
batches of that file have. Both have frozen features of 768 numbers: PyTorch is given them; of isoglot's time that of
a training of `--head tokens` on the same encoder of one layer is taken away, and the optimizer's.
"""
import argparse
import json
import os
import subprocess
import tempfile
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


def parser_of_supar():
    """supar's model and loss, without its encoder: it scores every label of every pair of words."""
    from supar.models import BiaffineDependencyModel

    class Peer(BiaffineDependencyModel):
        def encode(self, words, feats=None):
            return torch.nn.functional.dropout(self.features, 0.2, self.training)

        def forward(self, x, lengths, mask, labels, heads):
            self.features, words = x, mask.clone()
            words[:, 0] = False
            return self.loss(*super().forward(mask.long()), heads, labels, words)

    return Peer(n_words=2, n_rels=RELATIONS, feat=[], n_lstm_hidden=D // 2, n_lstm_layers=1, n_arc_mlp=512,
                n_rel_mlp=128)


def seconds_of(model, inputs, clock):
    start = clock()
    model.zero_grad()
    model(*inputs).backward()
    return clock() - start


def of_torch(model, batches, threads):
    """The mean over batches of the best of their passes, with the better number of threads."""
    clock = time.process_time if threads == 1 else time.perf_counter
    best = float("inf")
    for n in {1, threads}:
        torch.set_num_threads(n)
        seconds_of(model, batches[0], clock)
        passes = max(2, 8 // len(batches))
        best = min(best, sum(min(seconds_of(model, b, clock) for _ in range(passes)) for b in batches) / len(batches))
    return best


def line_of(args, head, *more):
    lengths = ["--text", args.text] if args.text else ["--length", str(args.length), "--vocab-size", "200"]
    busy = ["--busy-time"] if args.threads == 1 else []
    return [args.program, "train", "--preset", "bert-base", "--layers", "1", "--batch", str(args.batch),
            "--threads", str(args.threads), "--head", head, *lengths, *busy, *more]


def of_isoglot(args, head):
    r = json.loads(subprocess.run(line_of(args, head, "--updates", "9", "--json"), check=True,
                                  capture_output=True).stdout)
    return r["seconds_per_update"] * (1 - r["optimizer_share"])


def lengths_of(args):
    """The batches' lengths, descending, as pack_padded_sequence wants them."""
    if not args.text:
        return [[args.length] * args.batch]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "batches.jsonl")
        subprocess.run(line_of(args, "tokens", "--updates", "1", "--json", "--write-batches", path), check=True,
                       capture_output=True)
        with open(path) as f:
            starts = [json.loads(row)["start"] for row in f]
    return [sorted((b - a for a, b in zip(s, s[1:])), reverse=True) for s in starts]


def batch_of(lengths):
    n, longest = len(lengths), lengths[0]
    lengths = torch.tensor(lengths)
    mask = torch.arange(longest)[None] < lengths[:, None]
    heads = (torch.rand(n, longest) * lengths[:, None]).long()
    return torch.randn(n, longest, D), lengths, mask, torch.randint(0, RELATIONS, (n, longest)), heads


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--program", default="build/isoglot-bench")
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--batch", type=int, default=32)
    p.add_argument("--length", type=int, default=25)
    p.add_argument("--text")
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--heads", nargs="+", default=["bilstm-crf", "parser"])
    args = p.parse_args()
    lengths = lengths_of(args)
    batches = [batch_of(b) for b in lengths]
    words = sum(map(sum, lengths)) / len(lengths)
    for head in args.heads:
        peer = {"bilstm-crf": Tagger, "parser": Parser, "supar": parser_of_supar}[head]()
        for _ in range(args.rounds):
            theirs = of_torch(peer, batches, args.threads)
            ours = of_isoglot(args, "parser" if head == "supar" else head) - of_isoglot(args, "tokens")
            print(f"{head}: {words:.0f} words a batch: PyTorch {theirs * 1e3:.0f} ms, isoglot {ours * 1e3:.0f} ms, "
                  f"{theirs / ours:.2f} times", flush=True)


main()
