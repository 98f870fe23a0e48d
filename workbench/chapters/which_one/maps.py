"""Which estimator of a mean needs the fewest rows: over ε, over the range, and over n and ε together."""

from math import inf, isfinite, nan

import numpy as np

from workbench.chapters.which_one import choice
from workbench.charts.chart import Chart, Heat, Panel, Series
from workbench.charts.parameters import short
from workbench.study.run import Run

EPSILONS = (0.1, 1.0, 5.0)  # times the notebook's
RADII = (0.1, 1.0, 100.0)  # times the notebook's
SIZES = (100, 200, 400, 800, 1600, 3200, 6400)
ACROSS = tuple(float(f"{one:.3g}") for one in np.geomspace(0.1, 5, 7))
COLUMNWISE, BALL = "mean/coordinatewise", "mean/coinpress"
SIMILAR = 1.05  # the ratio up to which two errors are called alike
REACH = 2.0  # the ratio beyond which colours stay


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
    n, key = choice.fewest(alpha, d, epsilon, delta, radius)
    return Chart(
        "fewest_rows",
        f"At ε = {epsilon:g} and R = {radius:g}: {choice.LABELS[key]}, {n} rows",
        (
            Panel(f"R = {radius:g} σ", "ε", "rows for α", tuple(left)),
            Panel(f"ε = {epsilon:g}", "R, in σ", "rows for α", tuple(right)),
        ),
        alt="Rows needed, on the left against ε, where all curves fall side by side, and on the right against"
        " the range, where the one that clips to a box rises and the others stay nearly level.",
        how_to_read="The lowest curve is the estimator to use. On the left ε moves all curves by about"
        " the same factor. On the right what you know decides: who clips at the whole range pays for it,"
        f" who looks first hardly does. All predicted: α = {alpha:g} σ, {d} columns, δ = {short(delta)}.",
    )


def _curve(key: str, x: list[float], places: list[tuple[float, int, float, float, float]]) -> Series:
    found = [_rows(key, *place) for place in places]
    return Series(choice.LABELS[key], x, found, role="theory", colour_key=key)


def _rows(key: str, alpha: float, d: int, epsilon: float, delta: float, radius: float) -> float:
    n = choice.trade(key, d, radius).rows(alpha, epsilon, delta)
    return nan if n is None else float(n)


def best_map(run: Run, *, delta: float = 1e-6, d: int = 3, radius: float = 10.0) -> Chart:
    """Return where CoinPress, and where column by column errs less, over n and ε; nothing is run."""
    sizes = SIZES[::-1]
    ratios = [[_ratio(n, d, epsilon, delta, radius) for epsilon in ACROSS] for n in sizes]
    heat = Heat(
        ratios,
        (1 / REACH, REACH),
        scale="log",
        emphasis="middle",
        rows=tuple(f"{n:,}".replace(",", " ") for n in sizes),
        columns=tuple(f"{one:.2g}" for one in ACROSS),
        written=True,
    )
    return Chart(
        "best_map",
        _title(ratios),
        (Panel("", "ε", "rows n", (), heat=heat, note=_others(sizes, d, delta, radius)),),
        alt=f"A table as colours over ε and n. {_title(ratios)}. Where n or ε is"
        " small only CoinPress answers; where both are large both err alike.",
        how_to_read="Every number is the predicted error of the mean column by column over that of CoinPress:"
        f" below 1 (purple) go column by column, above 1 (orange) take CoinPress. {REACH:g} also stands where"
        f" only CoinPress answers, and 1 where neither does. {d} columns, R = {radius:g} σ,"
        f" δ = {short(delta)}.",
    )


def _title(ratios: list[list[float]]) -> str:
    """Return the finding: whether column by column errs less anywhere."""
    if min(map(min, ratios)) < 1 / SIMILAR:
        return "Column by column errs less in a band of n and ε, elsewhere CoinPress"
    return "CoinPress errs as little as column by column everywhere, or less"


def _others(sizes: tuple[int, ...], d: int, delta: float, radius: float) -> str:
    """Return where an estimator errs less than either of the two."""
    tops = [choice.ranked(n, d, epsilon, delta, radius)[:1] for n in sizes for epsilon in ACROSS]
    others = [key for top in tops for _, key in top if key not in (COLUMNWISE, BALL)]
    names = ", ".join(sorted({choice.LABELS[key] for key in others}))
    return (
        f"In {len(others)} of {len(tops)} cells another one errs less than both{': ' * bool(names)}{names}."
    )


def _ratio(n: int, d: int, epsilon: float, delta: float, radius: float) -> float:
    """Return the quotient of the errors, within what is shown; 1 where neither answers."""
    one, other = (choice.error(key, n, d, epsilon, delta, radius) for key in (COLUMNWISE, BALL))
    if not isfinite(one) and not isfinite(other):
        return 1.0
    return float(np.clip(one / other if other < inf else 0.0, 1 / REACH, REACH))
