"""Claims about covariances of heavy-tailed rows: M21/HT Theorems 3.1 and 3.2 and its row of Table 1.

Bias and noise are measured apart from the error of sampling, on the same rows, and compared with
`heavy_theory`, which is exact for Student rows: nothing is fitted. Slopes are compared with those of that
prediction between the same n, because the exponents -(k - 1)/k of the source are limits; (ν - 2)/ν stands for
(k - 1)/k with 2k = ν, the moment that just fails to exist.
"""

from itertools import pairwise
from math import inf, sqrt

import numpy as np
import pandas as pd

from workbench.chapters.covariance.runs import heavy as sweeps
from workbench.chapters.covariance.runs.covariances import geometric
from workbench.chapters.covariance.runs.heavy_theory import CutStudent
from workbench.privacy.mechanisms import gaussian_scale
from workbench.study import measures
from workbench.study.claim import Claim
from workbench.study.grids import Role, point_id, stream
from workbench.study.intervals import local_slope
from workbench.study.measures import Measure, rows_needed, seldom, summary
from workbench.study.profiles import claim_level
from workbench.study.rules import Verdict, beside, enough, in_proportion
from workbench.types import Array

SLOPE, EXPONENT = 0.08, 0.1  # tolerance beside the local slope, and beside its limit
FLAT = 1.5
SHAPE = (0.0, 4.5)  # measured n over Table 1 with every constant 1

LEAST_SIZE = ("M21/HT/Thm3.1", "bias + noise of size a, least over the radius: exact for Student rows")
NAIVE_SIZE = ("M21/HT/Thm3.1", "noise of size a in the norm of Σ, in proportion to u: all constants explicit")
STEP_SIZE = ("M21/HT/Thm3.2", "matrix Bernstein and the noise's norm add up to e ≤ 1/8: the step doubles ℓ")
TABLE_SIZE = ("M21/Table1", "d²/α² + d^(2+1/(2(k-1)))/(√ρ α^(k/(k-1))) + d^(3/2) ln u/√ρ: constants 1")


def layer(frame: pd.DataFrame, part: str) -> Array:
    """Return one of bias, noise and sampling of every trial at every factor, shape (trials, factors)."""
    return frame[[f"{part} {i}" for i in range(len(sweeps.FACTORS))]].to_numpy()


def least_private(values: Array) -> float:
    """Return the least sum of bias and root-mean-square noise; the bias stands in the first columns."""
    bias, noise = np.split(values, 2, axis=1)
    return float((bias.mean(axis=0) + np.sqrt((noise**2).mean(axis=0))).min())


def least_measured(
    frame: pd.DataFrame, degrees: float, n: int, seed: int, level: float | None = None
) -> Measure:
    """Return the least sum of bias and noise that was measured."""
    rows = measures.at(frame, degrees=degrees, n=n)
    values = np.hstack([layer(rows, "bias"), layer(rows, "noise")])
    return summary(least_private, values, seed, f"{sweeps.LAYERS.name} {degrees:g} {n}", level)


def moments_decide_the_rate(layers: pd.DataFrame, spreads: pd.DataFrame, seed: int) -> list[Verdict]:
    """Return the checks of covariance/moments-decide-rate."""
    checks, slopes = _rates(layers, seed)
    for (fewer, slow), (more, fast) in pairwise(slopes):
        name = f"slope at ν = {fewer:g} less that at ν = {more:g}"
        checks.append(
            measures.between(name, measures.combination([1, -1], [slow, fast]), 0.0, inf, bound=0.0)
        )
    return [*checks, *_naive(spreads, seed), _flat(spreads, seed)]


def _rates(frame: pd.DataFrame, seed: int) -> tuple[list[Verdict], list[tuple[float, Measure]]]:
    checks, slopes, logs = [], [], np.log(sweeps.LAYER_N)
    for degrees in sweeps.DEGREES:
        law = CutStudent(degrees, sweeps.D)
        found = [least_measured(frame, degrees, n, seed) for n in sweeps.LAYER_N]
        predicted = [law.least(n, sweeps.RHO) for n in sweeps.LAYER_N]
        slope, limit = local_slope(sweeps.LAYER_N, predicted), -(degrees - 2) / degrees
        for n, one, expected in zip(sweeps.LAYER_N, found, predicted, strict=True):
            near = measures.near(f"bias + noise, ν = {degrees:g}, n = {n}", one, expected, n=n)
            checks.append(in_proportion(near, *LEAST_SIZE, power=-slope))
        measured = measures.slope(logs, [measures.logarithm(one) for one in found])
        low, high = max(slope - SLOPE, limit - EXPONENT), min(slope + SLOPE, limit + EXPONENT)
        name = f"slope of bias + noise in n, ν = {degrees:g}"
        checks.append(measures.between(name, measured, low, high, bound=slope))
        slopes.append((degrees, measured))
    return checks, slopes


def naive_noise(upper: float, n: int = sweeps.SPREAD_N, rho: float = sweeps.RHO, d: int = sweeps.D) -> float:
    """Return the root mean square of the naive estimator's noise in the norm of Σ, before its positive part.

    Noise of sd s on the diagonal and s/√2 off it has the square s² (Σ 1/λ_i² + (Σ 1/λ_i)²)/2, in units of
    `upper`, in whatever frame.
    """
    _, _, charge = sweeps.naive(upper, n, rho, d)
    inverse = 1 / geometric(d, upper)
    return upper * gaussian_scale(charge) * sqrt(((inverse**2).sum() + inverse.sum() ** 2) / 2)


def _naive(frame: pd.DataFrame, seed: int) -> list[Verdict]:
    uppers, n = sweeps.UPPERS, sweeps.SPREAD_N
    found = [
        summary(measures.rms, measures.at(frame, upper=upper)["naive noise"], seed, f"naive {upper:g}")
        for upper in uppers
    ]
    checks = [
        in_proportion(
            measures.near(f"naive noise at u = {upper:g}", one, naive_noise(upper), n=n), *NAIVE_SIZE
        )
        for upper, one in zip(uppers, found, strict=True)
    ]
    slope = measures.slope(np.log(uppers[1:]), [measures.logarithm(one) for one in found[1:]])
    predicted = local_slope(uppers[1:], [naive_noise(upper) for upper in uppers[1:]])
    name = "exponent of the naive noise in u, from u = 1e2 on"
    return [*checks, measures.between(name, slope, 1 - EXPONENT, 1 + EXPONENT, n=n, bound=predicted)]


def _flat(frame: pd.DataFrame, seed: int) -> Verdict:
    each, by_upper = claim_level(parts=len(sweeps.UPPERS)), measures.by(frame, "upper")
    found = {
        u: summary(measures.mean, rows["private"], seed, f"flat {u:g}", each) for u, rows in by_upper.items()
    }
    name = "private part, preconditioned: largest over smallest mean, u = 10 .. 1e5"
    check = measures.between(name, measures.spread(found), 0.0, FLAT, n=sweeps.SPREAD_N)
    return enough(check, "M21/HT/Alg3", "enough for an error that does not change with u")


def a_step_keeps_its_promise(frame: pd.DataFrame) -> list[Verdict]:
    """Return the checks: every step's new spectrum lies between the promised ℓ' ≥ 2ℓ and 1."""
    checks = []
    for point in sweeps.STEPS.points:
        rows = measures.at(frame, **point)
        outside = (rows["low"] < rows["promised"]) | (rows["high"] > 1)
        short = rows["promised"] < 2 * sweeps.STEP_LOWER
        name, statement = (
            f"{point['calibration']}, d = {point['d']}",
            "ℓ' ≥ 2ℓ and ℓ'I ≤ AΣAᵀ ≤ I, but for one run of ten",
        )
        found = seldom(name, outside | short, sweeps.STEP_BETA, statement, n=point["n"])
        checks.append(enough(found, *STEP_SIZE))
    return checks


def size_needed(frame: pd.DataFrame, setting: dict[str, float], seed: int, level: float) -> Measure:
    """Return the n from which two of three runs err by at most alpha."""
    rows = measures.at(frame, **setting)
    rng = stream(seed, Role.BOOTSTRAP, sweeps.SIZES.name, point_id(setting), 0)
    return rows_needed(rows["error"] <= setting["alpha"], rows["n"], sweeps.SHARE, level, rng)


def table_is_in_shape(frame: pd.DataFrame, seed: int) -> list[Verdict]:
    """Return the checks: measured n over the shape of Table 1."""
    checks = []
    for setting in sweeps.size_settings():
        shape, found = sweeps.size_shape(setting), size_needed(frame, setting, seed, claim_level())
        name = "k = {moments}, d = {d}, rho = {rho:g}, alpha = {alpha:g}".format(**setting)
        check = measures.between(f"n over the shape, {name}", measures.scaled(found, 1 / shape), *SHAPE)
        checks.append(beside(check, *TABLE_SIZE, shape, found))
    return checks


CLAIMS = (
    Claim(
        "covariance/moments-decide-rate",
        "G12",
        ("M21/HT/Thm3.1", "M21/HT/Alg1", "M21/HT/Alg3", "M21/HT/errors"),
        "Student rows, d = 5, rho = .5: bias plus noise of the cut covariance, least over the radius, is"
        " within 15 % of the exact prediction at n = 3e3 .. 3e4; its slope in n is within .08 of the"
        " predicted one and within .1 of -(nu - 2)/nu for nu = 4.2, 6.2, 10.2, and falls with nu. The naive"
        " noise in the norm of Sigma grows in proportion to u (within 15 %), the private part of the"
        " preconditioned one is flat for u = 10 .. 1e5 (ratio at most 1.5).",
        sweeps=lambda: (sweeps.LAYERS, sweeps.SPREADS),
        checks=moments_decide_the_rate,
    ),
    Claim(
        "covariance/step-keeps-promise",
        "HT3.2",
        ("M21/HT/Thm3.2", "M21/HT/Alg2"),
        "From the n at which its bound says so, one step of preconditioning with l = 1/16, paper and tight,"
        " d = 2 and 5, leaves l'I <= A Sigma A' <= I with l' >= 2l in nine runs of ten, on spectra that"
        " touch both ends.",
        sweeps=lambda: (sweeps.STEPS,),
        checks=a_step_keeps_its_promise,
    ),
    Claim(
        "covariance/heavy-table-in-shape",
        "HT1",
        ("M21/Table1", "M21/HT/complexity"),
        "The rows from which two runs of three of the preconditioned covariance err by at most alpha are at"
        " most 4.5 times Table 1 with every constant 1: k = 2, 3, d = 2, 4, 8, (rho, alpha) = (.5, .1), (.05,"
        " .3), u = 100.",
        sweeps=lambda: (sweeps.SIZES,),
        checks=table_is_in_shape,
        kind="lock",
    ),
)
