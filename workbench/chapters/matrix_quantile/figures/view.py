"""The explorer of the quantile: its ellipses at one level, and both axes at every level."""

from collections.abc import Iterator

import numpy as np

from workbench.chapters.matrix_quantile.quantiles import OURS, PLAIN, known, scale_at
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.ellipses import circle, ellipse, plane
from workbench.charts.words import number
from workbench.study.grids import Role, stream
from workbench.study.run import Run
from workbench.types import Array

NAME = "mq-quantile-view"
SHARES = (0.04, 0.08, 0.12, 0.17, 0.23, 0.3, 0.38)
FINE = tuple(float(share) for share in np.geomspace(0.02, 0.45, 25))
ROUNDS, SHOWN, REACH = 8, 300, 6.0


def quantile_view(run: Run, *, n: int, level: float, corruption: float, away: float) -> Iterator[Chart]:
    """Yield what normal rows have, then samples, some rows of which are far away.

    Parameters
    ----------
    run
        Has the seed.
    n
        Rows.
    level
        v/n.
    corruption
        The share of the rows that are far away.
    away
        How far, in standard deviations.
    """
    rng = stream(run.seed, Role.DATA, NAME, n, 0)
    found: list[Array] = []
    yield _chart(level, n, corruption, away, None, found)
    for _ in range(ROUNDS):
        x = rng.standard_normal((n, 2))
        x[: round(corruption * n)] = away, 0.0
        found.append(np.array([known(x, share * n) for share in (level, *SHARES)]))
        yield _chart(level, n, corruption, away, x, found)


def _chart(
    level: float, n: int, corruption: float, away: float, x: Array | None, found: list[Array]
) -> Chart:
    scale = scale_at(level, 2)
    return Chart(
        "matrix_quantile_view",
        f"v = {number(level)} n, n = {number(n)}, {number(100 * corruption)} % of the rows at"
        f" ({number(away)}, 0)",
        (_ellipses(scale, away, x, found), _axes(level, found)),
        alt="Left, Pᵥ of samples as ellipses among rows, beside that of normal rows. Right, the squares of"
        " their long and short axes at every level, and the prediction for normal rows.",
        how_to_read="Pale: predicted for normal rows. Areas: from the least to the largest sample.",
        caption=_caption(level, scale, found),
    )


def _ellipses(scale: float, away: float, x: Array | None, found: list[Array]) -> Panel:
    series = [ellipse("", one[0], role="release", colour_key=OURS) for one in found]
    if x is not None:
        first, second = x[-SHOWN:].T
        series.insert(0, Series("", first, second, role="rows"))
        series.append(Series("", [away], [0.0], role="rows", colour_key="idea/bad"))
    predicted = circle("", float(np.sqrt(scale)), role="theory", colour_key=OURS)
    marks = (
        Mark("far rows", "point", x=away, y=0.0, side="above", colour_key="idea/bad"),
        Mark("$P_v$", x=0.0, y=float(np.sqrt(scale)) + 0.4, colour_key=OURS),
    )
    reach, middle = max(REACH, (away + 13.0) / 2.2), max(0.0, away / 2 - 2.5)
    truth = circle("", 1.0, role="truth", colour_key=PLAIN)
    return plane(
        "in units of Σ (black)", (*series, predicted, truth), reach=reach, centre=(middle, 0.0), marks=marks
    )


def _axes(level: float, found: list[Array]) -> Panel:
    predicted = [scale_at(share, 2) for share in FINE]
    series = [Series("", FINE, predicted, role="theory", colour_key=OURS)]
    if found:
        values = np.linalg.eigvalsh(np.array(found)[:, 1:])
        for label, place, key in (("long axis", 1, "idea/bad"), ("short axis", 0, OURS)):
            low, middle, high = np.quantile(values[:, :, place], [0.0, 0.5, 1.0], axis=0)
            series.append(Series("", SHARES, high, low, high, role="area", colour_key=key))
            series.append(Series(label, SHARES, middle, colour_key=key))
    return Panel(
        "every level", "level as a share of the rows, v/n", "eigenvalues of $P_v$", tuple(series),
        xlim=(0.02, 0.46), ylim=(0.3, 2000.0), marks=(Mark("v", "vertical", x=level),),
    )  # fmt: skip


def _caption(level: float, scale: float, found: list[Array]) -> str:
    said = f"Normal rows have Pᵥ = {scale:.3g} Σ at v = {level:g} n."
    if not found:
        return said
    values = np.linalg.eigvalsh(np.array(found)[:, 0])
    short, long = np.median(values, axis=0)
    several = "s" * (len(found) > 1)
    return f"{said} Median eigenvalues in {len(found)} sample{several}: {short:.3g} and {long:.3g}."
