#!/usr/bin/env python3
"""Word vectors of isoglot and of the programs that are installed, on the same text: speed and quality.

Peers: gensim (Python), fasttext, word2vec and GloVe's vocab_count, cooccur, shuffle and glove (programs on the
PATH); what is missing is left out. --only GloVe runs one kind.
Text: a file with a line a context, words between blanks. For each kind: words per second of wall and of
processor time with --threads threads, and the share of the ten nearest neighbours that two vectors
files have in common, for the 2000 most frequent words after the first 50: each program against each, and
against itself with another seed, which is what can be expected at best. "sequential" is isoglot's
--sequential. GloVe is counted from text
to vectors, with --iterations passes; below it, the passes alone, from runs of one and of six.

    python3 bench/embed_peers.py --isoglot build/isoglot --text text.txt --dim 300 --epochs 5
"""
import argparse
import os
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np


def load(path):
    with open(path, encoding="utf-8") as f:
        rows = [line.rstrip().split(" ") for line in f]
    if len(rows[0]) == 2:  # GloVe's files have no first line of sizes
        rows = rows[1:]
    words = [r[0] for r in rows]
    x = np.array([r[1:] for r in rows], np.float32)
    x /= np.linalg.norm(x, axis=1)[:, None] + 1e-9
    return words, x


def neighbours(path, words):
    have, x = load(path)
    place = {w: i for i, w in enumerate(have)}
    x = x[[place[w] for w in words]]
    query = np.arange(50, min(2050, len(words)))
    score = x[query] @ x.T
    score[np.arange(len(query)), query] = -9
    return np.argpartition(-score, 10, axis=1)[:, :10]


def overlap(a, b):
    return np.mean([len(set(p) & set(q)) / 10 for p, q in zip(a, b)])


def run(command, **more):
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
    r = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
    if r.returncode != 0:
        sys.exit(f"{command[0]} failed: {r.stderr.decode(errors='replace')[-500:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    wall = time.time() - start
    if GENSIM in command:
        wall, cpu = map(float, r.stdout.split())
    return wall, cpu


# gensim's time leaves out what Python needs to begin and to write the vectors; isoglot's has both.
GENSIM = """
import resource, sys, time
from gensim.models import Word2Vec
text, out, sg, dim, epochs, seed, threads, count, sample = sys.argv[1:]
def now():
    r = resource.getrusage(resource.RUSAGE_SELF)
    return time.time(), r.ru_utime + r.ru_stime
before = now()
m = Word2Vec(corpus_file=text, vector_size=int(dim), window=5, negative=5, min_count=int(count), sg=int(sg), epochs=int(epochs),
             sample=float(sample), alpha=.025 if int(sg) else .05, seed=int(seed), workers=int(threads))
print(*(y - x for x, y in zip(before, now())))
m.wv.save_word2vec_format(out)
"""


def commands(a, seed):
    """(kind, program, command, file of vectors)"""
    t, d, e, c, s = str(a.threads), str(a.dim), str(a.epochs), str(a.min_count), str(a.sample)
    common = ["--dim", d, "--epochs", e, "--min-count", c, "--sample", s, "--threads", t, "--seed", str(seed)]
    ours = [a.isoglot, "embed"]
    for kind, model in (("skip-gram", "skipgram"), ("CBOW", "cbow")):
        out = f"isoglot-{model}-{seed}.vec"
        yield kind, "isoglot", ours + ["word2vec", "--embed-model", model, "--init-uniform", "1"] + common + ["--out", out, a.text], out
        out = f"sequential-{model}-{seed}.vec"
        yield kind, "sequential", ours + ["word2vec", "--embed-model", model, "--init-uniform", "1", "--sequential"] + common + [
            "--out", out, a.text], out
        out = f"gensim-{model}-{seed}.vec"
        sg = "1" if model == "skipgram" else "0"
        yield kind, "gensim", [sys.executable, "-c", GENSIM, a.text, out, sg, d, e, str(seed), t, c, s], out
        out = f"word2vec-{model}-{seed}.vec"
        yield kind, "word2vec", ["word2vec", "-train", a.text, "-output", out, "-size", d, "-iter", e, "-min-count", c,
                                 "-sample", s, "-cbow", "0" if model == "skipgram" else "1", "-threads", t], out
    out = f"isoglot-fasttext-{seed}.vec"
    yield "subwords", "isoglot", ours + ["fasttext"] + common + ["--out", out, a.text], out
    out = f"sequential-fasttext-{seed}.vec"
    yield "subwords", "sequential", ours + ["fasttext", "--sequential"] + common + ["--out", out, a.text], out
    out = f"fasttext-{seed}"
    yield ("subwords", "fasttext", ["fasttext", "skipgram", "-input", a.text, "-output", out, "-dim", d, "-epoch", e,
                                   "-minCount", c, "-t", s, "-thread", t, "-seed", str(seed), "-verbose", "0"],
           out + ".vec")

    out = f"isoglot-glove-{seed}.vec"
    yield "GloVe", "isoglot", glove_ours(a, seed, a.iterations, out), out
    out = f"glove-{seed}"
    yield "GloVe", "glove", ["sh", "-ec", glove_counts(a) + glove_passes(a, seed, a.iterations, out)], out + ".txt"


def glove_ours(a, seed, iterations, out):
    return [a.isoglot, "embed", "glove", "--dim", str(a.dim), "--window", "10", "--x-max", "10", "--min-count", str(a.min_count),
            "--iterations", str(iterations), "--threads", str(a.threads), "--seed", str(seed), "--out", out, a.text]


def glove_counts(a):
    text = shlex.quote(a.text)
    return (f"vocab_count -min-count {a.min_count} -verbose 0 < {text} > glove.vocab; "
            f"cooccur -memory 4 -window-size 10 -vocab-file glove.vocab -verbose 0 < {text} > glove.counts; "
            "shuffle -memory 4 -verbose 0 < glove.counts > glove.cells; ")


def glove_passes(a, seed, iterations, out):
    return (f"glove -input-file glove.cells -vocab-file glove.vocab -save-file {out} -binary 0 -x-max 10 -verbose 0 "
            f"-vector-size {a.dim} -iter {iterations} -threads {a.threads} -seed {seed}")


def glove_alone(a, folder):
    """Seconds of wall and of processor time of one pass, for each program."""
    run(["sh", "-ec", glove_counts(a)], cwd=folder)
    for program in ("isoglot", "glove"):
        t = []
        for n in (1, 6):
            command = (glove_ours(a, 1, n, "pass.vec") if program == "isoglot" else
                       ["sh", "-ec", glove_passes(a, 1, n, "pass")])
            t.append([min(x) for x in zip(*(run(command, cwd=folder) for _ in range(3)))])
        yield program, *[(y - x) / 5 for x, y in zip(*t)]


def installed(program, a):
    if program in ("isoglot", "sequential"):
        return True
    if program == "glove":
        return all(shutil.which(p) for p in ("vocab_count", "cooccur", "shuffle", "glove"))
    if program == "gensim":
        return subprocess.run([sys.executable, "-c", "import gensim"], capture_output=True).returncode == 0
    return shutil.which(program) is not None


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--isoglot", default="build/isoglot")
    p.add_argument("--text", required=True)
    p.add_argument("--dim", type=int, default=300)
    p.add_argument("--epochs", type=int, default=5)
    p.add_argument("--min-count", type=int, default=5)
    p.add_argument("--sample", type=float, default=1e-4)
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--iterations", type=int, default=15, help="of GloVe")
    p.add_argument("--only", help="one kind: skip-gram, CBOW, subwords, GloVe")
    a = p.parse_args()
    a.isoglot, a.text = os.path.abspath(a.isoglot), os.path.abspath(a.text)
    count = {}
    for line in open(a.text, encoding="utf-8"):
        for w in line.split():
            count[w] = count.get(w, 0) + 1
    words = sorted((w for w in count if count[w] >= max(10, a.min_count)), key=lambda w: (-count[w], w))
    n_read = sum(count.values())
    with tempfile.TemporaryDirectory() as folder:
        near, speed = {}, {}
        for seed in (1, 2):
            for kind, program, command, out in commands(a, seed):
                if not installed(program, a) or a.only not in (None, kind):
                    continue
                n = n_read * (a.iterations if kind == "GloVe" else a.epochs)
                wall, cpu = run(command, cwd=folder)
                near[kind, program, seed] = neighbours(os.path.join(folder, out), words)
                speed.setdefault((kind, program), []).append((wall, cpu))
                print(f"{kind:10} {program:9} seed {seed}: {n / wall / 1e3:8.0f} thousand words/s, "
                      f"{n / cpu / 1e3:8.0f} per processor second", flush=True)
        print("\nTimes as shares of isoglot's; overlap with each program, with itself for another seed.")
        for kind in dict.fromkeys(k for k, _ in speed):
            programs = [q for k, q in speed if k == kind]
            print(f"{kind:20} {'wall':>8} {'cpu':>8}" + "".join(f"{q:>12}" for q in programs))
            mine = speed[kind, "isoglot"]
            for program in programs:
                times = speed[kind, program]
                ratio = [min(t[i] for t in times) / min(t[i] for t in mine) for i in (0, 1)]
                shared = [np.mean([overlap(near[kind, program, s], near[kind, q, u]) for s in (1, 2) for u in (1, 2)
                                   if program != q or s != u]) for q in programs]
                print(f"{program:20} {ratio[0]:8.2f} {ratio[1]:8.2f}" + "".join(f"{x:12.3f}" for x in shared))
        if installed("glove", a) and a.only in (None, "GloVe"):
            print("\na pass of GloVe over the cells:")
            for program, wall, cpu in glove_alone(a, folder):
                print(f"{'':10} {program:9} {wall:.3f} s of wall, {cpu:.3f} s of processor time")


main()
