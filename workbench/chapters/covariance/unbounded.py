"""Without any bound: blocks of rows agree, and the error is flat over ten orders of magnitude.

M21/UG Theorems 3.1 and 5.1, Algorithms 1 to 4, at (1, 1e-6). Rows are normal. `spectra` and `votes` measure
the two parts that are left to blocks of rows; `sides` sets estimators side by side as the condition number
grows, `errors` goes through spectra of every sort. Every frame and every scale is random, so that nothing
lies on a grid by chance.
"""

from dataclasses import replace
from functools import lru_cache
from math import inf, isfinite, nan, sqrt
from typing import Any

import numpy as np
from numpy.random import Generator
from pandas import DataFrame

from workbench.chapters.covariance.one_radius import error_of, estimate_zero, geometric
from workbench.charts.curves import ERROR, Chart, Panel, measured, medians, number, styled, text_at
from workbench.estimators.base import Abstention
from workbench.estimators.coinpress import ClippedCovariance, CoinPressCovariance
from workbench.estimators.subspaces import Eigenvalues, SubspaceAggregate
from workbench.estimators.unbounded import UnboundedCovariance
from workbench.populations import Rotated
from workbench.populations.rotated import named, rotated, shown
from workbench.privacy import ApproxDP
from workbench.study import measures
from workbench.study.measures import between, by, certain, means, seldom
from workbench.study.rules import Checks, Claim, Verdict, claim_level, combine, enough, supremum
from workbench.study.search import fewest_rows as least_rows
from workbench.study.sweeps import (
    Row,
    Run,
    answered,
    each_trial,
    multiples,
    over_grid,
    resources,
    value_of,
)

EPSILON, DELTA = 1.0, 1e-6
BUDGET = ApproxDP(EPSILON, DELTA)
CALIBRATIONS = ("paper", "tight")
D, EIGEN_N, VOTE_N = 3, 20_000, 6000
TOP = 4.0  # the spread of the eigenvalues before the gap in `votes`
CONDITIONS = (1e2, 1e4, 1e6, 1e8, 1e10, 1e12)
SIDE_N, FAR = 8000, 1000.0
MARGIN = 10.0
ANY_D, MORE = 7, 1.1  # of any spectrum: rows over the fewest
FEW = ("round", "ratio 9", "one small")  # spectra; the worst that was found comes with them
UNBOUNDED, COINPRESS, CLIPPED = "covariance/unbounded", "covariance/coinpress", "covariance/clipped"
SIDES_SHOWN = {  # column: name, key, place on the ramp
    "clipped": ("one noisy step", CLIPPED, None),
    "three steps": ("CoinPress in three steps", COINPRESS, 0.0),
    "source": ("CoinPress, original constants", f"{COINPRESS}:paper", None),
    "coinpress": ("CoinPress, as many steps as it needs", COINPRESS, 0.5),
    "error": ("votes of blocks, no bounds given", UNBOUNDED, None),
}
MOST = 1e6  # errors beyond are arrows
CHARACTER = 0.07  # decades of condition numbers, half a character's width
BETA, WITHIN, FLAT = 0.1, (sqrt(0.5), sqrt(2.0)), 1.5


# What is run


def uncertain(data: Generator) -> float:
    """Return a factor between 1/√2 and √2, which is what M21/UG Theorem 3.1 leaves open."""
    return float(2.0 ** data.uniform(-0.5, 0.5))


@each_trial
def spectra(n: int, calibration: Any, condition: float, *, data: Generator, noise: Generator) -> Row:
    """Measure the smallest and the largest ratio of an eigenvalue to the truth."""
    values = geometric(D, condition) * np.exp(data.uniform(-20.0, 20.0))
    x = rotated(values, data).sample(n, rng=data)
    found = value_of(Eigenvalues(centred=True, calibration=calibration), x, BUDGET, noise)
    if isinstance(found, Abstention):
        return {"low": 0.0, "high": np.inf}
    ratios = found[::-1] / values
    return {"low": ratios.min(), "high": ratios.max()}


@each_trial
def votes(n: int, k: int, gap: float, *, data: Generator, noise: Generator) -> Row:
    """Measure a subspace's error over the gap, and λ_{k+1}/λ_1 after the coarse preconditioner made of it.

    The eigenvalues before the gap spread over a factor of 4, those after it are equal; the gap is known to
    √2.
    """
    over, spread = voted(D, k, n, gap, TOP, BUDGET, data, noise)
    return {"over": over, "spread": spread}


def voted(
    d: int, k: int, n: int, gap: float, top: float, budget: ApproxDP, data: Generator, noise: Generator
) -> tuple[float, float]:
    before = geometric(k, top) if k > 1 else np.ones(1)
    law = rotated(np.concatenate([np.full(d - k, gap**2), before]), data)
    known = min(gap * uncertain(data), 1.0)
    found = value_of(SubspaceAggregate(k=k, gap=known, centred=True), law.sample(n, rng=data), budget, noise)
    if isinstance(found, Abstention):
        return inf, 0.0
    plane, seen = law.basis[:, d - k :], law.seen_by(np.eye(d) + (known - 1) * found)
    return float(np.linalg.norm(found - plane @ plane.T, 2)) / gap, float(seen[d - k - 1] / seen[-1])


@each_trial
def sides(
    n: int, condition: float, *, epsilon: float = EPSILON, delta: float = DELTA, data: Generator,
    noise: Generator,
) -> Row:  # fmt: skip
    """Measure errors on the same rows, mean 1000 sd away: unbounded, CoinPress, one step, none.

    All but the unbounded one are given ten times the largest eigenvalue, and that the smallest is 1. `three
    steps` is CoinPress with no more than three, `source` CoinPress with the constants of its source.
    """
    right = MARGIN * condition
    told: dict[str, Any] = {
        "coinpress": CoinPressCovariance(upper=right, paired=True, lower=1.0),
        "three steps": CoinPressCovariance(upper=right, steps=3, lower=1.0),
        "source": CoinPressCovariance(upper=right, calibration="paper", lower=1.0),
        "clipped": ClippedCovariance(upper=right),
    }
    law = rotated(geometric(D, condition), data, FAR)
    return beside_the_sample(law, n, ApproxDP(epsilon, delta), data, noise, **told)


def beside_the_sample(
    law: Rotated, n: int, budget: ApproxDP, data: Generator, noise: Generator, **others: Any
) -> Row:
    x = law.sample(n, rng=data)
    estimators = {"error": UnboundedCovariance(), **others}
    found = {name: error_of(law, value_of(one, x, budget, noise)) for name, one in estimators.items()}
    return answered(reference=law.sample_error(x), **found)


@each_trial
def errors(d: int, spectrum: str, *, data: Generator, noise: Generator) -> Row:
    law = rotated(named(spectrum, d), data, FAR)
    return beside_the_sample(law, any_rows(d), BUDGET, data, noise)


def coinpress_steps(condition: float, n: int = SIDE_N, budget: ApproxDP = BUDGET) -> int:
    estimator = CoinPressCovariance(upper=MARGIN * condition, paired=True, lower=1.0)
    return len(list(estimator.plan(n, D, budget).charges()))


def start(d: int, calibration: Any = "tight", budget: ApproxDP = BUDGET) -> int:
    """Return the fewest rows at which the unbounded covariance answers: public."""
    return least_rows(UnboundedCovariance(calibration=calibration), d, budget)


@lru_cache(maxsize=8)
def any_rows(d: int) -> int:
    return round(MORE * start(d))


EIGENVALUES = over_grid(
    "m21-unbounded-eigenvalues", spectra, 60, n=EIGEN_N, calibration=CALIBRATIONS, condition=(1e2, 1e12)
)
VOTES = over_grid("m21-unbounded-votes", votes, 40, n=VOTE_N, k=1, gap=(1e-1, 1e-2, 1e-4, 1e-6))
COARSE = over_grid("m21-unbounded-coarse", votes, 60, n=VOTE_N, k=2, gap=(1e-1, 1e-3, 1e-6))
SIDES = over_grid("m21-unbounded-sides", sides, 8, n=SIDE_N, condition=CONDITIONS)
ANY = over_grid("m21-unbounded-any", errors, 3, 20, d=ANY_D, spectrum=shown(ANY_D, UNBOUNDED, few=FEW))


# What is shown


def side_by_side(run: Run, *, epsilon: float = EPSILON, delta: float = DELTA) -> Chart:
    """Return median errors against the condition number, of bounded and unbounded estimators."""
    budget = ApproxDP(epsilon, delta)
    (n,) = multiples([SIDE_N], start(D, budget=budget) / start(D))
    made = SIDES.moved({"n": n, "condition": one, "epsilon": epsilon, "delta": delta} for one in CONDITIONS)
    # where that is too much work, fewer condition numbers
    most = max(2, int(len(CONDITIONS) * min(1.0, resources().limit / made.times_usual)))
    kept = sorted({round(place) for place in np.linspace(0, len(CONDITIONS) - 1, most)})
    made = made.moved(made.points[place] for place in kept)
    groups = by(run.table(made), "condition")
    foreseen = UnboundedCovariance().predicted_error(n, D, budget)
    series = []
    for column, (label, key, rank) in SIDES_SHOWN.items():
        expected = [foreseen if column == "error" else nan] * len(groups)
        curve = measured(label, medians(groups, column), key, expected, rank=rank)
        y = [value if value <= MOST else inf for value in curve.y]
        inside, named_at = [place for place, value in enumerate(y) if isfinite(value)], None
        if inside and len(inside) < len(y):  # it leaves the picture: right of its last point, below
            last = inside[-1]
            named_at = tuple(curve.x)[last] * 10 ** (0.3 + CHARACTER * len(label)), 0.35 * y[last]
        series.append(replace(curve, y=y, label_at=named_at))
    plain = [rows["reference"].median() for rows in groups.values()]
    series.append(styled("truth", "", groups, plain, "non-private"))
    steps = [coinpress_steps(point["condition"], n, budget) for point in made.points]
    below = 0.55 * min(plain, default=foreseen / 2)
    panel = Panel(
        "Equal ratios between neighbouring eigenvalues", "condition number of Σ", ERROR, series,
        note=f"n = {number(n)}, d = {D}, ε = {epsilon:g}, δ = {number(delta)}; mean 1000 σ away."
        f" CoinPress takes {min(steps)} to {max(steps)} steps.",
        ylim=(0.01, 3e6),
        marks=(estimate_zero(D, CONDITIONS[4]), text_at("no privacy", 10**6.5, below, "non-private")),
        xlim=None if plain else (CONDITIONS[0], CONDITIONS[-1]),  # where nothing was run
    )  # fmt: skip
    return Chart(
        "side_by_side",
        "With no bounds given, votes of blocks are flat over ten orders of magnitude",
        [panel],
        alt="The error of the unbounded covariance is flat from condition number 10² to 10¹², at less"
        " than twice the error without privacy; so is that of CoinPress with as many steps as it needs, and"
        " half as high again with its source's constants. CoinPress in three steps and the one-step estimator"
        " grow with the condition number.",
        how_to_read="A good curve is flat and near the black line. All but the votes of blocks are given the"
        " smallest eigenvalue and ten times the largest; CoinPress stays flat where its steps are many."
        " Triangles at the edge: beyond the picture.",
    )


# What is claimed


def eigenvalues_to_a_factor(frame: DataFrame) -> Checks:
    for point in EIGENVALUES.points:
        rows = measures.at(frame, **point)
        outside = (rows["low"] < WITHIN[0]) | (rows["high"] > WITHIN[1])
        name = f"{point['calibration']}, condition number {point['condition']:g}"
        statement = "every eigenvalue within √2 of the truth, but for 10 % of runs"
        yield enough(
            seldom(name, outside, BETA, statement, n=EIGEN_N),
            "M21/UG/Thm3.1",
            "enough for every eigenvalue within a factor √2",
        )


def error_follows_the_gap(frame: DataFrame, seed: int) -> Checks:
    over = means(by(frame, "gap"), "over", seed, "m21-unbounded over")
    name, spread = "error over gap, largest over smallest mean", measures.spread(over)
    check = between(name, spread, 0.0, 1.5, n=VOTE_N)
    each = measures.each("mean error over gap at gap ", over, 0.0, 1.0)
    return [enough(check, "M21/UG/Alg2", "enough for an error in proportion to the gap"), *each]


def coarse_closes_any_gap(frame: DataFrame) -> Checks:
    for gap, rows in by(frame, "gap").items():
        name, statement = f"gap {gap:g}", "λ_{k+1}/λ_1 ≥ 1/20 afterwards, but for 10 % of runs"
        found = seldom(name, rows["spread"] < 0.05, BETA, statement, n=VOTE_N)
        yield enough(found, "M21/UG/Thm5.1", "enough for λ_{k+1}/λ_1 ≥ 1/20 whatever the gap was")


def flat_in_the_condition_number(frame: DataFrame, any_spectrum: DataFrame, seed: int) -> Verdict:
    groups = by(frame, "condition")
    spread = measures.spread(means(groups, "error", seed, "m21-unbounded error"))
    flat = between("unbounded, largest over smallest mean error", spread, 0.0, FLAT, n=SIDE_N)
    low, high = CONDITIONS[0], CONDITIONS[-1]
    silent, alike = over_spectra(any_spectrum, seed)
    checks = [
        enough(
            flat, "M21/UG/iteration", "enough for an error that does not change with the condition number"
        ),
        alike,
        silent,
    ]
    for column, name, low_ratio, high_ratio in (
        ("three steps", "CoinPress in three steps", 10.0, inf),
        ("source", "CoinPress, its source's constants", 0.0, 2.0),
    ):
        ends = [measures.median(groups[end][column], claim_level(parts=2)) for end in (high, low)]
        statement = f"{name}: median error at {high:g} over that at {low:g}"
        ratio, bound = measures.ratio(*ends), low_ratio or high_ratio
        checks.append(between(statement, ratio, low_ratio, high_ratio, n=SIDE_N, bound=bound))
    more = coinpress_steps(high) / coinpress_steps(low)
    checks.append(certain("CoinPress, tight: steps at 1e12 over those at 1e2", more, 1.5, inf, bound=1.5))
    return combine(checks, len(frame) + silent.trials)


def over_spectra(frame: DataFrame, seed: int) -> Checks:
    n = any_rows(ANY_D)
    silent = supremum(f"no release, d = {ANY_D}", frame, frame["abstained"], BETA, factor=5.0, n=n)
    groups = dict(iter(frame[~frame["abstained"]].groupby("spectrum", sort=False)))
    spread = measures.spread(means(groups, "error", seed, ANY.name))
    name = f"unbounded, largest over smallest mean error, {len(ANY.points)} spectra, d = {ANY_D}"
    return [
        silent,
        enough(
            between(name, spread, 0.0, FLAT, n=n),
            "M21/UG/iteration",
            "enough for an error that does not change with the spectrum",
        ),
    ]


CLAIMS = (
    Claim(
        "covariance/flat-in-condition",
        "G13",
        ("M21/UG/iteration", "M21/UG/complexity", "M21/prior-CoinPress"),
        "At n = 8000, d = 3, (1, 1e-6), mean 1000 sd away, the error of the unbounded covariance is the"
        " same at condition numbers 1e2 .. 1e12 (largest over smallest mean at most 1.5), and so it is, at"
        " d = 7 and 10 % more rows than it needs, for spectra that are round, of equal ratios of 9, with"
        " one short axis, and the worst that a search found; 90 % of runs release. CoinPress, given ten"
        " times the largest eigenvalue, has ten times the error or more at 1e12 in three steps; where their"
        " number is free it takes at least 1.5 times as many, and has at most twice the error with its"
        " source's constants.",
        flat_in_the_condition_number,
        lambda: (SIDES, ANY),
    ),
    Claim(
        "covariance/eigenvalues-to-a-factor",
        "G14",
        ("M21/UG/Thm3.1", "M21/UG/Alg1"),
        "Block eigenvalues, paper and tight, are within a factor √2 of the truth in 90 % of runs, all of"
        " them, at condition numbers 1e2 and 1e12 and any scale: n = 20000, d = 3, (1, 1e-6). The bins of"
        ' "paper" leave no room: about 10 % of its runs fail, and 20 % would be refuted.',
        eigenvalues_to_a_factor,
        lambda: [EIGENVALUES],
    ),
    Claim(
        "covariance/error-follows-gap",
        "G15",
        ("M21/UG/Alg2",),
        "The spectral error of the subspace before a gap, over the gap, is the same on average for gaps"
        " 1e-1 .. 1e-6 (within 1.5) and below 1: n = 6000, d = 3, k = 1, (1, 1e-6).",
        error_follows_the_gap,
        lambda: [VOTES],
    ),
    Claim(
        "covariance/coarse-closes-gap",
        "UG5.1",
        ("M21/UG/Thm5.1", "M21/UG/Alg3"),
        "After the coarse preconditioner lambda_{k+1}/lambda_1 is at least 1/20 in 90 % of runs at gaps"
        " 1e-1, 1e-3 and 1e-6, where lambda_k/lambda_1 = 1/4 and the gap is known to a factor: n = 6000, d"
        " = 3, k = 2.",
        coarse_closes_any_gap,
        lambda: [COARSE],
    ),
)
