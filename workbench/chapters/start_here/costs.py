"""What is spent and what it costs: a ledger as a picture, and what privacy adds at 442 rows."""

from collections.abc import Mapping
from math import sqrt

import numpy as np

from workbench.chapters.start_here.applicable import DELTA, EPSILON, ROWS, candidate, column, released, trials
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.style import name, number
from workbench.errors import ArgumentError
from workbench.privacy import ApproxDP, Budget, Ledger, PureDP
from workbench.study.grids import Role, stream
from workbench.study.run import Run

EPSILONS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
SPENT = {"interval for bmi": 0.5, "mean of bp": 0.3}  # release of the notebook -> its share of ε
REFUSED = ("mean of s1", 0.4)
KEYS = ("univariate/clipped-mean", "univariate/two-step-mean", "univariate/unbounded-mean")


def spending(run: Run, *, epsilon: float = EPSILON) -> Chart:
    """Return the chart of the notebook's ledger, and of the charge that it refuses; nothing is run."""
    ledger = Ledger(PureDP(epsilon))
    for release, share in SPENT.items():
        ledger.charge(PureDP(share * epsilon), release)
    return spent(ledger, {REFUSED[0]: PureDP(REFUSED[1] * epsilon)})


def spent(ledger: Ledger, refused: Mapping[str, Budget] | None = None) -> Chart:
    """Return the chart of a ledger of ε or (ε, δ): every release begins where the one before it ended.

    Parameters
    ----------
    ledger
        The ledger.
    refused
        Releases that it refuses, with their cost: they are drawn beyond it, from where it ends.

    Raises
    ------
    ArgumentError
        If the ledger's budget, or a release's, is under another privacy definition.
    """
    total = _epsilon(ledger.budget)
    costs = [_epsilon(cost) for _, cost in ledger.entries]
    ends = [float(end) for end in np.cumsum([0.0, *costs])]
    over = {asked: ends[-1] + _epsilon(cost) for asked, cost in (refused or {}).items()}
    named = [*(release for release, _ in ledger.entries), *over, "left"]
    sizes = [*costs, *(end - ends[-1] for end in over.values()), total - ends[-1]]
    names = tuple(f"{release}: {number(size)}" for release, size in zip(named, sizes, strict=True))
    charged = range(1, len(costs) + 1)
    bars = [
        Series("spent", charged, ends[1:], ends[:-1], role="bars", colour_key="idea/good"),
        *_bar("refused", list(over.values()), ends[-1], len(costs) + 1, "idea/wrong"),
        *_bar("left", [total], ends[-1], len(names), "idea/silent"),
    ]
    across = (0.5, len(names) + 0.5)
    limit = Series("the budget", across, (total, total), role="truth")
    panel = Panel(
        "", "release", "ε spent so far", (*bars, limit), xscale="linear", yscale="linear", xlim=across,
        ylim=(0.0, 1.08 * max([total, *over.values()])), names=names,
    )  # fmt: skip
    return Chart(
        "spending",
        "A ledger refuses the release that would cross its budget" if over else "What a ledger has spent",
        (panel,),
        alt=f"Bars one below the other: {len(costs)} releases, each beginning where the one above it ended,"
        f" together ε = {number(ends[-1])} of {number(total)}"
        + "; a refused one that would cross the line of the budget" * bool(over)
        + "; the last bar is what is left.",
        how_to_read="Every bar begins where the one above it ends: what was spent is spent, in whatever order"
        " and however the later releases were chosen. The orange one is refused before it looks at a row.",
    )


def _bar(label: str, ends: list[float], start: float, place: int, key: str) -> tuple[Series, ...]:
    places = range(place, place + len(ends))
    made = Series(label, places, ends, [start] * len(ends), role="bars", colour_key=key)
    return (made,) if ends else ()


def _epsilon(budget: Budget) -> float:
    if not isinstance(budget, PureDP | ApproxDP):
        raise ArgumentError("ledger", budget, "budgets of ε or (ε, δ)")
    return budget.epsilon


def price(run: Run, *, epsilon: float = EPSILON, delta: float = DELTA, n: int = ROWS) -> Chart:
    """Return how far noise moves the release, in standard errors of the plain mean."""
    epsilons = [epsilon * one for one in EPSILONS]
    ends, runs = (epsilons[0], epsilons[-1]), trials(run)
    plain = Series("one standard error", ends, (1, 1), role="reference")
    curves = [_price(key, epsilons, delta, n, run) for key in KEYS] if runs else []
    region = Mark("sampling is the larger error", x=1.15 * ends[0] * (ends[1] / ends[0]) ** 0.13, y=0.2)
    usual = (epsilon, delta, n) == (EPSILON, DELTA, ROWS)
    panel = Panel(
        "", "ε", "distance from the plain mean (standard errors)", (plain, *curves),
        note=f"Medians of {runs} releases, bands: their middle half. δ = {number(delta)} where used.",
        marks=(*_crossings(curves), *((region,) if curves else ())),
    )  # fmt: skip
    return Chart(
        "price",
        "Above ε = 0.6 privacy costs less than sampling, if the data are located first"
        if usual
        else f"What privacy adds to the error of {number(n)} rows",
        (panel,),
        alt="The median distance between released and plain mean against ε, both logarithmic, for three"
        " estimators. All fall; the one that clips at the whole range lies highest, and the others"
        + (
            " fall below one standard error of the plain mean at ε of about 0.6."
            if usual
            else " lower, wherever ε is enough for a release."
        ),
        how_to_read="Below the line privacy adds less error than sampling already causes. On the left, the"
        " two that locate the data first can afford little more than that: a median, which for a skewed"
        " column is not the mean.",
    )


def _crossings(curves: list[Series]) -> tuple[Mark, ...]:
    """Return where curves that end below one standard error fall below it, the last time."""
    marks = []
    for one in curves:
        x, y = np.log(tuple(one.x)), np.log(tuple(one.y))
        above = np.flatnonzero(y > 0)
        if y[-1] < 0 and len(above) and np.isfinite(y[above[-1]]):
            k = above[-1]
            place = float(np.exp(x[k] + (x[k + 1] - x[k]) * y[k] / (y[k] - y[k + 1])))
            marks.append((place, one.colour_key))
    apart = [one for k, one in enumerate(sorted(marks)) if not k or one[0] > 1.2 * sorted(marks)[k - 1][0]]
    return tuple(
        Mark(f"ε = {number(place, 2)}", "point", x=place, y=1.0, colour_key=key, side="below")
        for place, key in apart
    )


def _price(key: str, epsilons: list[float], delta: float, n: int, run: Run) -> Series:
    x, noise = column(n), stream(run.seed, Role.NOISE, key, 0, 0)
    error = x.std() / sqrt(len(x))
    values = (released(candidate(key, n, one, delta), x, trials(run), noise) for one in epsilons)
    found = [np.where(np.isnan(one), np.inf, np.abs(one - x.mean())) / error for one in values]
    low, middle, high = np.quantile(found, (0.25, 0.5, 0.75), axis=1, method="nearest")
    return Series(name(key), epsilons, middle, low, high, colour_key=key)
