#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random models of all families with their tokenizers, whole: from text to the mean state of a sentence's own tokens.

usage: family_tokens.py ISOGLOT [FAMILY …]     ends with 1 where a number differs from transformers' by more than 1e-5, or an id does

Ids are compared on every odd line (tokenizer_pipelines.hard) without a line end in it, states of all layers on those that have
something to read and, where positions count what is no padding, no "<pad>".
"""
import importlib.util
import json
import os
import subprocess
import sys
import tempfile

os.environ["HF_HUB_DISABLE_PROGRESS_BARS"] = "1"
import numpy as np
import torch
import transformers as hf
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

hf.utils.logging.disable_progress_bar()
torch.set_num_threads(1)
tools = os.path.dirname(os.path.abspath(__file__))
spec = importlib.util.spec_from_file_location("pipelines", os.path.join(tools, "tokenizer_pipelines.py"))
pipelines = importlib.util.module_from_spec(spec)
spec.loader.exec_module(pipelines)
depth, room = 2, 512
size = dict(hidden_size=32, num_hidden_layers=depth, num_attention_heads=4, intermediate_size=48, max_position_embeddings=room + 2,
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


def pieces(special, lowercase):
    """Word pieces as BERT's, in the order of their ids."""
    t = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    t.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    t.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    t.train_from_iterator(pipelines.words, trainers.WordPieceTrainer(vocab_size=440, special_tokens=special, show_progress=False))
    return [t.id_to_token(i) for i in range(t.get_vocab_size())]


OWN = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
cased, uncased = pieces(OWN, False), pieces(OWN, True)
mpnet = pieces(["<s>", "<pad>", "</s>", "[UNK]", "<mask>"], True)
bert = dict(size, pad_token_id=0)
distil = dict(dim=32, n_layers=depth, n_heads=4, hidden_dim=48, max_position_embeddings=room, vocab_size=480)
shared = dict(size, num_key_value_heads=2)
modern = dict(size, local_attention=16, global_attn_every_n_layers=2, cls_token_id=0, sep_token_id=2)
gemma = dict(shared, head_dim=8, sliding_window=16)

# Configuration; a tokenizer.json, or the lines of a vocab.txt; tokenizer_config.json.
families = {
    "BERT": (hf.BertConfig(**bert), cased, {"tokenizer_class": "BertTokenizer", "do_lower_case": False}),
    "BERT, XLM-R's tokenizer": (hf.BertConfig(**size), around("xlmr-sequence", "<s>", "</s>"), {"tokenizer_class": "XLMRobertaTokenizer"}),
    "RoBERTa": (hf.RobertaConfig(**size), around("roberta", "<s>", "</s>"), {"tokenizer_class": "RobertaTokenizer"}),
    "XLM-R": (hf.XLMRobertaConfig(**size), around("xlmr-sequence", "<s>", "</s>"), {"tokenizer_class": "XLMRobertaTokenizer"}),
    "CamemBERT": (hf.CamembertConfig(**size), around("xlmr-sequence", "<s>", "</s>"), {"tokenizer_class": "CamembertTokenizer"}),
    "DistilBERT": (hf.DistilBertConfig(**distil), uncased, {"tokenizer_class": "DistilBertTokenizer", "do_lower_case": True}),
    "ELECTRA": (hf.ElectraConfig(**dict(bert, embedding_size=16)), uncased, {"tokenizer_class": "ElectraTokenizer", "do_lower_case": True}),
    "MPNet": (hf.MPNetConfig(**size), mpnet, {"tokenizer_class": "MPNetTokenizer", "do_lower_case": True}),
    "ModernBERT": (hf.ModernBertConfig(**modern), around("modernbert", "<s>", "</s>"), {"tokenizer_class": "PreTrainedTokenizerFast"}),
    "mmBERT": (hf.ModernBertConfig(**modern), around("gemma", "<bos>", "<eos>"), {"tokenizer_class": "PreTrainedTokenizerFast"}),
    "GPT-2": (hf.GPT2Config(n_embd=32, n_layer=depth, n_head=4, n_positions=room, vocab_size=480, bos_token_id=0, eos_token_id=2),
              around("roberta"), {"tokenizer_class": "GPT2Tokenizer"}),
    "Llama": (hf.LlamaConfig(**shared), around("llama3", "<s>"), {"tokenizer_class": "PreTrainedTokenizerFast"}),
    "Qwen3": (hf.Qwen3Config(**dict(shared, head_dim=8)), around("qwen", None, "</s>"), {"tokenizer_class": "Qwen2TokenizerFast"}),
    "Qwen3, no tokens": (hf.Qwen3Config(**dict(shared, head_dim=8)), around("qwen"), {"tokenizer_class": "Qwen2Tokenizer"}),
    "EuroBERT": (hf.EuroBertConfig(**shared), around("llama3", "<s>", "</s>"), {"tokenizer_class": "PreTrainedTokenizerFast"}),
    "Gemma 3": (hf.Gemma3TextConfig(**gemma), around("gemma", "<bos>"), {"tokenizer_class": "GemmaTokenizerFast"}),
    "EmbeddingGemma": (hf.Gemma3TextConfig(**dict(gemma, use_bidirectional_attention=True)), around("gemma", "<bos>", "<eos>"),
                       {"tokenizer_class": "GemmaTokenizerFast"}),
}
lines = [x for x in pipelines.hard if "\r" not in x]


def make(name, at):
    config, tokenizer, settings = families[name]
    torch.manual_seed(0)
    hf.AutoModel.from_config(config).save_pretrained(at)
    if isinstance(tokenizer, list):
        with open(os.path.join(at, "vocab.txt"), "w", encoding="utf-8") as f:
            f.write("".join(x + "\n" for x in tokenizer))
    else:
        tokenizer.save(os.path.join(at, "tokenizer.json"), pretty=False)
    with open(os.path.join(at, "tokenizer_config.json"), "w") as f:
        json.dump(settings, f)


def check(name, program, at):
    make(name, at)
    config = families[name][0]
    model, peer = hf.AutoModel.from_pretrained(at).eval(), hf.AutoTokenizer.from_pretrained(at)

    def run(text, *arguments):
        path = os.path.join(at, "text")
        with open(path, "w", encoding="utf-8") as f:
            f.write("".join(x + "\n" for x in text))
        done = subprocess.run([program, *arguments, path, "--quiet", "--threads", "1"], stdout=subprocess.PIPE, check=True, encoding="utf-8")
        return done.stdout.split("\n")[:-1]

    ids = run(lines, "tokenize", "--vocab", at, "--ids")
    bare = [peer.encode(x, add_special_tokens=False) for x in lines]
    differ = [x for x, own, theirs in zip(lines, ids, bare) if own != " ".join(map(str, theirs))]
    the = peer.encode("the", add_special_tokens=False)
    first = peer.encode("the").index(the[0])
    # Where positions count the tokens that are no padding, a text's own "<pad>" has that of none.
    counted = config.model_type in ("roberta", "xlm-roberta", "camembert", "mpnet")
    whole = [(x, b) for x, b in zip(lines, bare)
             if b and x.strip() and len(b) <= room - 2 and not (counted and peer.pad_token_id in b)]
    worst = 0
    for layer in range(depth + 1):
        vectors = run([x for x, _ in whole], "encode", at, "--layer", str(layer), "--allow-unknown")
        for (line, own), vector in zip(whole, vectors):
            batch = torch.tensor([peer.encode(line)])
            with torch.no_grad():
                h = model(input_ids=batch, output_hidden_states=True).hidden_states[layer][0, first:first + len(own)]
            worst = max(worst, abs(h.mean(0).numpy() - np.array([float(x) for x in vector.split()])).max())
    print(f"{name}: {len(lines)} lines, {len(differ)} with other ids; states of {len(whole)} differ by {worst:.1e}", flush=True)
    for x in differ[:5]:
        print(f"  {x!r}: {bare[lines.index(x)]} there, {ids[lines.index(x)]} here")
    return len(differ) > 0 or not worst <= 1e-5


if __name__ == "__main__":
    bad = 0
    for name in sys.argv[2:] or families:
        with tempfile.TemporaryDirectory() as at:
            bad += check(name, sys.argv[1], at)
    sys.exit(bad > 0)
