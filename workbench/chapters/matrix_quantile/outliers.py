"""Rows that are not normal: a few change nothing, more make it abstain, very many are answered for.

Some rows lie far away in one place, or all have heavy tails; the plan is made for normal rows.
"""

from dataclasses import replace
from functools import cache
from math import inf

import numpy as np
from numpy.random import Generator
from pandas import DataFrame

from workbench.chapters.covariance.one_radius import geometric, tilted
from workbench.chapters.matrix_quantile.quantiles import OURS, STATEMENT
from workbench.chapters.matrix_quantile.rows import BETA, DELTA, EPSILON, GIVEN, planned, seen
from workbench.charts.curves import Chart, Mark, Panel, Series, number, styled, text_at, theory
from workbench.estimators.matrix_quantile import Design, MatrixQuantileCovariance
from workbench.populations.rotated import Rotated, rotated
from workbench.privacy import ApproxDP
from workbench.privacy.stable import chances as stable_chances
from workbench.study import measures
from workbench.study.measures import between, hits, seldom
from workbench.study.rules import CHECK_LEVEL, Checks, Claim
from workbench.study.sweeps import (
    Role,
    Row,
    Run,
    at_budget,
    each_trial,
    over_grid,
    stream,
    value_of,
)
from workbench.types import Array

D, AWAY = 5, 1000.0  # standard deviations
SHARES = (0.0, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.3)
DEGREES = (3.0, 5.0, 10.0, 20.0, 40.0)
PROMISED = 4.0  # a condition number after whitening


def spoilt(law: Rotated, n: int, share: float, degrees: float, data: Generator) -> Array:
    """Return rows with these degrees of freedom (0: normal), a share of them in one place far away."""
    x = replace(law, degrees=degrees or np.inf).sample(n, rng=data)
    direction = data.standard_normal(len(law.values))
    away = law.basis @ (np.sqrt(law.values) * direction * (AWAY / np.linalg.norm(direction)))
    x[: round(share * n)] = away
    return x


@each_trial
def hostile(
    d: int, share: float, degrees: float, epsilon: float = EPSILON, delta: float = DELTA, *,
    data: Generator, noise: Generator,
) -> Row:  # fmt: skip
    """Measure the condition number after whitening, infinite for an abstention."""
    budget = ApproxDP(epsilon, delta)
    n, law = planned(d, None, budget), rotated(geometric(d, GIVEN), data)
    x = spoilt(law, n, share, degrees, data)
    value = value_of(MatrixQuantileCovariance(centred=True, beta=BETA), x, budget, noise)
    released = seen(value, law)
    condition = released[-1] / released[0]
    return {"condition": np.inf if np.isnan(condition) else condition}


FAR = over_grid("mq-far", hostile, 5, 20, d=D, share=SHARES, degrees=0.0)
HEAVY = over_grid("mq-heavy", hostile, 5, 20, d=D, share=0.0, degrees=DEGREES)
SPOILT = over_grid("mq-spoilt", hostile, 15, 20, d=D, share=[0.01, 0.05, 0.2], degrees=0.0)
TAILED = over_grid("mq-tailed", hostile, 15, 20, d=D, share=0.0, degrees=DEGREES[0])


def abstains(run: Run, *, epsilon: float = EPSILON, delta: float = DELTA, d: int = D) -> Chart:
    """Return how often rows that are not normal get a release, and a right one (right-or-none)."""
    budget = ApproxDP(epsilon, delta)
    work = planned(d, None, budget) * d**2 / (planned(D, None) * D**2)
    far, heavy = (
        run.table(at_budget(sweep, budget, [{**one, "d": d} for one in sweep.points], work=work))
        for sweep in (FAR, HEAVY)
    )
    shares = {f"{number(100 * share)} % far": measures.at(far, share=share) for share in SHARES}
    tails = {f"ν = {degrees:g}": measures.at(heavy, degrees=degrees) for degrees in DEGREES}
    return Chart(
        "abstains",
        "Few far rows are harmless, 5 % stop the release, 20 % make it wrong",
        (
            _bars(f"Rows in one far place, d = {d}", "share of far rows", shares),
            _bars(f"Heavy tails, d = {d}", "degrees of freedom ν", tails),
        ),
        alt="Stacked bars of releases as promised, other releases, and abstentions. With few far rows nearly"
        " all are as promised, with more it abstains, with very many there are wrong ones. With heavy tails"
        " it abstains, with light ones the release is nearly always right.",
        how_to_read="Right: a condition number of at most 4 after whitening. A few far rows change little."
        " With more the quantile is less stable than the plan assumes: it abstains. Wrong releases point at"
        " far rows that hold it up alone.",
    )


def _bars(title: str, name: str, groups: dict[str, DataFrame]) -> Panel:
    series, found = [], [rows["condition"] for rows in groups.values()]
    if all(map(len, found)):
        right = [(one <= PROMISED).mean() for one in found]
        answered = [(one < inf).mean() for one in found]
        edges = np.array([np.zeros(len(found)), right, answered, np.ones(len(found))])
        looks = ("right", "idea/right"), ("wrong", "idea/wrong"), ("abstains", "idea/silent")
        places = range(1, len(found) + 1)
        series = [
            Series(label, places, high, low, high, "bars", key)
            for (label, key), low, high in zip(looks, edges[:-1], edges[1:], strict=True)
        ]
    return Panel(title, name, "share of runs", series, "linear", "linear", ylim=(0.0, 1.0),
                 names=tuple(groups))  # fmt: skip


MOSTLY, CLEARLY, FAR_OFF = 0.9, 0.5, 1e3  # of all runs; a condition that shows the far rows


def answers_are_right_or_none(far: DataFrame, heavy: DataFrame) -> Checks:
    right, none, wrong = (measures.at(far, share=at)["condition"] for at in (0.01, 0.05, 0.2))
    n, said = planned(D, None), "a condition number above 4, or no release"
    theirs = (wrong > FAR_OFF) & (wrong < inf)
    tails = heavy["condition"] == inf
    level = 2 * CHECK_LEVEL
    return [
        seldom("1 % far rows", right > PROMISED, BETA, said, factor=2.5, n=n),
        between("5 % far rows: no release", hits(none == inf, level), MOSTLY, 1.0, n=n),
        between("t with 3 degrees of freedom: no release", hits(tails, level), MOSTLY, 1.0, n=n),
        between("20 % far rows: their line", hits(theirs, level), CLEARLY, 1.0, n=n),
    ]


# A count says how many rows may be replaced before the quantile could move far; a release hangs on it.


COLUMNS, UPPER, SHARE = 2, 100.0, 0.1


@cache
def design(n: int, d: int, budget: ApproxDP) -> Design:
    return MatrixQuantileCovariance(centred=True, beta=BETA).recipe(n, d, budget)[1].design


def stability(
    run: Run, *, epsilon: float = EPSILON, delta: float = DELTA, corruption: float = SHARE
) -> Chart:
    """Return the chart of the counts of three sets of rows, and of the chance of a release at each."""
    budget = ApproxDP(epsilon, delta)
    made = design(planned(COLUMNS, None, budget), COLUMNS, budget)
    law, n, rng = tilted(UPPER), made.test.n, stream(run.seed, Role.DATA, "mq-stability")
    sets = {
        "normal rows": law.sample(n, rng=rng),
        "heavy tails": tilted(UPPER, 3.0).sample(n, rng=rng),
        f"{number(100 * corruption)} % far away": spoilt(law, n, corruption, 0.0, rng),
    }
    counts = {name: made.test.measure(x)[0] for name, x in sets.items()}
    return Chart(
        "stability",
        "The count says how many rows may change before the estimator abstains",
        (_counts(made, counts), _passing(made, counts)),
        alt="Left, bars of how many rows may change: many for normal rows, fewer for heavy tails and for"
        " rows some of which are far away. Right, the chance of a release rises from δ at a count of 1 to"
        " nearly 1 at the last.",
        how_to_read=f"Rows in {COLUMNS} columns, as many as the plan asks for: {number(made.test.n)}."
        " A count leads to a release with the chance on the right: never at 0, almost never at 1, almost"
        " always at T.",
    )


def even(made: Design) -> float:
    chances = stable_chances(made.charge)
    return float(np.interp(0.5, chances, range(len(chances))))


def _counts(made: Design, counts: dict[str, int]) -> Panel:
    bars = styled("bars", "", range(1, len(counts) + 1), counts.values(), OURS, kind="count")
    half = Mark("half the runs release", "vertical", even(made), 2.5, side="right")
    return Panel(
        "Rows that may change", "three sets of rows", "count h (rows)", [bars], "linear", "linear",
        names=tuple(counts), ylim=(0.0, 1.85 * made.test.most), marks=[half],
    )  # fmt: skip


def _passing(made: Design, found: dict[str, int]) -> Panel:
    ramp, half = stable_chances(made.charge), even(made)
    counts, chances = range(1, made.test.most + 1), ramp[1:]
    together = {h: [name for name, other in found.items() if other == h] for h in found.values()}
    found = {" and ".join(names): h for h, names in together.items()}
    marks = [
        Mark(name if h < half else "", "point", h, max(ramp[h], 4e-7), side="left", colour_key=OURS)
        for name, h in found.items()
    ]
    likely = {name: h for name, h in found.items() if h >= half}
    marks += [text_at(name, h + 1.0, 0.12 * ramp[h], OURS) for name, h in likely.items()]
    marks.append(Mark("the chance is δ", "point", 1, chances[0], side="right"))
    return Panel(
        "The chance of a release", "count h (rows)",
        "probability", [theory("", counts, chances, OURS)], "linear",
        ylim=(3e-7, 3.0), xlim=(0.0, 1.25 * made.test.most), marks=marks,
    )  # fmt: skip


CLAIMS = (
    Claim(
        "matrix-quantile/right-or-none",
        "MQ7",
        (STATEMENT,),
        "At d = 5 and its planned rows, with 1 % of the rows at one far point 90 % of releases are as"
        " promised; with 5 %, and with t-distributed rows of 3 degrees of freedom, 90 % of runs or more"
        " abstain; with 20 %, more rows than the level, most runs release, and show the line of these rows.",
        answers_are_right_or_none,
        lambda: (SPOILT, TAILED),
        kind="ours",
    ),
)
