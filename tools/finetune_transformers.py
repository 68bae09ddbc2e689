# SPDX-License-Identifier: Apache-2.0
"""A BERT folder fine-tuned by isoglot and by transformers on the same data with the same settings: do the scores agree?

usage: finetune_transformers.py --model DIR --data FOLDER [--isoglot PROGRAM] [--tasks nli tags entities] [--seeds N]
                                [--updates N] [--lr X] [--threads N]

Needs torch, transformers, seqeval, scipy, zstandard; FOLDER as in docs/fetch.md has nli/, ud/, ner/. Both programs:
batches of 32 examples in an order of their own, AdamW (decay .01 but for biases and LayerNorms), 10 % warm-up, then
linear to 0, gradient clipped to 1, dropout of the folder, float32, no selection. Labels of words are those of their
first pieces. PyTorch pads a batch to its longest sequence (in testing, of sequences sorted by length), isoglot packs.
For each task: mean and standard deviation over seeds of both, the difference of the means and its 95 % interval
(Welch's t).
"""
import argparse
import io
import json
import os
import random
import subprocess
import tempfile
import time
from statistics import mean, stdev

import torch
import zstandard
from scipy.stats import ttest_ind
from seqeval.metrics import f1_score
from transformers import AutoTokenizer, BertForSequenceClassification, BertForTokenClassification

TASKS = {
    "nli": ("pair", "nli/mnli-taxinli-en.tsv.zst", "nli/xnli-dev-en.tsv.zst", "accuracy"),
    "tags": ("tagging", "ud/en_ewt-ud-train.conllu.zst", "ud/en_ewt-ud-dev.conllu.zst", "accuracy"),
    "entities": ("tagging", "ner/panx-train-en.tsv.zst", "ner/panx-dev-en.tsv.zst", "f1.conlleval"),
}
BATCH, DECAY, WARMUP, LONGEST = 32, 0.01, 0.1, 512


def lines_of(path):
    with open(path, "rb") as f:
        yield from io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(f), encoding="utf-8", newline="\n")


def read(path, kind):
    """(a, b, label) of each pair, (words, labels) of each sentence."""
    if kind == "pair":
        return [tuple(line.rstrip("\n").split("\t")) for line in lines_of(path)]
    sentences, words, labels = [], [], []
    for line in lines_of(path):
        cells = line.rstrip("\n").split("\t")
        if line.startswith("#") and len(cells) < 2:
            continue
        if cells != [""]:
            if len(cells) == 10:  # CoNLL-U: no multiword tokens, no empty nodes
                if not cells[0].isdigit():
                    continue
                cells = [cells[1], cells[3]]
            words.append(cells[0])
            labels.append(cells[-1])
        elif words:
            sentences.append((words, labels))
            words, labels = [], []
    return sentences + ([(words, labels)] if words else [])


def encoded(examples, kind, tokenizer, names):
    """(ids, segments, label or labels of first pieces); a word without pieces becomes [UNK]."""
    rows = []
    for e in examples:
        if kind == "pair":
            r = tokenizer(e[0], e[1], truncation="longest_first", max_length=LONGEST)
            rows.append((r["input_ids"], r["token_type_ids"], names.index(e[2])))
            continue
        pieces = tokenizer(e[0], add_special_tokens=False)["input_ids"]
        ids, labels = [tokenizer.cls_token_id], [-100]
        for word, label in zip(pieces, e[1]):
            word = word or [tokenizer.unk_token_id]
            ids += word
            labels += [names.index(label)] + [-100] * (len(word) - 1)
        if len(ids) >= LONGEST:  # isoglot trains on two windows of it
            print(f"left out: a sentence of {len(ids)} pieces", flush=True)
            continue
        rows.append((ids + [tokenizer.sep_token_id], [0] * (len(ids) + 1), labels + [-100]))
    return rows


def batch_of(rows, kind, pad):
    longest = max(len(r[0]) for r in rows)
    fill = lambda x, with_: x + [with_] * (longest - len(x))
    return {"input_ids": torch.tensor([fill(r[0], pad) for r in rows]),
            "token_type_ids": torch.tensor([fill(r[1], 0) for r in rows]),
            "attention_mask": torch.tensor([fill([1] * len(r[0]), 0) for r in rows]),
            "labels": torch.tensor([r[2] if kind == "pair" else fill(r[2], -100) for r in rows])}


def score_of(model, rows, kind, pad, names, metric):
    model.eval()
    rows, gold, found = sorted(rows, key=lambda r: len(r[0])), [], []
    with torch.no_grad():
        for i in range(0, len(rows), BATCH):
            b = batch_of(rows[i:i + BATCH], kind, pad)
            labels, best = b.pop("labels"), model(**b).logits.argmax(-1)
            for g, f in zip(labels, best):
                keep = g != -100
                gold.append([names[x] for x in g[keep].reshape(-1).tolist()])
                found.append([names[x] for x in f[keep].reshape(-1).tolist()])
    if metric == "f1.conlleval":
        return f1_score(gold, found)
    return sum(a == b for g, f in zip(gold, found) for a, b in zip(g, f)) / sum(map(len, gold))


def by_transformers(args, kind, train, test, names, metric, seed):
    torch.manual_seed(seed)
    tokenizer = AutoTokenizer.from_pretrained(args.model)
    family = BertForSequenceClassification if kind == "pair" else BertForTokenClassification
    model = family.from_pretrained(args.model, num_labels=len(names)).train()
    plain = [p for n, p in model.named_parameters() if n.endswith("bias") or "LayerNorm" in n]
    decayed = [p for n, p in model.named_parameters() if not (n.endswith("bias") or "LayerNorm" in n)]
    optimizer = torch.optim.AdamW([{"params": decayed, "weight_decay": DECAY}, {"params": plain, "weight_decay": 0}],
                                  lr=args.lr, eps=1e-6)
    warm = WARMUP * args.updates
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda u: min(u / warm, max(0, (args.updates - u) / (args.updates - warm))))
    rows, order = encoded(train, kind, tokenizer, names), []
    mix = random.Random(seed)
    for _ in range(args.updates):
        if len(order) < BATCH:
            order = mix.sample(range(len(rows)), len(rows))
        batch = batch_of([rows[order.pop()] for _ in range(BATCH)], kind, tokenizer.pad_token_id)
        optimizer.zero_grad()
        model(**batch).loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1)
        optimizer.step()
        schedule.step()
    return score_of(model, encoded(test, kind, tokenizer, names), kind, tokenizer.pad_token_id, names, metric)


def by_isoglot(args, name, folder, metric, seed):
    kind, train, test, _ = TASKS[name]
    task = os.path.join(folder, name + ".yaml")
    with open(task, "w") as f:
        f.write(f"kind: {kind}\ntrain: {{en: {os.path.join(args.data, train)}}}\n"
                f"test: {{en: {os.path.join(args.data, test)}}}\n")
    line = [args.isoglot, "finetune", "--model", args.model, "--task", task, "--out",
            os.path.join(folder, f"{name}-{seed}"), "--seed", str(seed), "--updates", str(args.updates), "--lr",
            str(args.lr), "--adam-rule", "pytorch", "--length", "0", "--init", "normal", "--threads",
            str(args.threads), "--json", "--quiet"]
    result = json.loads(subprocess.run(line, check=True, capture_output=True).stdout)
    return result["scores"]["en"]["test"][metric]


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--model", required=True)
    p.add_argument("--data", required=True)
    p.add_argument("--isoglot", default="build/isoglot")
    p.add_argument("--tasks", nargs="+", default=list(TASKS))
    p.add_argument("--seeds", type=int, default=3)
    p.add_argument("--updates", type=int, default=300)
    p.add_argument("--lr", type=float, default=1e-4)
    p.add_argument("--threads", type=int, default=1)
    args = p.parse_args()
    args.data = os.path.abspath(args.data)
    torch.set_num_threads(args.threads)
    with tempfile.TemporaryDirectory() as folder:
        for name in args.tasks:
            kind, train, test, metric = TASKS[name]
            train, test = (read(os.path.join(args.data, path), kind) for path in (train, test))
            names = sorted({x for e in train + test for x in ([e[2]] if kind == "pair" else e[1])})
            ours, theirs = [], []
            for seed in range(args.seeds):
                start = time.time()
                ours.append(by_isoglot(args, name, folder, metric, seed))
                middle = time.time()
                theirs.append(by_transformers(args, kind, train, test, names, metric, seed))
                print(f"{name}, seed {seed}: isoglot {ours[-1]:.4f} ({middle - start:.0f} s), transformers "
                      f"{theirs[-1]:.4f} ({time.time() - middle:.0f} s)", flush=True)
            low, high = ttest_ind(ours, theirs, equal_var=False).confidence_interval(0.95)
            print(f"{name}, {metric}: isoglot {mean(ours):.4f} ± {stdev(ours):.4f}, transformers "
                  f"{mean(theirs):.4f} ± {stdev(theirs):.4f}; difference {mean(ours) - mean(theirs):+.4f}, 95 % "
                  f"{low:+.4f} to {high:+.4f}",
                  flush=True)


main()
