"""Claims about unbounded Gaussians: M21/UG Theorems 3.1, 5.1 and 5.2, and its row of Table 1."""

from math import inf, sqrt

import pandas as pd

from workbench.chapters.covariance.claims import unbounded_spectra
from workbench.chapters.covariance.runs import unbounded as sweeps
from workbench.study import measures
from workbench.study.claim import Claim
from workbench.study.grids import resampler
from workbench.study.measures import Measure, certain, rows_needed, seldom, summary
from workbench.study.profiles import claim_level
from workbench.study.rules import Verdict, beside, combine, enough

BETA, SHARE = 0.1, 2 / 3
WITHIN = (sqrt(0.5), sqrt(2.0))
FLAT, SAME, TWICE, WORSE = 1.5, 1.5, 2.0, 10.0
COARSE, FINE = 0.05, 0.25
SHAPE, EXPONENT = (0.0, 5.5), 2.5  # measured n over Table 1 with every constant 1; of d
FINE_SHAPE = (10.0, 200.0)  # measured n over the shape of Theorem 5.2

EIGEN_SIZE = ("M21/UG/Thm3.1", "enough for every eigenvalue within a factor √2")
COARSE_SIZE = ("M21/UG/Thm5.1", "enough for λ_{k+1}/λ_1 ≥ 1/20 whatever the gap was")
FINE_SIZE = ("M21/UG/Thm5.2", "d^(3/2)/(ε τ²γ²): constant 1, no logarithm")
FLAT_SIZE = ("M21/UG/iteration", "enough for an error that does not change with the condition number")
TABLE_SIZE = ("M21/Table1", "d²/α² + d²/(αε) + d^(5/2)/ε: constants 1, no logarithm")


def eigenvalues_to_a_factor(frame: pd.DataFrame) -> list[Verdict]:
    """Return the checks of covariance/eigenvalues-to-a-factor."""
    checks = []
    for point in sweeps.EIGENVALUES.points:
        rows = measures.at(frame, **point)
        outside = (rows["low"] < WITHIN[0]) | (rows["high"] > WITHIN[1])
        name = f"{point['calibration']}, condition number {point['condition']:g}"
        statement = "every eigenvalue within √2 of the truth, but for one run of ten"
        checks.append(enough(seldom(name, outside, BETA, statement, n=sweeps.EIGEN_N), *EIGEN_SIZE))
    return checks


def error_follows_the_gap(frame: pd.DataFrame, seed: int) -> list[Verdict]:
    """Return the checks of covariance/error-follows-gap."""
    over = _means(frame, "gap", "over", seed)
    check = measures.between(
        "error over gap, largest over smallest mean", measures.spread(over), 0.0, SAME, n=sweeps.VOTE_N
    )
    each = [
        measures.between(f"mean error over gap at gap {gap:g}", one, 0.0, 1.0) for gap, one in over.items()
    ]
    return [enough(check, "M21/UG/Alg2", "enough for an error in proportion to the gap"), *each]


def _means(frame: pd.DataFrame, along: str, column: str, seed: int) -> dict[float, Measure]:
    groups = measures.by(frame, along)
    level = claim_level(parts=len(groups))
    return {
        value: summary(measures.mean, rows[column], seed, f"m21-unbounded {column} {value:g}", level)
        for value, rows in groups.items()
    }


def flat_in_the_condition_number(frame: pd.DataFrame, spectra: pd.DataFrame, seed: int) -> Verdict:
    """Return the checks of covariance/flat-in-condition."""
    spread = measures.spread(_means(frame, "condition", "error", seed))
    flat = measures.between("unbounded, largest over smallest mean error", spread, 0.0, FLAT, n=sweeps.SIDE_N)
    low, high = sweeps.CONDITIONS[0], sweeps.CONDITIONS[-1]
    silent, alike = unbounded_spectra.over_spectra(spectra, seed)
    checks = [enough(flat, *FLAT_SIZE), alike, silent]
    for column, name, low_ratio, high_ratio in (
        ("three steps", "CoinPress in three steps", WORSE, inf),
        ("source", "CoinPress, its source's constants", 0.0, TWICE),
    ):
        ends = [
            measures.median(measures.at(frame, condition=end)[column], claim_level(parts=2))
            for end in (high, low)
        ]
        statement = f"{name}: median error at {high:g} over that at {low:g}"
        ratio, bound = measures.ratio(*ends), low_ratio or high_ratio
        checks.append(measures.between(statement, ratio, low_ratio, high_ratio, n=sweeps.SIDE_N, bound=bound))
    more = sweeps.coinpress_steps(high) / sweeps.coinpress_steps(low)
    checks.append(certain("CoinPress, tight: steps at 1e12 over those at 1e2", more, 1.5, inf, bound=1.5))
    return combine(checks, len(frame) + silent.trials)


def coarse_closes_any_gap(frame: pd.DataFrame) -> list[Verdict]:
    """Return the checks of covariance/coarse-closes-gap."""
    checks = []
    for gap, rows in measures.by(frame, "gap").items():
        name, statement = f"gap {gap:g}", "λ_{k+1}/λ_1 ≥ 1/20 afterwards, but for one run of ten"
        found = seldom(name, rows["spread"] < COARSE, BETA, statement, n=sweeps.VOTE_N)
        checks.append(enough(found, *COARSE_SIZE))
    return checks


def fine_needed(frame: pd.DataFrame, spread: float, seed: int, level: float) -> Measure:
    """Return the n from which λ_{k+1}/λ_1 is at least 1/4 afterwards in nine runs of ten."""
    rows, rng = measures.at(frame, spread=spread), resampler(seed, f"{sweeps.FINE.name} {spread:g}")
    return rows_needed(rows["ratio"] >= FINE, rows["n"], 1 - BETA, level, rng)


def size_needed(
    frame: pd.DataFrame, d: int, seed: int, level: float, alpha: float = sweeps.SIZE_ALPHA
) -> Measure:
    """Return the n from which two runs of three err by at most alpha."""
    rows, rng = measures.at(frame, d=d), resampler(seed, f"{sweeps.SIZES.name} {d}")
    return rows_needed(rows["error"] <= alpha, rows["n"], SHARE, level, rng)


def fine_flattens(frame: pd.DataFrame, seed: int) -> list[Verdict]:
    """Return the checks: the n that it takes, over the shape, is the same for a spread of 8 and of 32."""
    checks, over = [], {}
    for spread in sweeps.FINE_SPREADS:
        found, shape = fine_needed(frame, spread, seed, claim_level()), sweeps.fine_rows(spread)
        over[spread] = measures.scaled(found, 1 / shape)
        check = measures.between(f"n over the shape, λ_(k+1)/λ_1 = {spread:g}", over[spread], *FINE_SHAPE)
        checks.append(beside(check, *FINE_SIZE, shape, found))
    first, second = over.values()
    same = measures.between("the one over the other", measures.ratio(first, second), 1 / 2.5, 2.5, bound=1.0)
    return [*checks, same]


def table_is_in_shape(frame: pd.DataFrame, seed: int) -> list[Verdict]:
    """Return the checks: measured n over Table 1."""
    checks = []
    for d in sweeps.SIZE_D:
        found, shape = size_needed(frame, d, seed, claim_level()), sweeps.size_shape(d)
        check = measures.between(f"n over the shape, d = {d}", measures.scaled(found, 1 / shape), *SHAPE)
        checks.append(beside(check, *TABLE_SIZE, shape, found))
    return checks


CLAIMS = (
    Claim(
        "covariance/flat-in-condition",
        "G13",
        ("M21/UG/iteration", "M21/UG/complexity", "M21/prior-CoinPress"),
        "At n = 8000, d = 3, (1, 1e-6), mean 1000 sd away, the error of the unbounded covariance is the"
        " same at condition numbers 1e2 .. 1e12 (largest over smallest mean at most 1.5), and so it is, at"
        " d = 7 and a tenth more rows than it takes, for spectra that are round, of equal ratios of 9, with"
        " one short axis, and the worst that a search found; nine runs of ten have an answer. CoinPress, told"
        " ten times the largest eigenvalue, errs ten times as much or more at 1e12 in three steps; where"
        " their number is free it takes at least 1.5 times as many, and errs at most twice as much with its"
        " source's constants.",
        sweeps=lambda: (sweeps.SIDES, unbounded_spectra.ANY),
        checks=flat_in_the_condition_number,
    ),
    Claim(
        "covariance/eigenvalues-to-a-factor",
        "G14",
        ("M21/UG/Thm3.1", "M21/UG/Alg1"),
        "Block eigenvalues, paper and tight, are within a factor √2 of the truth in nine runs of ten, all of"
        " them, at condition numbers 1e2 and 1e12 and any scale: n = 20000, d = 3, (1, 1e-6). The bins of"
        ' "paper" leave no room: about one of its runs in ten fails, and two in ten would be refuted.',
        sweeps=lambda: (sweeps.EIGENVALUES,),
        checks=eigenvalues_to_a_factor,
    ),
    Claim(
        "covariance/error-follows-gap",
        "G15",
        ("M21/UG/Alg2",),
        "The spectral error of the subspace before a gap, over the gap, is the same on average for gaps"
        " 1e-1 .. 1e-6 (within 1.5) and below 1: n = 6000, d = 3, k = 1, (1, 1e-6).",
        sweeps=lambda: (sweeps.VOTES,),
        checks=error_follows_the_gap,
    ),
    Claim(
        "covariance/coarse-closes-gap",
        "UG5.1",
        ("M21/UG/Thm5.1", "M21/UG/Alg3"),
        "After the coarse preconditioner lambda_{k+1}/lambda_1 is at least 1/20 in nine runs of ten at gaps"
        " 1e-1, 1e-3 and 1e-6, where lambda_k/lambda_1 = 1/4 and the gap is known to a factor: n = 6000, d ="
        " 3, k = 2.",
        sweeps=lambda: (sweeps.COARSE,),
        checks=coarse_closes_any_gap,
    ),
    Claim(
        "covariance/fine-flattens",
        "UG5.2",
        ("M21/UG/Thm5.2", "M21/UG/Alg4", "M21/UG/NaiveEstimator"),
        "The rows from which the fine preconditioner leaves lambda_{k+1}/lambda_1 at least 1/4 in nine runs"
        " of ten are 10 to 200 times d^(3/2)/(eps tau^2 gamma^2), the same multiple (within 2.5) at"
        " lambda_{k+1}/lambda_1 = 1/8 and 1/32: d = 3, k = 2.",
        sweeps=lambda: (sweeps.FINE,),
        checks=fine_flattens,
        kind="lock",
    ),
    Claim(
        "covariance/unbounded-table-in-shape",
        "UG1",
        ("M21/Table1", "M21/UG/complexity"),
        "The rows from which two runs of three of the unbounded covariance err by at most .03 are at most"
        " 5.5 times Table 1 with every constant 1, for d = 2, 3, 4 and conditions up to 1e12: there 97 %"
        " of it are the rows that it takes without privacy.",
        sweeps=lambda: (sweeps.SIZES,),
        checks=table_is_in_shape,
        kind="lock",
    ),
)
