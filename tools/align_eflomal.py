# SPDX-License-Identifier: Apache-2.0
"""Word alignments of two versions of a Bible by eflomal (pip install eflomal), in a form that `isoglot align` reads.

usage: align_eflomal.py A B [FIRST_BOOK] > A-B.tsv

A and B hold verses (`BBCCCVVV<TAB>text`, compressed with zstd where they end in .zst); verses that both have are
aligned in both directions, and links that both directions find are kept. Words are runs of letters, marks and
digits in lower case, Chinese characters alone; FIRST_BOOK (default 40) leaves out the books before it.
"""
import subprocess
import sys
import tempfile
import unicodedata


def read(path):
    if path.endswith(".zst"):
        text = subprocess.run(["zstd", "-dc", path], check=True, capture_output=True, text=True).stdout
    else:
        text = open(path, encoding="utf8").read()
    return dict(line.split("\t", 1) for line in text.splitlines() if "\t" in line and not line.startswith("#"))


def words(text):
    out, word = [], ""
    for c in text.lower() + " ":
        chinese = "\u4e00" <= c <= "\u9fff"
        if unicodedata.category(c)[0] in "LMN" and not chinese:
            word += c
            continue
        if word:
            out.append(word)
        word = ""
        if chinese:
            out.append(c)
    return out


a, b = read(sys.argv[1]), read(sys.argv[2])
first = int(sys.argv[3]) if len(sys.argv) > 3 else 40
pairs = [(words(a[i]), words(b[i])) for i in sorted(a) if i in b and int(i) >= first * 1000000]
pairs = [p for p in pairs if 0 < len(p[0]) < 150 and 0 < len(p[1]) < 150]
with tempfile.TemporaryDirectory() as tmp:
    with open(tmp + "/in", "w", encoding="utf8") as f:
        f.writelines(" ".join(p) + " ||| " + " ".join(q) + "\n" for p, q in pairs)
    subprocess.run(["eflomal-align", "-i", tmp + "/in", "-f", tmp + "/forward", "-r", tmp + "/reverse"],
                   check=True, stdout=sys.stderr)
    for (p, q), x, y in zip(pairs, open(tmp + "/forward"), open(tmp + "/reverse")):
        links = sorted(set(x.split()) & set(y.split()), key=lambda l: tuple(map(int, l.split("-"))))
        print(" ".join(p), " ".join(q), " ".join(links), sep="\t")
