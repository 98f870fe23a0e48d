"""Many quantiles of a skewed column, all at once and one by one: how far they are off, in ranks.

What drawing them together gains, and how the n of both ways grow in m, ε and α. Both are predicted with all
constants before any run: what is drawn together by the normal distribution of `proofs/quantiles.md`, section
4, and one by one by the exponential mechanism on the distribution of the rows.

Rows are log-normal and known to lie in [0, 100]. One by one a level has ε/m, and is drawn as the private
median is (LKKO21 Algorithm 14 at d = 1), with its own rank in the place of the middle one. An error is the
distance of nq from the ranks that an answer lies between, over n: sampling is no part of it.
"""

from collections.abc import Mapping
from functools import lru_cache, partial
from itertools import chain
from typing import Any

import numpy as np
from numpy.random import Generator
from pandas import DataFrame, concat

from workbench.estimators.quantiles import Cutting, Quantiles, noise_factor
from workbench.privacy import PureDP
from workbench.special import ndtr, ndtri
from workbench.study.measures import at, median_ratio
from workbench.study.rules import CHECK_LEVEL, Checks, Claim
from workbench.study.scaling import Move, Statement, follow
from workbench.study.sweeps import Row, each_trial, over_grid, resampler, value_of
from workbench.types import Array

STATEMENT = "LKKO21/quantiles"
NEAR_PREDICTED = {3: 1.7, 9: 1.4, 33: 1.2, 99: 1.25}  # of the ratio of errors; few are off by whole ranks
SHARE = 0.9  # of the runs that succeed
SEEN = {"quick": 60, "full": 600}
MIDDLE = 50.0  # of the range, and half its width
COUNTS = (3, 9, 33, 99)  # m
N, EPSILON = 10_000, 1.0
PLENTY = 10**7  # rows with which every level is drawn
CELLS, NEAR = 10_001, 400  # where a law is known: all over, and at growing distances from a level


def levels(m: int) -> tuple[float, ...]:
    """Return m levels, evenly spaced.

    >>> levels(3)
    (0.25, 0.5, 0.75)
    """
    return tuple((np.arange(1, m + 1) / (m + 1)).tolist())


def drawn_by(some: tuple[float, ...]) -> Any:
    return Quantiles(levels=some, radius=MIDDLE, centre=MIDDLE, sigma=1.0)


def true_quantiles(some: Any) -> Array:
    return np.exp(ndtri(some))


def together(x: Array, m: int, epsilon: float, noise: Generator) -> Array:
    return np.asarray(value_of(drawn_by(levels(m)), x, PureDP(epsilon), noise))


def apart(x: Array, m: int, epsilon: float, noise: Generator) -> Array:
    """Return the quantiles, each drawn for itself with an even share of ε."""
    share = PureDP(epsilon).split(*[1.0] * m)[0]
    return np.array([value_of(drawn_by((one,)), x, share, noise)[0] for one in levels(m)], float)


WAYS = {"together": together, "apart": apart}


def rank_errors(x: Array, released: Array, m: int) -> Array:
    """Return how far every quantile is off, over n.

    >>> rank_errors(np.arange(10.0), np.array([2.5, 4.5, 9.5]), 3).tolist()
    [0.05, 0.0, 0.25]
    """
    ordered, wanted = np.sort(x), len(x) * np.array(levels(m))
    below, at_most = (np.searchsorted(ordered, released, side) for side in ("left", "right"))
    return np.maximum(np.maximum(below - wanted, wanted - at_most), 0.0) / len(x)


@each_trial
def errors(
    ways: Mapping[str, str], m: int, n: int, epsilon: float, *, data: Generator, noise: Generator
) -> Row:
    """Measure the largest error of m quantiles of the same rows, in one way or in both: column -> way."""
    x = np.exp(data.standard_normal(n))
    return {name: rank_errors(x, WAYS[way](x, m, epsilon, noise), m).max() for name, way in ways.items()}


both = partial(errors, {way: way for way in WAYS})
together_errors, apart_errors = (partial(errors, {"error": way}) for way in WAYS)


@lru_cache(maxsize=256)
def foreseen(m: int, n: int, epsilon: float) -> Array:
    """Return simulated errors of quantiles that are drawn together, shape (runs, m), from public numbers.

    Levels that are not drawn lie between others in proportion, which on a skewed distribution is off by
    itself.
    """
    cutting = drawn_by(levels(m)).cutting(n, PureDP(epsilon))
    ranks = np.maximum.accumulate(cutting.levels + _off(cutting) / (n * epsilon), axis=1)
    places = np.clip(true_quantiles(np.clip(ranks, 1e-12, 1 - 1e-12)), 0.0, 2 * MIDDLE)
    out = np.array([np.interp(levels(m), cutting.levels, one) for one in places])
    return np.abs(ndtr(np.log(out)) - levels(m))


def _off(cutting: Cutting) -> Array:
    factor = noise_factor(cutting.levels, cutting.tree) * len(cutting.tree)
    rng = resampler(0, f"{len(cutting.levels)} quantiles foreseen")
    return rng.standard_normal((2000, factor.shape[1])) @ factor.T  # simulated ranks of a prediction


@lru_cache(maxsize=256)
def ranks_together(m: int, share: float) -> float:
    """Return what the ranks of m quantiles are predicted to be within, in a share of runs; all are drawn."""
    errors = _off(drawn_by(levels(m)).cutting(PLENTY, PureDP(1.0)))
    return float(np.quantile(np.abs(errors).max(axis=1), share))


def ranks_apart(m: int, share: float) -> float:
    """Return the same one by one: a rank is off by a Laplace number of scale 2m/ε.

    >>> round(ranks_apart(1, 0.9), 2)
    4.61
    """
    return float(-2 * m * np.log1p(-(share ** (1 / m))))


@lru_cache(maxsize=256)
def chances(m: int, n: int, epsilon: float) -> tuple[Array, Array]:
    """Return distances, and the chance that each of m quantiles, one by one, is off by at most each of them.

    With ranks of the distribution in the place of those of the rows a place x has the density ∝ e^(-nε|F(x) -
    q|/(2m)) on the range: far from its ends F is off by a Laplace number, and near them places escape.
    """
    off = np.geomspace(min(1e-5, 0.02 / (n * epsilon)), 1.0, NEAR)
    found = []
    for level in levels(m):
        around = np.concatenate([np.linspace(0.0, 1.0, CELLS), level - off, level + off])
        edges = np.unique(np.clip(around, 0.0, 1.0))
        lengths = np.diff(np.minimum(true_quantiles(edges), 2 * MIDDLE))
        far = np.abs((edges[1:] + edges[:-1]) / 2 - level)
        below = np.append(0.0, np.cumsum(lengths * np.exp(-n * epsilon / (2 * m) * far)))
        within = np.interp(level + off, edges, below) - np.interp(level - off, edges, below)
        found.append(within / below[-1])
    return off, np.array(found)


def largest(m: int, n: int, epsilon: float) -> tuple[float, float]:
    """Return the medians of the largest error of m quantiles, together and one by one."""
    off, within = chances(m, n, epsilon)
    all_within = within.prod(axis=0)
    return float(np.median(foreseen(m, n, epsilon).max(axis=1))), float(np.interp(0.5, all_within, off))


FEW, MANY = (
    over_grid(f"one-mean-quantiles-{word}", both, trials, 70, 1, m=some, n=N, epsilon=EPSILON)
    for word, some, trials in (("few", COUNTS[:2], 20), ("many", COUNTS[2:], 8))
)


def gain(few: DataFrame, many: DataFrame, seed: int) -> Checks:
    rng, frames = resampler(seed, FEW.name), concat([few, many], ignore_index=True)
    for m in COUNTS:
        predicted, by = largest(m, N, EPSILON), NEAR_PREDICTED[m]
        ratio = predicted[1] / predicted[0]
        top, bottom = (at(frames, m=m)[column].to_numpy() for column in ("apart", "together"))
        yield median_ratio(f"m = {m}", top, bottom, ratio / by, ratio * by, CHECK_LEVEL, rng, n=N)


def searched(key: str, block: Any, ranks: Any, *moves: Move) -> Statement:
    """Return a statement about the n from which all of m quantiles are predicted to be within α."""

    def rows(m: int, epsilon: float, alpha: float) -> float:
        return float(ranks(m, SHARE)) / float(epsilon * alpha)

    return Statement(
        STATEMENT,
        key,
        {"m": 9, "epsilon": 1.0, "alpha": 0.03},
        rows,
        moves,
        block,
        predicted=rows,
        bound="equal",
        share=SHARE,
        caps={"full": 150},
    )


COUNTED, CLOSE, ROOT = (1.0, 3.0, 5.0, 11.0), {"alpha": 0.02}, "√m/(αε)"
TOGETHER = searched(
    "univariate/quantiles",
    together_errors,
    ranks_together,
    Move("m", COUNTED, 0.5, {"m": 1.0, "flat": 0.0}, f"{ROOT}, a logarithm left out", CLOSE, caps=SEEN),
    Move("epsilon", (1.0, 0.5, 0.25, 0.125), -1, {"1/ε²": -2.0, "1/√ε": -0.5}, ROOT),
    Move("alpha", (0.06, 0.03, 0.015, 0.0075), -1, {"1/α²": -2.0, "1/√α": -0.5}, ROOT),
)
APART = searched(
    "univariate/quantiles [one by one]",
    apart_errors,
    ranks_apart,
    Move("m", COUNTED, 1, {"√m": 0.5, "m²": 2.0}, "m ln(m)/(αε)", CLOSE),
)

CLAIMS = (
    Claim(
        "one-mean/many-quantiles-gain",
        "Q1",
        (STATEMENT, "LKKO21/Alg14"),
        "Of 10,000 log-normal rows on [0, 100] at ε = 1 the largest rank error of m = 3, 9, 33, 99"
        " quantiles, a median each with ε/m, is 1.9, 4.3, 10 and 21 times that of all drawn together: as"
        " predicted with all constants, within a factor of 1.7, 1.4, 1.2 and 1.25.",
        gain,
        lambda: (FEW, MANY),
        kind="ours",
    ),
    Claim(
        "one-mean/quantile-rows-grow",
        "Q2",
        (STATEMENT,),
        "Searched n with which all of m quantiles, drawn together, are within α in rank in 90 % of runs"
        " grow as predicted with all constants, near √m/(αε), and those of a median each as m ln(m)/(αε)"
        " does: m = 1 .. 11, ε = 1 .. 1/8, α = .06 .. .0075.",
        follow,
        scalings=lambda: chain(TOGETHER.scalings(), APART.scalings()),
        kind="ours",
    ),
)
