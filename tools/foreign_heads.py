#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small random classifiers in the shapes that transformers' programs leave, and what transformers says of texts by them.

usage: foreign_heads.py FOLDER [NAME…]      writes FOLDER/NAME/ and FOLDER/expected.json (tests/data/classifiers); no NAME: all

bert: BertForSequenceClassification; roberta: RobertaForSequenceClassification, with a pooler beside the head, which the head does
not read; xlmr: XLMRobertaForSequenceClassification without a prefix before the encoder's names; words: XLMRobertaForTokenClassification.
distilbert, electra, mpnet, modernbert: …ForSequenceClassification, whose layer before the classes is another in each; modern-words:
ModernBertForTokenClassification. Weights are stored as float16. Tokenizers are those of tests/data/foreign. expected.json has, for each text or pair, ids, segments and
log softmax of the logits, computed in float32 (of words: at every token). NAME-single.tsv and NAME-pair.tsv have the likeliest label
of each text or pair after it; words.tsv (of modern-words: modern-words.tsv) has each word with the likeliest label of its first piece.
"""
import json
import os
import shutil
import sys

import torch
from safetensors.torch import load_file, save_file
from transformers import (BertConfig, BertForSequenceClassification, BertTokenizer, DistilBertConfig,
                          DistilBertForSequenceClassification, ElectraConfig, ElectraForSequenceClassification, ModernBertConfig,
                          ModernBertForSequenceClassification, ModernBertForTokenClassification, MPNetConfig,
                          MPNetForSequenceClassification, PreTrainedTokenizerFast, RobertaConfig,
                          RobertaForSequenceClassification, XLMRobertaConfig, XLMRobertaForSequenceClassification,
                          XLMRobertaForTokenClassification)

folder = sys.argv[1]
foreign = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "data", "foreign")
size = dict(hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=24, initializer_range=.3)
kin = dict(size, max_position_embeddings=42, type_vocab_size=1, pad_token_id=1, bos_token_id=0, eos_token_id=2, layer_norm_eps=1e-5)
modern = dict(size, max_position_embeddings=40, pad_token_id=1, bos_token_id=0, cls_token_id=0, eos_token_id=2, sep_token_id=2,
              local_attention=8, classifier_pooling="cls")
labels = {0: "entailment", 1: "neutral", 2: "contradiction"}
tags = {0: "O", 1: "B-PER", 2: "I-PER"}
texts = {k: open(os.path.join(foreign, f"{k}.txt"), encoding="utf-8").read().split("\n")[:12] for k in ("en", "de")}
texts = {k: [" ".join(t.split()[:3]) for t in lines] for k, lines in texts.items()}
models = {
    "bert": (BertForSequenceClassification, BertConfig(vocab_size=99, max_position_embeddings=40, id2label=labels, **size), "labse"),
    "roberta": (RobertaForSequenceClassification, RobertaConfig(vocab_size=361, id2label=labels, **kin), "roberta"),
    "xlmr": (XLMRobertaForSequenceClassification, XLMRobertaConfig(vocab_size=261, id2label=labels, **kin), "xlmr"),
    "words": (XLMRobertaForTokenClassification, XLMRobertaConfig(vocab_size=261, id2label=tags, **kin), "xlmr"),
    "distilbert": (DistilBertForSequenceClassification,
                   DistilBertConfig(vocab_size=99, max_position_embeddings=40, dim=16, n_layers=2, n_heads=2, hidden_dim=24,
                                    initializer_range=.3, id2label=labels), "labse"),
    "electra": (ElectraForSequenceClassification,
                ElectraConfig(vocab_size=99, max_position_embeddings=40, embedding_size=8, id2label=labels, **size), "labse"),
    "mpnet": (MPNetForSequenceClassification, MPNetConfig(vocab_size=361, max_position_embeddings=42, id2label=labels, pad_token_id=1,
                                                          bos_token_id=0, eos_token_id=2, **size), "roberta"),
    "modernbert": (ModernBertForSequenceClassification, ModernBertConfig(vocab_size=361, id2label=labels, **modern), "roberta"),
    "modern-words": (ModernBertForTokenClassification, ModernBertConfig(vocab_size=261, id2label=tags, **modern), "xlmr"),
}
chosen = sys.argv[2:] or list(models)


def change(name, path):
    """The tensors as other programs leave them."""
    file = os.path.join(path, "model.safetensors")
    t = load_file(file)
    if name == "roberta":
        t["roberta.pooler.dense.weight"] = torch.randn(16, 16).half()
        t["roberta.pooler.dense.bias"] = torch.randn(16).half()
    if name == "xlmr":
        t = {k.removeprefix("roberta."): v for k, v in t.items()}
    save_file(t, file)


def encode(tokenizer, args, config):
    e = tokenizer(*args)
    n = len(e["input_ids"])
    return e["input_ids"], e.get("token_type_ids", [0] * n) if getattr(config, "type_vocab_size", 1) > 1 else [0] * n


def logits(model, ids, seg):
    segments = {} if model.config.model_type in ("distilbert", "mpnet", "modernbert") else {"token_type_ids": torch.tensor([seg])}
    with torch.no_grad():
        return model(input_ids=torch.tensor([ids]), **segments).logits.reshape(-1, len(labels))


said = os.path.join(folder, "expected.json")
expected = json.load(open(said)) if chosen != list(models) else {}
for name in chosen:
    kind, config, tokens = models[name]
    torch.manual_seed(11)
    path = os.path.join(folder, name)
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path)
    words = name in ("words", "modern-words")
    if tokens == "labse":
        shutil.copy(os.path.join(foreign, tokens, "vocab.txt"), path)
        tokenizer = BertTokenizer(os.path.join(path, "vocab.txt"), do_lower_case=False)
        json.dump({"do_lower_case": False, "tokenizer_class": "BertTokenizer"}, open(os.path.join(path, "tokenizer_config.json"), "w"))
    else:
        shutil.copy(os.path.join(foreign, tokens, "tokenizer.json"), path)
        if name == "mpnet":  # without it the class is MPNet's own
            with open(os.path.join(path, "tokenizer_config.json"), "w") as f:
                f.write('{"tokenizer_class": "PreTrainedTokenizerFast"}\n')
        tokenizer = PreTrainedTokenizerFast(tokenizer_file=os.path.join(path, "tokenizer.json"), unk_token="<unk>")
    args = [x for a, b in zip(texts["en"], texts["de"]) for x in (((a,), (b,)) if words else ((a,), (a, b)))]
    inputs = [encode(tokenizer, x, config) for x in args]
    model = kind(config).half().float().eval()
    mean = torch.cat([logits(model, *x)[:None if words else 1] for x in inputs]).mean(0)
    bias = model.classifier.out_proj.bias if hasattr(model.classifier, "out_proj") else model.classifier.bias
    bias.data = -mean  # so that all labels occur
    model.half().save_pretrained(path)
    # half() has rounded the frequencies of rotary positions, too
    model = kind.from_pretrained(path, dtype=torch.float32).eval() if name.startswith("modern") else model.float()
    change(name, path)
    expected[name] = [{"text": list(x), "ids": i, "segments": s, "logp": logits(model, i, s).log_softmax(-1).tolist()}
                      for x, (i, s) in zip(args, inputs)]
    if not words:
        for kind, n in (("single", 1), ("pair", 2)):
            with open(os.path.join(folder, f"{name}-{kind}.tsv"), "w", encoding="utf-8") as f:
                for row in expected[name]:
                    if len(row["text"]) == n:
                        best = max(labels, key=lambda k: row["logp"][0][k])
                        f.write("\t".join(row["text"] + [labels[best]]) + "\n")
    else:
        with open(os.path.join(folder, f"{name}.tsv"), "w", encoding="utf-8") as f:
            for row in expected[name]:
                of_row = row["text"][0].split()
                e = tokenizer(row["text"][0])
                assert e["input_ids"] == row["ids"] == tokenizer(of_row, is_split_into_words=True)["input_ids"]
                of = tokenizer(of_row, is_split_into_words=True).word_ids()
                for k, word in enumerate(of_row):
                    logp = row["logp"][of.index(k)]
                    f.write(f"{word}\t{tags[max(tags, key=lambda t: logp[t])]}\n")
                f.write("\n")
text = json.dumps(json.loads(json.dumps(expected), parse_float=lambda x: round(float(x), 6)))
open(os.path.join(folder, "expected.json"), "w").write(text.replace('{"text"', '\n{"text"') + "\n")
