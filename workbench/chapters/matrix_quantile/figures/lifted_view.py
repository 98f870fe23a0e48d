"""The explorer of the lifted mean: what an offset, a condition number and far rows do to it."""

from collections.abc import Iterator

import numpy as np

from workbench.chapters.covariance.worlds import tilted
from workbench.chapters.matrix_quantile.lifted import MEAN, lifted
from workbench.chapters.matrix_quantile.quantiles import AWAY, PLAIN
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.ellipses import circle, ellipse, plane
from workbench.charts.words import number
from workbench.estimators.affine import AffineMean
from workbench.estimators.base import Abstention
from workbench.privacy import ApproxDP
from workbench.study.grids import Role, stream
from workbench.study.run import Run
from workbench.types import Array

NAME, ROUNDS, SHOWN, LEVEL, REACH, BEYOND = "mq-lifted-view", 12, 200, 0.2, 4.5, 4.0


def lifted_view(
    run: Run, *, epsilon: float, delta: float, n: int, offset: float, condition: float, corruption: float
) -> Iterator[Chart]:
    """Yield what is predicted, then one run of the lifted mean after another.

    Parameters
    ----------
    run
        Has the seed.
    epsilon, delta
        Budget.
    n
        Rows, of two columns.
    offset
        How far the mean is from 0, in longest standard deviations.
    condition
        Of the covariance.
    corruption
        The share of the rows that are far away.
    """
    budget, law, estimator = ApproxDP(epsilon, delta), tilted(condition), AffineMean()
    words = (
        f"{number(n)} rows, ε = {number(epsilon)}, mean {number(offset)} σ away,"
        f" condition {number(condition)}, {number(100 * corruption)} % far"
    )
    predicted = estimator.predicted_error(n, 2, budget)
    white = law.basis / np.sqrt(law.values)
    shift = offset * np.sqrt(law.values[-1]) * law.basis[:, -1]
    found: list[tuple[Array | None, Array]] = []
    yield _chart(words, predicted, None, found)
    data, noise = (stream(run.seed, role, NAME, n, 0) for role in (Role.DATA, Role.NOISE))
    for _ in range(ROUNDS):
        z = data.standard_normal((n, 2))
        z[: round(corruption * n)] = AWAY
        x = shift + z @ np.linalg.inv(white)
        value = estimator(x, budget=budget, rng=noise).value
        released = None if isinstance(value, Abstention) else (value - shift) @ white
        found.append((released, (x - shift).mean(0) @ white))
        yield _chart(words, predicted, z, found)


def _chart(words: str, predicted: float, z: Array | None, found: list[tuple[Array | None, Array]]) -> Chart:
    return Chart(
        "lifted_view",
        words,
        (_rows(z), _errors(predicted, found)),
        alt="Left, rows in units of Σ with the slice of their lifted quantile. Right, releases and sample"
        " means round the true mean, with a circle of the predicted error.",
        how_to_read="In units of Σ, round the true mean. Half of all releases are predicted in the circle.",
        caption=_caption(predicted, found),
    )


def _rows(z: Array | None) -> Panel:
    series = [circle("", 1.0, role="truth", colour_key=PLAIN)]
    if z is not None:
        s, m, scatter, _ = lifted(z, LEVEL * len(z))
        first, second = z[-SHOWN:].T
        series = [Series("", first, second, role="rows"), *series]
        series += [ellipse("", (1 - 1 / s) * scatter, m, colour_key=MEAN), _dots([m], MEAN)]
    marks = (Mark("to the far rows →", x=2.6, y=4.0),)
    return plane("rows, in units of Σ (black)", series, reach=REACH, marks=marks)


def _errors(predicted: float, found: list[tuple[Array | None, Array]]) -> Panel:
    released = [one for one, _ in found if one is not None]
    series = [circle("", predicted, role="theory", colour_key=MEAN)]
    if released:
        series.append(_dots(released, MEAN))
    if found:
        series.append(_dots([plain for _, plain in found], PLAIN))  # may lie beyond the picture
    marks = [Mark("predicted", x=0.0, y=1.3 * predicted, colour_key=MEAN)]
    if found and min(np.abs(plain).max() for _, plain in found) > BEYOND * predicted:
        marks.append(Mark("sample means →", x=2.2 * predicted, y=0.0, colour_key=PLAIN))
    return plane("releases, and sample means (black)", series, reach=BEYOND * predicted, marks=marks)


def _dots(points: list[Array], key: str) -> Series:
    first, second = np.array(points).T
    return Series("", first, second, colour_key=key, joined=False)


def _caption(predicted: float, found: list[tuple[Array | None, Array]]) -> str:
    said = f"Predicted median error: {predicted:.3g} in units of Σ."
    if not found:
        return said
    released = [float(np.linalg.norm(one)) for one, _ in found if one is not None]
    plain = np.median([np.linalg.norm(one) for _, one in found])
    median = f", median error {np.median(released):.3g}" if released else ""
    return f"{said} {len(found)} runs: {len(released)} answers{median}; sample mean {plain:.3g}."
