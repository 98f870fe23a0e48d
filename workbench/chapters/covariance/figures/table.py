"""Table 1 as a picture: the rows that were needed beside the formula, every constant 1."""

from collections.abc import Iterable, Mapping
from typing import Any

from workbench.chapters.covariance.claims import heavy, unbounded
from workbench.chapters.covariance.figures.condition import UNBOUNDED
from workbench.chapters.covariance.figures.heavy import PLAIN
from workbench.chapters.covariance.runs import heavy as heavy_sweeps
from workbench.chapters.covariance.runs import unbounded as unbounded_sweeps
from workbench.charts.bands import LEVEL, measured
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.parameters import brief
from workbench.privacy import ApproxDP
from workbench.study.run import Run
from workbench.study.sweeps.grids import Sweep, affordable
from workbench.study.sweeps.resources import resources

UNBOUNDED_ALPHA = unbounded_sweeps.SIZE_ALPHA / heavy_sweeps.SIZE_ALPHA
FORMULA, ROWS = "Table 1 with constants 1", "rows n, measured"


def table_one(
    run: Run,
    *,
    rho: float = heavy_sweeps.RHO,
    epsilon: float = unbounded_sweeps.EPSILON,
    delta: float = unbounded_sweeps.DELTA,
    alpha: float = heavy_sweeps.SIZE_ALPHA,
    upper: float = heavy_sweeps.SIZE_UPPER,
) -> Chart:
    """Return the measured n against the formula: heavy tails, then unbounded Gaussians."""
    usual = (rho, epsilon, delta, alpha, upper) == (
        heavy_sweeps.RHO, 1.0, unbounded_sweeps.DELTA, heavy_sweeps.SIZE_ALPHA, heavy_sweeps.SIZE_UPPER
    )  # fmt: skip
    between = "between one and four times the formula" if usual else "not far above the formula"
    constant = ": 1 to 4" * usual
    start = "a constant of 100 to 500 with our constants, of 1400 to 8000 with the source's loop,"
    start = start if usual else "a large constant"
    return Chart(
        "table_one",
        "Table 1: rows needed, beside the formula",
        (_heavy(run, rho, alpha, upper), _unbounded(run, ApproxDP(epsilon, delta), UNBOUNDED_ALPHA * alpha)),
        alt=f"Measured sample sizes against the formula, both logarithmic. All points lie {between}, in"
        " parallel with the line of equality, for heavy tails and for unbounded Gaussians.",
        how_to_read="A point is one setting; its height is the n from which two runs of three are accurate"
        " enough, its place the formula's value, with every hidden constant 1 and no logarithm."
        " On the black line the formula is exact. Points in parallel to it say that the formula"
        " has the right shape in d, α, ρ, k; how far they are above it is the constant that the"
        f" table does not tell{constant}. Right, triangles: the fewest rows that the estimators"
        " take at all, against the term d^(5/2)/ε alone. They lie less steep than the line,"
        f" which is an upper bound, and far above it: {start} stands before that term.",
    )


def _heavy(run: Run, rho: float, alpha: float, upper: float) -> Panel:
    settings, sweep = _settings(rho, alpha, upper)
    frame, series = run.table(sweep), []
    for moments, key in zip(heavy_sweeps.SIZE_LAWS, ("0", "3"), strict=True):
        some = {heavy_sweeps.size_shape(one, upper): one for one in settings if one["moments"] == moments}
        found = {
            shape: heavy.size_needed(frame, one, run.seed, LEVEL)
            for shape, one in sorted(some.items())
            if len(frame)
        }
        series.append(measured(f"heavy tails, k = {moments}", found, key))
    ends = _ends(heavy_sweeps.size_shape(one, upper) for one in settings)
    equal = Series("measured = formula", ends, ends, role="reference", colour_key=PLAIN)
    goals = " or ".join(f"ρ = {one['rho']:g}, α = {one['alpha']:g}" for one in settings[:2])
    note = f"d = {_listed(settings)}; {goals}; u = {upper:g}."
    return Panel("heavy tails, zCDP", FORMULA, ROWS, (*series, equal), note=note)


def _settings(rho: float, alpha: float, upper: float) -> tuple[list[dict[str, Any]], Sweep]:
    """Return the settings at these goals that the work allows, and their sweep."""
    sizes = heavy_sweeps.SIZES
    usual = sum(one["d"] * heavy_sweeps.size_shape(one) for one in heavy_sweeps.size_settings())
    wanted = heavy_sweeps.size_settings(rho, alpha)
    work = {place: one["d"] * heavy_sweeps.size_shape(one, upper) for place, one in enumerate(wanted)}
    settings = [wanted[place] for place in affordable(work, resources().limit * usual)]
    points = [
        {**one, "n": round(factor * heavy_sweeps.size_shape(one, upper)), "upper": upper}
        for one in settings
        for factor in heavy_sweeps.SIZE_FACTORS
    ]
    return settings, sizes.moved(points)


def _listed(settings: Iterable[Mapping[str, Any]]) -> str:
    return ", ".join(str(d) for d in dict.fromkeys(one["d"] for one in settings))


def _ends(shapes: Iterable[float]) -> tuple[float, float]:
    found = tuple(shapes)
    return min(found), max(found)


def _sized(shapes: dict[int, float], budget: ApproxDP) -> list[dict[str, Any]]:
    """Return the points: multiples of the formula's rows, and no fewer than those that answer."""
    least = {d: unbounded_sweeps.start(d, budget=budget) for d in shapes}
    factors = unbounded_sweeps.SIZE_FACTORS
    ns = {d: sorted({max(round(factor * shapes[d]), least[d]) for factor in factors}) for d in shapes}
    return [{"d": d, "n": n, "epsilon": budget.epsilon, "delta": budget.delta} for d in shapes for n in ns[d]]


def _unbounded(run: Run, budget: ApproxDP, alpha: float) -> Panel:
    usual = {d: d * unbounded_sweeps.size_shape(d) for d in unbounded_sweeps.SIZE_D}
    shapes = {d: unbounded_sweeps.size_shape(d, alpha, budget.epsilon) for d in usual}
    ds = affordable({d: d * shapes[d] for d in usual}, resources().limit * sum(usual.values())) or [
        min(usual)
    ]
    frame = run.table(unbounded_sweeps.SIZES.moved(_sized({d: shapes[d] for d in ds}, budget)))
    found = {shapes[d]: unbounded.size_needed(frame, d, run.seed, LEVEL, alpha) for d in ds if len(frame)}
    series = [measured("unbounded Gaussians", found, UNBOUNDED)]
    terms = [d**unbounded.EXPONENT / budget.epsilon for d in unbounded_sweeps.START_D]
    for calibration, key in (("tight", "2"), ("paper", "2:paper")):
        starts = [unbounded_sweeps.start(d, calibration, budget) for d in unbounded_sweeps.START_D]
        series.append(Series(f"fewest rows, {calibration}", terms, starts, colour_key=key, kind="count"))
    ends = (terms[0], max(shapes[d] for d in ds))
    equal = Series("measured = formula", ends, ends, role="reference", colour_key=PLAIN)
    note = (
        f"d = {', '.join(map(str, ds))}, α = {alpha:g}; triangles: d = 2 to 12."
        f" ({budget.epsilon:g}, {brief(budget.delta)}), condition numbers up to 1e12."
    )
    return Panel("unbounded Gaussians, (ε, δ)", FORMULA, ROWS, (*series, equal), note=note)
