# SPDX-License-Identifier: Apache-2.0
"""Stored losses of PyTorch for tests/model/head/test_head_parity.c: fifty updates of each head.

usage: ISOGLOT_WRITE_HEADS=FOLDER build/tests/test_head_parity    writes the models and batches
       heads_torch.py FOLDER [OUT]                                 (OUT: tests/data/heads)

Needs torch, transformers, pytorch-crf, numpy; the project's build and tests do not. Everything runs in double
precision from the same float32 weights. sequence: BertForSequenceClassification. token: BertForTokenClassification.
crf: scalar mixture of layers, nn.LSTM over packed sentences, pytorch-crf. parser: MLPs with ELU, nn.Bilinear, on
padded sentences, biases of 1 on both sides of the arcs' scorer. AdamW (decoupled decay on matrices alone), the
gradient clipped at norm 1, rate 1e-3 throughout, dropout 0; each update's loss before it.
"""
import json
import os
import sys

import torch
from safetensors.torch import load_file
from torch.nn.functional import cross_entropy, elu
from torchcrf import CRF
from transformers import BertForSequenceClassification, BertForTokenClassification, BertModel

STEPS, LR, DECAY, CLIP = 50, 1e-3, 0.01, 1.0


class Batch:
    """Padded to the longest sequence; `words`: of each sequence the places of its targets."""

    def __init__(self, b):
        start = b["seq_start"]
        n, longest = len(start) - 1, max(y - x for x, y in zip(start, start[1:]))
        self.ids, self.pos, self.seg, self.mask = (torch.zeros(n, longest, dtype=torch.long) for _ in range(4))
        self.words, self.labels, self.heads = [], [], []
        for s in range(n):
            x, y = start[s], start[s + 1]
            for to, key in ((self.ids, "id"), (self.pos, "pos"), (self.seg, "seg")):
                to[s, :y - x] = torch.tensor(b[key][x:y])
            self.mask[s, :y - x] = 1
            here = [k for k, r in enumerate(b["row"]) if x <= r < y]
            self.words.append([b["row"][k] - x for k in here])
            self.labels.append([b["label"][k] for k in here])
            self.heads.append([b["head"][k] for k in here])

    def states(self, bert, every=False):
        out = bert(input_ids=self.ids, position_ids=self.pos, token_type_ids=self.seg, attention_mask=self.mask,
                   output_hidden_states=True)
        return out.hidden_states if every else out.hidden_states[-1]


class Sequence(torch.nn.Module):
    def __init__(self, folder, weights):
        super().__init__()
        self.model = BertForSequenceClassification.from_pretrained(folder)

    def forward(self, b):
        logits = self.model(input_ids=b.ids, position_ids=b.pos, token_type_ids=b.seg, attention_mask=b.mask).logits
        return cross_entropy(logits, torch.tensor([x[0] for x in b.labels]))


class Token(torch.nn.Module):
    def __init__(self, folder, weights):
        super().__init__()
        self.model = BertForTokenClassification.from_pretrained(folder)

    def forward(self, b):
        logits = self.model(input_ids=b.ids, position_ids=b.pos, token_type_ids=b.seg, attention_mask=b.mask).logits
        labels = torch.full_like(b.ids, -100)
        for s, (words, of) in enumerate(zip(b.words, b.labels)):
            labels[s, words] = torch.tensor(of, dtype=torch.long)
        return cross_entropy(logits.flatten(0, 1), labels.flatten())


class Tagger(torch.nn.Module):
    def __init__(self, folder, w):
        super().__init__()
        self.bert = BertModel.from_pretrained(folder, add_pooling_layer=False)
        self.mix, self.gamma = (torch.nn.Parameter(w["crf.scalar_mix." + x]) for x in ("weight", "gamma"))
        size = w["crf.lstm.weight_hh_l0"].shape[1]
        self.lstm = torch.nn.LSTM(w["crf.lstm.weight_ih_l0"].shape[1], size, num_layers=2, bidirectional=True,
                                  batch_first=True)
        self.lstm.load_state_dict({k[9:]: v for k, v in w.items() if k.startswith("crf.lstm.")})
        self.score = torch.nn.Linear(2 * size, w["crf.score.bias"].shape[0])
        self.score.load_state_dict({"weight": w["crf.score.weight"], "bias": w["crf.score.bias"]})
        self.crf = CRF(w["crf.score.bias"].shape[0], batch_first=True)
        self.crf.load_state_dict({"transitions": w["crf.transitions"], "start_transitions": w["crf.start"],
                                  "end_transitions": w["crf.end"]})

    def forward(self, b):
        states = torch.stack(b.states(self.bert, True)[1:])
        states = self.gamma * (torch.softmax(self.mix, 0)[:, None, None, None] * states).sum(0)
        there = [s for s, words in enumerate(b.words) if words]
        sentences = torch.nn.utils.rnn.pack_sequence([states[s, b.words[s]] for s in there], enforce_sorted=False)
        out, length = torch.nn.utils.rnn.pad_packed_sequence(self.lstm(sentences)[0], batch_first=True)
        labels = torch.nn.utils.rnn.pad_sequence([torch.tensor(b.labels[s]) for s in there], batch_first=True)
        mask = torch.arange(out.shape[1])[None] < length[:, None]
        return -self.crf(self.score(out), labels, mask, reduction="mean")


class Parser(torch.nn.Module):
    def __init__(self, folder, w):
        super().__init__()
        self.bert = BertModel.from_pretrained(folder, add_pooling_layer=False)
        for side in ("arc_head", "arc_word", "label_head", "label_word"):
            out, into = w[f"parser.{side}.weight"].shape
            layer = torch.nn.Linear(into, out)
            layer.load_state_dict({x: w[f"parser.{side}.{x}"] for x in ("weight", "bias")})
            setattr(self, side, layer)
        n, size = w["parser.label.by_head.weight"].shape
        self.arc = torch.nn.Parameter(w["parser.arc.weight"])
        self.arc_bias = torch.nn.Parameter(w["parser.arc.bias"])
        self.label = torch.nn.Bilinear(size, size, n)
        self.label.load_state_dict({"weight": w["parser.label.weight"].reshape(n, size, size),
                                    "bias": w["parser.label.bias"]})
        self.by_head, self.by_word = torch.nn.Linear(size, n, bias=False), torch.nn.Linear(size, n, bias=False)
        for x in ("by_head", "by_word"):
            getattr(self, x).load_state_dict({"weight": w[f"parser.label.{x}.weight"]})

    def forward(self, b):
        states = b.states(self.bert)
        arcs = labels = words = 0
        for s, places in enumerate(b.words):
            if not places:
                continue
            x = states[s, places]
            heads, gold = (torch.tensor(x[s][1:], dtype=torch.long) for x in (b.heads, b.labels))
            arc_head, arc_word, label_head, label_word = (
                elu(getattr(self, side)(x)) for side in ("arc_head", "arc_word", "label_head", "label_word"))
            score = arc_word @ self.arc.T @ arc_head.T + (arc_head @ self.arc_bias)[None]
            arcs = arcs + cross_entropy(score[1:], heads, reduction="sum")
            of_head, of_word = label_head[heads], label_word[1:]
            logits = self.label(of_head, of_word) + self.by_head(of_head) + self.by_word(of_word)
            labels = labels + cross_entropy(logits, gold, reduction="sum")
            words += len(places) - 1
        return (arcs + labels) / words


def train(kind, folder):
    torch.set_default_dtype(torch.float64)
    w = {k: v.double() for k, v in load_file(os.path.join(folder, "model.safetensors")).items()}
    model = kind(folder, w).double().train()
    batches = [Batch(b) for b in json.load(open(os.path.join(folder, "batches.json")))]
    bare = [p for n, p in model.named_parameters() if p.dim() < 2]
    matrices = [p for n, p in model.named_parameters() if p.dim() >= 2]
    optimizer = torch.optim.AdamW([{"params": matrices, "weight_decay": DECAY},
                                   {"params": bare, "weight_decay": 0}], lr=LR, betas=(0.9, 0.999), eps=1e-8)
    losses = []
    for k in range(STEPS):
        optimizer.zero_grad()
        loss = model(batches[k % len(batches)])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        optimizer.step()
        losses.append(loss.item())
    return losses


def main():
    out = sys.argv[2] if len(sys.argv) > 2 else os.path.join(os.path.dirname(__file__), "..", "tests", "data", "heads")
    os.makedirs(out, exist_ok=True)
    for name, kind in (("sequence", Sequence), ("token", Token), ("crf", Tagger), ("parser", Parser)):
        losses = train(kind, os.path.join(sys.argv[1], name))
        with open(os.path.join(out, name + ".json"), "w") as f:
            json.dump([round(x, 12) for x in losses], f, indent=0)
            f.write("\n")
        print(name, losses[0], losses[-1])


main()
