"""Claims about private histograms: the accuracy in L17 Theorems 1.1 and 1.2, and the facts of Lemma 2.3."""

from math import ceil, exp, log

import numpy as np
import pandas as pd
from numpy.random import Generator
from numpy.typing import NDArray

from workbench.bounds.l17 import (
    bin_count_failure,
    discrete_histogram_error,
    histogram_error,
    stable_histogram_error,
)
from workbench.privacy import ApproxDP, Charge, PureDP, noise_source
from workbench.privacy.histograms import (
    COUNTS_L1,
    finite_histogram,
    histogram_charge,
    stability_charge,
    stability_histogram,
    stability_threshold,
)
from workbench.study.claim import Claim
from workbench.study.complexity import enough
from workbench.study.measures import seldom
from workbench.study.profiles import blocks
from workbench.study.rules import combine
from workbench.study.sweeps.sweep import Sweep, grid
from workbench.study.trials import Row, columns, each_trial
from workbench.study.verdict import Verdict
from workbench.types import Columns

EPSILON, DELTA, BETA, STABLE_BETA = 0.5, 1e-6, 0.05, 0.01
ROWS, BINS = 400, (20, 500)
SIZES, LARGE_SIZE_BETA = (10, 50, 200), 0.003
REACH = 20  # bins on either side of 0 that are told apart: the mean lies in bin 0


@each_trial
def finite_errors(epsilon: float, bins: int, *, data: Generator, noise: Generator) -> Row:
    """Measure the largest error over all counts, with continuous and with discrete Laplace noise."""
    cost, source = PureDP(epsilon), noise_source(noise)
    charges = {"laplace": Charge("histogram", "laplace", COUNTS_L1, cost)}
    charges["discrete"] = histogram_charge("histogram", cost)
    keys = data.integers(bins, size=ROWS)
    counts = np.bincount(keys, minlength=bins)
    released = {kind: finite_histogram(keys, bins, charge, source) for kind, charge in charges.items()}
    return {kind: np.abs(found - counts).max() for kind, found in released.items()}


def stable_errors(
    epsilon: float, delta: float, rows: str, *, trials: int, data: Generator, noise: Generator
) -> Columns:
    """Measure the largest error over all bins of the line, those that are not released counting as 0."""
    charge, source = stability_charge("histogram", ApproxDP(epsilon, delta)), noise_source(noise)

    def error() -> float:
        keys = HARDEST if rows == "hardest" else _normal_keys(data)
        released = stability_histogram(keys, charge, source)
        populated, counts = np.unique(keys, return_counts=True)
        seen = [released.get(key, 0.0) for key in populated.tolist()]
        return float(np.abs(np.array(seen) - counts).max())

    return columns({"error": error()} for _ in range(trials))


def _normal_keys(data: Generator) -> NDArray[np.float64]:
    return np.asarray(np.floor(data.uniform() + data.standard_normal(ROWS)))


def populated_error(bins: int, epsilon: float, delta: float, beta: float) -> int:
    """Return the integer that the largest error exceeds with probability at most beta, given few bins.

    With a = e^(-ε/2), a bin of c rows is dropped if its noise is at most T - 1 - c, with probability
    a^(c-T+1)/(1 + a). Over `bins` bins that is at most beta for c ≥ T - 1 + (2/ε) ln(bins/((1 + a) β)), and
    fewer rows are a smaller error. A released bin errs as much with a probability smaller by a^(T-1).
    """
    share = bins / ((1 + exp(-epsilon / 2)) * beta)
    return ceil(stability_threshold(ApproxDP(epsilon, delta)) - 1 + 2 / epsilon * log(share)) - 1


POPULATED = 5
SHARP = populated_error(POPULATED, EPSILON, DELTA, STABLE_BETA)
HARDEST = np.repeat(np.arange(POPULATED, dtype=np.float64), SHARP + 1)
"""Each bin has just too many rows to be dropped within the bound: no rows make it fail more often."""


def bin_facts(n: int, *, trials: int, data: Generator, noise: Generator) -> Columns:
    """Record in which samples one of the three facts of Lemma 2.3 fails; bin j is [j, j + 1)."""
    mean = data.uniform(size=trials)
    bins = np.clip(np.floor(mean[:, None] + data.standard_normal((trials, n))), -REACH, REACH).astype(
        np.int64
    )
    width = 2 * REACH + 1
    flat = bins + REACH + width * np.arange(trials)[:, None]
    counts = np.bincount(flat.ravel(), minlength=trials * width).reshape(trials, width)
    far = np.abs(mean[:, None] - (np.arange(width) - REACH)) > 5
    low = counts.max(axis=1) < n / 10
    crowded = (np.where(far, counts, 0) >= n / 50).any(axis=1)
    astray = far[np.arange(trials), counts.argmax(axis=1)]
    return {"failed": low | crowded | astray}


FINITE = Sweep("l17-finite-histogram", grid(epsilon=EPSILON, bins=BINS), finite_errors, 1500, blocks(10))
STABLE = Sweep(
    "l17-stable-histogram",
    grid(epsilon=EPSILON, delta=DELTA, rows=("normal", "hardest")),
    stable_errors,
    8000,
    blocks(5),
)
FACTS = Sweep("l17-bin-facts", grid(n=SIZES), bin_facts, 10000, blocks(30))


def finite_is_accurate(frame: pd.DataFrame) -> Verdict:
    """Return the checks: how often the largest error reaches the bound."""
    checks = []
    for bins in BINS:
        rows = frame[frame["bins"] == bins]
        stated = histogram_error(bins, EPSILON, BETA)
        discrete = discrete_histogram_error(bins, EPSILON, BETA)
        checks.append(seldom(f"Laplace, {bins} bins", rows["laplace"] >= stated, BETA, n=ROWS))
        checks.append(seldom(f"discrete Laplace, {bins} bins", rows["discrete"] > discrete, BETA, n=ROWS))
    return combine(checks)


def stable_is_accurate(frame: pd.DataFrame) -> Verdict:
    """Return the checks: how often the largest error, empty bins included, exceeds its bounds."""
    sizes = {"normal": ROWS, "hardest": len(HARDEST)}
    checks = []
    for kind, n in sizes.items():
        error = frame.loc[frame["rows"] == kind, "error"]
        bounds = {"theorem": stable_histogram_error(n, EPSILON, DELTA, STABLE_BETA), "sharp": SHARP}
        for name, bound in bounds.items():
            if kind == "hardest" or name == "theorem":
                checks.append(seldom(f"{kind} rows, {name} bound", error > bound, STABLE_BETA, n=n))
    return combine(checks)


def facts_hold(frame: pd.DataFrame) -> Verdict:
    """Return the checks: how often a fact fails, against the exact binomial bound, .003 at least."""
    checks = []
    for n in SIZES:
        failed = frame.loc[frame["n"] == n, "failed"]
        check = seldom(f"n = {n}", failed, max(bin_count_failure(n), LARGE_SIZE_BETA), n=n)
        checks.append(enough(check, "L17/Lem2.3", "P(Bin(n, .341) < n/10) + P(Bin(n, 6e-5) ≥ n/50) ≤ β"))
    return combine(checks)


CLAIMS = (
    Claim(
        "one-mean/finite-histogram-error",
        "L1.1",
        ("L17/Thm1.1",),
        "The largest error of a finite histogram with Laplace noise reaches (2/ε) ln(k/β) with probability "
        "at most β = .05, for k = 20 and 500 bins at ε = .5; discrete noise stays within its own bound.",
        sweeps=lambda: (FINITE,),
        checks=finite_is_accurate,
    ),
    Claim(
        "one-mean/stable-histogram-error",
        "L1.2",
        ("L17/Thm1.2",),
        "Over infinitely many bins the largest error of the stability-based histogram exceeds "
        "1 + (2/ε)(ln(1/(2δ)) + ln(n/β)) with probability at most β = .01, at ε = .5, δ = 1e-6; with k bins "
        "populated, T - 2 + (2/ε) ln(k/((1 + e^(-ε/2))β)), rounded up, is enough.",
        sweeps=lambda: (STABLE,),
        checks=stable_is_accurate,
    ),
    Claim(
        "one-mean/bin-facts",
        "L2.3",
        ("L17/Lem2.3",),
        "The fullest unit bin is within 5 of the mean and holds n/10 rows, bins further away hold fewer than "
        "n/50: all but with the binomial probability of .016 at n = 10, .0032 at 50, and .003 at 200.",
        sweeps=lambda: (FACTS,),
        checks=facts_hold,
    ),
)
