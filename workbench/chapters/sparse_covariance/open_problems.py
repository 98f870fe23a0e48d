"""The open problems of WX19: the best threshold, and a radius that nobody gave; and a reader's own rule."""

from collections.abc import Callable, Mapping
from math import exp, log

import numpy as np
import pandas as pd
from numpy.random import Generator

from workbench.chapters.sparse_covariance.designs import (
    DELTA,
    bootstrapped,
    crossing,
    exponential,
    f1,
    geometric,
    released,
    share_of,
    spectral,
    spread,
    trials,
)
from workbench.estimators.sparse import RULES, Noise, Rule, ThresholdedCovariance, thresholded
from workbench.linalg import norms, psd_part
from workbench.privacy import ApproxDP, SimulatedNoise
from workbench.study import measures
from workbench.study.claim import Claim
from workbench.study.grids import Role, Sweep, grid, stream
from workbench.study.measures import Measure, at
from workbench.study.profiles import blocks, claim_level
from workbench.study.rules import Complexity, Verdict, sized
from workbench.study.run import Row, each_trial
from workbench.types import Array

SUPPORT_N = tuple(round(n) for n in np.geomspace(5e3, 4e6, 10))
FOUND = 0.9


@each_trial
def supports(
    p: int,
    n: int,
    epsilon: float,
    degree: float,
    *,
    delta: float = DELTA,
    data: Generator,
    noise: Generator,
) -> Row:
    """Measure F1 of the support that every rule finds in one release."""
    covariance = spread(p, share_of(p, degree), n, data)
    one = released(covariance, n, epsilon, data, noise, delta=delta)
    found: dict[str, float] = {rule: f1(one.kept(rule, noise), covariance) for rule in RULES}
    bare = thresholded(one.empirical, Noise(0.0, 0.0, n), "adaptive-lasso", noise)
    return found | {"without": f1(bare, covariance), "all pairs": f1(one.released, covariance)}


SUPPORT = Sweep(
    "wx19-support",
    grid(p=100, n=SUPPORT_N, epsilon=1.0, degree=3),
    supports,
    trials=2,
    blocks=blocks(10),
    in_law=True,
)


def rows_to_find(frame: pd.DataFrame, rule: str, level: float, seed: int) -> Measure:
    """Return log n at which the mean F1 of a rule passes .9 for good; nan if it does not on the grid."""
    ns = list(measures.by(frame, "n"))

    def passed(rows: Array) -> float:
        return crossing(ns, rows.mean(axis=0), FOUND, falling=False)

    return bootstrapped(passed, trials(frame, "n", rule), level, f"wx19-support-{rule}", seed)


def support_checks(frame: pd.DataFrame, seed: int) -> list[Verdict]:
    found = {rule: rows_to_find(frame, rule, claim_level(parts=3), seed) for rule in RULES}
    inside = (log(SUPPORT_N[0]), log(SUPPORT_N[-1]))
    checks = []
    for rule in ("adaptive-lasso", "paper"):
        name = f"ln n at which F1 passes .9, {rule}"
        checks.append(sized(measures.between(name, found[rule], *inside), support_size(found, rule)))
    ours, theirs = (exponential(found[rule]) for rule in ("adaptive-lasso", "paper"))
    name, ratio = "n of the default over that of equation (9)", measures.ratio(ours, theirs)
    return [*checks, measures.between(name, ratio, 0.0, 1.0)]


def support_size(found: Mapping[Rule, Measure], rule: Rule) -> Complexity:
    """Return the n that a rule needs beside that of the source's rule."""
    measure, formula = exponential(found[rule]), "at most the n of equation (9)'s rule: support with F1 = .9"
    theirs = found["paper"].estimate
    predicted = exp(theirs) if np.isfinite(theirs) else float("nan")
    return Complexity("WX19/open1", formula, predicted, measure.estimate, measure.interval)


SCALES = (1e-3, 1.0, 1e4)
QUANTILES = (0.5, 0.75, 0.9, 0.95, 0.99, 1.0)
WORSE = 1.6
N, P, DEGREE = 20_000, 50, 3


@each_trial
def radii(
    scale: float,
    n: int,
    p: int,
    epsilon: float,
    degree: float,
    *,
    delta: float = DELTA,
    data: Generator,
    noise: Generator,
) -> Row:
    """Measure the errors with the private radius, and with fixed ones at quantiles of the norms."""
    budget = ApproxDP(epsilon, delta)
    covariance = spread(p, share_of(p, degree), n, data)
    root = np.linalg.cholesky(covariance)
    x = scale * data.standard_normal((n, p)) @ root.T
    fixed = dict(zip(QUANTILES, np.quantile(norms(x), QUANTILES), strict=True))
    choices = {"private": None, **{f"q = {q:g}": float(radius) for q, radius in fixed.items()}}
    truth, source = scale**2 * covariance, SimulatedNoise(noise)
    found = {
        name: ThresholdedCovariance(radius=radius).estimate(x, budget, source).psd
        for name, radius in choices.items()
    }
    return {name: spectral(matrix - truth) / spectral(truth) for name, matrix in found.items()}


RADIUS = Sweep(
    "wx19-unknown-radius",
    grid(scale=SCALES, n=N, p=P, epsilon=1.0, degree=DEGREE),
    radii,
    trials=5,
    blocks=blocks(10),
)


def radius_checks(frame: pd.DataFrame) -> list[Verdict]:
    checks = []
    for scale in SCALES:
        rows = at(frame, scale=scale)
        best = min((f"q = {q:g}" for q in QUANTILES), key=lambda name: float(np.log(rows[name]).mean()))
        ratio = geometric(rows["private"] / rows[best], claim_level(parts=len(SCALES)))
        name = f"private radius over the best fixed one ({best}), scale {scale:g}"
        checks.append(measures.between(name, ratio, 0.0, WORSE, n=20_000))
    return checks


WORLDS = 20
COLUMNS, DEGREES, ROWS = (40, 160), (1, 6), (6e3, 1e5)
Mine = Callable[[Array, float, int], Array]


def hidden_worlds(rule: Mine, *, seed: int = 17) -> str:
    """Return in words how a rule's spectral error compares with that of the default rule.

    Every world has another truth, other columns and other rows; ε is 1 and δ is 1e-6.

    Parameters
    ----------
    rule : callable
        `(T, sd, n)` returns what it keeps of the release T; sd is that of its noise off the diagonal.
    seed : int
        Of the worlds and of the noise.
    """
    data, noise = (stream(seed, role, "wx19-hidden-worlds", 0, 0) for role in (Role.DATA, Role.NOISE))
    ours, plain = np.log([_ratios(rule, data, noise) for _ in range(WORLDS)]).T
    return (
        f"{WORLDS} hidden worlds: {np.exp(ours.mean()):.2f} times the error of the default rule,"
        f" {np.exp(plain.mean()):.2f} times that of the plain release (geometric means)"
    )


def _ratios(rule: Mine, data: np.random.Generator, noise: np.random.Generator) -> tuple[float, float]:
    p, degree = (int(data.integers(low, high + 1)) for low, high in (COLUMNS, DEGREES))
    n = round(np.exp(data.uniform(*np.log(ROWS))))
    one = released(spread(p, share_of(p, degree), n, data), n, 1.0, data, noise)
    kept = psd_part(np.asarray(rule(one.released.copy(), one.noise.off_diagonal, n), np.float64))
    default = one.thresholded("adaptive-lasso", noise).psd
    found, ours, plain = (spectral(made - one.truth) for made in (kept, default, one.released))
    return found / ours, found / plain


CLAIMS = (
    Claim(
        "sparse-covariance/support-found",
        "S14",
        ("WX19/open1",),
        "At p = 100, s = 3, ε = 1 the support of the default rule passes F1 = .9 at no more rows than that"
        " of equation (9), both between n = 5e3 and 4e6.",
        sweeps=lambda: (SUPPORT,),
        checks=support_checks,
        kind="ours",
    ),
    Claim(
        "sparse-covariance/unknown-radius",
        "S15",
        ("WX19/open2",),
        "With the radius unknown, on data of scale 1e-3, 1 and 1e4 (n = 2e4, p = 50, ε = 1), the error is"
        " at most 1.6 times that with the best of six fixed radii at quantiles of the true norms.",
        sweeps=lambda: (RADIUS,),
        checks=radius_checks,
        kind="ours",
    ),
)
