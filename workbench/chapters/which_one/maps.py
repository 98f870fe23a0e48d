"""Which estimator of a mean needs the fewest rows: over ε, over the range, and over n and ε together."""

from math import inf

import numpy as np

from workbench.chapters.which_one import choice
from workbench.charts.chart import Chart, Heat, Mark, Panel, Series
from workbench.charts.style import number
from workbench.study.run import Run
from workbench.types import Array

EPSILONS = (0.1, 1.0, 5.0)  # times the notebook's
RADII = (0.1, 1.0, 100.0)  # times the notebook's
SIZES = (100, 200, 400, 800, 1600, 3200, 6400)
ACROSS = tuple(float(f"{one:.3g}") for one in np.geomspace(0.1, 5, 7))
COLUMNWISE, BALL = "mean/coordinatewise", "mean/coinpress"
ENOUGH = 4  # cells of a region that gets a name
SIMILAR = 1.05  # the ratio up to which two errors are called alike
REACH = 1.4  # the ratio beyond which colours stay


def fewest_rows(
    run: Run,
    *,
    epsilon: float = 1.0,
    delta: float = 1e-6,
    alpha: float = 0.2,
    d: int = 3,
    radius: float = 10.0,
) -> Chart:
    """Return the rows that every estimator needs for α, over ε and over the range; nothing is run."""
    epsilons = [epsilon * by for by in EPSILONS]
    radii = [radius * by for by in RADII]
    left = [
        _curve(key, epsilons, [(alpha, d, one, delta, radius) for one in epsilons]) for key in choice.keys(d)
    ]
    right = [_curve(key, radii, [(alpha, d, epsilon, delta, one) for one in radii]) for key in choice.keys(d)]
    rows = f"rows needed for α = {number(alpha)} σ"
    n, key = min((tuple(one.y)[1], one.colour_key) for one in left)
    words, here = f"no mean reaches α = {number(alpha)} σ", tuple[Mark, ...]()
    if n < inf:
        words = f"{choice.LABELS[key]} needs fewest rows"
        here = (
            Mark(f"{number(round(n))} rows", "point", x=epsilon, y=round(n), side="left", colour_key=key),
        )
    return Chart(
        "fewest_rows",
        f"At ε = {number(epsilon)} and R = {number(radius)} {words}",
        (
            Panel(f"R = {number(radius)} σ", "ε", rows, tuple(left), marks=here, note=_unreached(left)),
            Panel(
                f"ε = {number(epsilon)}", "half-width R of the range (σ)", rows,
                tuple(right), marks=_pays(radii, right), note=_unreached(right),
            ),
        ),
        alt="Rows needed, on the left against ε, where all curves fall side by side, and on the right against"
        " the range, where the one that clips to a box rises and the others stay nearly level.",
        how_to_read="Use the lowest curve. Left, ε moves all curves by about the same factor. Right, what you"
        f" know decides. All predicted: α = {number(alpha)} σ, {d} columns, δ = {number(delta)}.",
    )  # fmt: skip


def _pays(radii: list[float], curves: list[Series]) -> tuple[Mark, ...]:
    """Return a name for the place where a range is paid for, above the curve that rises there."""
    rising = [one for one in curves if one.colour_key == "mean/clipped-box"]
    if not rising:
        return ()
    x, y = radii[0] * (radii[-1] / radii[0]) ** 0.3, tuple(rising[0].y)
    here = Mark("clipping pays for the range", x=x, y=y[-2] ** 0.35 * y[-1] ** 0.65)
    return (here,) if y[-2] < y[-1] < inf else ()


def _curve(key: str, x: list[float], places: list[tuple[float, int, float, float, float]]) -> Series:
    rows = (
        choice.trade(key, d, radius).rows(alpha, epsilon, delta)
        for alpha, d, epsilon, delta, radius in places
    )
    found = [inf if n is None else float(n) for n in rows]
    return Series(choice.LABELS[key], x, found, role="theory", colour_key=key)


def _unreached(curves: list[Series]) -> str:
    """Return why curves are missing, where some have no point."""
    missing = [one.label for one in curves if min(one.y) == inf]
    return f"No number of rows is known to be enough: {', '.join(missing)}." if missing else ""


def best_map(run: Run, *, delta: float = 1e-6, d: int = 3, radius: float = 10.0) -> Chart:
    """Return where CoinPress, and where column by column errs less, over n and ε; nothing is run."""
    sizes = SIZES[::-1]
    errors = np.array(
        [
            [[choice.error(key, n, d, one, delta, radius) for key in (COLUMNWISE, BALL)] for one in ACROSS]
            for n in sizes
        ]
    )
    ratios = _ratios(errors)
    heat = Heat(
        ratios,
        (1 / REACH, REACH),
        scale="log",
        emphasis="middle",
        rows=tuple(number(n) for n in sizes),
        columns=tuple(number(one, 2) for one in ACROSS),
        bar="error over that of CoinPress",
    )
    marks = _borders(errors)
    return Chart(
        "best_map",
        _title(ratios),
        (Panel("", "ε", "rows n", (), heat=heat, note=_others(sizes, d, delta, radius), marks=marks),),
        alt=f"A table as colours over ε and n. {_title(ratios)}. Where n or ε is"
        " small only CoinPress answers; where both are large both err alike.",
        how_to_read="The error of the mean column by column over that of CoinPress: below 1, purple, go"
        f" column by column; above 1, orange, take CoinPress. Pale: no matter which. Grey: not both answer."
        f" {d} columns,"
        f" R = {number(radius)} σ, δ = {number(delta)}.",
    )


def _borders(errors: Array) -> tuple[Mark, ...]:
    """Return the names of the regions, each at the middle of its cells, if it has some."""
    ratios, (columnwise, ball) = _ratios(errors), np.isfinite(np.moveaxis(errors, -1, 0))
    regions = {
        "only CoinPress answers": ball & ~columnwise,
        "column by column": ratios < 1 / SIMILAR,
        "much alike": (ratios >= 1 / SIMILAR) & (ratios < SIMILAR),
        "neither": ~ball & ~columnwise,
    }
    made = []
    for words, cells in regions.items():
        if cells.sum() >= (1 if words == "neither" else ENOUGH):
            rows, columns = np.nonzero(cells)
            made.append(Mark(words, x=float(np.median(columns)), y=float(np.median(rows))))
    return tuple(made)


def _title(ratios: Array) -> str:
    """Return the finding: whether column by column errs less anywhere."""
    if (ratios < 1 / SIMILAR).any():
        return "Column by column errs less at small ε, CoinPress answers with fewer rows"
    return "CoinPress errs as little as column by column everywhere, or less"


def _others(sizes: tuple[int, ...], d: int, delta: float, radius: float) -> str:
    """Return where an estimator errs less than either of the two."""
    tops = [choice.ranked(n, d, epsilon, delta, radius)[:1] for n in sizes for epsilon in ACROSS]
    others = [key for top in tops for _, key in top if key not in (COLUMNWISE, BALL)]
    names = ", ".join(sorted({choice.LABELS[key] for key in others}))
    if not others:
        return "No other estimator errs less than both anywhere."
    return f"In {len(others)} of {len(tops)} cells another one errs less than both: {names}."


def _ratios(errors: Array) -> Array:
    """Return the quotients of both errors within what is shown; nan where not both answer.

    >>> _ratios(np.array([[1.0, 0.9], [np.inf, 1.0]])).tolist()
    [1.1111111111111112, nan]
    """
    both = np.isfinite(errors).all(axis=-1)
    one, other = (np.where(both, side, np.nan) for side in np.moveaxis(errors, -1, 0))
    return np.asarray(np.clip(one / other, 1 / REACH, REACH))
