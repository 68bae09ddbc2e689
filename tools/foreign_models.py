#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small random models in the shapes of published multilingual encoders, and what transformers and numpy make of text by them.

usage: foreign_models.py FOLDER      writes FOLDER/{labse,minilm,xlmr,roberta}/ and FOLDER/expected.json (tests/data/foreign)

labse: BertModel after WordPiece, with a pooler; minilm: BertModel after XLM-R's tokenizer, with rows that no piece uses (also
multilingual E5 small); xlmr: XLMRobertaModel (also multilingual E5 base); roberta: RobertaForMaskedLM after byte-level BPE. The
tokenizers are those of tools/tokenizer_pipelines.py, the texts are FOLDER/{en,de}.txt, parallel by line.
"""
import json
import os
import shutil
import sys

import numpy as np
import torch
from transformers import (BertConfig, BertModel, PreTrainedTokenizerFast, RobertaConfig, RobertaForMaskedLM, XLMRobertaConfig,
                          XLMRobertaModel)

folder = sys.argv[1]
data = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "data", "tokenizer")
size = dict(hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=24, initializer_range=.3,
            hidden_act="gelu")
texts = {k: open(os.path.join(folder, f"{k}.txt"), encoding="utf-8").read().split("\n")[:-1] for k in ("en", "de")}


def make(name):
    torch.manual_seed(7)
    roberta = dict(size, max_position_embeddings=42, type_vocab_size=1, pad_token_id=1, bos_token_id=0, eos_token_id=2,
                   layer_norm_eps=1e-5)
    if name == "labse":
        return BertModel(BertConfig(vocab_size=99, max_position_embeddings=40, **size)), None
    if name == "minilm":
        return BertModel(BertConfig(vocab_size=270, max_position_embeddings=40, **size)), "pipeline-xlmr.json"
    if name == "xlmr":
        return XLMRobertaModel(XLMRobertaConfig(vocab_size=261, **roberta)), "pipeline-xlmr.json"
    return RobertaForMaskedLM(RobertaConfig(vocab_size=361, **roberta)), "pipeline-roberta.json"


def vectors(model, tokenizer, name):
    """[language][layer] of the mean states of the text's tokens, [n, d]."""
    out = {}
    for language, lines in texts.items():
        rows = []
        for line in lines:
            ids = tokenizer(line)["input_ids"]
            with torch.no_grad():
                states = model(input_ids=torch.tensor([ids]), output_hidden_states=True).hidden_states
            rows.append([s[0, 1:-1].double().mean(0).numpy() for s in states])
        out[language] = [np.array([r[k] for r in rows]) for k in range(len(rows[0]))]
    return out


def unit(x):
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def both_ways(score):
    n = len(score)
    return (np.mean(score.argmax(1) == np.arange(n)) + np.mean(score.argmax(0) == np.arange(n))) / 2


def nearest_mean(sim, k):
    k = min(k, sim.shape[1])
    return np.sort(sim, 1)[:, -k:].mean(1)


def skewness(counts):
    c = counts - counts.mean()
    return (c ** 3).mean() / (c ** 2).mean() ** 1.5


def hubness(sim, k):
    k = min(k, sim.shape[1])
    order = np.argsort(-sim, 1, kind="stable")[:, :k]
    return skewness(np.bincount(order.ravel(), minlength=sim.shape[1]).astype(float))


def centred(x):
    return x - x.mean(0)


def probe(x, y, n):
    """Language of a sentence by ridge regression on its language's indicator, pairs together in five folds."""
    z = np.vstack([x, y])
    z = np.hstack([z, np.ones((2 * n, 1))])
    target = np.vstack([np.tile([1, 0], (n, 1)), np.tile([0, 1], (n, 1))]).astype(float)
    fold = np.tile(np.arange(n) % 5, 2)
    right = 0
    for f in range(5):
        train, test = z[fold != f], z[fold == f]
        gram = train.T @ train
        lam = 1e-3 * np.trace(gram[:-1, :-1]) / (z.shape[1] - 1)
        ridge = lam * np.eye(z.shape[1])
        ridge[-1, -1] = 0
        w = np.linalg.solve(gram + ridge, train.T @ target[fold != f])
        right += (np.argmax(test @ w, 1) == np.argmax(target[fold == f], 1)).sum()
    return right / (2 * n)


def spread(x):
    c = np.cov(x.T, bias=True)
    return np.trace(c) ** 2 / (len(c) * (c ** 2).sum())


def constant(x):
    return (x.mean(0) ** 2).sum() / (x ** 2).sum(1).mean()


def mean_cosine(x):
    u = unit(x).sum(0)
    return ((u ** 2).sum() - len(x)) / (len(x) * (len(x) - 1))


def unbiased_hsic(k, l):
    """Song et al. 2012, eq. 5, of kernels without their diagonals."""
    n = len(k)
    k, l = k - np.diag(np.diag(k)), l - np.diag(np.diag(l))
    return ((k * l).sum() + k.sum() * l.sum() / ((n - 1) * (n - 2)) - 2 * k.sum(0) @ l.sum(0) / (n - 2)) / (n * (n - 3))


def cka_debiased(x, y):
    k, l = x @ x.T, y @ y.T
    return unbiased_hsic(k, l) / np.sqrt(unbiased_hsic(k, k) * unbiased_hsic(l, l))


def measures(v):
    layers = {}
    for k in range(len(v["en"])):
        x, y = v["en"][k], v["de"][k]
        n = len(x)
        sim = unit(x) @ unit(y).T
        rx, ry = nearest_mean(sim, 10), nearest_mean(sim.T, 10)
        mx, my = nearest_mean(sim, 4), nearest_mean(sim.T, 4)
        own = [unit(z) @ unit(z).T - 2 * np.eye(n) for z in (x, y)]
        nearest_own = np.concatenate([own[0].max(1) > sim.max(1), own[1].max(1) > sim.max(0)])
        cx, cy = centred(x), centred(y)
        pair = {"retrieval_cosine": both_ways(sim), "retrieval_csls": both_ways(2 * sim - rx[:, None] - ry[None, :]),
                "retrieval_margin": both_ways(sim / ((mx[:, None] + my[None, :]) / 2)),
                "retrieval_centred": both_ways(unit(cx) @ unit(cy).T),
                "hubness": (hubness(sim, 10) + hubness(sim.T, 10)) / 2, "own_language": nearest_own.mean(),
                "cka": (np.linalg.norm(cx.T @ cy) ** 2) / (np.linalg.norm(cx.T @ cx) * np.linalg.norm(cy.T @ cy)),
                "cka_debiased": cka_debiased(x, y)}
        layers[str(k)] = {"probe": probe(x, y, n), "isotropy": spread(np.vstack([x, y])),
                          "constant": (constant(x) + constant(y)) / 2, "mean_cosine": (mean_cosine(x) + mean_cosine(y)) / 2,
                          "pairs": {"en-de": pair}}
    return layers


def languages(tokenizer):
    out = {}
    for language, lines in texts.items():
        ids = [tokenizer(line, add_special_tokens=False)["input_ids"] for line in lines]
        pieces = sum(map(len, ids))
        out[language] = {"unknown": sum(i == tokenizer.unk_token_id for row in ids for i in row) / pieces,
                         "pieces_per_word": pieces / sum(len(line.split()) for line in lines),
                         "bytes_per_piece": sum(len(line.encode()) for line in lines) / pieces}
    return out


expected = {}
for name in ("labse", "minilm", "xlmr", "roberta"):
    model, file = make(name)
    path = os.path.join(folder, name)
    shutil.rmtree(path, ignore_errors=True)
    model.half().save_pretrained(path)
    model = model.float().eval()
    for extra in os.listdir(path):
        if extra not in ("config.json", "model.safetensors"):
            os.remove(os.path.join(path, extra))
    if file is None:
        words = sorted({w for lines in texts.values() for line in lines for w in line.split()})[:60]
        letters = sorted({c for lines in texts.values() for line in lines for c in line if c != " "})
        pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + words[:40] + letters[:27] + ["##" + c for c in letters[:27]]
        pieces = list(dict.fromkeys(pieces))
        pieces += [f"[unused{i}]" for i in range(99 - len(pieces))]
        assert len(pieces) == 99
        open(os.path.join(path, "vocab.txt"), "w", encoding="utf-8").write("\n".join(pieces) + "\n")
        from transformers import BertTokenizer
        json.dump({"do_lower_case": False}, open(os.path.join(path, "tokenizer_config.json"), "w"))
        tokenizer = BertTokenizer(os.path.join(path, "vocab.txt"), do_lower_case=False)
    else:
        shutil.copy(os.path.join(data, file), os.path.join(path, "tokenizer.json"))
        tokenizer = PreTrainedTokenizerFast(tokenizer_file=os.path.join(path, "tokenizer.json"), unk_token="<unk>")
    v = vectors(model, tokenizer, name)
    expected[name] = {"ids": tokenizer(texts["de"][1])["input_ids"], "last": [round(float(a), 6) for a in v["de"][-1][1]],
                      "layers": measures(v), "languages": languages(tokenizer)}
    if name == "roberta":
        with torch.no_grad():
            expected[name]["likeliest"] = model(torch.tensor([expected[name]["ids"]])).logits[0].argmax(-1).tolist()
json.dump(json.loads(json.dumps(expected), parse_float=lambda x: round(float(x), 7)), open(os.path.join(folder, "expected.json"), "w"),
          indent=1)
