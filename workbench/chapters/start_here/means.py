"""A real column, and what every estimator of a mean that applies to it releases at one budget."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from math import sqrt
from typing import Any

import numpy as np

from workbench.catalog import CATALOG, Entry
from workbench.chapters.start_here.columns import BMI, COLUMNS, ROWS, Column, column
from workbench.charts.chart import Chart, Panel, Series
from workbench.errors import ArgumentError
from workbench.estimators import Abstention, Estimator
from workbench.privacy import ApproxDP, Budget, NonPrivate, PureDP
from workbench.privacy.conversions import gdp_within_approx, zcdp_within_approx
from workbench.study.profiles import blocks
from workbench.study.run import Run
from workbench.study.sweeps.streams import Role, stream

EPSILON, DELTA = 1.0, 1e-6
RUNS = {profile: 100 * count for profile, count in blocks(full=10).items()}
ROUNDS = (4, 8, 16, 32)  # runs in the frames of the explorer
READING = (
    "The rows are the same in every run, only the noise is fresh. A marker is the median of what is released,"
    " its bar holds 90 % of the releases. The black line is the plain mean, which nobody may see; the grey"
    " lines are one standard error away: a bar between them costs less than sampling did. A marker off the"
    " line is no noise: it is a median, or a mean of cut rows, and the column is skewed."
)


@dataclass(frozen=True)
class Candidate:
    """An estimator of the mean with what is publicly known; the budget it takes, or why it takes none."""

    key: str
    estimator: Estimator[Any]
    budget: Budget | None
    reason: str = ""


def candidates(n: int, epsilon: float, delta: float = DELTA, told: Column = BMI) -> tuple[Candidate, ...]:
    """Return every private estimator of a mean in the catalog, as it would run on n rows of one column."""
    return tuple(candidate(key, n, epsilon, delta, told) for key in keys())


def keys() -> tuple[str, ...]:
    """Return the keys of the private estimators of a mean, in the order of the catalog."""
    means = (entry for entry in CATALOG.values() if entry.estimand == "mean")
    return tuple(entry.key for entry in means if _private(entry))


def candidate(key: str, n: int, epsilon: float, delta: float = DELTA, told: Column = BMI) -> Candidate:
    """Return one estimator at (ε, δ), else at a budget that is within it: ε alone, or ρ, or μ."""
    default: Any = CATALOG[key].estimator
    reason = ""
    try:
        known = {field.name for field in fields(default)} & {"centre", "radius", "sigma"}
        default = replace(default, **{name: getattr(told, name) for name in known})
    except ArgumentError as error:
        return Candidate(key, default, None, str(error))
    for budget in _budgets(epsilon, delta):
        try:
            default.plan(n, 1, budget)
        except ArgumentError as error:
            reason = str(error) if not reason or error.argument != "budget" else reason
        else:
            return Candidate(key, default, budget)
    return Candidate(key, default, None, reason)


def _private(entry: Entry) -> bool:
    return not all(isinstance(example.budget, NonPrivate) for example in entry.examples)


def _budgets(epsilon: float, delta: float) -> Iterator[Budget]:
    whole = ApproxDP(epsilon, delta)
    yield from (whole, PureDP(epsilon), zcdp_within_approx(whole), gdp_within_approx(whole))


def released(one: Candidate, x: np.ndarray, runs: int, rng: np.random.Generator) -> np.ndarray:
    """Return releases for the same rows over fresh noise; NaN where there is no answer."""
    if one.budget is None:
        return np.full(runs, np.nan)
    values = [one.estimator(x, budget=one.budget, rng=rng).value for _ in range(runs)]
    return np.array([_number(value) for value in values])


def _noise(seed: int, one: Candidate, point: int) -> np.random.Generator:
    return stream(seed, Role.NOISE, f"side-by-side {one.key}", point, 0)


def _number(value: Any) -> float:
    return np.nan if isinstance(value, Abstention) else float(np.ravel(value)[0])


def side_by_side(run: Run, *, epsilon: float = EPSILON, delta: float = DELTA, n: int = ROWS) -> Chart:
    """Return the chart of the releases of every applicable estimator at one budget, over fresh noise."""
    x, runs = column(n), trials(run)
    found = candidates(len(x), epsilon, delta)
    spread = {one.key: released(one, x, runs, _noise(run.seed, one, 0)) for one in found}
    return Chart(
        "side_by_side",
        f"The mean of one column at ε = {epsilon:g}, δ ≤ {delta:g}: what is released",
        (_strip(x, spread, replace(BMI, shown=_wide(spread, BMI.shown)), _missing(found, spread)),),
        alt="Bars one below the other: for every private estimator of a mean that applies, the central"
        f" 90 % of what it releases for the same {n} rows. Those that cut at the whole range spread widest,"
        " those that look for the data first least; the private median lies below the plain mean.",
        how_to_read=READING,
    )


def trials(run: Run) -> int:
    """Return how often every estimator is run on the same rows."""
    most = RUNS[run.profile] if run.most is None else min(run.most, RUNS[run.profile])
    return most if run.simulate else 0


def _strip(x: np.ndarray, spread: Mapping[str, np.ndarray], told: Column, note: str = "") -> Panel:
    mean, error = float(x.mean()), float(x.std() / sqrt(len(x)))
    ends = (0.5, len(spread) + 0.5)
    series = [Series("plain mean", ends, (mean, mean), role="reference", colour_key="non-private")]
    for label, side in (("one standard error away", 1), ("", -1)):
        series.append(Series(label, ends, (mean + side * error,) * 2, role="reference"))
    for place, (key, values) in enumerate(spread.items(), start=1):
        series += _bar(place, key, values)
    return Panel(
        "", "estimator", f"released {told.words}", tuple(series), xscale="linear", yscale="linear", xlim=ends,
        ylim=told.shown, note=note, names=tuple(spread),
    )  # fmt: skip


def _bar(place: int, key: str, values: np.ndarray) -> list[Series]:
    answers = values[np.isfinite(values)]
    if not len(answers):
        return []
    low, middle, high = np.quantile(answers, (0.05, 0.5, 0.95))
    return [Series("", (place,), (middle,), (low,), (high,), colour_key=key)]


def _wide(spread: Mapping[str, np.ndarray], shown: tuple[float, float]) -> tuple[float, float]:
    """Return limits in which at least three bars of four end, on either side."""
    answers = [values[np.isfinite(values)] for values in spread.values()]
    ends = np.array([np.quantile(one, (0.05, 0.95)) for one in answers if len(one)]).reshape(-1, 2)
    if not len(ends):
        return shown
    low, high = (float(f"{np.quantile(ends[:, i], q):.3g}") for i, q in enumerate((0.25, 0.75)))
    return min(shown[0], low), max(shown[1], high)


def _missing(found: tuple[Candidate, ...], spread: Mapping[str, np.ndarray]) -> str:
    silent = [one.key for one in found if one.budget is not None and _silent(spread[one.key])]
    said = [f"Mostly no answer: {', '.join(silent)}."] if silent else []
    return " ".join([one for one in (_absent(found), *said) if one])


def _silent(values: np.ndarray) -> bool:
    return bool(2 * np.isnan(values).sum() > len(values))


def _absent(found: tuple[Candidate, ...]) -> str:
    return " ".join(f"{one.key} does not run here: {one.reason}." for one in found if one.budget is None)


def side_by_side_view(
    run: Run,
    *,
    epsilon: float,
    delta: float,
    n: int,
    radius: float = BMI.radius / BMI.sigma,
    column: str = BMI.name,
) -> Iterator[Chart]:
    """Yield what estimators release: the plain mean at once, then more and more releases.

    Parameters
    ----------
    run
        Has the seed of the noise.
    epsilon, delta
        The budget of every release, at most.
    n
        How many rows.
    radius
        Half-width of the range that is told, in usual standard deviations.
    column
        Whose mean.

    Yields
    ------
    Chart
        The first without releases.
    """
    told = replace(COLUMNS[column], radius=radius * COLUMNS[column].sigma)
    x = stream(run.seed, Role.DATA, "view", n, 0).choice(told.rows(), n, replace=False)
    spread = {key: np.empty(0) for key in keys()}
    yield _view_chart(x, spread, epsilon, delta, told)
    found = candidates(len(x), epsilon, delta, told)
    noise = {one.key: _noise(run.seed, one, n) for one in found}
    for runs in ROUNDS:
        for one in (one for one in found if one.budget is not None):
            more = released(one, x, runs, noise[one.key])
            spread[one.key] = np.append(spread[one.key], more)
        yield _view_chart(x, spread, epsilon, delta, told, _absent(found))


def _view_chart(
    x: np.ndarray,
    spread: Mapping[str, np.ndarray],
    epsilon: float,
    delta: float,
    told: Column,
    note: str = "",
) -> Chart:
    return Chart(
        "side_by_side_view",
        f"ε = {epsilon:g}, δ ≤ {delta:g}, {len(x)} rows, mean told to within {told.radius:g}",
        (_strip(x, spread, told, note),),
        alt="What every estimator releases for the chosen rows, over fresh noise.",
        caption=_caption(x, spread),
    )


def _caption(x: np.ndarray, spread: Mapping[str, np.ndarray]) -> str:
    runs = max(map(len, spread.values()))
    silent = [key for key, values in spread.items() if _silent(values)]
    said = f" Mostly no answer: {', '.join(silent)}." if silent else ""
    count = f"; {runs} releases each" if runs else ""
    return f"The plain mean of these {len(x)} rows is {x.mean():.2f}{count}.{said}"
