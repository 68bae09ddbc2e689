#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One round of self-learning, isoglot against numpy: two made-up spaces of --words x --dim, induction of pairs in
both directions by CSLS with chance, and an orthogonal map. The numpy side is written here from the formulas (four
products, means of the 10 nearest by 10 passes, a random number for each pair, as VecMap's description has it), not
VecMap; with --vecmap FILE (its map_embeddings.py) that is run, too, on its own settings. Prints wall and processor
seconds a round. Run it on a quiet machine: --threads is for both."""
import argparse, os, re, resource, subprocess, sys, tempfile, time

p = argparse.ArgumentParser()
p.add_argument('--isoglot', default='build/isoglot')
p.add_argument('--words', type=int, default=20000)
p.add_argument('--dim', type=int, default=300)
p.add_argument('--threads', type=int, default=2)
p.add_argument('--keep', type=float, default=.1)
p.add_argument('--vecmap')
a = p.parse_args()
for v in ('OPENBLAS_NUM_THREADS', 'OMP_NUM_THREADS', 'MKL_NUM_THREADS'):
    os.environ[v] = str(a.threads)
import numpy as np

r = np.random.default_rng(0)
x = r.standard_normal((200, a.dim))[(r.random(a.words) ** 2 * 200).astype(int)] + r.standard_normal((a.words, a.dim))
turn = np.linalg.qr(r.standard_normal((a.dim, a.dim)))[0]
z = x @ turn + .6 * r.standard_normal(x.shape)
x, z = [(v / np.linalg.norm(v, axis=1, keepdims=True)).astype(np.float32) for v in (x, z)]


def write(path, v, letter):
    with open(path, 'wb') as f:
        f.write(b'%d %d\n' % v.shape)
        for i, row in enumerate(v):
            f.write(b'%s%d %s\n' % (letter, i, row.astype('<f4').tobytes()))


def timed(command):
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
    out = subprocess.run(command, check=True, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.time() - start, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, out


def nearest_means(m, k=10):
    rows, low, total = np.arange(len(m)), m.min(), np.zeros(len(m), np.float32)
    for _ in range(k):
        j = m.argmax(1)
        total += m[rows, j]
        m[rows, j] = low
    return total / k


def direction(v, w, piece=10000):
    means, best = np.empty(len(w), np.float32), np.empty(len(v), int)
    for i in range(0, len(w), piece):
        means[i:i + piece] = nearest_means(w[i:i + piece] @ v.T)
    for i in range(0, len(v), piece):
        s = v[i:i + piece] @ w.T
        s.max(1)
        s -= means / 2
        if a.keep < 1:
            s *= r.random(s.shape) < a.keep
        best[i:i + piece] = s.argmax(1)
    return best


with tempfile.TemporaryDirectory() as d:
    write(d + '/x.bin', x, b'x')
    write(d + '/z.bin', z, b'z')
    with open(d + '/dict', 'w') as f:
        f.writelines('x%d z%d\n' % (i, i) for i in range(0, a.words, 4))
    took = {}
    for n in (3, 13):
        took[n] = timed([a.isoglot, 'map', d + '/x.bin', d + '/z.bin', '--mode', 'semi-supervised', '--dictionary', d + '/dict',
                         '--cutoff', '0', '--max-rounds', str(n), '--keep', str(a.keep), '--patience', '1000', '--no-diagnose',
                         '--threads', str(a.threads)])
    wall, cpu = [(took[13][i] - took[3][i]) / 10 for i in (0, 1)]
    print('isoglot  wall %.2f  processor %.2f s a round' % (wall, cpu))
    start, start_cpu = time.time(), time.process_time()
    f, b = direction(x, z), direction(z, x)
    i = np.arange(a.words)
    u, _, vt = np.linalg.svd(x[np.concatenate([i, b])].T @ z[np.concatenate([f, i])])
    x @ (u @ vt)
    n_wall, n_cpu = time.time() - start, time.process_time() - start_cpu
    print('numpy    wall %.2f  processor %.2f s a round: isoglot is faster by %.1f (wall), %.1f (processor)'
          % (n_wall, n_cpu, n_wall / wall, n_cpu / cpu))
    if a.vecmap:
        for name, v, letter in (('x', x, 'x'), ('z', z, 'z')):
            with open(d + '/%s.vec' % name, 'w') as f:
                f.write('%d %d\n' % v.shape)
                f.writelines('%s%d %s\n' % (letter, i, ' '.join('%.6g' % t for t in row)) for i, row in enumerate(v))
        log = d + '/log'
        open(log, 'w').close()
        try:
            subprocess.run([sys.executable, a.vecmap, '--unsupervised', d + '/x.vec', d + '/z.vec', d + '/xm.vec', d + '/zm.vec',
                            '--log', log, '--verbose'], timeout=600, stderr=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            pass
        lines = open(log).read().splitlines()
        seconds = [float(line.split('\t')[-1]) for line in lines if re.match(r'\d+\t', line)]
        if seconds:
            print('VecMap   wall %.2f s a round (log), faster by %.1f' % (np.median(seconds), np.median(seconds) / wall))
