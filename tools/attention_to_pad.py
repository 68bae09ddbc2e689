#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How much of a model's attention goes to [PAD], layer by layer: of a run that was trained with attention to padding.

    python tools/attention_to_pad.py RUN... [--batch 64] [--batches 8] [--seed 0]

The development sentences of all languages in batches as in training (random order, mixed, every sequence filled up to
the longest of its batch), nothing masked, no dropout. Printed for each layer: the mean, over all positions that are no padding and over
heads, of the attention probability that goes to padding; before it the share of the positions that padding is, which attention without
preference would give it. A BERT with learned positions and one text for all languages; needs numpy alone.
"""
import argparse
import json
import math
import struct
import sys

import numpy as np


def tensors(path):
    with open(path, "rb") as f:
        raw = f.read()
    (n,) = struct.unpack("<Q", raw[:8])
    head = json.loads(raw[8 : 8 + n])
    out = {}
    for name, t in head.items():
        if name == "__metadata__":
            continue
        if t["dtype"] != "F32":
            sys.exit(f"{path}: {name} is {t['dtype']}, expected F32")
        a, b = t["data_offsets"]
        out[name] = np.frombuffer(raw, "<f4", (b - a) // 4, 8 + n + a).reshape(t["shape"]).astype(np.float64)
    return out


def sentences(path):
    """docs/formats.md, "Token shard"."""
    with open(path, "rb") as f:
        raw = f.read()
    if raw[:8] != b"IGSHARD\n":
        sys.exit(f"{path}: no token shard")
    n, total = struct.unpack("<QQ", raw[24:40])
    ids = np.frombuffer(raw, "<i4", total, 64)
    start = np.frombuffer(raw, "<u8", n + 1, 64 + 4 * (total + total % 2)).astype(np.int64)
    return [ids[a:b] for a, b in zip(start[:-1], start[1:])]


def norm(x, t, name, eps):
    x = x - x.mean(-1, keepdims=True)
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + eps) * t[name + ".weight"] + t[name + ".bias"]


def linear(x, t, name):
    return x @ t[name + ".weight"].T + t[name + ".bias"]


def gelu(x):
    """x times the normal distribution function; erf by Abramowitz & Stegun 7.1.26, to 1.5e-7."""
    z = np.abs(x) / math.sqrt(2)
    k = 1 / (1 + 0.3275911 * z)
    p = k * (0.254829592 + k * (-0.284496736 + k * (1.421413741 + k * (-1.453152027 + k * 1.061405429))))
    return 0.5 * x * (1 + np.sign(x) * (1 - p * np.exp(-z * z)))


def to_padding(t, c, ids, pos, seg, real):
    """[layers]: sum over real positions and heads of the probability that goes to padding, by heads."""
    e, eps, heads = "bert.embeddings.", c["layer_norm_eps"], c["num_attention_heads"]
    x = t[e + "word_embeddings.weight"][ids] + t[e + "position_embeddings.weight"][pos] + t[e + "token_type_embeddings.weight"][seg]
    x = norm(x, t, e + "LayerNorm", eps)
    b, n, d = x.shape
    out = []
    for layer in range(c["num_hidden_layers"]):
        p = f"bert.encoder.layer.{layer}."
        q, k, v = (linear(x, t, p + "attention.self." + w).reshape(b, n, heads, d // heads).transpose(0, 2, 1, 3) for w in ("query", "key", "value"))
        s = q @ k.transpose(0, 1, 3, 2) / math.sqrt(d // heads)
        a = np.exp(s - s.max(-1, keepdims=True))
        a /= a.sum(-1, keepdims=True)
        padding = (a * ~real[:, None, None, :]).sum(-1).mean(1)
        out.append(padding[real].sum())
        y = (a @ v).transpose(0, 2, 1, 3).reshape(b, n, d)
        x = norm(x + linear(y, t, p + "attention.output.dense"), t, p + "attention.output.LayerNorm", eps)
        y = linear(gelu(linear(x, t, p + "intermediate.dense")), t, p + "output.dense")
        x = norm(x + y, t, p + "output.LayerNorm", eps)
    return np.array(out)


def measure(run, args):
    t, text = tensors(run + "/model/model.safetensors"), sentences(run + "/data/dev.shard")
    with open(run + "/model/config.json") as f:
        c = json.load(f)
    languages, block = c["isoglot"]["languages"], 128
    rng = np.random.default_rng(args.seed)
    order = rng.permutation(len(text) * len(languages))
    total, n_real, n_all = 0, 0, 0
    for i in range(args.batches):
        rows = order[i * args.batch : (i + 1) * args.batch]
        parts = []
        for r in rows:
            l, s = languages[r // len(text)], text[r % len(text)][: block - 2]
            sp = l["special"]
            parts.append((l, np.concatenate([[sp["cls"]], np.where(s < 5, s, s + l["first_id"]), [sp["sep"]]])))
        width = max(len(s) for _, s in parts)
        ids = np.stack([np.concatenate([s, np.full(width - len(s), l["special"]["pad"])]) for l, s in parts]).astype(int)
        real = np.stack([np.arange(width) < len(s) for _, s in parts])
        pos = np.stack([l["position_offset"] + np.arange(width) for l, _ in parts])
        seg = np.stack([np.full(width, l["segment"]) for l, _ in parts])
        total = total + to_padding(t, c, ids, pos, seg, real)
        n_real, n_all = n_real + real.sum(), n_all + real.size
    return 1 - n_real / n_all, total / n_real


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("run", nargs="+")
    p.add_argument("--batch", type=int, default=64)
    p.add_argument("--batches", type=int, default=8)
    p.add_argument("--seed", type=int, default=0)
    args = p.parse_args()
    for run in args.run:
        share, layers = measure(run, args)
        print(f"{run}: padding {share:.2f} of positions; of attention, by layer:", *(f"{x:.2f}" for x in layers))


if __name__ == "__main__":
    main()
