"""How many rows privacy and robustness need together: Tables 1 and 2 of LKKO21, and the price of d.

A setting is a row of a table, the estimator that stands for it, and d. Rows are needed until two of three
runs have an error of at most 1.2 ξ √(ln 1/ξ), or 1.5 √ξ for rows of bounded covariance; ξ = .05 is the share
of corrupted rows where there are any. In the pictures clusters are at 1.5 √d or 1/√ξ; what is claimed of
robust estimators is about the worst of the clusters of `clusters`, for 90 % of runs. The column of
exponential time is that of the resilient means: for d = 1 and 2, on grids of .12 sd, and an error of
2 ξ √(ln 1/ξ).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator
from pandas import DataFrame

from workbench.bounds import lkko21
from workbench.chapters.robust_and_private.adversaries import (
    DELTA,
    PLACES,
    corrupted,
    fighter,
    heavy_rows,
)
from workbench.chapters.robust_and_private.planted import rarely, sweep
from workbench.charts.curves import Chart, Panel, Series, measured, number, styled
from workbench.privacy import ApproxDP
from workbench.study.measures import LEVEL, Measure, at, between, ratio, rows_needed, scaled
from workbench.study.rules import CHECK_LEVEL, Checks, Claim, Verdict, beside
from workbench.study.sweeps import (
    Point,
    Row,
    Run,
    Sweep,
    answered,
    blocks,
    distance_of,
    each_trial,
    resampler,
)

HALVINGS, SHARE = 6, 2 / 3  # of the largest n that is tried; of the runs that err little enough
UPPER, NEARLY = 10.0, 3.0  # times the formula: of PRIME, and of the others
MOST_EXTRA = 4.0  # times the rows of privacy alone
STATEMENTS = {"1": "LKKO21/Table1", "2": "LKKO21/Table2"}
FINE = (2, 4, 8, 16, 32, 64)
HEAVY_TIMES = 1.5  # the error of heavy tails that is allowed, over √ξ
HEAVY_ATTACKS = ("none", "far", "root-1", "root-2", "edge", "spread", "tail-swap")
KINDS = {
    "polynomial": ("enough, in polynomial time", "mean/prime"),
    "exponential": ("enough, in exponential time", "mean/tukey"),
    "lower": ("necessary", "idea/limit"),
}


# What is run


@dataclass(frozen=True)
class Terms:
    corruption: float = 0.05
    epsilon: float = 1.0
    delta: float = 1e-6

    def rows(self, table: str, d: int) -> dict[str, lkko21.Row]:
        stated = lkko21.table_1 if table == "1" else lkko21.table_2
        return stated(d, self.corruption, self.epsilon, self.delta)

    def most(self, setting: "Setting") -> float:
        if setting.table == "1":
            times = 2.0 if setting.time == "exponential" else 1.2
            return times * lkko21.sub_gaussian_error(self.corruption)
        return HEAVY_TIMES * lkko21.bounded_covariance_error(self.corruption)


USUAL = Terms()


@dataclass(frozen=True)
class Setting:
    """An estimator and the row of the table, 1 or 2, that it stands for: private, robust, or both.

    `top` is the largest n that is tried, over the formula, by d.
    """

    table: str
    row: str
    name: str
    top: Mapping[int, float]
    time: str = "polynomial"  # the column

    @property
    def attack(self) -> str:
        return "none" if self.row == "private" else {"1": "shift-ones", "2": "root-1"}[self.table]

    def formula(self, d: int, terms: Terms = USUAL) -> float:
        """Return the sufficient n in its time, every constant 1."""
        return float(getattr(terms.rows(self.table, d)[self.row], self.time).total)

    def grid(self, d: int, terms: Terms = USUAL) -> list[int]:
        top = self.formula(d, terms) * self.top[d]
        return [max(30, round(top / 2**k)) for k in reversed(range(HALVINGS))]


SETTINGS = {
    "mean/coinpress": Setting("1", "private", "CoinPress", {2: 2, 8: 1, 32: 1}),
    "mean/filter-nonprivate": Setting("1", "robust", "filter", {2: 8, 8: 2, 32: 1}),
    "mean/prime": Setting("1", "both", "PRIME", {2: 32, 8: 2, 32: 0.5}),
    "mean/robust": Setting("1", "both", "row-by-row filter", {2: 8, 8: 2, 32: 0.5}),
    "mean/clipped-heavy": Setting("2", "private", "shrinking ball", {2: 4, 8: 2, 32: 2}),
    "mean/prime-heavy": Setting("2", "both", "PRIME", {2: 4, 8: 1, 32: 0.25}),
    "mean/robust-heavy": Setting("2", "both", "row-by-row filter", {2: 4, 8: 1, 32: 0.25}),
    "mean/resilient": Setting("1", "both", "exponential time", {1: 4, 2: 4}, "exponential"),
    "mean/resilient-heavy": Setting("2", "both", "exponential time", {1: 4, 2: 4}, "exponential"),
}
GRID = 0.12  # sd between the candidates of a resilient mean: for d = 2 no finer one is allowed


@each_trial
def hits(
    setting: str, d: int, n: int, *, corruption: float = USUAL.corruption, epsilon: float = USUAL.epsilon,
    delta: float = USUAL.delta, data: Generator, noise: Generator,
) -> Row:  # fmt: skip
    chosen = SETTINGS[setting]
    x = data.standard_normal((n, d)) if chosen.table == "1" else heavy_rows("student", n, d, data)
    x = corrupted(x, chosen.attack, corruption, data)
    theta, one = data.uniform(-PLACES, PLACES, d), fighter(setting, d, corruption)
    one = replace(one, step=GRID) if chosen.time == "exponential" else one
    budget = None if chosen.row == "robust" else ApproxDP(epsilon, delta)
    return answered(distance_of(one, x + theta, theta, budget, noise))


def points(terms: Terms) -> tuple[Point, ...]:
    return tuple(
        {"setting": name, "d": d, "n": n}
        for name, setting in SETTINGS.items()
        for d in setting.top
        for n in dict.fromkeys(setting.grid(d, terms))
    )


@each_trial
def heavy_errors(
    n: int, d: int, corruption: float, epsilon: float, attack: str, law: str, *,
    data: Generator, noise: Generator,
) -> Row:  # fmt: skip
    """Measure mean/prime-heavy on rows of covariance I without a third moment."""
    theta, x = data.uniform(-PLACES, PLACES, d), heavy_rows(law, n, d, data)
    rows = corrupted(x, attack, corruption, data) + theta
    one = fighter("mean/prime-heavy", d, corruption)
    return {"heavy": distance_of(one, rows, theta, ApproxDP(epsilon, DELTA), noise)}


SIZES = Sweep("lkko21-tables", points(USUAL), hits, 5, blocks(8))
PRIVATE = replace(
    SIZES, points=tuple(one for one in SIZES.points if SETTINGS[one["setting"]].attack == "none")
)
EXPONENTIAL = replace(
    SIZES, points=tuple(one for one in SIZES.points if SETTINGS[one["setting"]].time == "exponential")
)
HEAVY_ROWS = sweep(
    "prime-heavy", 1, 12, heavy_errors, law=("student", "pareto"), corruption=(0.02, 0.05, 0.1),
    attack=HEAVY_ATTACKS,
)  # fmt: skip


def needed(
    frame: DataFrame, name: str, d: int, seed: int, level: float, terms: Terms = USUAL, error_of: str = ""
) -> Measure:  # fmt: skip
    """Return the rows for the error that is aimed at, the estimator's own or that of another."""
    rows, most = at(frame, setting=name, d=d), terms.most(SETTINGS[error_of or name])
    good, rng = rows["error"] <= most, resampler(seed, f"{SIZES.name} {name} {d}")
    return rows_needed(good, rows["n"], SHARE, level, rng)


# What is shown


def table_1(
    run: Run, *, corruption: float = USUAL.corruption, epsilon: float = USUAL.epsilon,
    delta: float = USUAL.delta,
) -> Chart:  # fmt: skip
    """Return the rows needed over the formulas of Table 1, sub-Gaussian rows."""
    return Chart(
        "table_1",
        "The larger d is, the farther the formulas exceed what is needed",
        [_ratios(run, "1", Terms(corruption, epsilon, delta), "1.2 (exponential time: 2) ξ √ln(1/ξ)")],
        alt="The quotient of the rows needed and the formula against d, for a private mean, a robust one, two"
        " that are both, and one that is both in exponential time. For d = 2 the robust ones lie above 1, at"
        " d = 32 all lie below, most of all those that do both; exponential time is below 1 at d = 1, 2.",
        how_to_read="Right of the line more rows are needed than the formula with constants 1 says. At d = 2"
        " the cluster harms little and is hard to see; the larger d, the farther away it lies.",
    )


def table_2(
    run: Run, *, corruption: float = USUAL.corruption, epsilon: float = USUAL.epsilon,
    delta: float = USUAL.delta,
) -> Chart:  # fmt: skip
    """Return the rows needed over the formulas of Table 2, rows of bounded covariance."""
    return Chart(
        "table_2",
        "For heavy tails, too, the formula for both exceeds what is needed",
        [_ratios(run, "2", Terms(corruption, epsilon, delta), "1.5 √ξ")],
        alt="The quotient of the rows needed and the formula against d, for rows with Student tails: a"
        " private mean, and three that are private and robust, one of them in exponential time. The robust"
        " ones lie below 1 and fall with d.",
        how_to_read="Only a covariance is known: the error aimed at is larger, and fewer rows do. Right of"
        " the line more rows are needed than the formula with constants 1 says.",
    )


def _ratios(run: Run, table: str, terms: Terms, most: str) -> Panel:
    said = f"ξ = {number(terms.corruption)}, ε = {number(terms.epsilon)}"
    if not run.simulate:
        rows = [terms.rows(table, d)["both"] for d in FINE]
        formulas = [
            styled(
                "bound" if kind == "lower" else "reference",
                words,
                FINE,
                [getattr(row, kind).total for row in rows],
                key,
            )
            for kind, (words, key) in KINDS.items()
        ]
        return Panel("", "d, columns", "rows n", formulas, note=f"Every constant 1; {said}.")
    frame = run.table(SIZES.moved(points(terms), **vars(terms)))
    series, names = list[Series](), list[str]()
    for key, one in SETTINGS.items():
        if one.table != table:
            continue
        found = {
            float(place): scaled(needed(frame, key, d, run.seed, LEVEL, terms), 1 / one.formula(d, terms))
            for place, d in enumerate(one.top, start=len(names) + 1)
            if len(frame)
        }
        names += [f"{one.name} ({one.row}), d = {d}" for d in one.top]
        series.append(measured("", found, key, joined=False))
    ends = (0.5, len(names) + 0.5)
    series.append(styled("reference", "the formula, with constants 1", ends, (1.0, 1.0)))
    note = f"n for two of three runs within {most}; {said}, δ = {number(terms.delta)}."
    axes = "", "estimator", "rows needed over the formula"
    return Panel(*axes, series, xscale="linear", xlim=ends, names=names, note=note)


# What is claimed


def private_rows(table: str, frame: DataFrame, seed: int) -> Checks:
    (name,) = (name for name, one in SETTINGS.items() if (one.table, one.row) == (table, "private"))
    return over_formula(name, frame, seed)


def exponential_rows(frame: DataFrame, private: DataFrame, seed: int) -> Checks:
    for name, alone in (("mean/resilient", "mean/coinpress"), ("mean/resilient-heavy", "mean/clipped-heavy")):
        yield from over_formula(name, frame, seed)
        both = needed(frame, name, 2, seed, CHECK_LEVEL)
        one = needed(private, alone, 2, seed, CHECK_LEVEL, error_of=name)
        yield between(f"n over that of {alone} on clean rows, d = 2", ratio(both, one), 0.0, MOST_EXTRA)


def over_formula(name: str, frame: DataFrame, seed: int) -> Checks:
    """Return the checks that at most three times the rows of the table, constants 1, are needed."""
    setting = SETTINGS[name]
    for d in setting.top:
        formula, rows = setting.formula(d), needed(frame, name, d, seed, CHECK_LEVEL)
        check = between(f"n over the formula, {name}, d = {d}", scaled(rows, 1 / formula), 0.0, NEARLY)
        yield beside(check, STATEMENTS[setting.table], f"{setting.row}, {name}", formula, rows)


def heavy_tails(frame: DataFrame) -> Verdict:
    above = frame["heavy"] > HEAVY_TIMES * np.sqrt(frame["corruption"])
    return rarely("share of errors above 1.5 √corruption", above)


CLAIMS = (
    Claim(
        "robust-and-private/exponential-column",
        "TB3",
        ("LKKO21/Table1", "LKKO21/Table2", "LKKO21/Thm7", "LKKO21/Thm8"),
        "ξ = .05, (1, 1e-6)-DP, d = 1, 2: with a cluster at 1.5 √d, for an error of 2 ξ √ln(1/ξ),"
        " mean/resilient needs at most three times the rows of the exponential column of Table 1 with"
        " constants 1, and mean/resilient-heavy, Student rows, a cluster at 1/√ξ, an error of 1.5 √ξ, of that"
        " of Table 2; and at d = 2 at most four times the rows of mean/coinpress and mean/clipped-heavy for"
        " this error on clean rows.",
        exponential_rows,
        lambda: (EXPONENTIAL, PRIVATE),
    ),
    Claim(
        "robust-and-private/heavy-tails-prime",
        "P14",
        ("LKKO21/Thm9",),
        "n = 1e5, d = 10, Student and Pareto rows of tail index 2.5, covariance I, corruption .02, .05, .1,"
        " seven attacks: 95 % of the errors of mean/prime-heavy, of all cells together, are at most 1.5"
        " √corruption.",
        heavy_tails,
        lambda: [HEAVY_ROWS],
    ),
)
