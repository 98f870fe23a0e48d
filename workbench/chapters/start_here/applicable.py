"""A real table of 442 patients, what is publicly known of it, and which estimators of a mean apply to it."""

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from functools import cache
from math import inf, log, nan, sqrt
from typing import Any, NamedTuple

import numpy as np
from pandas import DataFrame

from workbench.catalog import CATALOG
from workbench.chapters.what_epsilon_means.densities import believed
from workbench.chapters.which_one.choice import private
from workbench.charts.curves import Chart, Mark, Panel, Series, across, crossed, name, number, text_at, theory
from workbench.errors import ArgumentError
from workbench.estimators import Abstention, Estimator
from workbench.estimators.bounded import BoundedMean
from workbench.populations.diabetes import diabetes
from workbench.privacy import ApproxDP, Budget, Ledger, PureDP
from workbench.privacy.budgets import gdp_within_approx, zcdp_within_approx
from workbench.special import ndtri
from workbench.study.sweeps import Role, Run, blocks, stream, value_of
from workbench.study.trade_off import TradeOff
from workbench.types import Array

ROWS, EPSILON, DELTA = 442, 1.0, 1e-6
KNOWN = {"centre": 35.0, "radius": 25.0, "sigma": 5.0}  # of the body-mass index, before any row is seen
SHOWN = (23.0, 30.0)  # ends of its axis
RUNS = {profile: 100 * count for profile, count in blocks(10).items()}


@cache
def patients() -> DataFrame:
    """Return the 442 patients of `workbench.diabetes` as a table."""
    return DataFrame(diabetes())


def column(n: int = ROWS) -> Array:
    """Return the body-mass index of the first patients."""
    return patients()["bmi"].to_numpy(np.float64)[:n]


class Candidate(NamedTuple):
    """An estimator of the mean with what is publicly known, and the budget it takes, if any."""

    key: str
    estimator: Estimator[Any]
    budget: Budget | None


def candidates(n: int, epsilon: float, delta: float = DELTA) -> tuple[Candidate, ...]:
    """Return every private estimator of a mean in the catalog, as it would run on n rows of one column."""
    return tuple(candidate(one.key, n, epsilon, delta) for one in private("mean"))


def candidate(key: str, n: int, epsilon: float, delta: float) -> Candidate:
    """Return one estimator at (ε, δ), else at a budget that is within it: ε alone, or ρ, or μ."""
    one: Any = CATALOG[key].estimator
    try:
        known = {field.name for field in fields(one)} & {*KNOWN}
        one = replace(one, **{field: KNOWN[field] for field in known})
        if isinstance(one, BoundedMean):
            low, high = (KNOWN["centre"] + side * KNOWN["radius"] for side in (-1, 1))
            one = BoundedMean(low=low, high=high)
    except ArgumentError:
        return Candidate(key, one, None)
    whole = ApproxDP(epsilon, delta)
    for budget in (whole, PureDP(epsilon), zcdp_within_approx(whole), gdp_within_approx(whole)):
        try:
            one.plan(n, 1, budget)
        except ArgumentError:
            continue
        return Candidate(key, one, budget)
    return Candidate(key, one, None)


def released(one: Candidate, x: Array, runs: int, rng: np.random.Generator) -> Array:
    """Return releases for the same rows over fresh noise; NaN where they abstain."""
    if one.budget is None:
        return np.full(runs, np.nan)
    values = [value_of(one.estimator, x, one.budget, rng) for _ in range(runs)]
    return np.array([nan if isinstance(one, Abstention) else float(np.ravel(one)[0]) for one in values])


def trials(run: Run) -> int:
    """Return how often every estimator is run on the same rows."""
    most = RUNS[run.profile] if run.most is None else min(run.most, RUNS[run.profile])
    return most if run.simulate else 0


# One release, run ten times, and what it may tell of one patient.


SHARPER = 10.0  # times ε, in the second panel
REPLACED = 60.0  # what the body-mass index of the first patient becomes
TWO_STEP = "univariate/two-step-mean"
SURE = 90  # %
ALONG = np.geomspace(0.05, 10.0, 25)  # times ε


def belief(before: float, epsilon: float) -> float:
    """Return what a belief of `before` % may become at most, in %."""
    return 100 * float(believed(np.array(before / 100), epsilon))


def ten_releases(run: Run, *, epsilon: float = EPSILON, n: int = ROWS) -> Chart:
    """Return ten releases about either of two neighbours, at two ε."""
    x, most, notes = column(n), trials(run), []
    tables, keys = (x, np.append(REPLACED, x[1:])), ("idea/first", "idea/second")
    series, names = [], []
    for each in (epsilon, SHARPER * epsilon):
        noise = stream(run.seed, Role.NOISE, f"ten releases, ε = {each:g}")
        made = [released(candidate(TWO_STEP, n, each, DELTA), rows, most, noise) for rows in tables]
        for found, key, said in zip(made, keys, ("all", "one replaced"), strict=True):
            names.append(f"ε = {number(each)}, {said}")
            if np.isfinite(found).any():  # the first marker bears the bar
                place, (low, high) = len(names), np.nanquantile(found, (0.05, 0.95))
                others = found[1:10]  # that a release is made in the notebook
                series.append(Series("", [place], found[:1], [low], [high], colour_key=key))
                series.append(Series("", [place] * len(others), others, colour_key=key, joined=False))
        if np.isfinite(made).any():
            first, second = np.nanmedian(made, axis=1)
            above = np.mean(np.array(made) > (first + second) / 2, axis=1)
            right = 50 + 50 * abs(above[1] - above[0])
            bound = f"at most {belief(50, each):.0f}"
            notes.append(f"{right:.0f} % of guesses at ε = {number(each)} ({bound} %)")
    along = (0.5, len(names) + 0.5)
    truth = across("plain mean", along, x.mean(), role="truth")
    told = f"{BARS} A cut between the two medians is right in {' and '.join(notes)}."
    refused = f"No release from so few rows: {n}." if most else ""
    panel = Panel(
        "", "table", "released body-mass index (kg/m²)", (truth, *series), "linear", "linear",
        note=told if notes else refused, xlim=along, names=tuple(names),
    )  # fmt: skip
    return Chart(
        "ten_releases",
        f"From one release at ε = {number(epsilon)} at most {belief(50, epsilon):.0f} % of guesses are right",
        [panel],
        alt="Four rows of ten dots: releases about all patients and after one was replaced, first at the"
        f" notebook's ε, where the two rows overlap, then at ε = {number(SHARPER * epsilon)}, where the dots"
        " lie closer together and the two rows apart.",
        how_to_read="Ten dots a row, as many as the cell prints; bars hold 90 % of all runs. Above, can you"
        " tell blue from orange? Below there is less noise, and one patient shows.",
    )


def risk_and_error(run: Run, *, epsilon: float = EPSILON, n: int = ROWS) -> Chart:
    """Return the belief that a release allows and its predicted error, against ε; nothing is run."""
    epsilons, trade = [epsilon * one for one in ALONG], TradeOff(TWO_STEP, settings=KNOWN)
    ends, left = (epsilons[0], epsilons[-1]), epsilons[4]
    beliefs = [
        theory(f"{one} %", epsilons, [belief(one, each) for each in epsilons], "", rank=rank)
        for one, rank in zip((50, 10, 1), (1.0, 0.6, 0.2), strict=True)  # % before the release
    ]
    beliefs = [replace(one, label_at=(left, tuple(one.y)[4] + 4)) for one in beliefs]
    errors, error = ([trade.error(n, one, DELTA) for one in some] for some in (epsilons, [epsilon]))
    here, sure = belief(50, epsilon), log(SURE / (100 - SURE))
    marks = [Mark(f"{here:.0f} %", "point", epsilon, here, side="left")]
    if epsilon < sure < ends[1]:
        marks.append(Mark(f"{SURE} % at ε = {number(sure, 2)}", "point", sure, SURE, side="left"))
    reached = [Mark(number(one, 2), "point", epsilon, one, side="above") for one in error if one < inf]
    said = f"is off by {number(error[0], 2)}" if reached else "abstains"
    curves = (
        theory("two-step mean", epsilons, errors, TWO_STEP),
        across("sampling alone", ends, float(ndtri(0.75)) * KNOWN["sigma"] / sqrt(n), "non-private"),
    )
    risk = Panel(
        "Risk: beliefs of 50, 10 and 1 %", "ε", "belief after the release, at most (%)",
        beliefs, yscale="linear", ylim=(0.0, 105.0), marks=marks,
    )  # fmt: skip
    return Chart(
        "risk_and_error",
        f"At ε = {number(epsilon)} a belief of 50 % becomes {here:.0f} % at most, the mean {said}",
        (
            risk,
            Panel(
                f"Error: the mean of {number(n)} rows", "ε", "predicted median error (kg/m²)", curves,
                note="" if min(errors) < inf else f"No release from so few rows: {n}.", marks=reached,
            ),
        ),
        alt="Two panels against ε. Left, the largest belief about one patient after a release rises with ε,"
        " from each of three beliefs before it to nearly 100 %. Right, the predicted error of the mean falls"
        " with ε, until it lies at that of sampling.",
        how_to_read="One choice of ε moves both. Left, low is private; right, low is accurate. Where the"
        " error has reached that of sampling, a larger ε buys risk and nothing else.",
    )  # fmt: skip


# What every estimator of a mean that applies releases for a real column: bars one below the other.


FAMILIES = (  # of the estimators, in the order of the picture: narrower and narrower, and wider again
    ("clips at the range", "idea/noise", ("mean/clipped-box", "univariate/clipped-mean")),
    (
        "locates the data first",
        "idea/good",
        (
            *("mean/affine", "mean/coinpress", "mean/adaptive", "mean/clipped-heavy"),
            "univariate/two-step-mean",
            *("mean/coordinatewise", "univariate/unbounded-mean", "univariate/median"),
        ),
    ),
    (
        "robust",
        "mean/robust",
        (
            *("mean/tukey", "mean/robust-heavy", "mean/resilient", "mean/robust", "mean/resilient-heavy"),
            *("mean/filter", "mean/prime", "mean/prime-heavy"),
        ),
    ),
    (
        "lets groups of rows vote",
        "mean/populous",
        ("mean/populous", "mean/median-of-means", "mean/populous-robust"),
    ),
    ("knows bounds of every row", "idea/silent", ("univariate/bounded-mean",)),
)
LOOKS = {key: (words, hue) for words, hue, members in FAMILIES for key in members}
NAMES = {"mean/clipped-box": "clipped to a box"}  # where a name of its own is needed beside the others
MEDIANS = ("univariate/median", "mean/tukey")  # neighbours in that order
ASIDE, LEFT = 0.12, 0.21  # where words stand in their row, from an end, and on the left, as shares of it
BARS = "Bars: 90 % of the releases."


def side_by_side(run: Run, *, epsilon: float = EPSILON, delta: float = DELTA, n: int = ROWS) -> Chart:
    """Return the chart of the releases of every applicable estimator at one budget, over fresh noise."""
    x, spread, mute = column(n), {}, []
    for one in candidates(len(x), epsilon, delta):
        noise = stream(run.seed, Role.NOISE, f"side-by-side {one.key}")  # the same whoever else runs
        values = released(one, x, trials(run), noise)
        if 2 * np.isnan(values).sum() > len(values):
            mute.append(name(one.key))
        else:
            spread[one.key] = values
    note = f"{BARS} They abstain on these rows: {', '.join(mute)}." if mute else BARS
    return Chart(
        "side_by_side",
        f"At ε = {number(epsilon)} locating the data first beats clipping at the whole range",
        [strip(x, spread, note)],
        alt="Bars one below the other: for every private estimator of a mean that applies, the central"
        f" 90 % of what it releases for the same {n} rows. Those that clip at the whole range spread more"
        " widely than those that locate the data first, the vote of medians spreads widest; the private"
        " median lies below the plain mean.",
        how_to_read="The same rows, fresh noise: a marker is the median release, its bar holds 90 % of them."
        " Between the grey lines privacy costs less than sampling. A marker off the black line is bias, not"
        " noise: a median, or a mean of clipped rows.",
    )


def strip(x: Array, spread: Mapping[str, Array], note: str = "") -> Panel:
    """Return the panel of the releases for the rows x, a bar for every estimator."""
    mean, error = float(x.mean()), float(x.std() / sqrt(len(x)))
    order = sorted(spread, key=[*LOOKS, *spread].index)  # others stand last
    along, ends = (0.5, len(order) + 0.5), {key: _quantiles(spread[key]) for key in order}
    low, high = _limits(ends.values())
    series, marks = [across("plain mean", along, mean, role="truth")], []
    for label, side in (("one standard error away", 1), ("", -1)):
        series.append(across(label, along, mean + side * error))
    for place, (key, (least, middle, most)) in enumerate(ends.items(), start=1):
        if np.isfinite(middle):
            words, hue = LOOKS.get(key, ("others", "idea/silent"))
            series.append(Series(words, [place], [middle], [least], [most], colour_key=hue))
        if least < low or most > high:  # it leaves the panel: how far stands away from its marker
            aside = low + (ASIDE if middle > (low + high) / 2 else 1 - ASIDE) * (high - low)
            marks.append(text_at(f"{number(least)} to {number(most)}".replace("-", "−"), aside, place))
    if set(MEDIANS) <= set(order):
        between = order.index(MEDIANS[0]) + 1.5
        marks.append(text_at("medians of a skewed column lie lower", low + LEFT * (high - low), between))
    return Panel(
        "", "estimator", "released body-mass index (kg/m²)", series, "linear", "linear",
        xlim=along, ylim=(low, high), note=note, names=tuple(NAMES.get(key, name(key)) for key in order),
        marks=marks,
    )  # fmt: skip


def _quantiles(values: Array) -> tuple[float, float, float]:
    answers = values[np.isfinite(values)]
    low, middle, high = np.quantile(answers, (0.05, 0.5, 0.95)) if len(answers) else (nan,) * 3
    return float(low), float(middle), float(high)


def _limits(bars: Iterable[tuple[float, float, float]]) -> tuple[float, float]:
    """Return limits in which at least three bars of four end, on either side."""
    ends = np.array([(low, high) for low, middle, high in bars if np.isfinite(middle)])
    if not len(ends):
        return SHOWN
    low, high = (float(f"{np.quantile(ends[:, i], q):.3g}") for i, q in enumerate((0.25, 0.75)))
    return min(SHOWN[0], low), max(SHOWN[1], high)


# What is spent and what it costs: a ledger as a picture, and what privacy adds at 442 rows.


SPENT = {"interval for bmi": 0.5, "mean of bp": 0.3}  # release of the notebook -> its share of ε
REFUSED = ("mean of s1", 0.4)
EPSILONS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
KEYS = ("univariate/clipped-mean", "univariate/two-step-mean", "univariate/unbounded-mean")


def spending(run: Run, *, epsilon: float = EPSILON) -> Chart:
    """Return the chart of the notebook's ledger, and of the charge that it refuses; nothing is run."""
    ledger = Ledger(PureDP(epsilon))
    for release, share in SPENT.items():
        ledger.charge(PureDP(share * epsilon), release)
    costs = [cost.epsilon for _, cost in ledger.entries if isinstance(cost, PureDP)]
    ends, asked = np.cumsum([0.0, *costs]).tolist(), REFUSED[1] * epsilon
    over = ends[-1] + asked
    sizes = [*costs, over - ends[-1], epsilon - ends[-1]]
    names = (*SPENT, REFUSED[0], "left")
    last, along = len(names), (0.5, len(names) + 0.5)
    bars = (
        Series("spent", range(1, len(ends)), ends[1:], ends[:-1], role="bars", colour_key="idea/good"),
        Series("refused", [last - 1], [over], [ends[-1]], role="bars", colour_key="idea/wrong"),
        Series("left", [last], [epsilon], [ends[-1]], role="bars", colour_key="idea/silent"),
    )
    panel = Panel(
        "", "release", "ε spent so far", (*bars, across("the budget", along, epsilon, role="truth")),
        "linear", "linear", xlim=along, ylim=(0.0, 1.08 * max(epsilon, over)),
        names=tuple(f"{release}: {number(size)}" for release, size in zip(names, sizes, strict=True)),
    )  # fmt: skip
    return Chart(
        "spending",
        "A ledger refuses the release that would cross its budget",
        [panel],
        alt=f"Bars one below the other: {len(costs)} releases, each beginning where the one above it ended,"
        f" together ε = {number(ends[-1])} of {number(epsilon)}; a refused one that would cross the line of"
        " the budget; the last bar is what is left.",
        how_to_read=(
            "Every bar begins where the one above it ends: what was spent is spent, in whatever order and"
            " however the later releases were chosen. The orange one is refused before it reads a row."
        ),
    )


def price(run: Run, *, epsilon: float = EPSILON, delta: float = DELTA, n: int = ROWS) -> Chart:
    """Return how far noise moves the release, in standard errors of the plain mean."""
    epsilons = [epsilon * one for one in EPSILONS]
    ends, runs = (epsilons[0], epsilons[-1]), trials(run)
    x, curves = column(n), []
    for key in KEYS if runs else ():
        noise = stream(run.seed, Role.NOISE, key)
        values = (released(candidate(key, n, one, delta), x, runs, noise) for one in epsilons)
        off = [
            np.where(np.isnan(one), np.inf, np.abs(one - x.mean())) / (x.std() / sqrt(n)) for one in values
        ]
        low, middle, high = np.quantile(off, (0.25, 0.5, 0.75), axis=1, method="nearest")
        curves.append(Series(name(key), epsilons, middle, low, high, colour_key=key))
    found = {one.colour_key: crossed(tuple(one.x), tuple(one.y), 1.0) for one in curves}
    places = sorted((place[0], key) for key, place in found.items() if place)
    apart = [one for k, one in enumerate(places) if not k or one[0] > 1.2 * places[k - 1][0]]
    marks = [
        Mark(f"ε = {number(place, 2)}", "point", place, 1.0, colour_key=key, side="below")
        for place, key in apart
    ]
    if curves:
        place = 1.15 * ends[0] * (ends[1] / ends[0]) ** 0.13
        marks.append(text_at("sampling is the larger error", place, 0.2))
    usual = (epsilon, delta, n) == (EPSILON, DELTA, ROWS)
    panel = Panel(
        "", "ε", "distance from the plain mean (standard errors)",
        (across("one standard error", ends, 1), *curves),
        note=f"Medians of {runs} releases, bands: their middle half. δ = {number(delta)} where used.",
        marks=marks,
    )  # fmt: skip
    return Chart(
        "price",
        "Above ε = 0.6 privacy costs less than sampling, if the data are located first"
        if usual
        else f"What privacy adds to the error of {number(n)} rows",
        [panel],
        alt="The median distance between released and plain mean against ε, both logarithmic, for three"
        " estimators. The one that clips at the whole range lies highest, and the others"
        + (
            " fall below one standard error of the plain mean at ε of about 0.6."
            if usual
            else " lower, wherever ε is enough for a release."
        ),
        how_to_read="Below the line privacy adds less error than sampling already causes. On the left, the"
        " two that locate the data first spend all of ε on it and release a median, which for a skewed column"
        " is not the mean.",
    )
