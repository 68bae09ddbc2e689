#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Folders of sentence-transformers, and what it makes of text by them.

usage: sentence_models.py write FOLDER     a small one with its vectors: tests/data/sentence (without the encoder's files, which
                                           are those of tests/data/foreign/roberta)
       sentence_models.py check ISOGLOT    every pooling, dense layers, prompts, lengths: isoglot's vectors against the peer's;
                                           ends with 1 where a number differs by more than 1e-5. Of causal models the peer
                                           encodes a line at a time: padded on the left, its GPT-2 counts positions from the
                                           padding
"""
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import torch
import transformers as t
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Dense, Normalize, Pooling, Transformer
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

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


def causal(folder, kind, side):
    """A random causal model with a byte-level tokenizer of its own, padded on that side."""
    tok = Tokenizer(models.BPE())
    tok.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tok.train_from_iterator(lines, trainers.BpeTrainer(vocab_size=400, special_tokens=["<|endoftext|>"], show_progress=False,
                                                       initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    end = "<|endoftext|>"
    t.PreTrainedTokenizerFast(tokenizer_object=tok, eos_token=end, bos_token=end, pad_token=end, unk_token=end, padding_side=side,
                              model_max_length=60).save_pretrained(folder)
    of = dict(vocab_size=tok.get_vocab_size(), hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=20,
              max_position_embeddings=60, initializer_range=.3, bos_token_id=0, eos_token_id=0, pad_token_id=0)
    torch.manual_seed(5)
    model = {"gpt2": lambda: t.GPT2Model(t.GPT2Config(n_embd=16, n_layer=2, n_head=2, n_positions=60, **{
                 k: of[k] for k in ("vocab_size", "initializer_range", "bos_token_id", "eos_token_id")})),
             "qwen3": lambda: t.Qwen3Model(t.Qwen3Config(**of, num_key_value_heads=2, head_dim=8)),
             "llama": lambda: t.LlamaModel(t.LlamaConfig(**of, num_key_value_heads=1))}[kind]()
    model.save_pretrained(folder)


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
    peers = ["roberta", "labse", ("gpt2", "left"), ("qwen3", "left"), ("llama", "right")]
    for name, shape in shapes.items():
        for encoder in peers:
            with tempfile.TemporaryDirectory() as at:
                known = isinstance(encoder, str)
                if not known:
                    causal(os.path.join(at, "encoder"), *encoder)
                model = build(encoder=encoder if known else os.path.join(at, "encoder"), **shape)
                # Without special tokens a blank line has no token.
                given = lines if known else [x for x in lines if x]
                model.save(os.path.join(at, "model"))
                text = os.path.join(at, "text")
                open(text, "w", encoding="utf-8").write("\n".join(given) + "\n")
                done = subprocess.run([program, "encode", os.path.join(at, "model"), text, "--allow-unknown"], capture_output=True,
                                      text=True)
                if done.returncode:
                    print(f"{name}, {encoder}: {done.stderr}")
                    bad += 1
                    continue
                ours = np.array([[float(x) for x in row.split()] for row in done.stdout.strip().split("\n")])
                worst = np.abs(ours - (model.encode(given) if known else np.stack([model.encode(x) for x in given]))).max()
                print(f"{name}, {encoder}: {worst:.1e}   {[s for s in done.stderr.splitlines() if 'pooling' in s]}")
                bad += not worst <= 1e-5
    return bad


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(sys.argv[2])
    else:
        sys.exit(check(sys.argv[2]) > 0)
