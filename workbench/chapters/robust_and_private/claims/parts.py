"""The parts of PRIME by themselves.

The noise of a second moment, the filter that keeps neighbours neighbours, the stability histogram of the
range, and what the accounting adds up to.
"""

from collections import Counter
from math import exp, inf, log, sqrt
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import Generator
from numpy.typing import NDArray

from workbench.bounds.lkko21 import range_shape
from workbench.chapters.robust_and_private.runs.theory import paper_noise
from workbench.estimators.prime import (
    PRICES,
    FilterMean,
    Mask,
    PrimeMean,
    Score,
    left_after,
    tail_set,
)
from workbench.estimators.robust import RobustMean
from workbench.privacy import ApproxDP, Charge, GaussianDP
from workbench.privacy.histograms import (
    stability_charge,
    stability_histogram,
    stability_threshold,
    stable_mode,
)
from workbench.privacy.mechanisms import gaussian_mu, symmetric_gaussian
from workbench.privacy.noise import SimulatedNoise
from workbench.study import measures
from workbench.study.claim import Claim
from workbench.study.grids import Sweep, grid
from workbench.study.profiles import blocks, claim_level
from workbench.study.rules import Verdict, combine, enough
from workbench.study.run import Row, each_trial
from workbench.types import Array

LOW, HIGH, SLOPE_BAND, ASYMPTOTIC = 0.85, 1.1, 0.05, 0.02
WIDE, WIDEST = (500, 5000), (500_000, 5_000_000)
LONE, LONE_N, WIDTH, ZETA = ApproxDP(1.0, 0.05), 50, 2.0, 0.01
RANGE, TIMES = ApproxDP(1.0, 1e-6), 2  # the formula's rows, as often
FAR = 3.0  # standard deviations from the mean to the centre of its bin
ROUNDING = 1e-9
OFTEN = 1e-3  # pairs that a threshold for each row drives apart
BUDGETS = (ApproxDP(10.0, 0.01), ApproxDP(1.0, 1e-6))
GAIN_N, GAIN_D, GAIN, TARGET = 1_000_000, (3, 10, 50, 100), 1e4, 0.15


@each_trial
def noise_norms(d: int, *, data: Generator, noise: Generator) -> Row:
    """Measure the spectral norm of symmetric noise over 2σ√d, σ the sd off the diagonal."""
    charge = Charge("moment", "gaussian", sqrt(2), GaussianDP(1.0))
    drawn = symmetric_gaussian(np.zeros((d, d)), charge, SimulatedNoise(noise))
    return {"norm": np.linalg.norm(drawn, 2) / (2 * sqrt(d))}


def distances(passes: int, *, trials: int, data: Generator, noise: Generator) -> dict[str, Any]:
    """Measure how far neighbours with many ties are apart after four passes: one threshold, or many."""
    return {
        name: np.array([_apart(data, alone) for _ in range(trials)], np.float64)
        for name, alone in (("joint", False), ("separate", True))
    }


def _apart(data: Generator, alone: bool) -> int:
    """Return the largest distance after a pass; `alone`: every row has a threshold of its own."""
    n, d = int(data.integers(4, 14)), int(data.integers(1, 4))
    pair = [data.integers(-2, 3, (n, d)).astype(np.float64)] * 2
    pair[1] = pair[1].copy()
    pair[1][data.integers(n)] = data.integers(-2, 3, d)
    kept: list[Mask] = [np.ones(n, bool), np.ones(n, bool)]
    worst = 0
    for _ in range(4):
        centre = data.integers(-1, 2, d).astype(np.float64)
        score = Score(centre, data.integers(0, 2, (d, d)).astype(np.float64))
        cut: Any = 12 * (data.random(n) if alone else data.random())
        for side, y in enumerate(pair):
            tau = score.of(y)
            kept[side] = left_after(tau, kept[side], tail_set(tau, kept[side], 3, y), cut)
        worst = max(worst, distance(*(y[mask] for y, mask in zip(pair, kept, strict=True))))
    return worst


def distance(one: Array, other: Array) -> int:
    """Return how many rows one multiset has that the other has not; the larger of both."""
    first, second = (Counter(map(tuple, rows.tolist())) for rows in (one, other))
    return max((first - second).total(), (second - first).total())


@each_trial
def bins(n: int, *, data: Generator, noise: Generator) -> Row:
    """Measure whether the bin of a lone row is released, and whether the bin of the mean is found."""
    keys: NDArray[np.int64] = np.r_[np.zeros(LONE_N - 1, np.int64), 7]
    source = SimulatedNoise(noise)
    found = stability_histogram(keys, stability_charge("bins", LONE), source)
    mean = data.uniform(-10, 10)
    places = np.floor(data.normal(mean, 1.0, located_rows()) / WIDTH).astype(np.int64)
    mode: Any = stable_mode(places, stability_charge("bins", RANGE), source)
    return {"lone": 7 in found, "away": mode is None or abs(WIDTH * (mode + 0.5) - mean) > FAR}


def located_rows() -> int:
    """Return twice the rows of Lemma D.2 on the line, every constant 1."""
    return round(TIMES * range_shape(1, RANGE.epsilon, RANGE.delta, ZETA))


NORMS = Sweep("lkko21-noise-norms", grid(d=(20, 50, 100, 200)), noise_norms, 10, blocks(10))
PAIRS = Sweep("lkko21-pairs", grid(passes=4), distances, 500, blocks(10))
BINS = Sweep("lkko21-bins", grid(n=LONE_N), bins, 5000, blocks(10))


def matrix_noise(frame: pd.DataFrame) -> list[Verdict]:
    """Return the checks of robust-and-private/matrix-noise."""
    found = {d: measures.median(rows["norm"], claim_level()) for d, rows in measures.by(frame, "d").items()}
    checks = [measures.between(f"over 2σ√d, d = {d:g}", one, LOW, HIGH) for d, one in found.items()]
    sizes = [measures.logarithm(measures.scaled(one, sqrt(d))) for d, one in found.items()]
    slope = measures.slope(np.log([*found]), sizes)
    checks.append(measures.between("exponent in d, fixed radius", slope, 0.5 - SLOPE_BAND, 0.5 + SLOPE_BAND))
    name = "exponent in d, radius of clean rows, d = {} to {}".format
    checks.append(_exact(name(*WIDE), local_exponent(*WIDE), 1.3, 1.5))
    checks.append(_exact(name(*WIDEST), local_exponent(*WIDEST), 1.5 - ASYMPTOTIC, 1.5))
    return checks


def local_exponent(low: int, high: int) -> float:
    """Return the exponent in d of the noise of mean/prime between two dimensions."""
    return log(_tight(GAIN_N, high) / _tight(GAIN_N, low)) / log(high / low)


def tight_noise(n: int, d: int, budget: ApproxDP, corruption: float = 0.05) -> float:
    """Return 2σ√d of the second moment of one pass of mean/prime, tight."""
    one = PrimeMean(radius=10.0, corruption=corruption, sigma=1.0)
    steps = one.tight(n, d)
    cost = next(c.cost for c in one.plan(n, d, budget).charges() if c.step.startswith("moments"))
    return 2 * sqrt(d) * steps.radii[1] ** 2 / (PRICES.square * gaussian_mu(cost)) / n


def neighbours_stay(frame: pd.DataFrame) -> Verdict:
    """Return the checks of robust-and-private/neighbours-stay."""
    joint, trials = float(frame["joint"].max()), len(frame)
    checks = [_exact("largest distance, one threshold for all rows", joint, 0.0, 1.0)]
    apart = int((frame["separate"] > 1).sum())
    share = measures.share(apart, trials, claim_level())
    checks.append(measures.between("distance above 1, a threshold for each row", share, OFTEN, 1.0))
    return combine(checks, trials)


def bins_are_safe(frame: pd.DataFrame) -> Verdict:
    """Return the checks of robust-and-private/bins-are-safe."""
    trials, predicted = len(frame), lone_probability()
    rare = measures.seldom("a lone row is seen", frame["lone"], LONE.delta, "at most δ")
    exact = measures.Measure(rare.estimate, rare.interval, trials)
    as_predicted = measures.between(
        "over its probability", measures.scaled(exact, 1 / predicted), 0.8, 1.2, bound=1.0
    )
    name = "the bin is far from the mean"
    found = measures.seldom(name, frame["away"], ZETA, "at most ζ", n=located_rows())
    size = enough(found, "LKKO21/LemD.2", "sqrt(d ln(1/delta)) ln(d/(zeta delta))/eps, twice")
    return combine([rare, as_predicted, size], trials)


def lone_probability() -> float:
    """Return the probability that discrete Laplace noise lifts a count of 1 to the threshold."""
    decay = exp(-LONE.epsilon / 2)
    return float(decay ** (stability_threshold(LONE) - 1) / (1 + decay))


def sums_and_gains() -> Verdict:
    """Return the checks of robust-and-private/costs-add-up; public, so that nothing is random."""
    checks = []
    for kind in (PrimeMean, FilterMean, RobustMean):
        for budget in BUDGETS:
            plan = kind(radius=10.0, sigma=1.0).plan(10_000, 5, budget)
            spent = [gaussian_mu(charge.cost) for charge in plan.charges()]
            over = sum(mu**2 for mu in spent) / gaussian_mu(budget) ** 2
            name = f"sum of squares over μ², {kind.__name__}, {budget}"
            checks.append(_exact(name, over, 1 - ROUNDING, 1 + ROUNDING))
    for d in GAIN_D:
        paper, ours = (noise(GAIN_N, d) for noise in (_paper, _tight))
        checks.append(_exact(f"noise of the source's queries, d = {d}", paper, TARGET, inf))
        checks.append(_exact(f"noise of mean/prime, d = {d}", ours, 0.0, TARGET))
        checks.append(_exact(f"the one over the other, d = {d}", paper / ours, GAIN, inf))
    return combine(checks, len(checks))


def _paper(n: int, d: int) -> float:
    return paper_noise(n, d, 0.05, BUDGETS[0])


def _tight(n: int, d: int) -> float:
    return tight_noise(n, d, BUDGETS[0])


def _exact(name: str, value: float, low: float, high: float) -> Verdict:
    return measures.between(name, measures.known(value), low, high)


CLAIMS = (
    Claim(
        "robust-and-private/matrix-noise",
        "P7",
        ("LKKO21/Thm6",),
        "Symmetric noise of sd σ per entry has spectral norm .85 .. 1.1 times 2σ√d for d = 20 .. 200,"
        " exponent .5 within .05; with the radius that clean rows need the exponent is 1.5 within .02 around"
        " d = 1e6, and 1.3 .. 1.5 from d = 500 to 5000, where the radius is √d and more.",
        sweeps=lambda: (NORMS,),
        checks=matrix_noise,
        kind="ours",
    ),
    Claim(
        "robust-and-private/neighbours-stay",
        "P9",
        ("LKKO21/Lem2.2",),
        "5000 random neighbours with many ties, four passes: never more than one row apart with one threshold"
        " for all rows; with a threshold for each row more than one in a thousand pairs are.",
        sweeps=lambda: (PAIRS,),
        checks=neighbours_stay,
    ),
    Claim(
        "robust-and-private/bins-are-safe",
        "P10",
        ("LKKO21/LemD.1", "LKKO21/LemD.2"),
        "The stability histogram shows a lone row with probability at most δ = .05, .8 to 1.2 times the"
        " computed .031; on twice the rows of Lemma D.2 its fullest bin is within 3 sd of the mean but for"
        " 1 % of runs ((1, 1e-6)-DP, d = 1).",
        sweeps=lambda: (BINS,),
        checks=bins_are_safe,
    ),
    Claim(
        "robust-and-private/costs-add-up",
        "P13",
        ("LKKO21/Alg10",),
        "The squared costs of the steps of mean/prime, mean/filter and mean/robust add up to μ(ε, δ)²"
        " within 1e-9. At n = 1e6, (10, .01)-DP, d = 3 .. 100, the noise of the source's second moments is"
        " above .15, that of mean/prime below it, 1e4 times smaller.",
        checks=sums_and_gains,
        kind="identity",
    ),
)
