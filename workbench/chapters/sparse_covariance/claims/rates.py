"""Claims about n and ε: how fast noise fades in either model, and when privacy costs nothing any more.

WX19 Theorems 2 and 3. Errors are spectral, and relative to the truth's norm.
"""

import numpy as np
import pandas as pd
from numpy.random import Generator

from workbench.chapters.sparse_covariance.runs.designs import (
    DELTA,
    Model,
    charged,
    released,
    share_of,
    spectral,
    spread,
    without_privacy,
)
from workbench.chapters.sparse_covariance.runs.measures import geometric
from workbench.privacy import ApproxDP, Charge
from workbench.privacy.mechanisms import gaussian_mu, gaussian_scale
from workbench.study import measures
from workbench.study.claim import Claim
from workbench.study.intervals import local_slope
from workbench.study.measures import Measure, at
from workbench.study.profiles import blocks, claim_level
from workbench.study.sweeps.sweep import Sweep, grid
from workbench.study.trials import Row, each_trial
from workbench.study.verdict import Verdict

DEGREE = 3
RATE_P, RATE_N, RATE_EPSILON = 100, (1000, 2000, 4000, 8000), (0.25, 0.5, 1.0, 2.0)
SLOPE_BAND, EPSILON_BAND, EPSILON_SLOPE = 0.02, 0.05, -0.93
PRICE_P, FREE, STILL = (50, 100), (0.85, 1.2), (1.1, 1.6)


@each_trial
def plain_in_law(
    model: str, n: int, epsilon: float, p: int, degree: float, *, data: Generator, noise: Generator
) -> Row:
    """Measure the spectral error of the plain release in either model."""
    chosen: Model = "local" if model == "local" else "central"
    covariance = spread(p, share_of(p, degree), n, data)
    one = released(covariance, n, epsilon, data, noise, model=chosen)
    return {"plain": spectral(one.released - covariance)}


RATES = Sweep(
    "wx19-rates",
    grid(model=("central", "local"), n=RATE_N, epsilon=1.0, p=RATE_P, degree=DEGREE)
    + grid(model="central", n=RATE_N[0], epsilon=(0.25, 0.5, 2.0), p=RATE_P, degree=DEGREE),
    plain_in_law,
    trials=5,
    blocks=blocks(20),
)


def price_rows(p: int, whole_trace: bool) -> int:
    """Return 10 (p σ₁/tr)², or 10 (p σ₁)² with the trace taken as 1; σ₁ is the noise of sensitivity 1."""
    sd = 1 / gaussian_mu(ApproxDP(1.0, DELTA))
    first = spread(p, share_of(p, DEGREE), round(10 * (p * sd) ** 2), np.random.default_rng(p))
    return round(10 * (p * sd / (1.0 if whole_trace else float(np.trace(first)))) ** 2)


@each_trial
def price(
    p: int, n: int, epsilon: float, degree: float, trace: str, *, data: Generator, noise: Generator
) -> Row:
    """Measure the error of the default rule with and without privacy on the same rows."""
    covariance = spread(p, share_of(p, degree), n, data)
    one = released(covariance, n, epsilon, data, noise)
    kept, plain = one.thresholded("adaptive-lasso", noise), without_privacy(one, "adaptive-lasso", noise)
    return {"private": spectral(kept.psd - covariance), "without": spectral(plain - covariance)}


PRICE = Sweep(
    "wx19-price",
    tuple(
        {"p": p, "n": price_rows(p, whole), "epsilon": 1.0, "degree": DEGREE, "trace": "1" if whole else "tr"}
        for p in PRICE_P
        for whole in (False, True)
    ),
    price,
    trials=5,
    blocks=blocks(20),
)


def privacy_costs(rates: pd.DataFrame, prices: pd.DataFrame) -> list[Verdict]:
    """Return the checks of sparse-covariance/price-of-privacy."""
    return [*rate_checks(rates), *price_checks(prices)]


def rate_checks(frame: pd.DataFrame) -> list[Verdict]:
    """Return the slopes in n of both models, and that in ε."""
    checks = []
    for model, slope in (("central", -1.0), ("local", -0.5)):
        rows = at(frame, model=model, epsilon=1.0)
        found = _slope(rows, "n", RATE_N)
        limits = slope - SLOPE_BAND, slope + SLOPE_BAND
        checks.append(measures.between(f"slope in n, {model}", found, *limits, bound=slope))
    found = _slope(at(frame, model="central", n=RATE_N[0]), "epsilon", RATE_EPSILON)
    scales = [gaussian_scale(_charge(epsilon)) for epsilon in RATE_EPSILON]
    slope = local_slope(RATE_EPSILON, scales)
    limits = slope - EPSILON_BAND, slope + EPSILON_BAND
    checks.append(measures.between("slope in ε, central", found, *limits, n=RATE_N[0], bound=slope))
    return checks


def _charge(epsilon: float) -> Charge:
    return charged(RATE_P, RATE_N[0], ApproxDP(epsilon, DELTA), "central", "tight")


def _slope(frame: pd.DataFrame, along: str, xs: tuple[float, ...]) -> Measure:
    level = claim_level(parts=len(xs))
    logs = [measures.logarithm(geometric(at(frame, **{along: x})["plain"], level)) for x in xs]
    return measures.slope(np.log(xs), logs)


def price_checks(frame: pd.DataFrame) -> list[Verdict]:
    """Return the private error over the one without privacy, at both n of every p."""
    checks = []
    for p in PRICE_P:
        for trace, limits in (("tr", FREE), ("1", STILL)):
            rows = at(frame, p=p, trace=trace)
            ratio = geometric(rows["private"] / rows["without"], claim_level())
            name = f"error over that without privacy, p = {p}, n = 10 (p σ₁/{trace})²"
            checks.append(measures.between(name, ratio, *limits, n=int(rows["n"].max())))
    return checks


CLAIMS = (
    Claim(
        "sparse-covariance/price-of-privacy",
        "S6",
        ("WX19/Thm2", "WX19/Thm3", "WX19/finding3"),
        "Where noise dominates, the error of the plain release falls as 1/n centrally and 1/√n locally"
        " (slopes within .02) and with ε as the calibrated noise does (-.93, within .05). The price of"
        " central privacy fades: 10 (p σ₁/tr)² rows make it .85 to 1.2 times the error without, 10 (p σ₁)²"
        " still 1.1 to 1.6.",
        sweeps=lambda: (RATES, PRICE),
        checks=privacy_costs,
    ),
)
