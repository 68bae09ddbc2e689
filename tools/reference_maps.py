#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The numbers that tests/embed/map/test_map.c compares with: maps of two small made-up spaces by numpy, from the formulas of the papers (needs numpy only)."""
import numpy as np

np.set_printoptions(precision=17)
n, m, d = 14, 12, 4
x = np.array([[np.sin(0.7 * i + 1.3 * k) * (k + 1) + 0.25 * ((i * (k + 3)) % 7) for k in range(d)] for i in range(n)])
z = np.array([[np.cos(0.5 * i * (k + 1)) + 0.3 * ((i + 2 * k) % 5) - 0.1 * k for k in range(d)] for i in range(m)])
x, z = x.astype(np.float32).astype(np.float64), z.astype(np.float32).astype(np.float64)


def unit(a): return a / np.linalg.norm(a, axis=1, keepdims=True)
def show(name, v): print(name, ', '.join('%.12g' % t for t in np.ravel(v)))
def inverse_root(a):
    value, v = np.linalg.eigh(a)
    return v @ np.diag(value ** -0.5) @ v.T


x, z = [unit(unit(a) - unit(a).mean(0)) for a in (x, z)]
show('normalised', [x[3], z[5]])
src, trg = np.arange(10), np.array([1, 0, 3, 2, 5, 4, 7, 6, 9, 8])
u, s, vt = np.linalg.svd(x[src].T @ z[trg])
w = u @ vt
show('procrustes', w)

wx, wz = inverse_root(x[src].T @ x[src]), inverse_root(z[trg].T @ z[trg])
u, s, vt = np.linalg.svd((x[src] @ wx).T @ (z[trg] @ wz))
show('singular', s)
for name, dim in (('multi', d), ('reduced', 2)):
    mx = x @ wx @ u * s ** 0.5 @ u.T @ np.linalg.inv(wx) @ u
    mz = z @ wz @ vt.T * s ** 0.3 @ vt @ np.linalg.inv(wz) @ vt.T
    mx, mz = mx[:, :dim], mz[:, :dim]
    # Products only: the signs of singular vectors are free.
    show(name, [mx[0] @ mz[0], mx[3] @ mz[7], mx[13] @ mz[11], mx[2] @ mx[9], mz[1] @ mz[4]])
crossed = x @ wx @ u * s ** 0.5 @ vt @ np.linalg.inv(wz) @ vt.T
show('crossed', [crossed[1] @ crossed[2], crossed[4] @ crossed[8]])

# Fewer words than dimensions: thin singular value decompositions and pseudo-inverses; the second with a word twice.
for name, few, twice in (('few', [0, 1, 2], [1, 0, 3]), ('twice', [0, 1, 2, 2], [1, 0, 3, 5])):
    def thin(a):
        s, v = np.linalg.svd(a, full_matrices=False)[1:]
        keep = s > 1e-6 * s[0]
        return v[keep].T @ np.diag(1 / s[keep]) @ v[keep]
    wf, wg = thin(x[few]), thin(z[twice])
    u, s, vt = np.linalg.svd((x[few] @ wf).T @ (z[twice] @ wg))
    s[s < 1e-9] = 0
    mx = x @ wf @ u * s ** 0.5 @ u.T @ np.linalg.pinv(wf) @ u
    mz = z @ wg @ vt.T * s ** 0.5 @ vt @ np.linalg.pinv(wg) @ vt.T
    show(name, [*s, mx[0] @ mz[0], mx[3] @ mz[7], mx[13] @ mz[11], mx[2] @ mx[9], mz[1] @ mz[4]])
