"""Table 1 as a picture: the rows that were needed beside the formula, every constant 1."""

from workbench.chapters.covariance.claims import heavy, unbounded
from workbench.chapters.covariance.figures.condition import UNBOUNDED
from workbench.chapters.covariance.figures.heavy import PLAIN
from workbench.chapters.covariance.runs import heavy as heavy_sweeps
from workbench.chapters.covariance.runs import unbounded as unbounded_sweeps
from workbench.charts.bands import LEVEL, measured
from workbench.charts.chart import Chart, Panel, Series
from workbench.study.sweeps.sweep import run

FORMULA, ROWS = "Table 1 with constants 1", "rows n, measured"


def table_one(profile: str, seed: int) -> Chart:
    """Return the measured n against the formula: heavy tails, then unbounded Gaussians."""
    return Chart(
        "table_one",
        "Table 1: rows needed, beside the formula",
        (_heavy(profile, seed), _unbounded(profile, seed)),
        alt="Measured sample sizes against the formula, both logarithmic. All points lie between one and"
        " four times the formula, in parallel with the line of equality, for heavy tails and for"
        " unbounded Gaussians.",
        how_to_read="A point is one setting; its height is the n from which two runs of three are accurate"
        " enough, its place the formula's value, with every hidden constant 1 and no logarithm."
        " On the black line the formula is exact. Points in parallel to it say that the formula"
        " has the right shape in d, α, ρ, k; how far they are above it is the constant that the"
        " table does not tell: 1 to 4. Right, triangles: the fewest rows that the estimators"
        " take at all, against the term d^(5/2)/ε alone. They lie less steep than the line,"
        " which is an upper bound, and far above it: a constant of 100 to 500 with our"
        " constants, of 1400 to 8000 with the source's loop, stands before that term.",
    )


def _heavy(profile: str, seed: int) -> Panel:
    frame, series = run(heavy_sweeps.SIZES, profile, seed=seed), []
    for moments, key in zip(heavy_sweeps.SIZE_LAWS, ("0", "3"), strict=True):
        settings = [one for one in heavy_sweeps.size_settings() if one["moments"] == moments]
        settings.sort(key=heavy_sweeps.size_shape)
        found = {heavy_sweeps.size_shape(one): heavy.size_needed(frame, one, seed, LEVEL) for one in settings}
        series.append(measured(f"heavy tails, k = {moments}", found, key))
    ends = (min(min(one.x) for one in series), max(max(one.x) for one in series))
    equal = Series("measured = formula", ends, ends, role="reference", colour_key=PLAIN)
    goals = " or ".join(f"ρ = {rho:g}, α = {alpha:g}" for rho, alpha in heavy_sweeps.SIZE_GOALS)
    note = f"d = 2, 4, 8; {goals}; u = {heavy_sweeps.SIZE_UPPER:g}."
    return Panel("heavy tails, zCDP", FORMULA, ROWS, (*series, equal), note=note)


def _unbounded(profile: str, seed: int) -> Panel:
    frame = run(unbounded_sweeps.SIZES, profile, seed=seed)
    found = {
        unbounded_sweeps.size_shape(d): unbounded.size_needed(frame, d, seed, LEVEL)
        for d in unbounded_sweeps.SIZE_D
    }
    series = [measured("unbounded Gaussians", found, UNBOUNDED)]
    terms = [d**unbounded.EXPONENT / unbounded_sweeps.EPSILON for d in unbounded_sweeps.START_D]
    for calibration, key in (("tight", "2"), ("paper", "2:paper")):
        starts = [unbounded_sweeps.start(d, calibration) for d in unbounded_sweeps.START_D]
        series.append(Series(f"fewest rows, {calibration}", terms, starts, colour_key=key, kind="count"))
    ends = (terms[0], max(found))
    equal = Series("measured = formula", ends, ends, role="reference", colour_key=PLAIN)
    note = (
        f"d = 2, 3, 4, α = {unbounded_sweeps.SIZE_ALPHA:g}; triangles: d = 2 to 12. (1, 1e-6), condition"
        " numbers up to 1e12."
    )
    return Panel("unbounded Gaussians, (ε, δ)", FORMULA, ROWS, (*series, equal), note=note)
