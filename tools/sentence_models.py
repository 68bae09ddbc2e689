#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Folders of sentence-transformers, and what it makes of text by them.

usage: sentence_models.py write FOLDER     a small one with its vectors: tests/data/sentence (without the encoder's files, which
                                           are those of tests/data/foreign/roberta)
       sentence_models.py check ISOGLOT    every pooling, dense layers, prompts, lengths: isoglot's vectors against the peer's;
                                           ends with 1 where a number differs by more than 1e-5
"""
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Dense, Normalize, Pooling, Transformer

here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "data", "foreign")
lines = open(os.path.join(here, "en.txt"), encoding="utf-8").read().split("\n")[:-1] + ["", "  blanks at the ends  "]
tanh, relu, none = torch.nn.Tanh, torch.nn.ReLU, torch.nn.Identity
prompts = {"query": "query: ", "passage": "the house "}
shapes = {
    "mean": dict(pool="mean"),
    "cls": dict(pool="cls", rest=lambda n: [Normalize()]),
    "max": dict(pool="max", most=9),
    "lasttoken": dict(pool="lasttoken", default="query"),
    "weightedmean": dict(pool="weightedmean", default="passage"),
    "several": dict(pool=["mean", "max", "cls", "mean_sqrt_len_tokens"], rest=lambda n: [Dense(n, 7, activation_function=tanh())]),
    "without-prompt": dict(pool="mean", default="query", include=False),
    "cls-without-prompt": dict(pool="cls", default="passage", include=False),
    "dense": dict(pool="mean", most=12, default="query", rest=lambda n: [Dense(n, 20, activation_function=relu()), Normalize(),
                                                                          Dense(20, 10, bias=False, activation_function=none())]),
    "whole": dict(pool="mean", most=16, default="query", rest=lambda n: [Dense(n, 10, activation_function=tanh()), Normalize()]),
}


def build(pool, most=40, default=None, include=True, rest=lambda n: [], encoder="roberta"):
    torch.manual_seed(3)
    first = Transformer(os.path.join(here, encoder), max_seq_length=most)
    one = Pooling(16, pooling_mode=pool, include_prompt=include)
    n = 16 * (len(pool) if isinstance(pool, list) else 1)
    modules = [first, one, *rest(n)]
    return SentenceTransformer(modules=modules, prompts=prompts, default_prompt_name=default, device="cpu").float()


def write(folder):
    model = build(**shapes["whole"])
    with tempfile.TemporaryDirectory() as at:
        model.save(at)
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        for name in ("modules.json", "config_sentence_transformers.json", "sentence_bert_config.json", "tokenizer_config.json", "1_Pooling", "2_Dense"):
            path = os.path.join(at, name)
            (shutil.copytree if os.path.isdir(path) else shutil.copy)(path, os.path.join(folder, name))
    np.savetxt(os.path.join(folder, "expected.txt"), model.encode(lines[:8]), fmt="%.7f")


def check(program):
    bad = 0
    for name, shape in shapes.items():
        for encoder in ("roberta", "labse"):
            with tempfile.TemporaryDirectory() as at:
                model = build(encoder=encoder, **shape)
                model.save(os.path.join(at, "model"))
                text = os.path.join(at, "text")
                open(text, "w", encoding="utf-8").write("\n".join(lines) + "\n")
                done = subprocess.run([program, "encode", os.path.join(at, "model"), text, "--allow-unknown"], capture_output=True,
                                      text=True)
                if done.returncode:
                    print(f"{name}, {encoder}: {done.stderr}")
                    bad += 1
                    continue
                ours = np.array([[float(x) for x in row.split()] for row in done.stdout.strip().split("\n")])
                worst = np.abs(ours - model.encode(lines)).max()
                print(f"{name}, {encoder}: {worst:.1e}   {[s for s in done.stderr.splitlines() if 'pooling' in s]}")
                bad += not worst <= 1e-5
    return bad


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(sys.argv[2])
    else:
        sys.exit(check(sys.argv[2]) > 0)
