#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two spaces of vectors compared: isoglot-bench spaces beside numpy, scipy, and faiss where they are installed.

    python bench/spaces_peers.py --program build/isoglot-bench [--rows 10000] [--dim 768] [--rounds 5] [--threads 1]

One thread each and processor time, or more threads and wall-clock time; float32 but for Procrustes' decomposition,
which scipy does in the precision of its input; the programs take turns and each keeps its best round. CKA: the linear one of centred rows. Retrieval: the nearest row of the
other space for each row, both ways (numpy: one product, both ways' largest; faiss: an exact index of inner products for each
way). Procrustes: scipy.linalg.orthogonal_procrustes.
"""
import argparse
import json
import os
import subprocess
import time


def of_numpy_cka(np, x, y):
    x, y = x - x.mean(0), y - y.mean(0)
    return np.linalg.norm(x.T @ y) ** 2 / (np.linalg.norm(x.T @ x) * np.linalg.norm(y.T @ y))


def of_numpy_retrieval(x, y):
    cosine = x @ y.T
    return cosine.argmax(0), cosine.argmax(1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default="build/isoglot-bench")
    parser.add_argument("--rows", type=int, default=10000)
    parser.add_argument("--dim", type=int, default=768)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), str(given.threads)))
    clock = time.process_time if given.threads == 1 else time.perf_counter
    import numpy as np
    r = np.random.default_rng(0)
    x = r.standard_normal((given.rows, given.dim), dtype=np.float32)
    y = x[:, ::-1] + r.standard_normal((given.rows, given.dim), dtype=np.float32)
    x, y = (np.ascontiguousarray(v / np.linalg.norm(v, axis=1, keepdims=True)) for v in (x, y))
    peers = [("cka", "numpy", lambda: of_numpy_cka(np, x, y)), ("retrieval", "numpy", lambda: of_numpy_retrieval(x, y))]
    try:
        from scipy.linalg import orthogonal_procrustes
        peers.append(("procrustes", "scipy", lambda: orthogonal_procrustes(x, y)))
    except ImportError:
        print("scipy is not installed")
    try:
        import faiss
        faiss.omp_set_num_threads(given.threads)

        def of_faiss():
            for a, b in ((x, y), (y, x)):
                index = faiss.IndexFlatIP(given.dim)
                index.add(b)
                index.search(a, 1)
        peers.append(("retrieval", "faiss", of_faiss))
    except ImportError:
        print("faiss is not installed")
    ours, theirs = {}, {}
    for _ in range(given.rounds):
        out = subprocess.run([given.program, "spaces", "--rows", str(given.rows), "--dim", str(given.dim), "--rounds", "1",
                              "--threads", str(given.threads), "--json"] + ["--wall-time"] * (given.threads > 1),
                             check=True, capture_output=True, text=True).stdout
        for name, seconds in json.loads(out)["seconds"].items():
            ours[name] = min(ours.get(name, float("inf")), seconds)
        for work, peer, call in peers:
            begin = clock()
            call()
            theirs[work, peer] = min(theirs.get((work, peer), float("inf")), clock() - begin)
    print(f"{given.rows} x {given.dim}, {given.threads} threads, best of {given.rounds} rounds in turns")
    for (work, peer), seconds in theirs.items():
        print(f"{work:11} isoglot {ours[work]:6.3f} s  {peer:6} {seconds:6.3f} s  {seconds / ours[work]:5.2f} times as fast")


if __name__ == "__main__":
    main()
