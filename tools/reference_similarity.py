#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The numbers that tests/analyse/test_similarity.c compares with: each formula as its paper writes it, with whole
n × n kernels, in numpy and double. Run it to see them."""
import numpy as np


def states(n, d, turn):
    i, k = np.arange(n)[:, None], np.arange(d)[None, :]
    x = np.sin(0.7 * i + 1.3 * k + turn) * (k + 1) + 0.25 * ((i * (k + 3 + turn)) % 7) + 0.1 * ((i * i + k * turn) % 11) \
        + 3 * np.sin(0.37 * i * i * (k + 1) + 0.11 * i * turn * (k + 2))
    return x.astype(np.float32).astype(np.float64)


def hsic(k, l):
    n = len(k)
    h = np.eye(n) - 1 / n
    return np.trace(k @ h @ l @ h) / (n - 1) ** 2


def hsic_unbiased(k, l):  # Song et al. 2012, eq. 5
    n = len(k)
    k, l, one = k - np.diag(np.diag(k)), l - np.diag(np.diag(l)), np.ones(len(k))
    return (np.trace(k @ l) + one @ k @ one * (one @ l @ one) / (n - 1) / (n - 2) - 2 / (n - 2) * (one @ k @ l @ one)) / (n * (n - 3))


def cka(k, l, f):
    return f(k, l) / np.sqrt(f(k, k) * f(l, l))


def gauss(x, width):
    s = ((x[:, None] - x[None]) ** 2).sum(-1)
    return np.exp(-s / (2 * width ** 2 * np.median(s)))


def directions(x, share):
    u, s, vt = np.linalg.svd(x - x.mean(0), full_matrices=False)
    keep = s ** 2 > 1e-6 * s[0] ** 2
    if share < 1:
        keep &= np.cumsum(s ** 2) - s ** 2 < share * (s ** 2).sum()
    return u[:, keep]


def svcca(x, y):
    a, b = directions(x, 0.99), directions(y, 0.99)
    return np.linalg.svd(a.T @ b, compute_uv=False).mean()


def pwcca(x, y):
    a, b = directions(x, 1), directions(y, 1)
    u, rho, _ = np.linalg.svd(a.T @ b, full_matrices=False)
    weight = np.abs((a @ u).T @ (x - x.mean(0))).sum(1)
    return weight @ rho / weight.sum()


def neurons(x, y):
    r = np.corrcoef(x.T, y.T)[:x.shape[1], x.shape[1]:]
    return np.abs(r).max(1).mean(), np.diag(r).mean() if x.shape[1] == y.shape[1] else np.nan


for n, dx, dy in (50, 6, 6), (51, 7, 4), (9, 12, 14):
    x, y = states(n, dx, 0), states(n, dy, 1)
    k, l = x @ x.T, y @ y.T
    print('{%d, %d, %d, {%s}},' % (n, dx, dy, ', '.join('%.12g' % v for v in (
        cka(k, l, hsic), cka(k, l, hsic_unbiased), cka(gauss(x, 1), gauss(y, 1), hsic),
        cka(gauss(x, 0.4), gauss(y, 0.4), hsic), svcca(x, y), pwcca(x, y), *neurons(x, y)))))
