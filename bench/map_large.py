#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A supervised map and word translation of two made-up spaces as large as MUSE's, 200 000 x 300: memory and time.

The target is the source turned and blurred (seeded); 5 000 pairs are given, 1 500 others are looked up. Prints for each
command wall and processor seconds and the largest resident memory, and P@1. --retrieval all retrieves by CSLS and inverted
softmax too, which need all 4 x 10^10 products.

    python3 bench/map_large.py --isoglot build/isoglot --work /tmp/large"""
import argparse, json, os, subprocess, time
import numpy as np

p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
p.add_argument('--isoglot', default='build/isoglot')
p.add_argument('--work', required=True, help='folder for the spaces (about a gigabyte); they stay')
p.add_argument('--words', type=int, default=200000)
p.add_argument('--dim', type=int, default=300)
p.add_argument('--noise', type=float, default=1.0, help='length of the blur, in lengths of a vector')
p.add_argument('--retrieval', default='nn')
p.add_argument('--threads', type=int, default=2)
a = p.parse_args()
os.makedirs(a.work, exist_ok=True)
path = lambda name: os.path.join(a.work, name)


def write(name, v, letter):
    with open(path(name), 'wb') as f:
        f.write(b'%d %d\n' % v.shape)
        for i, row in enumerate(v):
            f.write(b'%s%d %s\n' % (letter, i, row.tobytes()))


if not os.path.exists(path('test.txt')):
    r = np.random.default_rng(0)
    scale = (1 / np.sqrt(np.arange(1, a.dim + 1))).astype(np.float32)
    x = r.standard_normal((a.words, a.dim), dtype=np.float32) * scale
    turn = np.linalg.qr(r.standard_normal((a.dim, a.dim)))[0].astype(np.float32)
    write('x.bin', x, b'x')
    x += a.noise * r.standard_normal(x.shape, dtype=np.float32) * scale
    write('z.bin', x @ turn, b'z')
    del x
    words = r.permutation(a.words)
    for name, w in (('train.txt', words[:5000]), ('test.txt', words[5000:6500])):
        with open(path(name), 'w') as f:
            f.writelines('x%d z%d\n' % (i, i) for i in w)


def measured(words):
    start = time.time()
    with open(path('out.json'), 'wb') as out:
        child = subprocess.Popen([os.path.abspath(a.isoglot)] + words.split() + ['--threads', str(a.threads)], cwd=a.work, stdout=out)
        status, use = os.wait4(child.pid, 0)[1:]
    print('isoglot %s\n  %s, wall %.1f s, processor %.1f s, %.0f MB' % (
        words, 'status %d' % status, time.time() - start, use.ru_utime + use.ru_stime, use.ru_maxrss / 1024), flush=True)
    return json.load(open(path('out.json')))


m = measured('map x.bin z.bin --mode supervised --dictionary train.txt --out-source xm.bin --out-target zm.bin --json --quiet')
print('  degenerate: %s' % m['diagnosis']['degenerate'], m['seconds'])
b = measured('bli xm.bin zm.bin --dictionary test.txt --retrieval %s --json --quiet' % a.retrieval)
for name, v in b['retrieval'].items():
    print('  %s: P@1 %.1f' % (name, 100 * v['p@1']))
