#!/usr/bin/env python3
"""Word translation by numpy on small made spaces: writes tests/data/bli/, which tests/embed/search/test_bli.c compares with.

    python3 tools/reference_bli.py tests/data/bli
"""
import json
import os
import sys

import numpy as np

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
rng = np.random.default_rng(7)
NS, NT, D, K, BETA = 150, 180, 10, 10, 30.0


def write(name, words, x):
    with open(os.path.join(folder, name), "w") as f:
        f.write(f"{len(words)} {x.shape[1]}\n")
        for w, row in zip(words, x):
            f.write(w + " " + " ".join(f"{v:.4f}" for v in row) + "\n")
    return np.array([[float(f"{v:.4f}") for v in row] for row in x])


def unit(x):
    return x / np.linalg.norm(x, axis=1, keepdims=True)


source_words = [f"s{i}" for i in range(NS)]
target_words = [f"t{i}" for i in range(NT)]
base = rng.normal(size=(NT, D)) + 0.7  # all to one side, so that there are hubs
source = write("source.vec", source_words, base[:NS] + 0.8 * rng.normal(size=(NS, D)))
target = write("target.vec", target_words, base)
pairs = []
for i in range(0, NS, 2):
    pairs.append((f"s{i}", f"t{i}"))
    if i % 3 == 0:
        pairs.append((f"s{i}", f"t{(i * 7) % NT}"))
    if i % 5 == 0:
        pairs.append((f"s{i}", "unknown"))
pairs += [("s1", "nowhere"), ("missing", "t3"), ("missing", "t4"), ("s0", "t0")]
with open(os.path.join(folder, "dictionary.txt"), "w") as f:
    f.writelines(f"{a} {b}\n" for a, b in pairs)

x, y = unit(source), unit(target)
s = x @ y.T
r_s = np.sort(s, axis=0)[-K:].mean(0)
r_t = np.sort(s, axis=1)[:, -K:].mean(1)
score = {
    "nn": s,
    "softmax": np.exp(BETA * s) / np.exp(BETA * s).sum(0, keepdims=True),
    "csls": 2 * s - r_t[:, None] - r_s[None],
}
gold = {}
for a, b in pairs:
    if a in source_words and b in target_words:
        gold.setdefault(source_words.index(a), set()).add(target_words.index(b))


def scores(sim, columns):
    rank = []
    for q, right in gold.items():
        order = sorted(columns, key=lambda j: (-sim[q, j], j))
        rank.append(min(order.index(j) for j in right))
    rank = np.array(rank)
    return {"p@1": np.mean(rank < 1), "p@5": np.mean(rank < 5), "p@10": np.mean(rank < 10), "mrr": np.mean(1 / (rank + 1))}


answers = sorted(set().union(*gold.values()))
expected = {
    "n_query": len(gold),
    "n_pair": sum(map(len, gold.values())),
    "all": {m: scores(v, range(NT)) for m, v in score.items()},
    "dictionary": {"nn": scores(s, answers)},
}

with open(os.path.join(folder, "expected.json"), "w") as f:
    json.dump(expected, f, indent=1)
    f.write("\n")
print(json.dumps(expected, indent=1))
