#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares `isoglot tokenize` and `isoglot vocab` with Hugging Face `tokenizers` (from PyPI).

    tools/check_tokenizer_parity.py [--isoglot build/isoglot] [--data FOLDER] [--quick] [--lines N]

FOLDER is the shared data (Bibles, wikis, BERT vocabularies); without it only what needs no data is
compared: every code point, random strings, the golden cases of the tests. Ends with 1 when a line
differs. What `isoglot vocab` and the peer's trainer have in common is printed, not judged: the peer
leaves ties to a hash map.
"""
import argparse
import glob
import os
import random
import re
import subprocess
import sys
import tempfile

from tokenizers.implementations import BertWordPieceTokenizer

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)


def peer(vocab, lowercase):
    return BertWordPieceTokenizer(vocab, lowercase=lowercase, strip_accents=lowercase)


def ours(program, vocab, lowercase, text, *options):
    command = [program, "tokenize", "--vocab", vocab, *options]
    if lowercase:
        command.append("--lowercase")
    done = subprocess.run(command, input=text, stdout=subprocess.PIPE, check=True)
    return done.stdout.decode().split("\n")[:-1]


class Tally:
    def __init__(self):
        self.lines = self.bad = 0

    def compare(self, name, lines, want, got):
        if len(want) != len(got):
            print(f"  {name}: {len(got)} lines, expected {len(want)}")
            self.bad += 1
            return
        bad = [i for i in range(len(want)) if want[i] != got[i]]
        self.lines += len(want)
        self.bad += len(bad)
        print(f"  {name}: {len(want)} lines, {len(bad)} differ")
        for i in bad[:3]:
            print(f"    {ascii(lines[i][:120])}\n    want {ascii(want[i][:160])}\n    got  {ascii(got[i][:160])}")


def read(path):
    if path.endswith(".zst"):
        return subprocess.run(["zstd", "-dc", path], stdout=subprocess.PIPE, check=True).stdout
    with open(path, "rb") as f:
        return f.read()


def unpack(path, folder):
    out = os.path.join(folder, os.path.basename(path)[: -len(".zst")])
    with open(out, "wb") as f:
        f.write(read(path))
    return out


def compare_text(tally, program, name, text, vocab, lowercase, tokenizer):
    lines = text.decode().split("\n")
    if lines[-1] == "":
        lines.pop()
    encoded = tokenizer.encode_batch(lines, add_special_tokens=True)
    ids = [" ".join(map(str, e.ids)) for e in encoded]
    tally.compare(name + " ids", lines, ids, ours(program, vocab, lowercase, text, "--ids", "--special"))
    pieces = [" ".join(e.tokens[1:-1]) for e in encoded]
    tally.compare(name + " pieces", lines, pieces, ours(program, vocab, lowercase, text))


def every_code_point(tally, program, folder):
    """With a vocabulary of all characters nothing hides behind [UNK]."""
    vocab = os.path.join(folder, "characters.txt")
    characters = [c for c in range(1, 0x110000) if not 0xD800 <= c < 0xE000 and c not in (10, 13)]
    with open(vocab, "w", encoding="utf-8", newline="\n") as f:
        f.write("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n")
        for c in characters:
            f.write(f"{chr(c)}\n##{chr(c)}\n")
    pieces = {p: i for i, p in enumerate(open(vocab, encoding="utf-8", newline="\n").read().split("\n")[:-1])}
    rng = random.Random(1)
    marks = [c for c in characters if 0x300 <= c < 0x370 or 0x302A <= c < 0x3030 or 0x1D165 <= c < 0x1D173
             or 0x591 <= c < 0x5C0 or 0x93C <= c < 0x950 or 0x1AB0 <= c < 0x1B80]
    lines = [f"a{chr(c)}b{chr(c)}{chr(c)} {chr(c)}" for c in [0, 13] + characters]
    for _ in range(200000):
        lines.append("".join(chr(rng.choice(marks if rng.random() < 0.5 else characters)) for _ in range(rng.randrange(1, 9))))
    lines = [x.replace("\n", " ") for x in lines]
    text = ("\n".join(lines) + "\n").encode()
    for lowercase in (False, True):
        compare_text(tally, program, f"every code point, random strings, {'uncased' if lowercase else 'cased'}",
                     text, vocab, lowercase, peer(pieces, lowercase))


def golden(tally, program):
    folder = os.path.join(ROOT, "tests", "data", "tokenizer")
    vocab = os.path.join(folder, "vocab.txt")
    escape = re.compile(r"\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[trn\\])")
    simple = {"t": "\t", "r": "\r", "n": "\n", "\\": "\\"}
    for name in ("cased", "uncased"):
        tokenizer = peer(vocab, name == "uncased")
        with open(os.path.join(folder, name + ".txt"), encoding="utf-8", newline="\n") as f:
            rows = f.read().split("\n")[:-1]
        given = [escape.sub(lambda m: simple.get(m[1]) or chr(int(m[1][1:], 16)), r[2:]) for r in rows if r[0] == "<"]
        want = [" ".join(tokenizer.encode(x, add_special_tokens=False).tokens) for x in given]
        tally.compare(f"golden cases, {name}", given, want, [r[2:] for r in rows if r[0] == ">"])


def vocabularies(program, data, folder):
    """How much of a vocabulary of 2048 pieces is the same as the peer's, trained on the same words."""
    bible = os.path.join(data, "bible", "eng-bbe.tsv.zst")
    text = os.path.join(folder, "nt.txt")
    with open(text, "wb") as f:
        for line in read(bible).split(b"\n"):
            if line[:1] in (b"4", b"5", b"6"):
                f.write(line.split(b"\t", 1)[1] + b"\n")
    mine = os.path.join(folder, "mine.txt")
    subprocess.run([program, "vocab", "--size", "2048", "--limit-alphabet", "0", "--keep-controls", "--format", "plain",
                    "--out", mine, text], check=True, stdout=subprocess.DEVNULL)
    tokenizer = BertWordPieceTokenizer(strip_accents=False, lowercase=False, clean_text=False)
    tokenizer.train([text], vocab_size=2048, limit_alphabet=10**9, min_frequency=2, show_progress=False)
    a = set(open(mine, encoding="utf-8").read().split("\n")[:-1])
    b = set(tokenizer.get_vocab())
    print(f"  vocabulary of 2048 on the New Testament of eng-bbe: {len(a & b)} of {len(a)} pieces in common"
          f" with the peer's {len(b)}; only here {sorted(a - b)[:8]}, only there {sorted(b - a)[:8]}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--isoglot", default=os.path.join(ROOT, "build", "isoglot"))
    parser.add_argument("--data", default=os.path.join(os.environ.get("ISOGLOT_TEST_SHARED", os.path.join(ROOT, "..", "shared")), "data"))
    parser.add_argument("--quick", action="store_true", help="the Bibles and wikis only")
    parser.add_argument("--lines", type=int, default=None, help="the first so many lines of each text")
    given = parser.parse_args()
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        golden(tally, given.isoglot)
        if not given.quick:
            every_code_point(tally, given.isoglot, folder)
        if not os.path.isdir(given.data):
            print(f"  no folder {given.data}: real texts not compared")
        else:
            groups = ["bible/*", "text/*.txt.zst"]
            if not given.quick:
                groups += ["text/udhr/*", "tatoeba/*", "align/*", "dict/*/*", "nli/*", "ner/*", "ud/*"]
            files = [f for g in groups for f in sorted(glob.glob(os.path.join(given.data, g))) if f.endswith(".zst")]
            for name, lowercase in (("bert-base-uncased", True), ("bert-base-multilingual-cased", False)):
                vocab = unpack(os.path.join(given.data, "bert", name + "-vocab.txt.zst"), folder)
                tokenizer = peer(vocab, lowercase)
                print(f"{name}: {len(files)} files")
                for path in files:
                    compare_text(tally, given.isoglot, os.path.relpath(path, given.data), b"".join(read(path).splitlines(True)[:given.lines]), vocab, lowercase, tokenizer)
            vocabularies(given.isoglot, given.data, folder)
    share = 100 * (1 - tally.bad / max(tally.lines, 1))
    print(f"{tally.lines} lines compared, {tally.bad} differ: {share:.4f} % agree")
    return 1 if tally.bad else 0


if __name__ == "__main__":
    sys.exit(main())
