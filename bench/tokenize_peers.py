#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tokenizing and vocabulary training beside Hugging Face `tokenizers`, in one run, one thread each.

    bench/tokenize_peers.py [--isoglot build/isoglot] [--data FOLDER] [--rounds N] [--json]

Rates are of CPU time (user + system), so they hold on a busy machine; the two take turns, and each keeps its
best round. The peer is timed inside its process around encode_batch_fast and train_from_iterator alone; isoglot as
a whole process, with reading and writing, less the time that it takes over an empty input (`start`).
"""
import os

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RAYON_NUM_THREADS"] = "1"

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time

from tokenizers.implementations import BertWordPieceTokenizer

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def child_seconds(command, path=None):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(path or os.devnull, "rb") as given:
        subprocess.run(command, stdin=given, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def own_seconds(run):
    begin = time.process_time()
    run()
    return time.process_time() - begin


def unpack(path, out):
    with open(out, "wb") as f:
        subprocess.run(["zstd", "-dc", path], stdout=f, check=True)
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--isoglot", default=os.path.join(ROOT, "build", "isoglot"))
    parser.add_argument("--data", default=os.path.join(os.environ.get("ISOGLOT_TEST_SHARED", os.path.join(ROOT, "..", "shared")), "data"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    rows = []

    def row(task, text, vocab, size, peer, mine, start):
        rows.append({"task": task, "text": text, "vocab": vocab, "peer_mb_s": size / peer / 1e6,
                     "isoglot_mb_s": size / mine / 1e6, "ratio": peer / mine,
                     "ratio_with_start": peer / (mine + start), "start_ms": 1e3 * start})
        if not given.json:
            r = rows[-1]
            print(f"{task:9} {text:24} {vocab:22} peer {r['peer_mb_s']:6.2f} MB/s  isoglot {r['isoglot_mb_s']:7.2f} MB/s"
                  f"  ratio {r['ratio']:6.1f}  (with {r['start_ms']:.0f} ms of start: {r['ratio_with_start']:.1f})", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        texts = {}
        for name in ("bible/eng-bbe.tsv", "bible/rus-synodal.tsv", "text/wiki-paragraphs-en.txt", "text/wiki-paragraphs-zh.txt"):
            texts[os.path.basename(name)] = unpack(os.path.join(given.data, name + ".zst"), os.path.join(folder, os.path.basename(name)))
        for vocab, lowercase in (("bert-base-uncased", True), ("bert-base-multilingual-cased", False)):
            path = unpack(os.path.join(given.data, "bert", vocab + "-vocab.txt.zst"), os.path.join(folder, vocab))
            tokenizer = BertWordPieceTokenizer(path, lowercase=lowercase, strip_accents=lowercase)
            command = [given.isoglot, "tokenize", "--vocab", path, "--ids"] + (["--lowercase"] if lowercase else [])
            for name, text in texts.items():
                with open(text, encoding="utf-8") as f:
                    lines = f.read().split("\n")
                run = lambda: tokenizer._tokenizer.encode_batch_fast(lines, add_special_tokens=False)
                peer, mine, start = [], [], []
                for _ in range(given.rounds):
                    peer.append(own_seconds(run))
                    start.append(child_seconds(command))
                    mine.append(child_seconds(command, text))
                row("encode", name, vocab.replace("bert-base-", ""), os.path.getsize(text), min(peer), min(mine) - min(start), min(start))
        for name in ("eng-bbe.tsv", "wiki-paragraphs-en.txt"):
            for size in (2048, 32000):
                with open(texts[name], encoding="utf-8") as f:
                    lines = f.read().split("\n")

                def run():
                    t = BertWordPieceTokenizer(strip_accents=False, lowercase=False)
                    t.train_from_iterator(lines, vocab_size=size, min_frequency=2, show_progress=False)

                command = [given.isoglot, "vocab", "--size", str(size), "--format", "plain"]
                tiny = os.path.join(folder, "tiny")
                with open(tiny, "w") as f:
                    f.write("a\n")
                peer, mine, start = [], [], []
                for _ in range(given.rounds):
                    peer.append(own_seconds(run))
                    start.append(child_seconds(command, tiny))
                    mine.append(child_seconds(command, texts[name]))
                row("train", name, str(size), os.path.getsize(texts[name]), min(peer), min(mine) - min(start), min(start))
    if given.json:
        json.dump(rows, sys.stdout, indent=2)
        print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
