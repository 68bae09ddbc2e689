#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random models of the families with their tokenizers, whole: from text to the mean state of a sentence's own tokens.

usage: family_tokens.py ISOGLOT     ends with 1 where a number differs from transformers' by more than 1e-5, or an id does
"""
import importlib.util
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
import torch
import transformers as hf
from tokenizers import processors

tools = os.path.dirname(os.path.abspath(__file__))
spec = importlib.util.spec_from_file_location("pipelines", os.path.join(tools, "tokenizer_pipelines.py"))
pipelines = importlib.util.module_from_spec(spec)
spec.loader.exec_module(pipelines)
size = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48, max_position_embeddings=256,
            vocab_size=480, pad_token_id=1, bos_token_id=0, eos_token_id=2)


def around(name, before=None, after=None):
    """A tokenizer with these tokens around a text, each optional."""
    t = pipelines.build(name)
    single = [x for x in (before, "$A", after) if x]
    tokens = [(x, t.token_to_id(x)) for x in (before, after) if x]
    t.post_processor = processors.ByteLevel(trim_offsets=False)
    if tokens:
        t.post_processor = processors.TemplateProcessing(single=" ".join(single), pair=" ".join(single + ["$B:1"]), special_tokens=tokens)
    return t


families = {
    "llama": (hf.LlamaConfig(num_key_value_heads=2, **size), around("llama3", "<s>"), "PreTrainedTokenizerFast"),
    "qwen3": (hf.Qwen3Config(num_key_value_heads=2, head_dim=8, **size), around("qwen", None, "</s>"), "Qwen2TokenizerFast"),
    "qwen3, no tokens": (hf.Qwen3Config(num_key_value_heads=2, head_dim=8, **size), around("qwen"), "Qwen2Tokenizer"),
    "gpt2": (hf.GPT2Config(n_embd=32, n_layer=2, n_head=4, n_positions=256, vocab_size=480, bos_token_id=0, eos_token_id=2),
             around("roberta"), "GPT2Tokenizer"),
    "modernbert": (hf.ModernBertConfig(local_attention=16, global_attn_every_n_layers=2, cls_token_id=0, sep_token_id=2, **size),
                   around("modernbert", "<s>", "</s>"), "PreTrainedTokenizerFast"),
    "gemma": (hf.Gemma3TextConfig(num_key_value_heads=2, head_dim=8, sliding_window=16, use_bidirectional_attention=True, **size),
              around("gemma", "<bos>", "<eos>"), "GemmaTokenizerFast"),
}
# A line with a special token in it has others than those around it; of more than 256 tokens, its end is lost.
special = ("<mask>", "<s>", "</s>", "<bos>", "<eos>", "<pad>")
lines = [x for x in pipelines.hard if x.strip() and "\r" not in x and len(x) < 60 and not any(m in x for m in special)]


def check(name, program, at):
    config, tokenizer, kind = families[name]
    torch.manual_seed(0)
    hf.AutoModel.from_config(config).save_pretrained(at)
    tokenizer.save(os.path.join(at, "tokenizer.json"), pretty=False)
    with open(os.path.join(at, "tokenizer_config.json"), "w") as f:
        json.dump({"tokenizer_class": kind}, f)
    model, peer = hf.AutoModel.from_pretrained(at).eval(), hf.AutoTokenizer.from_pretrained(at)
    text = os.path.join(at, "text")
    with open(text, "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")

    def run(*arguments):
        done = subprocess.run([program, *arguments, "--quiet"], stdout=subprocess.PIPE, check=True, encoding="utf-8")
        return done.stdout.split("\n")[:-1]

    ids = run("tokenize", "--vocab", at, "--ids", text)
    vectors = np.array([[float(x) for x in v.split()] for v in run("encode", at, text, "--layer", "2", "--allow-unknown")])
    differ, worst = 0, 0
    for line, own, vector in zip(lines, ids, vectors):
        bare = peer.encode(line, add_special_tokens=False)
        differ += " ".join(map(str, bare)) != own
        batch = torch.tensor([peer.encode(line)])
        first = 1 if len(batch[0]) > len(bare) and batch[0, 0] != bare[0] else 0
        with torch.no_grad():
            h = model(input_ids=batch, output_hidden_states=True).hidden_states[2][0, first:first + len(bare)]
        worst = max(worst, abs(h.mean(0).numpy() - vector).max())
    print(f"{name}: {len(lines)} lines, {differ} with other ids, states differ by {worst:.1e}")
    return differ > 0 or not worst <= 1e-5


if __name__ == "__main__":
    bad = 0
    for name in families:
        with tempfile.TemporaryDirectory() as at:
            bad += check(name, sys.argv[1], at)
    sys.exit(bad > 0)
