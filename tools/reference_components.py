#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The numbers that tests/analyse/test_components.c compares with: principal components of the same vectors by
numpy's SVD, the share between three groups, some cosines."""
import numpy as np
n, d = 40, 6
x = np.array([[np.sin(0.7*i + 1.3*k) * (k + 1) + 0.25 * ((i * (k + 3)) % 7) for k in range(d)] for i in range(n)]).astype(np.float32)
c = x.astype(np.float64); m = c.mean(0); c = c - m
u, s, vt = np.linalg.svd(c, full_matrices=False)
for r in vt:
    j = np.argmax(np.abs(r)); r *= np.sign(r[j])
var = s**2/n
print(', '.join('%.15g' % v for v in var)); print(', '.join('%.15g' % v for v in var/var.sum()))
print(', '.join('%.15g' % v for v in vt[0])); print(', '.join('%.15g' % v for v in vt[1]))
y = c @ vt[:2].T
print(', '.join('%.15g' % v for v in y[[0, 17, 39]].ravel()))
g = np.arange(n) % 3
mg = np.array([x[g==k].astype(np.float64).mean(0) for k in range(3)])
print('%.15g' % (sum((g==k).sum()*((mg[k]-m)**2).sum() for k in range(3))/(c**2).sum()))
a, b = x[:3].astype(np.float64), x[3:5].astype(np.float64)
print(', '.join('%.15g' % v for v in ((a@b.T)/np.linalg.norm(a,axis=1)[:,None]/np.linalg.norm(b,axis=1)).ravel()))
