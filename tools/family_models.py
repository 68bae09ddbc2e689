#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small random models of the families that are read (docs/model.md), and the hidden states that transformers computes with them.

usage: family_models.py FOLDER          writes FOLDER/NAME/ for each family and setting (tests/data/families)
       family_models.py --check BUILD   draws larger ones into a temporary folder and runs BUILD/tests/test_family on them

NAME/ has config.json and model.safetensors, as transformers writes them, and states.safetensors: "ids" of all sequences, one after
another, where each begins ("start"), and "states" [layers, tokens, hidden], computed in double precision from one padded batch.
"""
import os
import subprocess
import sys
import tempfile

os.environ["HF_HUB_DISABLE_PROGRESS_BARS"] = "1"
import torch
import transformers as t
from safetensors.torch import save_file

sizes = dict(vocab_size=20, num_hidden_layers=2, initializer_range=.3)
bert = dict(sizes, hidden_size=12, num_attention_heads=3, intermediate_size=10, max_position_embeddings=24)
llama = dict(sizes, hidden_size=16, num_attention_heads=4, intermediate_size=10, max_position_embeddings=24, pad_token_id=0)
modern = dict(llama, pad_token_id=0, bos_token_id=1, eos_token_id=2, cls_token_id=1, sep_token_id=2)
distil = dict(vocab_size=20, dim=12, n_layers=2, n_heads=3, hidden_dim=10, max_position_embeddings=24, initializer_range=.3)
gpt2 = dict(vocab_size=20, n_embd=12, n_layer=2, n_head=3, n_positions=24, initializer_range=.3, bos_token_id=1, eos_token_id=2)
gemma = dict(llama, num_key_value_heads=2, head_dim=6, sliding_window=8, query_pre_attn_scalar=6)
settings = {
    "bert": (t.BertForMaskedLM, t.BertConfig, dict(bert, hidden_act="gelu_new")),
    "roberta": (t.RobertaForMaskedLM, t.RobertaConfig, dict(bert, pad_token_id=1, bos_token_id=0, eos_token_id=2,
                                                            type_vocab_size=1, layer_norm_eps=1e-5)),
    "distilbert": (t.DistilBertForMaskedLM, t.DistilBertConfig, dict(distil)),
    "distilbert-sinusoidal": (t.DistilBertModel, t.DistilBertConfig, dict(distil, sinusoidal_pos_embds=True, n_heads=1)),
    "electra": (t.ElectraForPreTraining, t.ElectraConfig, dict(bert, embedding_size=8)),
    "electra-equal": (t.ElectraModel, t.ElectraConfig, dict(bert, embedding_size=12, hidden_act="gelu_new")),
    "mpnet": (t.MPNetForMaskedLM, t.MPNetConfig, dict(bert)),
    "mpnet-bare": (t.MPNetModel, t.MPNetConfig, dict(bert, num_attention_heads=1, layer_norm_eps=1e-5)),
    "modernbert": (t.ModernBertForMaskedLM, t.ModernBertConfig, dict(modern, local_attention=8, num_hidden_layers=4)),
    "modernbert-biased": (t.ModernBertModel, t.ModernBertConfig,
                          dict(modern, local_attention=6, attention_bias=True, mlp_bias=True, norm_bias=True,
                               num_attention_heads=1, hidden_activation="gelu_pytorch_tanh", num_hidden_layers=3,
                               layer_types=["sliding_attention", "full_attention", "sliding_attention"])),
    "gpt2": (t.GPT2LMHeadModel, t.GPT2Config, dict(gpt2)),
    "gpt2-bare": (t.GPT2Model, t.GPT2Config, dict(gpt2, n_inner=10, activation_function="gelu", n_head=1)),
    "llama": (t.LlamaForCausalLM, t.LlamaConfig, dict(llama, num_key_value_heads=2)),
    "llama-biased": (t.LlamaModel, t.LlamaConfig,
                     dict(llama, num_key_value_heads=1, head_dim=6, attention_bias=True, mlp_bias=True, hidden_act="gelu",
                          rope_parameters={"rope_type": "llama3", "rope_theta": 500000.0, "factor": 8.0, "low_freq_factor": 1.0,
                                           "high_freq_factor": 4.0, "original_max_position_embeddings": 600})),
    "qwen3": (t.Qwen3ForCausalLM, t.Qwen3Config, dict(llama, num_key_value_heads=2, head_dim=6)),
    "qwen3-tied": (t.Qwen3Model, t.Qwen3Config, dict(llama, num_key_value_heads=4, head_dim=4, tie_word_embeddings=True)),
    "eurobert": (t.EuroBertForMaskedLM, t.EuroBertConfig, dict(llama, num_key_value_heads=2)),
    "eurobert-bare": (t.EuroBertModel, t.EuroBertConfig, dict(llama, num_attention_heads=1, hidden_size=14)),
    "gemma3": (t.Gemma3ForCausalLM, t.Gemma3TextConfig, dict(gemma, rope_scaling={"rope_type": "linear", "factor": 8.0}, layer_types=["sliding_attention", "full_attention"])),
    "gemma3-embedding": (t.Gemma3TextModel, t.Gemma3TextConfig,
                         dict(gemma, use_bidirectional_attention=True, num_key_value_heads=1, num_hidden_layers=7)),
}


def larger(of, keys):
    """The same setting with many layers, heads and positions, and usual initial weights."""
    big = dict(keys, vocab_size=500, initializer_range=.02)
    for name in ("num_hidden_layers", "n_layers", "n_layer"):
        if name in keys and "layer_types" not in keys:
            big[name] = 8
    for name, by in (("hidden_size", 12), ("dim", 12), ("n_embd", 12), ("intermediate_size", 20), ("hidden_dim", 20)):
        if name in keys:
            big[name] = keys[name] * by
    for name in ("max_position_embeddings", "n_positions"):
        if name in keys:
            big[name] = 400
    if keys.get("embedding_size"):
        big["embedding_size"] = keys["embedding_size"] * 12
    if keys.get("head_dim"):
        big["head_dim"] = keys["head_dim"] * 8
    return big


def make(folder, name, keys, lengths):
    kind, config, _ = settings[name]
    torch.manual_seed(sum(map(ord, name)))
    model = kind(config(**keys)).eval()
    for n, p in model.named_parameters():  # biases and norms that are not 0 and 1
        if p.dim() == 1:
            p.data += .1 * torch.randn_like(p)
    path = os.path.join(folder, name)
    model.save_pretrained(path)
    model = model.double()
    encoder = getattr(model, model.base_model_prefix, model)
    ids = [[int(x) for x in torch.randint(3, keys["vocab_size"], (n,))] for n in lengths]
    pad = 0 if model.config.pad_token_id is None else model.config.pad_token_id
    batch = torch.tensor([x + [pad] * (max(lengths) - len(x)) for x in ids])
    mask = torch.tensor([[1] * n + [0] * (max(lengths) - n) for n in lengths])
    with torch.no_grad():
        states = encoder(input_ids=batch, attention_mask=mask, output_hidden_states=True).hidden_states
    rows = mask.bool()
    start = torch.tensor([0] + lengths).cumsum(0)
    save_file({"ids": torch.tensor([float(x) for y in ids for x in y]), "start": start.float(),
               "states": torch.stack([s[rows] for s in states]).float().contiguous()}, os.path.join(path, "states.safetensors"))
    for extra in ("generation_config.json",):
        if os.path.exists(os.path.join(path, extra)):
            os.remove(os.path.join(path, extra))
    assert all(s[rows].isfinite().all() for s in states), name


if sys.argv[1] == "--check":
    with tempfile.TemporaryDirectory() as folder:
        for name, (kind, config, keys) in settings.items():
            make(folder, name, larger(config, keys), [1, 37, 300, 5])
        sys.exit(subprocess.run([os.path.join(sys.argv[2], "tests", "test_family")],
                                env=dict(os.environ, ISOGLOT_FAMILIES=folder)).returncode)
for name, (_, _, keys) in settings.items():
    make(sys.argv[1], name, keys, [7, 1, 15])
