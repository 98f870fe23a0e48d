"""Frame by frame: the private filter: rows that stick out turn grey, and the mean moves back."""

from collections.abc import Iterator
from functools import cache
from math import cos, radians, sin
from typing import Any

import numpy as np

from workbench.charts.chart import Chart, Film, Frame, Series
from workbench.charts.curves import ellipse, plane
from workbench.charts.style import number
from workbench.estimators import Trace
from workbench.estimators.prime import FilterMean
from workbench.estimators.weighted_moments import grid
from workbench.privacy import ApproxDP
from workbench.privacy.noise import SimulatedNoise
from workbench.study.grids import Role, stream
from workbench.study.run import Run
from workbench.types import Array

N, RADIUS, BUDGET = 20_000, 20.0, ApproxDP(5.0, 1e-6)
CLUSTERS = ((15.0, 9.0), (95.0, 6.5), (160.0, 4.2))  # degrees, distances
SHARE, SPREAD = 0.04, 0.4  # of the rows, each; of a cluster
EVERY, MIDDLE, REACH, AXIS = 25, (2.5, 2.5), 8.0, "first column (σ)"
KEY, FRAMES = "mean/filter", 12


def filtering(run: Run, *, frame: int = 1) -> Chart:
    """Return the passes of one run on rows with three clusters: look, judge, remove."""
    return _filtering(run.seed).chart(frame)


@cache
def _filtering(seed: int) -> Film:
    x = planted(stream(seed, Role.DATA, "robust-film", 0, 0).standard_normal((N, 2)))
    noise = SimulatedNoise(stream(seed, Role.NOISE, "robust-film", 0, 0))
    return Film(
        "filter",
        "Pass by pass the rows that stick out are removed, and the mean moves back",
        tuple(_passes(x, noise))[:FRAMES],
        alt="A cloud of rows with three clusters beside it. In each pass the widest direction is found, the"
        " rows far out along it turn grey, and the mean of the rest moves towards the centre of the cloud.",
        how_to_read="A pass has three pictures: the widest direction of a noisy covariance; the rows whose"
        " score along it is too high; and the mean of those that are left. Black: the true mean.",
        shared=(Series("true mean", (0.0,), (0.0,), role="truth"),),
    )


def planted(x: Array) -> Array:
    """Return rows, some of which an adversary has put into clusters."""
    moved, each = x.copy(), int(SHARE * len(x))
    for k, (angle, distance) in enumerate(CLUSTERS):
        place = distance * np.array([cos(radians(angle)), sin(radians(angle))])
        moved[k * each : (k + 1) * each] = place + SPREAD * x[k * each : (k + 1) * each]
    return moved


def _passes(x: Array, noise: SimulatedNoise) -> Iterator[Frame]:
    estimator = FilterMean(radius=RADIUS, corruption=SHARE * len(CLUSTERS), sigma=1.0)
    steps, charges, trace = estimator.tight(N, 2), list(estimator.plan(N, 2, BUDGET).charges()), Trace()
    centre = steps.coarse_centre(x, charges[0], noise)
    y, before = steps.rows_within(x, centre), np.ones(N, bool)
    released = list(steps.passed(y, before, charges[2:], noise, trace))
    y = centre + grid(steps.radii[1]) * y
    bad = len(CLUSTERS) * int(SHARE * N)
    plain = y.mean(axis=0)
    yield _frame(
        f"{number(N)} rows, {number(bad)} of them in three clusters: who is in one, the filter cannot see."
        f" The mean is off by {_off(plain)} σ.",
        x, before, before, plain,
    )  # fmt: skip
    scores: list[Any] = trace.records["score"]
    sets: list[Any] = trace.records["kept"]
    for step, (score, kept) in enumerate(zip(scores, sets, strict=False), start=1):
        middle, along = centre + score.centre, score.root[:, -1]
        yield _frame(
            f"Pass {step}. A second moment with noise says in which direction the rows are widest.",
            x, before, before, y[before].mean(axis=0), _line(middle, along),
        )  # fmt: skip
        gone = int(before.sum() - kept.sum())
        yield _frame(
            f"Along it each row has a score. A noisy histogram of the highest scores sets the threshold:"
            f" {number(gone)} rows are above it.",
            x, before, kept, None, _line(middle, along),
        )  # fmt: skip
        before = kept
        mean = y[before].mean(axis=0)
        yield _frame(
            f"They are removed. The mean of the rest is off by {_off(mean)} σ.", x, before, before, mean
        )
    yield _frame(
        f"Pass {len(scores)}. No direction is wide any more: the filter ends.",
        x, before, before, y[before].mean(axis=0), _round(y[before]),
    )  # fmt: skip
    out = np.asarray(centre + steps.mean_of(released[-1][0]))
    yield _frame(
        f"What is left of the budget releases the mean of these rows, with noise: off by {_off(out)} σ.",
        x, before, before, out,
    )  # fmt: skip


def _off(mean: Array) -> str:
    return number(float(np.linalg.norm(mean)), 2)


def _frame(
    words: str, x: Array, before: np.ndarray, after: np.ndarray, mean: Array | None, *more: Series
) -> Frame:
    """Return a frame: rows that are left, those that go now, those that are gone."""
    shown = np.arange(0, len(x), EVERY)
    rows, was, stays = x[shown], before[shown], after[shown]
    series = [
        _dots("rows that are left", rows[stays], "idea/good"),
        _dots("above the threshold", rows[was & ~stays], "idea/bad"),
        _dots("removed", rows[~was], "idea/silent"),
        *more,
    ]
    if mean is not None:
        series.append(Series("mean of what is left", mean[:1], mean[1:], colour_key="mean/prime"))
    named = [one for one in series if len(tuple(one.x))]
    return Frame(words, plane("", named, reach=REACH, centre=MIDDLE, names=(AXIS, "")))


def _dots(label: str, rows: Array, key: str) -> Series:
    return Series(label, rows[:, 0], rows[:, 1], role="rows", colour_key=key)


def _line(middle: Array, along: Array) -> Series:
    unit = along / np.linalg.norm(along)
    x, y = np.array([middle - 2 * REACH * unit, middle + 2 * REACH * unit]).T
    return Series("widest direction", x, y, role="reference", colour_key="idea/public")


def _round(y: Array) -> Series:
    return ellipse(
        "covariance of what is left, twice its size", 4 * np.cov(y.T), y.mean(axis=0),
        role="reference", colour_key="idea/public",
    )  # fmt: skip
