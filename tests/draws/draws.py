#!/usr/bin/python3
"""Draws of each distribution of the library, on several ranks, beside SciPy's distributions.

    PMLC=… draws.py

A program that pmlc makes writes the draws of all into .npy files, those of two keys each. Prints each disagreement and the counts."""
import os
import subprocess
import sys
import tempfile

import numpy as np
from scipy import stats

PMLC, MPIEXEC = os.environ["PMLC"], os.environ.get("MPIEXEC", "mpiexec")
N, LEVEL = 100_000, 1e-4

# what is drawn: its distribution
CONTINUOUS = {
    "uniform(KEY, [N], dtype = TYPE)": stats.uniform(0, 1),
    "uniform(KEY, [N], low = -2.0, high = 3.0, dtype = TYPE)": stats.uniform(-2, 5),
    "normal(KEY, [N], dtype = TYPE)": stats.norm(0, 1),
    "normal(KEY, [N], std = 3.0, mean = -1.0, dtype = TYPE)": stats.norm(-1, 3),
    "gumbel(KEY, [N], dtype = TYPE)": stats.gumbel_r(),
    "exponential(KEY, [N], rate = 2.5, dtype = TYPE)": stats.expon(scale=0.4),
    "laplace(KEY, [N], dtype = TYPE)": stats.laplace(),
    "laplace(KEY, [N], scale = 3.0, mean = -1.0, dtype = TYPE)": stats.laplace(-1, 3),
    "truncated_normal(KEY, [N], dtype = TYPE)": stats.truncnorm(-2, 2),
    "truncated_normal(KEY, [N], low = -0.5, high = 4.0, std = 2.0, mean = 5.0, dtype = TYPE)": stats.truncnorm(-0.5, 4, 5, 2),
    "truncated_normal(KEY, [N], low = 2.0, high = 3.5, dtype = TYPE)": stats.truncnorm(2, 3.5),
    "truncated_normal(KEY, [N], low = -3.0, high = -1.0, dtype = TYPE)": stats.truncnorm(-3, -1),
    **{f"gamma(KEY, [N], {a}, dtype = TYPE)": stats.gamma(a) for a in (0.1, 0.5, 1.0, 1.5, 2.5, 30.0, 1000.0)},
    **{f"beta(KEY, [N], {a}, {b}, dtype = TYPE)": stats.beta(a, b) for a, b in ((0.5, 0.5), (1.0, 3.0), (2.0, 5.0), (40.0, 60.0))},
    "dirichlet(KEY, broadcast([0.5, 1.5, 3.0] as TYPE, [N, 3]))[.., 1]": stats.beta(1.5, 3.5),
}
WHOLE = {
    **{f"poisson(KEY, [N], {r})": stats.poisson(r) for r in (0.1, 1.0, 4.0, 9.5, 10.0, 12.5, 30.0, 150.0, 1000.0)},
    "bernoulli(KEY, [N], 0.3)": stats.bernoulli(0.3),
    "randint(KEY, [N], -3, 4)": stats.randint(-3, 4),
    "randint(KEY, [N], 0, 1000)": stats.randint(0, 1000),
    "categorical(KEY, broadcast(ln([0.1, 0.4, 0.2, 0.3] as f32), [N, 4]))": stats.rv_discrete(values=([0, 1, 2, 3], [0.1, 0.4, 0.2, 0.3])),
}


def chi_square(x, of):
    """Of x, whole numbers: neighbours that are too rare go together."""
    x = x.astype(int)
    numbers = np.arange(x.min(), x.max() + 1)
    expected = len(x) * of.pmf(numbers)
    expected[0] += len(x) * of.cdf(numbers[0] - 1)
    expected[-1] += len(x) * of.sf(numbers[-1])
    found = np.bincount(x - x.min(), minlength=len(numbers))
    group, total = np.zeros(len(numbers), int), 0.0
    for i, e in enumerate(expected):
        group[i] = group[i - 1] + (total >= 10) if i else 0
        total = e + (total if total < 10 else 0)
    if total < 10:
        group[group == group[-1]] = max(group[-1] - 1, 0)
    return stats.chisquare(np.bincount(group, found), np.bincount(group, expected)).pvalue


def related(x, y):
    """How likely draws that are independent are so much related."""
    return stats.pearsonr(stats.rankdata(x), stats.rankdata(y)).pvalue


def drawn(ranks):
    """By what is drawn, in which type: draws of two keys."""
    rows = [(text, t) for t in ("f64", "f32") for text in CONTINUOUS] + [(text, "i32") for text in WHOLE]
    lines = ["import std.data;", f"place p = ranks(0..{ranks});", f"const N : int = {N};", "main {"]
    for i, (text, t) in enumerate(rows):
        for k in (1, 2):
            lines.append(f'    data.save_npy(({text.replace("KEY", f"rng({1000 + 31 * i + k})").replace("TYPE", t)} to @p : S(0)) to B, "{i}.{k}.npy");')
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/draws.pml", "w") as f:
            f.write("\n".join(lines + ["}", ""]))
        for command in ([PMLC, "draws.pml", "-o", "draws"], [MPIEXEC, "-n", str(ranks), "./draws", "--quiet"]):
            run = subprocess.run(command, cwd=folder, capture_output=True, text=True)
            if run.returncode:
                sys.exit(f"{command[0]} ends with {run.returncode}: {run.stderr[:3000]}")
        return {row: [np.load(f"{folder}/{i}.{k}.npy") for k in (1, 2)] for i, row in enumerate(rows)}


def main():
    passed = failed = 0
    alone = drawn(1)
    for (text, t), (x, y) in alone.items():
        whole = text in WHOLE
        of = WHOLE[text] if whole else CONTINUOUS[text]
        for what, p in (("distribution", chi_square(x, of) if whole else stats.kstest(x, of.cdf).pvalue), ("each and the next", related(x[1:], x[:-1])),
                        ("two keys", related(x, y))):
            passed, failed = passed + (p >= LEVEL), failed + (not p >= LEVEL)
            if not p >= LEVEL:
                print(f"FAILED {text}, {t}: {what}: p = {p:.2g}, least {x.min()}, greatest {x.max()}, mean {x.mean()}, {of.mean()} expected")
    for ranks in (2, 3):
        for row, draws in drawn(ranks).items():
            same = all(np.array_equal(a, b) for a, b in zip(draws, alone[row]))
            passed, failed = passed + same, failed + (not same)
            if not same:
                print(f"FAILED {row[0]}, {row[1]}: other draws on {ranks} ranks")
    print(f"{passed} passed, {failed} failed")
    return int(failed > 0)


sys.exit(main())
