#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Numbers that tests/base/numeric/test_statistics.c and test_intervals.c hold src/base/statistics*.c to, made with scipy:

    python3 -m venv venv && venv/bin/pip install numpy scipy
    venv/bin/python tools/statistics_scipy.py > tests/data/statistics/scipy.json

Intervals: scipy's t, on scales written out here. Power: scipy's non-central t. Permutation: scipy's own enumeration. Holm: written
out here, as scipy has none.
"""
import json
import sys

import numpy as np
import scipy
from scipy import special, stats

rng = np.random.default_rng(20201116)


def numbers(x):
    return [float(v) for v in np.asarray(x, dtype=float)]


def summaries():
    samples = [[3.0], [1.0, 2.0], [0.7, 0.7, 0.7], numbers(rng.normal(0.5, 0.1, 5)), numbers(1e9 + rng.normal(0, 1e-3, 101)),
               numbers(rng.lognormal(5, 1, 300)), numbers(rng.normal(size=1001))]
    out = []
    for x in samples:
        a = np.array(x, dtype=np.longdouble)
        out.append({"x": x, "mean": float(a.mean()), "sd": float(a.std(ddof=1)) if len(x) > 1 else None,
                    "min": min(x), "max": max(x), "median": float(np.median(x))})
    return out


def intervals():
    """Student's t of the mean itself, of its logarithm and of its logit, the scale's derivative in the standard error."""
    scales = {"any": (lambda m: m, lambda m: 1, lambda z: z), "positive": (np.log, lambda m: 1 / m, np.exp),
              "share": (special.logit, lambda m: 1 / (m * (1 - m)), special.expit)}
    out = []
    for x in ([0.3, 0.31], numbers(rng.beta(2, 30, 3)), numbers(rng.beta(50, 2, 5)), numbers(rng.normal(0.7, 0.05, 10))):
        m, se = float(np.mean(x)), float(stats.sem(x))
        for name, (there, slope, back) in scales.items():
            for level in (0.95, 0.8):
                low, high = stats.t.interval(level, len(x) - 1, loc=there(m), scale=se * slope(m))
                out.append({"x": x, "range": name, "level": level, "low": float(back(low)), "high": float(back(high))})
    return out


def seeds():
    def power(n, effect, alpha):
        t = stats.t.isf(alpha / 2, n - 1)
        delta = effect * np.sqrt(n)
        upper = stats.nct.sf(t, n - 1, delta)
        lower = stats.nct.sf(t, n - 1, -delta)
        return (0.0 if np.isnan(upper) else upper) + (0.0 if np.isnan(lower) else lower)

    out = []
    for effect in (0.1, 0.2, 0.5, 0.8, 1.0, 1.5, 2.0, 3.0, 5.0, 12.0, 40.0):
        for alpha in (0.05, 0.01):
            for want in (0.8, 0.9, 0.5):
                n = 2
                while power(n, effect, alpha) < want:
                    n += 1
                out.append({"difference": effect * 0.03, "sd": 0.03, "alpha": alpha, "power": want, "n": n})
    return out


def ranks():
    out = []
    pairs = [([1, 2, 3, 4], [1, 2, 3, 4]), ([1, 2, 3, 4], [4, 3, 2, 1]), ([1, 1, 2, 2], [1, 2, 1, 2]), ([12, 2, 1, 12, 2], [1, 4, 7, 1, 0])]
    for n, values in ((10, 1000), (50, 6), (200, 20), (301, 100000)):
        x = rng.integers(0, values, n)
        pairs.append((x, x + rng.integers(-values // 2, values // 2 + 1, n)))
    for x, y in pairs:
        x, y = np.asarray(x, float), np.asarray(y, float)
        out.append({"x": numbers(x), "y": numbers(y), "tau_b": float(stats.kendalltau(x, y).statistic),
                    "pearson": float(stats.pearsonr(x, y).statistic), "spearman": float(stats.spearmanr(x, y).statistic)})
    return out


def distributions():
    return {"normal_quantile": [{"p": p, "z": float(stats.norm.ppf(p))} for p in
                                (1e-300, 1e-20, 1e-9, 1e-4, 0.02425, 0.1, 0.3, 0.5, 0.7, 0.975, 0.9999, 1 - 1e-12)],
            "student_critical": [{"df": df, "alpha": a, "t": float(stats.t.isf(a / 2, df))} for df in (1, 2, 3, 4, 9, 29, 100, 5000)
                                 for a in (0.5, 0.1, 0.05, 0.01, 1e-4)]}


json.dump({"made_by": f"tools/statistics_scipy.py, scipy {scipy.__version__}, numpy {np.__version__}", "summary": summaries(), "intervals": intervals(),
           "seeds": seeds(), "ranks": ranks(), "distributions": distributions()},
          sys.stdout, indent=None, separators=(",", ":"))
print()
