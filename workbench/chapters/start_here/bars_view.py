"""The explorer of what every estimator of a mean releases for a column, a range, a budget and n rows."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from workbench.chapters.start_here.applicable import (
    BMI,
    COLUMNS,
    Candidate,
    Column,
    candidates,
    keys,
    noise,
    released,
)
from workbench.chapters.start_here.bars import BARS, silent, strip
from workbench.charts.chart import Chart
from workbench.charts.methods import name
from workbench.charts.words import number
from workbench.study.grids import Role, stream
from workbench.study.run import Run

ROUNDS = (4, 8, 16, 32)  # runs in the frames of the explorer


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
