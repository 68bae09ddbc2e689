#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares `isoglot tokenize` with Hugging Face `tokenizers` on tokenizer.json files of both.

usage: check_tokenizer_json.py TEXT [ISOGLOT]     TEXT: plain text, some thousand lines; ISOGLOT: the program (build/isoglot)

Each kind, cased and uncased, is trained by isoglot and by the peer; both cut the text and random strings. Ends with 1
when a line differs.
"""
import os
import random
import subprocess
import sys
import tempfile

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

text = sys.argv[1]
program = sys.argv[2] if len(sys.argv) > 2 else "build/isoglot"
special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
rng = random.Random(1)
letters = "abcdefg ,.!-ABÉé中文ßअ\u0301\u200b[]MASK##▁"
lines = open(text, encoding="utf-8").read().split("\n")[:3000]
lines += ["".join(rng.choice(letters) for _ in range(rng.randint(0, 60))) for _ in range(3000)]
lines += ["[MASK]", "a[SEP]b", "x" * 5000, "ab" * 3000]
failed = False


def compare(name, path):
    global failed
    peer = Tokenizer.from_file(path)
    done = subprocess.run([program, "tokenize", "--vocab", path, "--ids"], input="\n".join(lines) + "\n", text=True,
                          stdout=subprocess.PIPE, check=True)
    ours = done.stdout.split("\n")[:-1]
    assert len(ours) == len(lines)
    bad = [line for line, ids in zip(lines, ours)
           if " ".join(map(str, peer.encode(line, add_special_tokens=False).ids)) != ids]
    print(f"{name}: {len(lines)} lines, {len(bad)} differ" + (f", the first: {bad[0]!r}" if bad else ""))
    failed = failed or bool(bad)


def train_peer(kind, lowercase, path):
    model, trainer = {
        "wordpiece": (models.WordPiece(unk_token="[UNK]"), trainers.WordPieceTrainer),
        "bpe": (models.BPE(unk_token="[UNK]", continuing_subword_prefix="##"), trainers.BpeTrainer),
        "unigram": (models.Unigram(), trainers.UnigramTrainer),
        "words": (models.WordLevel(unk_token="[UNK]"), trainers.WordLevelTrainer),
    }[kind]
    more = {"bpe": {"continuing_subword_prefix": "##"}, "unigram": {"unk_token": "[UNK]"}}.get(kind, {})
    t = Tokenizer(model)
    t.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    t.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    if kind == "unigram":
        t.pre_tokenizer = pre_tokenizers.Sequence([t.pre_tokenizer, pre_tokenizers.Metaspace()])
    t.train_from_iterator(lines[:2000], trainer(vocab_size=3000, special_tokens=special, show_progress=False, **more))
    t.save(path)


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "tokenizer.json")
    for lowercase in (False, True):
        how = "uncased" if lowercase else "cased"
        names = subprocess.run([program, "vocab", "--vocab-model", "?"], stderr=subprocess.PIPE, text=True).stderr
        for kind in ("wordpiece", "bpe", "unigram", "unigram-wordpiece", "words", "chars"):
            if kind not in names:
                continue
            subprocess.run([program, "vocab", text, "--vocab-model", kind, "--size", "4000", "--out", path]
                           + (["--lowercase"] if lowercase else []), stdout=subprocess.DEVNULL, check=True)
            compare(f"isoglot's {kind}, {how}", path)
        for kind in ("wordpiece", "bpe", "unigram", "words"):
            train_peer(kind, lowercase, path)
            compare(f"the peer's {kind}, {how}", path)
sys.exit(failed)
