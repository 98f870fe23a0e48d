"""Heavy tails: bias and noise balance at the best radius; preconditioned, the error does not depend on u.

M21/HT Theorems 3.1 and 3.2. Rows are Student's t of mean 0. Bias and noise are measured apart from the error
of sampling, on the same rows, and compared with a prediction that is exact for rows of covariance I: nothing
is fitted. Slopes are compared with those of that prediction between the same n, because the exponents
-(k - 1)/k of the source are limits; (ν - 2)/ν stands for (k - 1)/k with 2k = ν, the moment that just fails to
exist.

With |x|² = (ν - 2) B/(1 - B), B of the distribution Beta(d/2, ν/2), every truncated moment of |x| is an
incomplete beta function. For rows clipped to the ball of radius γ the second moment has the expectation s I,

    bias       √d (1 - s),  1 - s = E(|x|² - γ²)₊/d
    sampling   √((E min(|x|, γ)⁴ - d s²)/n)                      root mean square, in Frobenius norm
    noise      γ²/(n√ρ) √(d(d + 1)/2)                             root mean square, ρ-zCDP
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from math import exp, inf, log, nan, sqrt
from typing import Any

import numpy as np
from numpy.random import Generator
from pandas import DataFrame
from scipy.optimize import minimize_scalar

from workbench.bounds import smallest
from workbench.chapters.covariance import one_radius
from workbench.chapters.covariance.one_radius import (
    NAIVE,
    PRECONDITIONED,
    estimate_zero,
    geometric,
    pair,
)
from workbench.charts.curves import (
    ERROR,
    LEVEL,
    Chart,
    Mark,
    Panel,
    measured,
    medians,
    number,
    styled,
    text_at,
    theory,
)
from workbench.estimators.heavy_tailed import (
    HeavyTailedCovariance,
    HeavyTailedNaiveCovariance,
    Stage,
    preconditioning_step,
)
from workbench.estimators.shared.budgets import gaussian_total
from workbench.estimators.shared.rows import second_moment_sensitivity, second_moment_within
from workbench.linalg import mapped_back, norms, psd_part, second_moment
from workbench.populations.rotated import Rotated, rotated
from workbench.privacy import ZCDP, Charge, noise_source
from workbench.privacy.mechanisms import gaussian_scale, symmetric_gaussian
from workbench.special import betainc, betaln
from workbench.study import measures
from workbench.study.measures import by, local_slope, rms, seldom, summary
from workbench.study.rules import Checks, Claim, enough, in_proportion
from workbench.study.sweeps import Row, Run, Sweep, each_trial, grid, multiples, over_grid, value_of
from workbench.types import Array, Columns

RHO, D = 0.5, 5
DEGREES = (4.2, 6.2, 10.2)  # of freedom
LAYER_N, LAYER_ROWS = (3000, 10_000, 30_000), 90_000  # rows of a trial: several samples of n rows
SHOWN_N, SHOWN_DEGREES = 10_000, (4.2, 10.2)
LAYERS = ("bias", "noise", "sampling")
FACTORS = tuple(np.geomspace(0.4, 2.5, 11).tolist())  # of the best radius
UPPERS = (10.0, 1e2, 1e3, 1e4, 1e5)
SPREAD_N, SPREAD_DRAWS = 50_000, 40  # draws of the naive noise in a trial
STEP_LOWER, STEP_BETA, STEP_DEGREES = 1 / 16, 0.1, one_radius.DEGREES
SIZE_LAWS = {2: 6.0, 3: 10.0}  # moments: degrees of freedom
SLOPE, EXPONENT, FLAT = 0.08, 0.1, 1.5  # tolerance beside the local slope, and beside its limit


# What is predicted


def _charge(n: int, radius: float, rho: float) -> Charge:
    return Charge("covariance", "symmetric_gaussian", second_moment_sensitivity(n, radius), ZCDP(rho))


@dataclass(frozen=True)
class CutStudent:
    """Rows of dimension d with ν = `degrees`, clipped to a ball."""

    degrees: float
    d: int

    def bias(self, radius: float) -> float:
        return (self.beyond(1, radius) - radius**2 * self.beyond(0, radius)) / sqrt(self.d)

    def sampling(self, radius: float, n: int) -> float:
        s = 1 - self.bias(radius) / sqrt(self.d)
        fourth = self.moment(2) - self.beyond(2, radius) + radius**4 * self.beyond(0, radius)
        return sqrt((fourth - self.d * s**2) / n)

    def noise(self, radius: float, n: int, rho: float) -> float:
        return gaussian_scale(_charge(n, radius, rho)) * sqrt(self.d * (self.d + 1) / 2)

    def private(self, radius: float, n: int, rho: float) -> float:
        return self.bias(radius) + self.noise(radius, n, rho)

    def best_radius(self, n: int, rho: float) -> float:
        ends = log(sqrt(self.d)) - 2, log(sqrt(self.d)) + 8
        found = minimize_scalar(lambda u: self.private(exp(u), n, rho), bounds=ends, method="bounded")
        return exp(float(found.x))

    def least(self, n: int, rho: float) -> float:
        return self.private(self.best_radius(n, rho), n, rho)

    def moment(self, order: int) -> float:
        a, b = self.d / 2, self.degrees / 2
        return float((self.degrees - 2) ** order * exp(betaln(a + order, b - order) - betaln(a, b)))

    def beyond(self, order: int, radius: float) -> float:
        # E[|x|^{2 order}; |x| > γ]
        share = radius**2 / (self.degrees - 2 + radius**2)
        return float(self.moment(order) * (1 - betainc(self.d / 2 + order, self.degrees / 2 - order, share)))


def naive(
    upper: float, n: int, rho: float = RHO, d: int = D
) -> tuple[HeavyTailedNaiveCovariance, Stage, Charge]:
    estimator = replace(pair(upper)[0], calibration="paper")
    (stage,) = estimator.stages(n, d, ZCDP(rho))
    (charge,) = estimator.plan(n, d, ZCDP(rho)).charges()
    return estimator, stage, charge


def naive_noise(upper: float, n: int = SPREAD_N, rho: float = RHO, d: int = D) -> float:
    """Return the root mean square of the naive estimator's noise in the norm of Σ, before its positive part.

    Noise of sd s on the diagonal and s/√2 off it has the square s² (Σ 1/λ_i² + (Σ 1/λ_i)²)/2, in units of
    `upper`, in whatever frame.
    """
    _, _, charge = naive(upper, n, rho, d)
    inverse = 1 / geometric(d, upper)
    return upper * gaussian_scale(charge) * sqrt(((inverse**2).sum() + inverse.sum() ** 2) / 2)


def stepping(calibration: Any) -> HeavyTailedCovariance:
    return replace(pair(1.0)[1], lower=STEP_LOWER, calibration=calibration, mode="proved")


def step_rows(d: int, calibration: str) -> int:
    """Return the fewest rows from which a step doubles every ℓ ≤ 1/4, with probability .9 by its bound."""
    estimator, mu = stepping(calibration), gaussian_total(ZCDP(RHO))

    def doubles(m: int) -> bool:
        _, band = preconditioning_step(estimator, d, mu, m, 0.25, STEP_BETA)
        return band.next_lower(0.25) >= 0.5

    return smallest(doubles, start=2)


# What is run


def layers(
    degrees: float, n: int, *, rho: float = RHO, d: int = D, trials: int, data: Generator, noise: Generator
) -> Columns:
    """Measure bias, noise and sampling error of clipped rows of covariance I, at every factor.

    A trial is the mean bias, and the root mean square of the others, over several samples of n rows.
    """
    law, source = CutStudent(degrees, d), noise_source(noise)
    best, count = law.best_radius(n, rho), max(1, LAYER_ROWS // n)
    found = np.empty((trials, count, len(LAYERS), len(FACTORS)))
    for at in np.ndindex(trials, count):
        rows = Rotated(np.eye(d), np.ones(d), degrees=degrees).sample(n, rng=data)
        lengths = norms(rows)
        for i, factor in enumerate(FACTORS):
            radius = factor * best
            moment = np.asarray(second_moment_within(rows, radius))
            noisy = symmetric_gaussian(moment, _charge(n, radius, rho), source)
            expected = (1 - law.bias(radius) / sqrt(d)) * np.eye(d)
            bias = np.maximum(lengths**2 - radius**2, 0).mean() / sqrt(d)
            found[at][:, i] = bias, np.linalg.norm(noisy - moment), np.linalg.norm(moment - expected)
    parts = found.transpose(2, 3, 0, 1)  # part, factor, trial, sample
    sizes = np.stack([parts[0].mean(axis=-1), *np.sqrt((parts[1:] ** 2).mean(axis=-1))])
    return {f"{part} {i}": sizes[place, i] for place, part in enumerate(LAYERS) for i in range(len(FACTORS))}


@each_trial
def spreads(n: int, upper: float, *, rho: float = RHO, d: int = D, data: Generator, noise: Generator) -> Row:
    """Measure naive and preconditioned errors on ellipsoids of this length, private parts apart.

    `naive noise` is that of the noisy matrix before its positive part is taken, over `SPREAD_DRAWS` draws.
    """
    law = rotated(geometric(d, upper), data, degrees=STEP_DEGREES)
    x, a = law.sample(n, rng=data), np.eye(d) / sqrt(upper)
    plain, (one_step, stage, charge) = second_moment(x), naive(upper, n, rho, d)
    moment, source = np.asarray(one_step.moment(x, a, stage)), noise_source(noise)
    noisy = np.array([symmetric_gaussian(moment, charge, source) for _ in range(SPREAD_DRAWS)])
    simple = mapped_back(psd_part(noisy[0]), a)
    value = value_of(pair(upper)[1], x, ZCDP(rho), noise)
    return {
        "error": law.error(value),
        "private": law.size(value - plain),
        "reference": law.error(plain),
        "naive": law.error(simple),
        "naive noise": rms([law.size(upper * (z - moment)) for z in noisy]),
    }


@each_trial
def steps(d: int, calibration: Any, n: int, *, data: Generator, noise: Generator) -> Row:
    """Take one step of preconditioning from spectra that reach from ℓ to 1: where the new spectrum lies."""
    estimator, mu = stepping(calibration), gaussian_total(ZCDP(RHO))
    radius, band = preconditioning_step(estimator, d, mu, n, STEP_LOWER, STEP_BETA)
    stage = Stage(0, n, 1.0, radius, STEP_LOWER, band)
    charge = Charge("step", "symmetric_gaussian", stage.sensitivity, ZCDP(RHO))
    between = np.exp(data.uniform(np.log(STEP_LOWER), 0.0, d - 2))
    law = rotated(np.concatenate([[STEP_LOWER, 1.0], between]), data, degrees=STEP_DEGREES)
    moment = np.asarray(estimator.moment(law.sample(n, rng=data), np.eye(d), stage))
    noisy = symmetric_gaussian(moment, charge, noise_source(noise))
    seen = law.seen_by(band.preconditioned(noisy, STEP_LOWER, np.eye(d)))
    return {"low": seen[0], "high": seen[-1], "promised": band.next_lower(STEP_LOWER)}


LAYERED = over_grid("m21-heavy-layers", layers, 10, degrees=DEGREES, n=LAYER_N)
SPREADS = over_grid("m21-heavy-spreads", spreads, 10, n=SPREAD_N, upper=UPPERS)
STEPS = Sweep(
    "m21-heavy-steps",
    tuple(
        {"d": d, "calibration": calibration, "n": step_rows(d, calibration)}
        for d in (2, 5)
        for calibration in ("paper", "tight")
    ),
    steps,
    60,
)


# What is shown


def three_layers(
    run: Run, *, rho: float = RHO, n: int = SHOWN_N, d: int = D, degrees: float = SHOWN_DEGREES[0]
) -> Chart:
    """Return bias, noise and sampling error against the clipping radius (for two kinds of rows)."""
    both = (degrees, degrees + SHOWN_DEGREES[1] - SHOWN_DEGREES[0])
    frame, panels = run.table(LAYERED.moved(grid(degrees=both, n=n, rho=rho, d=d))), []
    best = {CutStudent(one, d): CutStudent(one, d).best_radius(n, rho) for one in both}
    ends = 0.95 * min(best.values()) * FACTORS[0], 1.05 * max(best.values()) * FACTORS[-1]
    for law, middle in best.items():
        rows, radii = measures.at(frame, degrees=law.degrees, n=n), middle * np.array(FACTORS)
        fine = np.geomspace(radii[0], radii[-1], 41).tolist()
        layers: tuple[tuple[str, Callable[..., float], Callable[[float], float]], ...] = (
            ("bias", measures.mean, law.bias),
            ("noise", rms, partial(law.noise, n=n, rho=rho)),
            ("sampling", rms, partial(law.sampling, n=n)),
        )
        curves, lines = [], []
        for part, statistic, foreseen in layers:
            values, shown, key = layer(rows, part), radii if len(rows) else (), f"idea/{part}"
            found = {
                at: summary(statistic, values[:, i], run.seed, part, LEVEL) for i, at in enumerate(shown)
            }
            # the bias that less than one row makes is seen in few trials
            seen = [part != "bias" or n * law.beyond(0, radius) >= 1 for radius in found]
            expected = [foreseen(radius) if one else nan for radius, one in zip(found, seen, strict=True)]
            curves.append(measured(part, found, key, expected))
            lines.append(theory("", fine, map(foreseen, fine), key))
        total = styled("truth", "bias + noise", fine, [law.private(radius, n, rho) for radius in fine])
        panel = Panel(
            f"Student rows, ν = {law.degrees:g}", "clipping radius γ (σ)", ERROR, (*curves, *lines, total),
            note=f"n = {number(n)}, d = {d}, ρ = {number(rho)}.", xlim=ends, ylim=(1e-4, 2.0),
            marks=[Mark(f"best radius: {number(middle, 2)}", "vertical", middle)],
        )  # fmt: skip
        panels.append(panel)
    return Chart(
        "three_layers",
        "More moments move the best radius left, and the error down",
        panels,
        alt="Bias falls with the clipping radius, noise grows as its square, the sampling error changes"
        " least. Bias and noise cross; their sum is least near the crossing, marked by a vertical"
        " line. With more moments the bias falls faster, and the least sum is smaller.",
        how_to_read="To the right you clip less: the bias falls, and the noise, which has to hide a row as"
        " long as γ, grows as γ². Near where they meet, their sum (black) is least. Sampling error is what"
        " remains without privacy.",
    )


def long_ellipsoids(
    run: Run, *, rho: float = RHO, n: int = SHOWN_N, d: int = D, upper: float = UPPERS[1]
) -> Chart:
    """Return errors, naive and preconditioned, against the length of the ellipsoid."""
    (rows,) = multiples([SPREAD_N], n / SHOWN_N)
    uppers = sorted({max(upper * one / UPPERS[1], 1.0) for one in UPPERS})
    groups = by(run.table(SPREADS.moved(grid(n=rows, upper=uppers, rho=rho, d=d))), "upper")
    series = [
        measured("one radius", medians(groups, "naive"), NAIVE),
        measured("preconditioned", medians(groups, "error"), PRECONDITIONED),
    ]
    noise = [naive_noise(one, rows, rho, d) for one in uppers]
    plain = [rows["reference"].median() for rows in groups.values()]
    series.append(theory("", uppers, noise, NAIVE))
    series.append(styled("truth", "no privacy", groups, plain, "non-private"))
    x, y = 0.12 * uppers[-1], 3 * noise[-1] / 10**0.5
    said = text_at("line: predicted noise alone", x, y, NAIVE)
    title = f"n = {number(rows)}, d = {d}, ρ = {number(rho)}, ν = {STEP_DEGREES:g}"
    label = "length u of the ellipsoid: largest over smallest eigenvalue"
    return Chart(
        "long_ellipsoids",
        "One radius pays for the length of the ellipsoid; preconditioning does not",
        [Panel(title, label, ERROR, series, marks=(estimate_zero(d), said))],
        alt="The naive error grows with the length of the ellipsoid, the preconditioned"
        " one is flat and close to the error without privacy.",
        how_to_read="The same privacy and rows, on longer and longer ellipsoids. One radius pays for the"
        " longest direction in the shortest one; its noise is predicted before negative eigenvalues are set"
        " to 0. Above the grey line an estimate is worse than no data.",
    )


# What is claimed


def layer(frame: DataFrame, part: str) -> Array:
    return frame[[f"{part} {i}" for i in range(len(FACTORS))]].to_numpy()


def _least_private(values: Array) -> float:
    bias, noise = np.split(values, 2, axis=1)
    return float((bias.mean(axis=0) + np.sqrt((noise**2).mean(axis=0))).min())


def moments_decide_the_rate(frame: DataFrame, lengths: DataFrame, seed: int) -> Checks:
    slopes, logs = [], np.log(LAYER_N)
    for degrees in DEGREES:
        law, found = CutStudent(degrees, D), []
        predicted = [law.least(n, RHO) for n in LAYER_N]
        slope, limit = local_slope(LAYER_N, predicted), -(degrees - 2) / degrees
        for n, expected in zip(LAYER_N, predicted, strict=True):
            rows = measures.at(frame, degrees=degrees, n=n)
            values = np.hstack([layer(rows, "bias"), layer(rows, "noise")])
            found.append(summary(_least_private, values, seed, f"{LAYERED.name} {degrees:g} {n}"))
            near = measures.near(f"bias + noise, ν = {degrees:g}, n = {n}", found[-1], expected, n=n)
            yield in_proportion(
                near,
                "M21/HT/Thm3.1",
                "bias + noise of size a, least over the radius: exact for Student rows",
                power=-slope,
            )
        slopes.append(measures.slope(logs, [measures.logarithm(one) for one in found]))
        low, high = max(slope - SLOPE, limit - EXPONENT), min(slope + SLOPE, limit + EXPONENT)
        name = f"slope of bias + noise in n, ν = {degrees:g}"
        yield measures.between(name, slopes[-1], low, high, bound=slope)
    for (fewer, more), both in zip(pairwise(DEGREES), pairwise(slopes), strict=True):
        name = f"slope at ν = {fewer:g} less that at ν = {more:g}"
        yield measures.between(name, measures.combination([1, -1], both), 0.0, inf, bound=0.0)
    yield from _lengths(lengths, seed)


def _lengths(frame: DataFrame, seed: int) -> Checks:
    groups = by(frame, "upper")
    found = {u: summary(rms, one["naive noise"], seed, f"naive {u:g}") for u, one in groups.items()}
    foreseen = {upper: naive_noise(upper) for upper in UPPERS}
    long = UPPERS[1:]
    for u in UPPERS:
        near = measures.near(f"naive noise at u = {u:g}", found[u], foreseen[u], n=SPREAD_N)
        yield in_proportion(
            near,
            "M21/HT/Thm3.1",
            "noise of size a in the norm of Σ, in proportion to u: all constants explicit",
        )
    slope = measures.growth({u: found[u] for u in long})
    predicted = local_slope(long, [foreseen[u] for u in long])
    name = "exponent of the naive noise in u, from u = 1e2 on"
    yield measures.between(name, slope, 1 - EXPONENT, 1 + EXPONENT, n=SPREAD_N, bound=predicted)
    flat = measures.spread(measures.means(groups, "private", seed, "flat"))
    name = "private part, preconditioned: largest over smallest mean, u = 10 .. 1e5"
    check = measures.between(name, flat, 0.0, FLAT, n=SPREAD_N)
    yield enough(check, "M21/HT/Alg3", "enough for an error that does not change with u")


def a_step_keeps_its_promise(frame: DataFrame) -> Checks:
    for point in STEPS.points:
        rows = measures.at(frame, **point)
        outside = (rows["low"] < rows["promised"]) | (rows["high"] > 1)
        short = rows["promised"] < 2 * STEP_LOWER
        name = f"{point['calibration']}, d = {point['d']}"
        statement = "ℓ' ≥ 2ℓ and ℓ'I ≤ AΣAᵀ ≤ I, but for 10 % of runs"
        yield enough(
            seldom(name, outside | short, STEP_BETA, statement, n=point["n"]),
            "M21/HT/Thm3.2",
            "matrix Bernstein and the noise's norm add up to e ≤ 1/8: the step doubles ℓ",
        )


CLAIMS = (
    Claim(
        "covariance/moments-decide-rate",
        "G12",
        ("M21/HT/Thm3.1", "M21/HT/Alg1", "M21/HT/Alg3", "M21/HT/errors"),
        "Student rows, d = 5, rho = .5: bias plus noise of the clipped covariance, least over the radius,"
        " is within 15 % of the exact prediction at n = 3e3 .. 3e4; its slope in n is within .08 of the"
        " predicted one and within .1 of -(nu - 2)/nu for nu = 4.2, 6.2, 10.2, and falls with nu. The naive"
        " noise in the norm of Sigma grows in proportion to u (within 15 %), the private part of the"
        " preconditioned one is flat for u = 10 .. 1e5 (ratio at most 1.5).",
        moments_decide_the_rate,
        lambda: (LAYERED, SPREADS),
    ),
    Claim(
        "covariance/step-keeps-promise",
        "HT3.2",
        ("M21/HT/Thm3.2", "M21/HT/Alg2"),
        "From the n at which its bound says so, one step of preconditioning with l = 1/16, paper and tight,"
        " d = 2 and 5, leaves l'I <= A Sigma A' <= I with l' >= 2l in 90 % of runs, on spectra that touch"
        " both ends.",
        a_step_keeps_its_promise,
        lambda: [STEPS],
    ),
)
