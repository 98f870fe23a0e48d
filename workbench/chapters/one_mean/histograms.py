"""Private histograms: the accuracy in L17 Theorems 1.1 and 1.2, and the facts of Lemma 2.3."""

from math import ceil, exp, log

import numpy as np
import pandas as pd
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.stats import binom

from workbench.bounds.l17 import (
    bin_count_failure,
    discrete_histogram_error,
    histogram_error,
    stable_histogram_error,
)
from workbench.bounds.l17.accuracy import UNIT_BIN
from workbench.privacy import ApproxDP, Charge, PureDP, noise_source
from workbench.privacy.histograms import (
    COUNTS_L1,
    finite_histogram,
    histogram_charge,
    stability_charge,
    stability_histogram,
    stability_threshold,
)
from workbench.study import measures
from workbench.study.claim import Claim
from workbench.study.grids import Sweep, grid
from workbench.study.intervals import Interval, clopper_pearson
from workbench.study.measures import Measure, at, seldom
from workbench.study.profiles import blocks, claim_level
from workbench.study.rules import Verdict, combine, enough
from workbench.study.run import Row, block_columns, each_trial
from workbench.types import Columns

EPSILON, BETA, STABLE_BETA = 0.5, 0.05, 0.01
BUDGETS = ((EPSILON, 1e-6), (0.1, 1e-3), (2.0, 1e-10))
POPULATED = 5
ATTAINED, AS_EXACT = (0.5, 1.5), (0.8, 1.25)  # how far a rate is from its exact value, at most
EDGES = (10, 15)  # n at which the bin of a mean at its edge is too empty at times
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
        if rows == "hardest":
            keys = hardest(epsilon, delta)
        else:
            keys = np.floor(data.uniform() + data.standard_normal(ROWS))
        released = stability_histogram(keys, charge, source)
        populated, counts = np.unique(keys, return_counts=True)
        seen = [released.get(key, 0.0) for key in populated.tolist()]
        return float(np.abs(np.array(seen) - counts).max())

    return block_columns({"error": error()} for _ in range(trials))


def populated_error(bins: int, epsilon: float, delta: float, beta: float) -> int:
    """Return the integer that the largest error exceeds with probability at most beta, given few bins.

    With a = e^(-ε/2), a bin of c rows is dropped if its noise is at most T - 1 - c, with probability
    a^(c-T+1)/(1 + a). Over `bins` bins that is at most beta for c ≥ T - 1 + (2/ε) ln(bins/((1 + a) β)), and
    fewer rows are a smaller error. A released bin errs as much with a probability smaller by a^(T-1).
    """
    share = bins / ((1 + exp(-epsilon / 2)) * beta)
    return ceil(stability_threshold(ApproxDP(epsilon, delta)) - 1 + 2 / epsilon * log(share)) - 1


def sharp(epsilon: float, delta: float) -> int:
    """Return that integer for the bins and the β of the claim."""
    return populated_error(POPULATED, epsilon, delta, STABLE_BETA)


def hardest(epsilon: float, delta: float) -> NDArray[np.float64]:
    """Return rows of which each bin has just too many to be dropped within the bound."""
    return np.repeat(np.arange(POPULATED, dtype=np.float64), sharp(epsilon, delta) + 1)


def dropped(epsilon: float, delta: float) -> float:
    """Return the exact probability that one of those bins is dropped."""
    a, least = exp(-epsilon / 2), stability_threshold(ApproxDP(epsilon, delta))
    one = a ** (sharp(epsilon, delta) + 2 - least) / (1 + a)
    return float(1 - (1 - one) ** POPULATED)


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


def edge_counts(n: int, *, trials: int, data: Generator, noise: Generator) -> Columns:
    """Record in which samples the unit bin of a mean at its lower edge holds fewer than n/10 rows."""
    own = np.floor(data.standard_normal((trials, n))) == 0
    return {"failed": own.sum(axis=1) < n / 10}


FINITE = Sweep("l17-finite-histogram", grid(epsilon=EPSILON, bins=BINS), finite_errors, 1500, blocks(10))
STABLE = Sweep(
    "l17-stable-histogram",
    tuple(
        {"epsilon": epsilon, "delta": delta, "rows": rows}
        for epsilon, delta in BUDGETS
        for rows in ("normal", "hardest")
    ),
    stable_errors,
    8000,
    blocks(5),
)
FACTS = Sweep("l17-bin-facts", grid(n=SIZES), bin_facts, 10000, blocks(30))
EDGE = Sweep("l17-bin-edge", grid(n=EDGES), edge_counts, 10000, blocks(30))


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
    return combine([check for budget in BUDGETS for check in _stable_checks(frame, *budget)])


def _stable_checks(frame: pd.DataFrame, epsilon: float, delta: float) -> list[Verdict]:
    rows = at(frame, epsilon=epsilon, delta=delta)
    errors = {kind: at(rows, rows=kind)["error"] for kind in ("normal", "hardest")}
    sizes = {"normal": ROWS, "hardest": len(hardest(epsilon, delta))}
    where, checks = f"ε = {epsilon:g}, δ = {delta:g}", []
    for kind, n in sizes.items():
        bound = stable_histogram_error(n, epsilon, delta, STABLE_BETA)
        beyond = errors[kind] > bound
        checks.append(seldom(f"{kind} rows, theorem bound, {where}", beyond, STABLE_BETA, n=n))
    failed, n = errors["hardest"] > sharp(epsilon, delta), sizes["hardest"]
    checks.append(seldom(f"hardest rows, sharp bound, {where}", failed, STABLE_BETA, n=n))
    name = f"failures over their exact chance, hardest rows, {where}"
    return [*checks, _as_exact(name, failed, dropped(epsilon, delta), ATTAINED)]


def _as_exact(name: str, failed: "pd.Series[bool]", exact: float, limits: Interval) -> Verdict:
    """Decide whether something is as frequent as it is exactly, up to these factors."""
    count, trials = int(failed.sum()), len(failed)
    low, high = clopper_pearson(count, trials, claim_level())
    rate = Measure(count / trials / exact, (low / exact, high / exact), trials)
    return measures.between(name, rate, *limits)


def facts_hold(frame: pd.DataFrame, edges: pd.DataFrame) -> Verdict:
    """Return the checks: how often a fact fails, against the exact binomial bound, .003 at least.

    The bound's first term is exact for the bin of the mean alone, where that is at its edge.
    """
    checks = []
    for n in SIZES:
        failed = frame.loc[frame["n"] == n, "failed"]
        check = seldom(f"n = {n}", failed, max(bin_count_failure(n), LARGE_SIZE_BETA), n=n)
        checks.append(enough(check, "L17/Lem2.3", "P(Bin(n, .341) < n/10) + P(Bin(n, 6e-5) ≥ n/50) ≤ β"))
    for n in EDGES:
        exact = float(binom.cdf(ceil(n / 10) - 1, n, UNIT_BIN))
        name = f"own bin below n/10 over its exact chance, mean at its edge, n = {n}"
        checks.append(_as_exact(name, at(edges, n=n)["failed"], exact, AS_EXACT))
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
        "1 + (2/ε)(ln(1/(2δ)) + ln(n/β)) with probability at most β = .01, at (.5, 1e-6), (.1, 1e-3) and "
        "(2, 1e-10); with k bins populated, T - 2 + (2/ε) ln(k/((1 + e^(-ε/2))β)), rounded up, is enough, "
        "and the hardest rows break it as often as is exact, within half.",
        sweeps=lambda: (STABLE,),
        checks=stable_is_accurate,
    ),
    Claim(
        "one-mean/bin-facts",
        "L2.3",
        ("L17/Lem2.3",),
        "The fullest unit bin is within 5 of the mean and holds n/10 rows, bins further away hold fewer than "
        "n/50: all but with the binomial probability of .016 at n = 10, .0032 at 50, and .003 at 200. The "
        "bin of a mean at its edge has mass .3413: it holds fewer than n/10 as often as is exact, within "
        "25 %.",
        sweeps=lambda: (FACTS, EDGE),
        checks=facts_hold,
    ),
)
