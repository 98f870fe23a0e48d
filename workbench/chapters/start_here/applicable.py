"""A real table of 442 patients, what is publicly known of it, and which estimators of a mean apply to it."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from math import isnan, nan, sqrt
from typing import Any

import numpy as np
import pandas as pd

from workbench.catalog import CATALOG
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.style import name, number
from workbench.errors import ArgumentError
from workbench.estimators import Abstention, Estimator
from workbench.estimators.bounded import BoundedMean
from workbench.populations.diabetes import diabetes
from workbench.privacy import ApproxDP, Budget, Ledger, NonPrivate, PureDP
from workbench.privacy.budgets import gdp_within_approx, zcdp_within_approx
from workbench.study.grids import Role, stream
from workbench.study.profiles import blocks
from workbench.study.run import Run

ROWS = 442


@dataclass(frozen=True)
class Column:
    """A column of the table, and what is publicly known of it before seeing any row.

    The mean is within `radius` of `centre`, `sigma` is a usual standard deviation; `shown` are the ends of an
    axis.
    """

    name: str
    words: str
    centre: float
    radius: float
    sigma: float
    shown: tuple[float, float]

    def rows(self, n: int = ROWS) -> np.ndarray:
        """Return the first entries of the column."""
        return patients()[self.name].to_numpy(np.float64)[:n]


COLUMNS = {
    one.name: one
    for one in (
        Column("bmi", "body-mass index (kg/m²)", 35.0, 25.0, 5.0, (23.0, 30.0)),
        Column("bp", "blood pressure (mmHg)", 100.0, 50.0, 14.0, (84.0, 106.0)),
        Column("s1", "total cholesterol (mg/dl)", 200.0, 150.0, 35.0, (160.0, 220.0)),
    )
}
BMI = COLUMNS["bmi"]


@cache
def patients() -> pd.DataFrame:
    """Return the 442 patients of `workbench.diabetes` as a table."""
    return pd.DataFrame(diabetes())


def column(n: int = ROWS) -> np.ndarray:
    """Return the body-mass index of the first patients."""
    return BMI.rows(n)


EPSILON, DELTA = 1.0, 1e-6
RUNS = {profile: 100 * count for profile, count in blocks(full=10).items()}


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
    return tuple(
        entry.key for entry in means if not all(isinstance(one.budget, NonPrivate) for one in entry.examples)
    )


def candidate(key: str, n: int, epsilon: float, delta: float = DELTA, told: Column = BMI) -> Candidate:
    """Return one estimator at (ε, δ), else at a budget that is within it: ε alone, or ρ, or μ."""
    default: Any = CATALOG[key].estimator
    reason = ""
    try:
        known = {field.name for field in fields(default)} & {"centre", "radius", "sigma"}
        default = replace(default, **{field: getattr(told, field) for field in known})
        if isinstance(default, BoundedMean):
            default = BoundedMean(low=told.centre - told.radius, high=told.centre + told.radius)
    except ArgumentError as error:
        return Candidate(key, default, None, str(error))
    whole = ApproxDP(epsilon, delta)
    for budget in (whole, PureDP(epsilon), zcdp_within_approx(whole), gdp_within_approx(whole)):
        try:
            default.plan(n, 1, budget)
        except ArgumentError as error:
            reason = str(error) if not reason or error.argument != "budget" else reason
        else:
            return Candidate(key, default, budget)
    return Candidate(key, default, None, reason)


def released(one: Candidate, x: np.ndarray, runs: int, rng: np.random.Generator) -> np.ndarray:
    """Return releases for the same rows over fresh noise; NaN where they abstain."""
    if one.budget is None:
        return np.full(runs, np.nan)
    values = [one.estimator(x, budget=one.budget, rng=rng).value for _ in range(runs)]
    return np.array(
        [np.nan if isinstance(value, Abstention) else float(np.ravel(value)[0]) for value in values]
    )


def noise(seed: int, one: Candidate, point: int) -> np.random.Generator:
    """Return the noise of one estimator at one point: the same whoever else runs."""
    return stream(seed, Role.NOISE, f"side-by-side {one.key}", point, 0)


def trials(run: Run) -> int:
    """Return how often every estimator is run on the same rows."""
    most = RUNS[run.profile] if run.most is None else min(run.most, RUNS[run.profile])
    return most if run.simulate else 0


# What every estimator of a mean that applies releases for a real column: bars one below the other.


READING = (
    "The same rows, fresh noise: a marker is the median release, its bar holds 90 % of them. Between the grey"
    " lines privacy costs less than sampling. A marker off the black line is bias, not noise: a median, or a"
    " mean of clipped rows."
)
BARS = "Bars: 90 % of the releases."
FAMILIES = {  # of the estimators, in the order of the picture: narrower and narrower, and wider again
    "clips at the range": ("mean/clipped-box", "univariate/clipped-mean"),
    "locates the data first": (
        *("mean/affine", "mean/coinpress", "mean/adaptive", "mean/clipped-heavy"),
        "univariate/two-step-mean",
        *("mean/coordinatewise", "univariate/unbounded-mean", "univariate/median"),
    ),
    "robust": (
        *("mean/tukey", "mean/robust-heavy", "mean/resilient", "mean/robust", "mean/resilient-heavy"),
        *("mean/filter", "mean/prime", "mean/prime-heavy"),
    ),
    "lets groups of rows vote": ("mean/populous", "mean/median-of-means", "mean/populous-robust"),
    "knows bounds of every row": ("univariate/bounded-mean",),
}
MEMBERS = tuple(key for members in FAMILIES.values() for key in members)
NAMES = {"mean/clipped-box": "clipped to a box"}  # where a name of its own is needed beside the others
MEDIANS = ("univariate/median", "mean/tukey")  # neighbours in that order
ASIDE, LEFT = 0.12, 0.21  # where words stand in their row, from an end, and on the left, as shares of it
HUES = ("idea/noise", "idea/good", "mean/robust", "mean/populous", "idea/silent")  # and of all others


def side_by_side(run: Run, *, epsilon: float = EPSILON, delta: float = DELTA, n: int = ROWS) -> Chart:
    """Return the chart of the releases of every applicable estimator at one budget, over fresh noise."""
    x, runs = column(n), trials(run)
    found = candidates(len(x), epsilon, delta)
    made = {one.key: released(one, x, runs, noise(run.seed, one, 0)) for one in found}
    spread = {key: values for key, values in made.items() if not silent(values)}
    mute = [name(key) for key, values in made.items() if silent(values)]
    note = f"{BARS} They abstain on these rows: {', '.join(mute)}." if mute else BARS
    return Chart(
        "side_by_side",
        f"At ε = {number(epsilon)} locating the data first beats clipping at the whole range",
        (marked(strip(x, spread, replace(BMI, shown=wide(spread, BMI.shown)), note), spread),),
        alt="Bars one below the other: for every private estimator of a mean that applies, the central"
        f" 90 % of what it releases for the same {n} rows. Those that clip at the whole range spread widest,"
        " those that locate the data first least; the private median lies below the plain mean.",
        how_to_read=READING,
    )


def strip(x: np.ndarray, spread: Mapping[str, np.ndarray], told: Column, note: str = "") -> Panel:
    """Return the panel of the releases for the rows x, a bar for every estimator."""
    mean, error = float(x.mean()), float(x.std() / sqrt(len(x)))
    order = sorted(spread, key=_place)
    ends = (0.5, len(order) + 0.5)
    series = [Series("plain mean", ends, (mean, mean), role="truth")]
    for label, side in (("one standard error away", 1), ("", -1)):
        series.append(Series(label, ends, (mean + side * error,) * 2, role="reference"))
    for place, key in enumerate(order, start=1):
        series += _bar(place, key, spread[key])
    return Panel(
        "", "estimator", f"released {told.words}", tuple(series), xscale="linear", yscale="linear", xlim=ends,
        ylim=told.shown, note=note, names=tuple(NAMES.get(key, name(key)) for key in order),
    )  # fmt: skip


def _place(key: str) -> int:
    return MEMBERS.index(key) if key in MEMBERS else len(MEMBERS)  # others stand last


def marked(panel: Panel, spread: Mapping[str, np.ndarray]) -> Panel:
    """Return the panel with words in rows that leave it, and on the medians of a skewed column."""
    low, high = panel.ylim or (0.0, 1.0)
    order = sorted(spread, key=_place)
    ends = {place: _quantiles(spread[key]) for place, key in enumerate(order, start=1)}
    marks = [
        Mark(f"{number(least)} to {number(most)}".replace("-", "−"), x=_aside(middle, low, high), y=place)
        for place, (least, middle, most) in ends.items()
        if least < low or most > high
    ]
    if set(MEDIANS) <= set(order):
        between = order.index(MEDIANS[0]) + 1.5
        marks.append(Mark("medians of a skewed column lie lower", x=low + LEFT * (high - low), y=between))
    return replace(panel, marks=(*panel.marks, *marks))


def _aside(middle: float, low: float, high: float) -> float:
    share = ASIDE if middle > (low + high) / 2 else 1 - ASIDE
    return low + share * (high - low)


def _quantiles(values: np.ndarray) -> tuple[float, float, float]:
    answers = values[np.isfinite(values)]
    low, middle, high = np.quantile(answers, (0.05, 0.5, 0.95)) if len(answers) else (nan,) * 3
    return float(low), float(middle), float(high)


def _bar(place: int, key: str, values: np.ndarray) -> list[Series]:
    low, middle, high = _quantiles(values)
    if isnan(middle):
        return []
    families = zip(FAMILIES.items(), HUES, strict=False)
    found = ((words, hue) for (words, members), hue in families if key in members)
    words, hue = next(found, ("others", HUES[-1]))
    return [Series(words, (place,), (middle,), (low,), (high,), colour_key=hue)]


def wide(spread: Mapping[str, np.ndarray], shown: tuple[float, float]) -> tuple[float, float]:
    """Return limits in which at least three bars of four end, on either side."""
    answers = [values[np.isfinite(values)] for values in spread.values()]
    ends = np.array([np.quantile(one, (0.05, 0.95)) for one in answers if len(one)]).reshape(-1, 2)
    if not len(ends):
        return shown
    low, high = (float(f"{np.quantile(ends[:, i], q):.3g}") for i, q in enumerate((0.25, 0.75)))
    return min(shown[0], low), max(shown[1], high)


def silent(values: np.ndarray) -> bool:
    """Return whether more than half of the releases are no answer."""
    return bool(2 * np.isnan(values).sum() > len(values))


# What is spent and what it costs: a ledger as a picture, and what privacy adds at 442 rows.


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
        *_bar_costs("refused", list(over.values()), ends[-1], len(costs) + 1, "idea/wrong"),
        *_bar_costs("left", [total], ends[-1], len(names), "idea/silent"),
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


def _bar_costs(label: str, ends: list[float], start: float, place: int, key: str) -> tuple[Series, ...]:
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
