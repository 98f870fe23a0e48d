"""A whole Gaussian within known bounds: what an unknown mean costs, and what public numbers foresee.

Covariances are rotated, eigenvalues at least 1, the mean ten standard deviations away. The public bounds are
1, the condition number, and ten times its root for the mean.
"""

from math import hypot, inf, sqrt

import numpy as np
from numpy.random import Generator
from pandas import DataFrame

from workbench.chapters.many_dimensions.coinpress import AS_PREDICTED, RHO, SOURCE, column, ratio
from workbench.estimators.coinpress import CoinPressCovariance, CoinPressGaussian
from workbench.populations.rotated import named, rotated, shown
from workbench.privacy import ZCDP
from workbench.study.measures import at, near, paired_columns, resampled
from workbench.study.rules import Checks, Claim, Verdict, claim_level
from workbench.study.sweeps import Point, Row, Sweep, blocks, each_trial, over_grid, resampler, value_of
from workbench.types import Array

FAR = 10.0  # standard deviations from the middle to the mean
PAIRED = 1.3  # errors of pairs over those for a known mean, at least


def joint_of(condition: float) -> CoinPressGaussian:
    return CoinPressGaussian(radius=FAR * sqrt(condition), upper=condition, lower=1.0)


@each_trial
def prices(n: int, d: int, rho: float, condition: float, *, data: Generator, noise: Generator) -> Row:
    budget = ZCDP(rho)
    told, paired = (
        CoinPressCovariance(upper=condition, centred=one, paired=True, lower=1.0) for one in (True, False)
    )
    law = rotated(named("geometric", d, condition), data, FAR)
    x = law.sample(n, rng=data)
    joint = value_of(joint_of(condition), x, budget, noise)
    known = value_of(told, x - law.mean, budget, noise)
    pairs = value_of(paired, x, budget, noise)
    return {"joint": law.error(joint.covariance), "known": law.error(known), "pairs": law.error(pairs)}


@each_trial
def foreseen(
    n: int, d: int, rho: float, condition: float, spectrum: str, *, data: Generator, noise: Generator
) -> Row:
    law = rotated(named(spectrum, d, condition), data, FAR)
    value = value_of(joint_of(condition), law.sample(n, rng=data), ZCDP(rho), noise)
    return {"error": hypot(law.mean_error(value.mean), law.error(value.covariance))}


PRICES = over_grid("m21-joint-prices", prices, 8, 30, n=10_000, d=10, rho=RHO, condition=(1.0, 1e2, 1e4))
SETTINGS: tuple[Point, ...] = (
    {"n": 700, "d": 5, "rho": 0.5, "condition": 1e4},
    {"n": 1000, "d": 10, "rho": 0.1, "condition": 1.0},
    {"n": 3000, "d": 10, "rho": 0.1, "condition": 1e2},
    {"n": 2300, "d": 10, "rho": 0.5, "condition": 1e8},
)
FEW: tuple[Point, ...] = ({"n": 1050, "d": 2, "rho": 0.1, "condition": 1e8},)


def over_spectra(name: str, settings: tuple[Point, ...], trials: int) -> Sweep:
    points = tuple(
        {**one, "spectrum": spectrum}
        for one in settings
        for spectrum in shown(
            one["d"],
            "gaussian/coinpress",
            longest=one["condition"],
            few=("round", "one large", "one small", "geometric"),
        )
    )
    return Sweep(name, points, foreseen, trials, blocks(20))


FORESEEN = over_spectra("m21-joint-foreseen", SETTINGS, 10)
FORESEEN_FEW = over_spectra("m21-joint-foreseen-few", FEW, 60)  # errors in few dimensions vary more


def price_checks(frame: DataFrame, seed: int) -> Checks:
    level, rng = claim_level(parts=2 * len(PRICES.points)), resampler(seed, PRICES.name)
    for point in PRICES.points:
        rows, where = at(frame, condition=point["condition"]), f"condition {point['condition']:g}"
        for name, low, high in (("joint", 0.0, 1.05), ("pairs", PAIRED, inf)):
            both, said = (column(rows, name), column(rows, "known")), f"{name} over known mean, {where}"
            yield ratio(said, *both, low, high, level, rng, n=point["n"])


def prediction(*frames: DataFrame, seed: int) -> Checks:
    rng, level = resampler(seed, "m21-joint-foreseen"), claim_level(parts=len(SETTINGS + FEW))
    settings = [(frames[0], point) for point in SETTINGS] + [(frames[1], point) for point in FEW]
    return [worst(frame, point, level, rng) for frame, point in settings]


def worst(frame: DataFrame, point: Point, level: float, rng: Generator) -> Verdict:
    n, d, rho = point["n"], point["d"], point["rho"]
    errors = paired_columns(at(frame, **point), "error", "spectrum")

    def largest(sample: Array) -> float:
        return float(np.median(sample, axis=0).max())

    found = resampled(largest, errors, level, rng)
    predicted = joint_of(point["condition"]).predicted_error(n, d, ZCDP(rho))
    where = f"n = {n}, d = {d}, ρ = {rho:g}, condition {point['condition']:g}"
    return near(where, found, predicted, AS_PREDICTED, n=n, level=level)


CLAIMS = (
    Claim(
        "covariance/price-of-unknown-mean",
        "M21.4",
        (SOURCE, "proofs/gaussian_steps.md"),
        "d = 10, n = 1e4, ρ = .5, condition numbers 1, 1e2, 1e4, rotated: an unknown mean, within ten of the"
        " largest standard deviations, adds at most 5 % to the covariance's error that covariance/coinpress"
        " has for a known one, if gaussian/coinpress measures both; pairs add at least 30 %.",
        price_checks,
        lambda: [PRICES],
        kind="ours",
    ),
    Claim(
        "covariance/joint-error-as-predicted",
        "M21.5",
        (SOURCE, "proofs/gaussian_steps.md"),
        "The error of mean and covariance that gaussian/coinpress predicts from public numbers is, within"
        " 15 %, the largest median over spectra (round, one large, one small, equal ratios): d = 2 to 10,"
        " condition numbers 1 to 1e8, 1.3 to 6 times as many rows as where predictions begin to be finite.",
        prediction,
        lambda: (FORESEEN, FORESEEN_FEW),
        kind="ours",
    ),
)
