"""Which mean has the least predicted error, for a reader who knows a range and a scale; their own rule."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import fields
from enum import IntEnum
from functools import cache
from math import inf, nan, sqrt
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.random import Generator

from workbench.catalog import CATALOG, Entry
from workbench.charts.curves import (
    Chart,
    Heat,
    Mark,
    Panel,
    Series,
    across,
    measured,
    medians,
    name,
    number,
    predicted,
    text_at,
    theory,
)
from workbench.errors import ArgumentError, one_of
from workbench.privacy import GaussianDP, NonPrivate, PureDP
from workbench.special import ndtri
from workbench.study.measures import at, between, by, median, near, ratio
from workbench.study.rules import Checks, Claim, claim_level
from workbench.study.sweeps import (
    Point,
    Role,
    Row,
    Run,
    Sweep,
    answered,
    blocks,
    distance_of,
    each_trial,
    loss_of,
    stream,
)
from workbench.study.trade_off import TradeOff

# What has to be known beforehand for every private estimator, read off the catalog: a table, and a tree.


class Need(IntEnum):
    NOT = 0
    MAY = 1
    MUST = 2


FACTS = {
    "range": "the mean lies in a known range",
    "scale": "σ is known, or bounds the covariance",
    "upper": "a bound on the largest eigenvalue",
    "lower": "a bound on the smallest eigenvalue",
    "norm": "a bound on the length of a row",
    "normal": "the rows are normal, or sub-Gaussian",
    "moments": "bounds on higher moments",
    "outliers": "some rows may be wrong, a known share of them",
}
PRIVACY = ("ε alone", "ρ", "ε and δ")
"""The strictest promise that an estimator can make, strictest first."""


class Member(NamedTuple):
    """One private estimator: what has to be told, and the place of its strictest promise in `PRIVACY`."""

    key: str
    estimand: str
    needs: dict[str, Need]
    privacy: int
    robust: bool

    def applies(self, *told: str) -> bool:
        return all(need < Need.MUST or fact in told for fact, need in self.needs.items())


def private(*estimands: str) -> list[Entry]:
    """Return the private estimators of the catalog that estimate these."""
    entries = (one for one in CATALOG.values() if one.estimand in estimands)
    return [one for one in entries if not all(isinstance(each.budget, NonPrivate) for each in one.examples)]


def family(*estimands: str) -> tuple[Member, ...]:
    """Return the same with what they ask for, those that ask for least first."""

    def order(one: Member) -> tuple[object, ...]:
        needs = tuple(-value for value in one.needs.values())
        return estimands.index(one.estimand), one.robust, sum(one.needs.values()), needs, one.privacy

    return tuple(sorted(map(member, private(*estimands)), key=order))


def member(entry: Entry) -> Member:
    """Return what one entry asks for: through assumptions of accuracy, and parameters without a default."""
    one: Any = entry.estimator
    known = {field.name: getattr(one, field.name) for field in fields(one)}
    said = "; ".join(entry.assumptions)
    of_mean, radius = "radius" in said, known.get("radius")
    must = {
        "range": of_mean,
        "scale": "sigma" in said,
        "upper": "upper" in known,
        "lower": "lower times" in said,
        "norm": radius is not None and not of_mean,
        "normal": "normal" in said or "sub-Gaussian" in said,
        "moments": "moments" in known,
        "outliers": "corruption" in known,
    }
    may = {"range": "radius" in known and radius is None, "lower": "lower" in known}
    needs = {fact: Need.MUST if must[fact] else Need(may.get(fact, False)) for fact in FACTS}
    budgets = [example.budget for example in entry.examples]
    pure = any(isinstance(one, PureDP) for one in budgets)
    concentrated = any(isinstance(one, GaussianDP) or not getattr(one, "delta", 0.0) for one in budgets)
    privacy = 0 if pure else 1 if concentrated else 2
    return Member(entry.key, entry.estimand, needs, privacy, "corruption" in known or "clean" in said)


def table(*estimands: str) -> pd.DataFrame:
    """Return the family as a table: a row for each key, a column for each fact that any of them asks for."""
    words = {Need.NOT: "", Need.MAY: "may", Need.MUST: "must"}
    found = family(*estimands)
    rows = [
        {fact: words[need] for fact, need in one.needs.items()} | {"promise": PRIVACY[one.privacy]}
        for one in found
    ]
    made = pd.DataFrame(rows, index=pd.Index([one.key for one in found], name="key"))
    return made.loc[:, (made != "").any()]


def tree(*estimands: str) -> str:
    """Return the tree: where a fact tells estimators apart, those that need it follow those that do not."""
    return "\n".join(_lines(family(*estimands), ("outliers", *FACTS), ""))


def _lines(members: Sequence[Member], facts: Sequence[str], margin: str) -> Iterator[str]:
    for place, fact in enumerate(facts):
        sides = [[one for one in members if _told(one, fact) == told] for told in (False, True)]
        if all(sides):
            for head, side, bar in zip(("not given", "given"), sides, ("│  ", "   "), strict=True):
                yield f"{margin}{'├─' if bar.strip() else '└─'} {head}: {FACTS[fact]}"
                yield from _lines(side, facts[place + 1 :], margin + bar)
            return
    width = max(len(one.key) for one in members)
    yield from (f"{margin}{one.key:{width}}  {PRIVACY[one.privacy]}" for one in members)


def _told(one: Member, fact: str) -> bool:
    return one.robust if fact == "outliers" else one.needs[fact] == Need.MUST


ENDS = {"n": (60, 6000), "epsilon": (0.1, 3.0), "radius": (5.0, 1000.0)}  # of what is drawn for them
COLUMNS, DELTA = (2, 3, 5, 10), 1e-6
Rule = Callable[[int, int, float, float], str]
TOLD = ("range", "scale", "normal")
LABELS = {
    "univariate/clipped-mean": "clipped mean",
    "univariate/two-step-mean": "two-step mean",
    "univariate/unbounded-mean": "unbounded mean",
    "univariate/median": "median",
    "mean/clipped-box": "clipped to a box",
    "mean/coordinatewise": "column by column",
    "mean/coinpress": "CoinPress",
    "mean/populous": "vote of groups",
    "mean/median-of-means": "vote of medians",
}


def keys(d: int) -> tuple[str, ...]:
    """Return the estimators of a mean for which a range and a scale of normal rows of d columns suffice.

    One that has a use for neither (`mean/affine`), or in several columns for a range alone (`mean/adaptive`),
    is for a reader who knows no scale.
    """
    applies = (one for one in family("mean") if one.applies(*TOLD) and not one.robust)
    found = (one.key for one in applies if one.needs["scale"] or (d == 1 and one.needs["range"]))
    return tuple(key for key in found if (d == 1) == (CATALOG[key].population.d is None))


def trade(key: str, d: int, radius: float) -> TradeOff:
    """Return the trade-off of an estimator that is told σ = 1 and, if it asks, the radius of the range."""
    estimator: Any = CATALOG[key].estimator
    asked = getattr(estimator, "radius", None) is not None
    return _trade(key, d, radius if asked else None)


@cache
def _trade(key: str, d: int, radius: float | None) -> TradeOff:
    return TradeOff(key, d=d, settings={} if radius is None else {"radius": radius})


def error(key: str, n: int, d: int, epsilon: float, delta: float, radius: float) -> float:
    """Return the predicted error, a median in units of σ; infinite where it abstains."""
    return trade(key, d, radius).error(n, epsilon, delta)


def ranked(n: int, d: int, epsilon: float, delta: float, radius: float) -> list[tuple[float, str]]:
    found = [(error(key, n, d, epsilon, delta, radius), key) for key in keys(d)]
    return sorted(pair for pair in found if pair[0] < inf)


def fewest(
    alpha: float, d: int, epsilon: float, delta: float, radius: float, among: Sequence[str] = ()
) -> tuple[int, str]:
    """Return the least number of rows for an error of alpha, and the key that needs no more, `among` some."""
    best: tuple[int, str] | None = None
    for key in reversed(among or keys(d)):  # whose first is the quickest to ask
        one, guess = trade(key, d, radius), best[0] if best else nan
        if best and one.error(best[0], epsilon, delta) > alpha:
            continue
        n = one.rows(alpha, epsilon, delta, guess)
        best = min(best or (n, key), (n, key)) if n is not None else best
    if best is None:
        raise ArgumentError("alpha", alpha, "an error that some estimator reaches")
    return best


def judged(rule: Rule, *, seed: int = 17) -> pd.DataFrame:
    """Return what a rule chooses in hidden settings, and its predicted error over the least one.

    `rule(n, d, epsilon, radius)` returns the key of a private mean of several columns. A row for each setting
    that some estimator releases; `over` is infinite where the chosen one abstains.
    """
    draw, made = stream(seed, Role.DATA, "which one, hidden"), []
    for _ in range(20):  # hidden ones
        drawn = (float(np.exp(draw.uniform(*np.log(ends)))) for ends in ENDS.values())
        rows, epsilon, radius = (float(f"{one:.2g}") for one in drawn)
        n, d = round(rows), int(draw.choice(COLUMNS))
        chosen = rule(n, d, epsilon, radius)
        one_of(keys(d), rule=chosen)
        if found := ranked(n, d, epsilon, DELTA, radius):
            own, best = {key: error for error, key in found}.get(chosen, inf), found[0]
            public = {"n": n, "d": d, "epsilon": epsilon, "radius": radius}
            made.append({**public, "chosen": chosen, "best": best[1], "over": own / best[0]})
    return pd.DataFrame(made)


# What a fact is worth, and what becomes of a mean whose facts are wrong.


ALL_TOLD, NOTHING = "range, σ, normal rows", "normal rows, nothing else"
STATES = {  # what is known -> facts of `FACTS`, in the order of the picture
    ALL_TOLD: TOLD,
    "σ, normal rows": ("scale", "normal"),
    "range, normal rows": ("range", "normal"),
    "range, bounds on moments": ("range", "upper", "moments"),
    NOTHING: ("normal",),
    "σ alone, rows of any shape": ("scale",),
}
PLANNED = {"mean/affine": 20}  # columns beyond which one plan takes minutes
GIVEN = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)  # σ as given, over the true one
AWAY = (0.5, 0.9, 1.0, 1.1, 1.2, 1.4, 1.7, 2.0)  # distance of the mean from the centre, over R
MISLED = 500  # rows of one column, all of which are read


def price_of_facts(
    run: Run, *, epsilon: float = 1.0, delta: float = 1e-6, alpha: float = 0.2, d: int = 3,
    radius: float = 10.0,
) -> Chart:  # fmt: skip
    """Return the rows needed for α in each state of knowledge; nothing is run."""
    several = [one for one in family("mean") if not one.robust and CATALOG[one.key].population.d is not None]
    found, said = {}, {}
    for words, facts in STATES.items():
        among = [one.key for one in several if one.applies(*facts) and d <= PLANNED.get(one.key, d)]
        said[words] = "no n is known to be enough" if among else f"not searched for {d} columns"
        found[words] = inf, ""
        with suppress(ArgumentError):
            found[words] = n, key = fewest(alpha, d, epsilon, delta, radius, among) if among else (inf, "")
            said[words] = f"{number(n)}: {name(key).partition(',')[0]}" if key else said[words]
    high = max((n for n, _ in found.values() if n < inf), default=1.0) / 0.7  # room for words at the longest
    marks = [
        Mark(said[words], x=n if n < inf else 0.0, y=place, side="right", colour_key=key)
        for place, (words, (n, key)) in enumerate(found.items(), start=1)
    ]
    bars = [
        Series("", [place], [n], [0.0], [n], "bars", key)
        for place, (n, key) in enumerate(found.values(), start=1)
        if key
    ]
    (least, _), (nothing, _) = found[ALL_TOLD], found[NOTHING]
    title = f"Which facts are known, and the rows needed for α = {number(alpha)} σ"
    if nothing < inf:
        title = f"Knowing neither range nor σ takes {number(nothing / least, 2)} times as many rows"
    panel = Panel(
        "", "known beforehand", f"rows needed for α = {number(alpha)} σ", bars,
        "linear", "linear", xlim=(0.5, len(found) + 0.5), ylim=(0.0, high), names=tuple(found),
        note=f"Predicted: {d} columns, ε = {number(epsilon)}, R = {number(radius)} σ, δ = {number(delta)}.",
        marks=marks,
    )  # fmt: skip
    return Chart(
        "price_of_facts",
        title,
        [panel],
        alt="Bars one below the other: the rows that the best estimator needs in each state of knowledge,"
        " from a known range and σ to one fact alone. Where a single fact is known the bars are longest.",
        how_to_read="Shorter is better. Each bar is of the estimator that needs the fewest rows among those"
        " that ask for no more than is known. Equal bars: the fact between them is worth nothing here.",
    )


@cache
def told(key: str, radius: float, sigma: float) -> TradeOff:
    """Return the trade-off of a mean of one column that is given these facts, if it asks for them."""
    one: Any = CATALOG[key].estimator
    known, asked = {"radius": radius, "sigma": sigma}, {field.name for field in fields(one)}
    return TradeOff(key, settings={fact: value for fact, value in known.items() if fact in asked})


@each_trial
def misled(
    key: str, given: float, away: float, epsilon: float, radius: float, *, delta: float = DELTA,
    data: Generator, noise: Generator,
) -> Row:  # fmt: skip
    """Measure the error for normal rows of σ = 1, said to be `given`, whose mean is `away` times R."""
    one, mean = told(key, radius, given), away * radius
    x, (_, spent) = mean + data.standard_normal(MISLED), one.best(MISLED, epsilon, delta)
    return answered(loss_of(one.candidate.estimator, x, spent, noise, lambda value: abs(value - mean)))


def misleading(epsilon: float, radius: float) -> tuple[Point, ...]:
    """Return the points of `MISINFORMED`: σ is wrong and the mean in the range, or the mean is outside."""
    wrong = [(given, 0.5) for given in GIVEN] + [(1.0, away) for away in AWAY if away != 0.5]
    return tuple(
        {"key": key, "given": given, "away": away, "epsilon": epsilon, "radius": radius}
        for key in keys(1)
        for given, away in wrong
    )


MISINFORMED = Sweep("which-one-wrong-facts", misleading(1.0, 10.0), misled, 100, blocks(4))


def wrong_facts(run: Run, *, epsilon: float = 1.0, delta: float = 1e-6, radius: float = 10.0) -> Chart:
    """Return median errors of four means that are given a wrong σ, or a wrong range."""
    frame = run.table(MISINFORMED.moved(misleading(epsilon, radius), delta=delta))
    panels = []
    for title, axis, places, still in (
        ("A wrong σ", "σ as given, over the true σ", ("given", GIVEN), {"away": 0.5}),
        ("A wrong range", "distance of the mean from the centre, over R", ("away", AWAY), {"given": 1.0}),
    ):
        column, xs = places
        series = [across("no privacy", (xs[0], xs[-1]), float(ndtri(0.75)) / sqrt(MISLED), "non-private")]
        for key in keys(1):
            found = medians(by(at(frame, key=key, **still), column), "error")
            usual = told(key, radius, 1.0).error(MISLED, epsilon, delta)
            series.append(measured(LABELS[key], found, key))
            series += predicted(run, xs, [usual] * len(xs), key)
        words = "median absolute error (true σ)"
        panels.append(Panel(title, axis, words, series, "log" if column == "given" else "linear"))
    return Chart(
        "wrong_facts",
        "A range that misses the mean ruins its release; twice the true σ costs little",
        panels,
        alt=f"Median errors of four means of {MISLED} rows. Left, against the σ that is given: far above"
        " the true one all but the median's rise, far below it all but the clipped mean's. Right, against how"
        " far the mean lies from the centre: all rise steeply beyond the end of the range but the one that"
        " needs no range, which stays level.",
        how_to_read=f"Low is good: {MISLED} normal rows, ε = {number(epsilon)}, R = {number(radius)} σ. Left,"
        " the range is right. Right, σ is right, and beyond 1 the mean lies outside of the range. Privacy is"
        " the same at every point.",
    )


# Which estimator of a mean needs the fewest rows: over ε, over the range, and over n and ε together.


EPSILONS = (0.1, 1.0, 5.0)  # times the notebook's
RADII = (0.1, 1.0, 100.0)  # times the notebook's
SIZES = (100, 200, 400, 800, 1600, 3200, 6400)
ACROSS = tuple(float(f"{one:.3g}") for one in np.geomspace(0.1, 5, 7))
PAIR = ("mean/coordinatewise", "mean/coinpress")
ENOUGH = 4  # cells of a region that gets a name
SIMILAR = 1.05  # the ratio up to which two errors are called alike
REACH = 1.4  # the ratio beyond which colours stay


def fewest_rows(
    run: Run, *, epsilon: float = 1.0, delta: float = 1e-6, alpha: float = 0.2, d: int = 3,
    radius: float = 10.0,
) -> Chart:  # fmt: skip
    """Return the rows that every estimator needs for α, over ε and over the range; nothing is run."""
    epsilons, radii = [epsilon * by for by in EPSILONS], [radius * by for by in RADII]
    left = [_curve(key, epsilons, ((one, radius) for one in epsilons), d, alpha, delta) for key in keys(d)]
    right = [_curve(key, radii, ((epsilon, one) for one in radii), d, alpha, delta) for key in keys(d)]
    rows = f"rows needed for α = {number(alpha)} σ"
    n, key = min((tuple(one.y)[1], one.colour_key) for one in left)
    words, here, pays = f"no mean reaches α = {number(alpha)} σ", tuple[Mark, ...](), tuple[Mark, ...]()
    if n < inf:
        words, said = f"{LABELS[key]} needs fewest rows", f"{number(round(n))} rows"
        here = (Mark(said, "point", epsilon, round(n), side="left", colour_key=key),)
    for one in right:
        *_, y, last = one.y
        if one.colour_key == "mean/clipped-box" and y < last < inf:
            x = radii[0] * (radii[-1] / radii[0]) ** 0.3
            pays = (text_at("clipping pays for the range", x, y**0.35 * last**0.65),)
    return Chart(
        "fewest_rows",
        f"At ε = {number(epsilon)} and R = {number(radius)} {words}",
        (
            Panel(f"R = {number(radius)} σ", "ε", rows, left, marks=here, note=_unreached(left)),
            Panel(
                f"ε = {number(epsilon)}", "half-width R of the range (σ)", rows,
                right, marks=pays, note=_unreached(right),
            ),
        ),
        alt="Rows needed, on the left against ε, where all curves fall side by side, and on the right against"
        " the range, where the one that clips to a box rises and the others stay nearly level.",
        how_to_read="Use the lowest curve. Left, ε moves all curves by about the same factor. Right, what you"
        f" know decides. All predicted: α = {number(alpha)} σ, {d} columns, δ = {number(delta)}.",
    )  # fmt: skip


def _curve(
    key: str, x: list[float], places: Iterable[tuple[float, float]], d: int, alpha: float, delta: float
) -> Series:
    rows = (trade(key, d, radius).rows(alpha, epsilon, delta) for epsilon, radius in places)
    return theory(LABELS[key], x, [inf if n is None else float(n) for n in rows], key)


def _unreached(curves: list[Series]) -> str:
    missing = [one.label for one in curves if min(one.y) == inf]
    return f"No number of rows is known to be enough: {', '.join(missing)}." if missing else ""


def best_map(run: Run, *, delta: float = 1e-6, d: int = 3, radius: float = 10.0) -> Chart:
    """Return where CoinPress, where column by column has the smaller error, over n and ε; nothing is run."""
    sizes = SIZES[::-1]
    columnwise, ball = np.array(
        [[[error(key, n, d, one, delta, radius) for one in ACROSS] for n in sizes] for key in PAIR]
    )
    both = np.isfinite(columnwise) & np.isfinite(ball)
    one, other = (np.where(both, side, np.nan) for side in (columnwise, ball))
    ratios = np.clip(one / other, 1 / REACH, REACH)
    title = "CoinPress has at most the error of column by column everywhere"
    if (ratios < 1 / SIMILAR).any():
        title = "At small ε column by column is more accurate; CoinPress needs fewer rows"
    heat = Heat(
        ratios, (1 / REACH, REACH), "log", "middle", rows=tuple(number(n) for n in sizes),
        columns=tuple(number(one, 2) for one in ACROSS), bar="error over that of CoinPress",
    )  # fmt: skip
    regions = {
        "only CoinPress releases": np.isfinite(ball) & ~np.isfinite(columnwise),
        "column by column": ratios < 1 / SIMILAR,
        "much alike": (ratios >= 1 / SIMILAR) & (ratios < SIMILAR),
        "neither": ~np.isfinite(ball) & ~np.isfinite(columnwise),
    }
    marks = []
    for words, cells in regions.items():
        if cells.sum() >= (1 if words == "neither" else ENOUGH):
            y, x = map(np.median, np.nonzero(cells))
            marks.append(text_at(words, x, y))
    tops = [ranked(n, d, epsilon, delta, radius)[:1] for n in sizes for epsilon in ACROSS]
    others = [key for top in tops for _, key in top if key not in PAIR]
    note = "No other estimator has a smaller error than both anywhere."
    if others:
        names = ", ".join(sorted({LABELS[key] for key in others}))
        note = f"In {len(others)} of {len(tops)} cells another one has a smaller error than both: {names}."
    return Chart(
        "best_map",
        title,
        [Panel("", "ε", "rows n", (), heat=heat, note=note, marks=marks)],
        alt=f"A table as colours over ε and n. {title}. Where n or ε is"
        " small only CoinPress releases; where both are large the errors are alike.",
        how_to_read="The error of the mean column by column over that of CoinPress: below 1, purple, go"
        " column by column; above 1, orange, take CoinPress. Pale: no matter which. Grey: not both release."
        f" {d} columns, R = {number(radius)} σ, δ = {number(delta)}.",
    )


# The planner is right about which mean has the least error, and about how many rows that takes.
#
# Every estimator of a mean that applies runs on normal rows, σ = 1, the mean anywhere within the range.


TRIALS = 250
MORE = 1.15  # times the median error of any other: predictions are models, good to 15 %
SLOW = ("mean/populous", "mean/median-of-means")


class Setting(NamedTuple):
    """A reader's table and what is known of it: rows, columns, ε, and the radius of the range."""

    n: int
    d: int
    epsilon: float
    radius: float

    @property
    def ranked(self) -> list[tuple[float, str]]:
        return ranked(self.n, self.d, self.epsilon, DELTA, self.radius)


SETTINGS_RUN = (
    Setting(500, 1, 0.5, 1000.0),
    Setting(800, 3, 0.5, 10.0),
    Setting(400, 3, 0.2, 10.0),
    Setting(2000, 10, 1.0, 100.0),
)
"""One column; three where column by column is named; three where it cannot answer; ten."""

ALPHA = 0.2
QUESTIONS = ((1, 0.5, 1000.0), (3, 0.5, 10.0), (3, 1.0, 10.0), (10, 1.0, 100.0))
"""d, ε and R at which the fewest rows for `ALPHA` are asked for."""


@each_trial
def errors(
    key: str, n: int, d: int, epsilon: float, radius: float, *, data: Generator, noise: Generator
) -> Row:
    one, way = trade(key, d, radius), data.standard_normal(d)
    mean = radius * data.random() ** (1 / d) * way / np.linalg.norm(way)  # uniform in the ball
    x, (_, spent) = mean + data.standard_normal((n, d)), one.best(n, epsilon, DELTA)
    return {"error": distance_of(one.candidate.estimator, x if d > 1 else x[:, 0], mean, spent, noise)}


@cache
def compared() -> tuple[Sweep, Sweep]:
    points = [{"key": key, **one._asdict()} for one in SETTINGS_RUN for _, key in one.ranked]
    quick = tuple(point for point in points if point["key"] not in SLOW)
    slow = tuple(point for point in points if point["key"] in SLOW)
    return (
        Sweep("which-one-compared", quick, errors, TRIALS, blocks(40)),
        Sweep("which-one-compared-slow", slow, errors, TRIALS // 5),
    )


@cache
def named() -> Sweep:
    points = []
    for d, epsilon, radius in QUESTIONS:
        n, key = fewest(ALPHA, d, epsilon, DELTA, radius)
        points.append({"key": key, **Setting(n, d, epsilon, radius)._asdict()})
    return Sweep("which-one-named", tuple(points), errors, TRIALS, blocks(24))


def names_the_best(*frames: pd.DataFrame) -> Checks:
    frame, level = pd.concat(frames), claim_level(parts=2)
    for one in SETTINGS_RUN:
        there, (best, *others) = at(frame, **one._asdict()), [key for _, key in one.ranked]
        sizes = {key: median(there.loc[there["key"] == key, "error"], level) for key in (best, *others)}
        for key in others:
            name = f"{best} against {key}, d = {one.d}"
            yield between(name, ratio(sizes[best], sizes[key]), 0.0, MORE, n=one.n)


def rows_are_enough(frame: pd.DataFrame) -> Checks:
    for point in named().points:
        some = at(frame, **point)
        name = f"{point['key']}, d = {point['d']}, ε = {point['epsilon']:g}"
        yield near(name, median(some["error"]), ALPHA, n=int(point["n"]))


CLAIMS = (
    Claim(
        "which-one/names-the-best",
        "Y1",
        ("proofs/univariate.md", "proofs/gaussian_steps.md"),
        "Of all means for which a range and σ suffice, the one of least predicted error has a median error of"
        " at most 1.15 times that of every other in runs: n = 400 .. 2000, d = 1, 3, 10, ε = .2 .. 1,"
        " R = 10 .. 1000.",
        names_the_best,
        compared,
        kind="ours",
    ),
    Claim(
        "which-one/rows-are-enough",
        "Y2",
        ("proofs/univariate.md", "proofs/gaussian_steps.md"),
        "At the fewest rows that the planner names for α = .2, the median error of the estimator it names is"
        " .2 (± 15 %), d = 1, 3, 10.",
        rows_are_enough,
        lambda: [named()],
        kind="ours",
    ),
)
