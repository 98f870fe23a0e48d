"""Table 1 with its constants: the rows that are needed beside the formulas, and the rows that are refused.

M21/Table1. Grids are placed by the formulas alone; how n grows with every other number is searched by
`claims.scalings_heavy` and `claims.scalings_unbounded`.
"""

from collections.abc import Mapping, Sequence

import pandas as pd
from numpy.random import Generator

from workbench.bounds.m21 import heavy_tailed_shape, unbounded_shape
from workbench.chapters.covariance.heavy_tails import RHO, SIZE_LAWS
from workbench.chapters.covariance.unbounded import (
    DELTA,
    EPSILON,
    FAR,
    UNBOUNDED,
    beside_the_sample,
    start,
)
from workbench.chapters.covariance.worlds import PRECONDITIONED, error_of, geometric, without_privacy
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.curves import LEVEL, measured
from workbench.charts.style import number
from workbench.estimators.heavy_tailed import HeavyTailedCovariance
from workbench.populations.heavy_tailed import student_hypercontractivity
from workbench.populations.rotated import rotated
from workbench.privacy import ZCDP, ApproxDP
from workbench.study import measures
from workbench.study.grids import Point, Role, Sweep, affordable, point_id, resampler, stream
from workbench.study.measures import Measure, rows_needed
from workbench.study.profiles import blocks
from workbench.study.run import Row, Run, each_trial
from workbench.study.sweeps import resources

UPPER, ALPHA, SHARE = 100.0, 0.1, 2 / 3
HEAVY_D, FACTORS = (2, 4, 8), (0.5, 0.8, 1.3, 2.0, 3.2, 5.0)  # n over the formula
UNBOUNDED_D, UNBOUNDED_ALPHA, UNBOUNDED_FACTORS = (2, 3, 4), 0.03, (1.1, 1.8, 3.0, 6.0)
START_D = (2, 3, 4, 5, 6, 8, 10, 12)
GUIDE, LARGE = 100, 10  # times the term: a line to compare with; the d of which the title speaks


# What is run


@each_trial
def heavy_sizes(
    moments: int,
    d: int,
    rho: float,
    alpha: float,
    n: int,
    *,
    upper: float = UPPER,
    data: Generator,
    noise: Generator,
) -> Row:
    """Measure the error of the preconditioned estimator on ellipsoids of this length."""
    degrees = SIZE_LAWS[moments]
    estimator = HeavyTailedCovariance(
        upper=upper, centred=True, moments=moments,
        hypercontractivity=student_hypercontractivity(degrees, moments), lower=1.0,
    )  # fmt: skip
    law = rotated(geometric(d, upper), data, degrees=degrees)
    x = law.sample(n, rng=data)
    error = error_of(law, estimator(x, budget=ZCDP(rho), rng=noise).value)
    return {"error": error, "reference": law.error(without_privacy(x))}


@each_trial
def unbounded_sizes(
    d: int, n: int, *, epsilon: float = EPSILON, delta: float = DELTA, data: Generator, noise: Generator
) -> Row:
    """Measure the error at a condition number that is uniform on the logarithmic scale from 1 to 1e12."""
    law = rotated(geometric(d, 10 ** data.uniform(0.0, 12.0)), data, FAR)
    return beside_the_sample(law, n, ApproxDP(epsilon, delta), data, noise)


def heavy_shape(point: Point, upper: float = UPPER) -> float:
    """Return Table 1's n, every constant 1."""
    return heavy_tailed_shape(point["d"], point["alpha"], point["rho"], point["moments"], upper).total


def _settings(rho: float, alpha: float) -> list[Point]:
    return [
        {"moments": moments, "d": d, "rho": rho, "alpha": alpha} for moments in SIZE_LAWS for d in HEAVY_D
    ]


HEAVY_SIZES = Sweep(
    "m21-heavy-sizes",
    tuple({**one, "n": round(k * heavy_shape(one))} for one in _settings(RHO, ALPHA) for k in FACTORS),
    heavy_sizes,
    8,
    blocks(10),
)
UNBOUNDED_SIZES = Sweep(
    "m21-unbounded-sizes",
    tuple(
        {"d": d, "n": round(k * unbounded_shape(d, UNBOUNDED_ALPHA, EPSILON).total)}
        for d in UNBOUNDED_D
        for k in UNBOUNDED_FACTORS
    ),
    unbounded_sizes,
    6,
    blocks(10),
)


# What is shown


def table_one(
    run: Run,
    *,
    rho: float = RHO,
    epsilon: float = EPSILON,
    delta: float = DELTA,
    alpha: float = ALPHA,
    upper: float = UPPER,
) -> Chart:
    """Return the rows that are needed against d (heavy tails, then unbounded Gaussians), beside Table 1."""
    return Chart(
        "table_one",
        "The rows needed grow with d as Table 1 says, one to three times as many",
        (_heavy(run, rho, alpha, upper), _unbounded(run, ApproxDP(epsilon, delta), alpha)),
        alt="Rows needed against the dimension, beside the formula of Table 1 with every constant 1: for"
        " heavy tails with four and six bounded moments, and for unbounded Gaussians, the measured lines run"
        " beside the grey lines of the formula and above them.",
        how_to_read="A marker is the n from which two runs of three have an error of at most α. Grey: the"
        " formula, every constant 1 and no logarithm. Lines that run beside each other say that the formula"
        " has the right shape; their distance is the constant that it hides.",
    )


def _heavy(run: Run, rho: float, alpha: float, upper: float) -> Panel:
    usual = sum(one["d"] * heavy_shape(one) for one in _settings(RHO, ALPHA))
    wanted = _settings(rho, alpha)
    shapes = [heavy_shape(one, upper) for one in wanted]
    work = {place: one["d"] * shapes[place] for place, one in enumerate(wanted)}
    made = affordable(work, resources().limit * usual)
    points = [
        {**wanted[place], "n": round(factor * shapes[place]), "upper": upper}
        for place in made
        for factor in FACTORS
    ]
    frame, series = run.table(HEAVY_SIZES.moved(points)), list[Series]()
    for rank, moments in enumerate(SIZE_LAWS):
        found, formula = dict[float, Measure](), dict[float, float]()
        for place, one in enumerate(wanted):
            if one["moments"] != moments:
                continue
            formula[one["d"]] = shapes[place]
            if place in made and len(frame):
                rng = stream(run.seed, Role.BOOTSTRAP, HEAVY_SIZES.name, point_id(one), 0)
                found[one["d"]] = _needed(measures.at(frame, **one), alpha, rng)
        series += _beside(found, formula, PRECONDITIONED, f"{2 * moments} bounded moments", float(rank))
    title = f"Heavy tails, u = {number(upper)}, ρ = {number(rho)}, α = {number(alpha)}"
    return Panel(title, "dimension d", "number of rows n", tuple(series))


def _unbounded(run: Run, budget: ApproxDP, alpha: float) -> Panel:
    """Return the panel of unbounded Gaussians, at a smaller α in the same proportion.

    Grids are multiples of the formula's rows, and no fewer than those that answer.
    """
    alpha = UNBOUNDED_ALPHA / ALPHA * alpha
    usual = sum(d * unbounded_shape(d, UNBOUNDED_ALPHA, EPSILON).total for d in UNBOUNDED_D)
    formula = {float(d): unbounded_shape(d, alpha, budget.epsilon).total for d in UNBOUNDED_D}
    made = affordable({d: d * shape for d, shape in formula.items()}, resources().limit * usual)
    points = []
    for d in map(int, made):
        least = start(d, budget=budget)
        ns = sorted({max(round(factor * formula[d]), least) for factor in UNBOUNDED_FACTORS})
        points += [{"d": d, "n": n, "epsilon": budget.epsilon, "delta": budget.delta} for n in ns]
    frame, found = run.table(UNBOUNDED_SIZES.moved(points)), dict[float, Measure]()
    for d in made if len(frame) else ():
        rng = resampler(run.seed, f"{UNBOUNDED_SIZES.name} {d:g}")
        found[d] = _needed(measures.at(frame, d=d), alpha, rng)
    title = f"Unbounded Gaussians, ε = {budget.epsilon:g}, δ = {number(budget.delta)}, α = {number(alpha)}"
    series = _beside(found, formula, UNBOUNDED, "votes of blocks", None)
    note = "Condition numbers up to $10^{12}$."
    return Panel(title, "dimension d", "number of rows n", tuple(series), note=note)


def _needed(rows: pd.DataFrame, alpha: float, rng: Generator) -> Measure:
    return rows_needed(rows["error"] <= alpha, rows["n"], SHARE, LEVEL, rng)


def _beside(
    found: Mapping[float, Measure], formula: Mapping[float, float], key: str, label: str, rank: float | None
) -> Sequence[Series]:
    """Return what is needed and the formula."""
    line = Series("formula", formula, formula.values(), role="reference")
    return measured(label, found, key, rank=rank), line


def fewest_rows(run: Run, *, epsilon: float = EPSILON, delta: float = DELTA) -> Chart:
    """Return the fewest rows that the unbounded covariance takes, beside d^(5/2)/ε."""
    budget = ApproxDP(epsilon, delta)
    ours, theirs = ([start(d, calibration, budget) for d in START_D] for calibration in ("tight", "paper"))
    guide = [GUIDE * d**2.5 / epsilon for d in START_D]
    said = rf"${GUIDE}\,d^{{5/2}}/\varepsilon$"
    series = (
        Series("original constants", START_D, theirs, colour_key=f"{UNBOUNDED}:paper"),
        Series("improved constants", START_D, ours, colour_key=UNBOUNDED),
        Series(said, START_D, guide, role="reference", label_at=(5.0, 0.45 * guide[3])),
    )
    least = number(float(f"{ours[START_D.index(LARGE)]:.2g}"))
    title = f"Votes of blocks, ε = {epsilon:g}, δ = {number(delta)}"
    return Chart(
        "fewest_rows",
        f"At d = {LARGE} nothing is released from fewer than {least} rows",
        (Panel(title, "dimension d", "fewest rows that the plan accepts", series),),
        alt="The fewest rows that the unbounded covariance accepts rise with d, and are many times more with"
        " the original constants than with the improved ones; both rise less steeply than d to the power of"
        " five halves over ε.",
        how_to_read="Public numbers, nothing is random. The grey line has the slope of the theorem's term."
        " What is needed rises less steeply, since the term is an upper bound. For all d shown the constant"
        " matters more than the power.",
    )
