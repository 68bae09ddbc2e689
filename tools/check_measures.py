# SPDX-License-Identifier: Apache-2.0
"""F1, rho and tau of a run, computed again with transformers and numpy in double, beside isoglot's.

usage: check_measures.py ISOGLOT RUN [lang-pos] [shift-special] [inv-order]

RUN is a finished run over a text and its shifted copy with the default measures; the words after it are the
switches it was trained with. Exits 1 when a count differs. Needs torch, transformers, numpy.
"""
import json
import subprocess
import sys

import numpy as np
import torch
from transformers import BertForMaskedLM

isoglot, run, switches = sys.argv[1], sys.argv[2], sys.argv[3:]
langpos, shift, inv = (x in switches for x in ("lang-pos", "shift-special", "inv-order"))
call = lambda *a: subprocess.run([isoglot, *a], check=True, capture_output=True, text=True).stdout
got = json.loads(call("eval", run, "--json", "--no-train"))
pieces = open(run + "/data/vocab.txt", encoding="utf8").read().split("\n")[:-1]
V, number = len(pieces), {p: i for i, p in enumerate(pieces)}
shard = open(run + "/data/dev.shard", "rb").read()  # docs/formats.md: ids, then the first id of each sentence
n_sentence, n_token = np.frombuffer(shard, "<u8", 2, 24).astype(int)
ids = np.frombuffer(shard, "<i4", n_token, 64).tolist()
first = np.frombuffer(shard, "<u8", n_sentence + 1, 64 + 4 * (n_token + n_token % 2)).astype(int)
english = [[number["[CLS]"], *ids[first[i]:first[i + 1]], number["[SEP]"]] for i in range(got["n_sentences"])]


def fake(e):
    body = [x + V if x > 4 or shift else x for x in e[1:-1]]
    s = V if shift else 0
    return [e[0] + s] + (body[::-1] if inv else body) + [e[-1] + s]


def encode(rows, s):
    T = max(map(len, rows))
    x = torch.tensor([r + [0] * (T - len(r)) for r in rows])
    mask = torch.tensor([[1] * len(r) + [0] * (T - len(r)) for r in rows])
    pos = torch.arange(T)[None].expand_as(x) + (128 * s if langpos else 0)
    seg = torch.zeros_like(x) + (s if langpos else 0)
    with torch.no_grad():
        return model.bert(input_ids=x, attention_mask=mask, position_ids=pos, token_type_ids=seg,
                          output_hidden_states=True).hidden_states


def unit(a):
    return a / np.maximum(np.linalg.norm(a, axis=1, keepdims=True), 1e-300)


def both(a, b):
    s, d = unit(a) @ unit(b).T, np.arange(len(a))
    return [int((s.argmax(1) == d).sum()), int((s.argmax(0) == d).sum())]


model = BertForMaskedLM.from_pretrained(run + "/model").double().eval()
layers, bad = {}, False
for row in got["rows"]:
    if row["split"] == "dev" and "layer" in row:
        layers.setdefault(str(row["layer"]), {})[row["measure"]] = row
tokens = {l: ([], []) for l in layers}
words = {}
for s, rows in enumerate([english, [fake(e) for e in english]]):
    for i in range(0, len(rows), 100):
        hidden = encode(rows[i:i + 100], s)
        for l in layers:
            tokens[l][s].extend(hidden[int(l)][k, 1:len(r) - 1].numpy() for k, r in enumerate(rows[i:i + 100]))
    cls = 2 + (V if s and shift else 0)
    words[s] = encode([[cls, i + s * V, cls + 1] for i in range(0 if shift else 5, V)], s)
for l, want in layers.items():
    P = G = R = 0
    for a, b in zip(*tokens[l]):
        G += len(a)
        if len(a):
            sim = unit(a) @ unit(b).T
            f, g = sim.argmax(1), sim.argmax(0)
            edges = [(i, f[i]) for i in range(len(a)) if g[f[i]] == i]
            P += len(edges)
            R += sum(int(j) == (len(a) - 1 - i if inv else i) for i, j in edges)
    mean = [np.array([a.mean(0) if len(a) else np.zeros(a.shape[1]) for a in tokens[l][s]]) for s in (0, 1)]
    mine = [P, G, R] + both(*mean) + both(*(words[s][int(l)][:, 1].numpy() for s in (0, 1)))
    f1, precision, recall = (want[k]["value"] for k in ("f1", "precision", "recall"))
    n = len(tokens[l][0]), len(words[0][0])
    his = [round(recall * G / precision) if precision else P, want["f1"]["n"], round(recall * G)] + [
        round(want[m + w]["value"] * k) for m, k in zip(("rho", "tau"), n) for w in ("_forward", "_backward")]
    print(f"layer {l}: edges P G R, found at 1 of sentences and words: transformers {mine}, isoglot {his}")
    bad |= mine != his
sys.exit(bad)
