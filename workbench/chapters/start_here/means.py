"""A real column, and what every estimator of a mean that applies to it releases at one budget."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from workbench.chapters.start_here.applicable import (
    DELTA,
    EPSILON,
    Candidate,
    candidates,
    keys,
    noise,
    released,
    trials,
)
from workbench.chapters.start_here.columns import BMI, COLUMNS, ROWS, Column, column
from workbench.chapters.start_here.strips import marked, silent, strip, wide
from workbench.charts.chart import Chart
from workbench.charts.methods import name
from workbench.charts.words import number
from workbench.study.grids import Role, stream
from workbench.study.run import Run

ROUNDS = (4, 8, 16, 32)  # runs in the frames of the explorer
READING = (
    "The same rows, fresh noise: a marker is the median release, its bar holds 90 % of them. Between the grey"
    " lines privacy costs less than sampling. A marker off the black line is bias, not noise: a median, or a"
    " mean of clipped rows."
)
BARS = "Bars: 90 % of the releases."


def side_by_side(run: Run, *, epsilon: float = EPSILON, delta: float = DELTA, n: int = ROWS) -> Chart:
    """Return the chart of the releases of every applicable estimator at one budget, over fresh noise."""
    x, runs = column(n), trials(run)
    found = candidates(len(x), epsilon, delta)
    made = {one.key: released(one, x, runs, noise(run.seed, one, 0)) for one in found}
    spread = {key: values for key, values in made.items() if not silent(values)}
    return Chart(
        "side_by_side",
        f"At ε = {number(epsilon)} looking first beats clipping at the whole range",
        (marked(strip(x, spread, replace(BMI, shown=wide(spread, BMI.shown)), _note(made)), spread),),
        alt="Bars one below the other: for every private estimator of a mean that applies, the central"
        f" 90 % of what it releases for the same {n} rows. Those that clip at the whole range spread widest,"
        " those that look for the data first least; the private median lies below the plain mean.",
        how_to_read=READING,
    )


def _note(made: Mapping[str, np.ndarray]) -> str:
    """Return what bars are, and who has none."""
    mute = [name(key) for key, values in made.items() if silent(values)]
    return f"{BARS} No answer from these rows: {', '.join(mute)}." if mute else BARS


def _absent(found: tuple[Candidate, ...]) -> str:
    """Return who does not run and why, without the budget, which the title says."""
    absent = {one.key: one.reason.partition(" at (")[0] for one in found if one.budget is None}
    return " ".join(f"{name(key)} does not run here: {reason}." for key, reason in absent.items())


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
    noises = {one.key: noise(run.seed, one, n) for one in found}
    for runs in ROUNDS:
        for one in (one for one in found if one.budget is not None):
            more = released(one, x, runs, noises[one.key])
            spread[one.key] = np.append(spread[one.key], more)
        yield _view_chart(x, spread, epsilon, delta, told, f"{BARS} {_absent(found)}".strip())


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
        f"ε = {number(epsilon)}, δ ≤ {number(delta)}, {len(x)} rows, mean within {number(told.radius)}",
        (strip(x, spread, told, note),),
        alt="What every estimator releases for the chosen rows, over fresh noise.",
        caption=_caption(x, spread),
    )


def _caption(x: np.ndarray, spread: Mapping[str, np.ndarray]) -> str:
    runs = max(map(len, spread.values()))
    mute = [key for key, values in spread.items() if silent(values)]
    said = f" Mostly no answer: {', '.join(map(name, mute))}." if mute else ""
    count = f"; {runs} releases each" if runs else ""
    return f"The plain mean of these {len(x)} rows is {x.mean():.2f}{count}.{said}"
