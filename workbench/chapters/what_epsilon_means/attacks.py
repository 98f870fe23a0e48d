"""An attacker who must say which of two neighbouring data sets a release is about.

False positives: saying "the second" of the first. False negatives: saying "the first" of the second. Where
the release is (ε, δ)-private, every test has β ≥ max(0, 1 - δ - e^ε α, e^(-ε)(1 - δ - α)) (Wasserman & Zhou
2010), so that its advantage, 1 - α - β, is at most (e^ε - 1 + 2δ)/(e^ε + 1).
"""

from collections.abc import Iterator
from math import exp, expm1

import numpy as np
import pandas as pd
from numpy.random import Generator
from numpy.typing import ArrayLike

from workbench.chapters.what_epsilon_means.densities import (
    GAUSSIAN,
    KEYS,
    LAPLACE,
    MEDIAN,
    Additive,
    Densities,
    Law,
    Middle,
    law,
)
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.curves import LEVEL, measured
from workbench.charts.style import number
from workbench.study import measures
from workbench.study.claim import Claim
from workbench.study.grids import Sweep, grid
from workbench.study.measures import at, share
from workbench.study.profiles import blocks
from workbench.study.rules import Verdict, largest
from workbench.study.run import Run
from workbench.types import Array, Columns

FIRST, SECOND = (-0.4, 0.0, 0.4, -1.0), (-0.4, 0.0, 0.4, 1.0)  # rows within ±1: the last one moves
SOUND = (LAPLACE, GAUSSIAN, MEDIAN)
EPSILON, DELTA = 1.0, 1e-2
EPSILONS, DELTAS = (0.1, 0.5, 1.0, 2.0, 4.0), (1e-6, 1e-2, 0.1)
ROUNDING = 1e-6  # of sums over cells of the densities
POWER = 1.1  # times the bound: noise that is half of what it should be wins more
CUTS = (-0.9, -0.6, -0.3, 0.0, 0.3, 0.6, 0.9)  # log ratios above which one says "the second", in ε
POSITIVES = tuple(float(alpha) for alpha in np.linspace(0.0, 1.0, 101))
GRID = tuple(float(epsilon) for epsilon in np.geomspace(0.1, 6.0, 25))
DRAWN = 121  # points of a curve
NAMES = {LAPLACE: "Laplace noise", GAUSSIAN: "Gaussian noise", MEDIAN: "private median"}


def most_advantage(epsilon: float, delta: float) -> float:
    """Return the largest advantage against any (ε, δ)-private release.

    >>> round(most_advantage(1.0, 0.0), 4)
    0.4621
    """
    return (expm1(epsilon) + 2 * delta) / (exp(epsilon) + 1)


def fewest_misses(epsilon: float, delta: float, positives: ArrayLike) -> Array:
    """Return the least possible false negatives of a test with these false positives."""
    alpha = np.asarray(positives, np.float64)
    lines = (1 - delta - np.exp(epsilon) * alpha, np.exp(-epsilon) * (1 - delta - alpha), 0.0 * alpha)
    return np.asarray(np.max(lines, axis=0))


def answered(epsilon: float, delta: float) -> Densities:
    """Return the worst release that is (ε, δ)-private: it tells all with probability δ, or a biased coin."""
    true = exp(epsilon) / (1 + exp(epsilon))
    first = np.array([delta, 0.0, (1 - delta) * true, (1 - delta) * (1 - true)])
    return Densities(first, first[[1, 0, 3, 2]], 1.0)


def pair(mechanism: str, epsilon: float, delta: float) -> Densities:
    """Return the exact laws of a mechanism on `FIRST` and `SECOND`, cell by cell."""
    made = law(mechanism, len(FIRST), epsilon, delta, bound=1.0)
    first, second = np.array(FIRST), np.array(SECOND)
    if isinstance(made, Middle):
        edges = np.unique(np.concatenate([made.steps(first)[0], made.steps(second)[0]]))
        middles, width = (edges[1:] + edges[:-1]) / 2, np.diff(edges)
        one, other = (np.exp(made.log_density(x, middles)) for x in (first, second))
        return Densities(one, other, width)
    assert isinstance(made, Additive)
    reach = 1.0 + 14 * made.scale * (3.0 if made.charge.mechanism == "laplace" else 1.0)
    return Densities.of(made, first, second, np.linspace(-reach, reach, 200_001))


def rounds(
    mechanism: str, epsilon: float, delta: float, *, trials: int, data: Generator, noise: Generator
) -> Columns:
    """Play rounds: a coin chooses the data set, the release is drawn, the sign of its log ratio guesses.

    `first` and `second` are the log ratios of a release about either data set.
    """
    made = law(mechanism, len(FIRST), epsilon, delta, bound=1.0)
    sets = np.array(FIRST), np.array(SECOND)
    coins = data.integers(2, size=trials).astype(bool)
    first, second = (_log_ratio(made, sets, made.draw(one, trials, noise)) for one in sets)
    return {"won": (np.where(coins, second, first) > 0) == coins, "first": first, "second": second}


def _log_ratio(made: Law, sets: tuple[Array, Array], outputs: Array) -> Array:
    first, second = (made.log_density(one, outputs) for one in sets)
    return np.asarray(second - first)


ROUNDS = Sweep(
    "what-epsilon-means-rounds",
    grid(mechanism=list(SOUND), epsilon=[EPSILON], delta=[DELTA]),
    rounds,
    trials=2000,
    blocks=blocks(full=10),
)


def attacker(run: Run, *, epsilon: float = 1.0, delta: float = 0.01) -> Chart:
    """Return both errors of attackers, and how many rounds of a hundred they win."""
    sweep = ROUNDS.moved([{**point, "epsilon": epsilon, "delta": delta} for point in ROUNDS.points])
    frame = run.table(sweep)
    return Chart(
        "attacker",
        "No attacker gets into the corner that ε and δ cut off",
        (_errors(frame, epsilon, delta), _wins(frame, epsilon, delta)),
        alt="Left, false negatives against false positives: curves of Laplace noise, Gaussian noise and the"
        " median above a shaded corner, with measured points on them. Right, rounds won against ε, all below"
        " a bound.",
        how_to_read="Left, every point is a test. The lower left is where attackers want to be. Right, 50 of"
        " 100 rounds is guessing. Markers: simulated attacks on the package's own mechanisms.",
    )


def _errors(frame: pd.DataFrame, epsilon: float, delta: float) -> Panel:
    series = [
        Series("", POSITIVES, fewest_misses(epsilon, delta, POSITIVES), role="bound"),
        Series("guessing", (0, 1), (1, 0), role="reference", label_at=(0.7, 0.52)),
    ]
    for mechanism in SOUND:
        curve = curve_of(pair(mechanism, epsilon, delta))
        series.append(Series("", *curve, role="theory", colour_key=KEYS[mechanism]))
        series.append(_measured(at(frame, mechanism=mechanism), mechanism, epsilon))
    return Panel(
        f"both errors, ε = {number(epsilon)}, δ = {number(delta)}", "false positives", "false negatives",
        tuple(series), "linear", "linear", xlim=(0.0, 1.0), ylim=(0.0, 1.0),
        marks=(Mark("impossible", x=0.14, y=0.1),),
    )  # fmt: skip


def curve_of(laws: Densities) -> tuple[np.ndarray, np.ndarray]:
    """Return the two errors of likelihood-ratio tests as a curve of few points."""
    positives, negatives = laws.trade_off()
    grid = np.linspace(0.0, 1.0, DRAWN)
    return grid, np.interp(grid, positives, np.clip(negatives, 0.0, 1.0))


def _measured(frame: pd.DataFrame, mechanism: str, epsilon: float) -> Series:
    found = {}
    cuts = CUTS if len(frame) else ()
    for cut in cuts:
        positives = float((frame["first"] > cut * epsilon).mean())
        missed = int((frame["second"] <= cut * epsilon).sum())
        found[positives] = share(missed, len(frame), LEVEL)
    return measured("", dict(sorted(found.items())), KEYS[mechanism], kind="fraction", joined=False)


def _wins(frame: pd.DataFrame, epsilon: float, delta: float) -> Panel:
    bound = [50 + 50 * most_advantage(e, delta) for e in GRID]
    series = [
        Series(
            "most for (ε, δ)", GRID, bound, role="reference", colour_key="idea/total", label_at=(0.72, 84.0)
        )
    ]
    for mechanism in SOUND:
        best = [50 + 50 * pair(mechanism, e, delta).advantage for e in GRID]
        series.append(Series(NAMES[mechanism], GRID, best, role="theory", colour_key=KEYS[mechanism]))
        won = at(frame, mechanism=mechanism)["won"]
        if len(won):
            found = share(int(won.sum()), len(won), LEVEL)
            low, high = ((100 * end,) for end in found.interval)
            here = (epsilon,), (100 * found.estimate,), low, high
            series.append(Series("", *here, colour_key=KEYS[mechanism], joined=False))
    return Panel(
        "how often the best attacker is right",
        "ε",
        "won of 100 rounds",
        tuple(series),
        yscale="linear",
        xlim=(0.1, 6.0),
        ylim=(50, 100),
    )


def attackers_stay_below(frame: pd.DataFrame) -> list[Verdict]:
    """Return the checks: advantages over the bound, exactly; and rounds that the best attacker wins."""
    checks = [
        largest("advantage over the bound", _ratios(), 1 + ROUNDING, "at most 1"),
        largest("what attains the bound, off by", _attained(), ROUNDING, "at most rounding"),
    ]
    for mechanism in SOUND:
        delta = DELTA if mechanism == GAUSSIAN else 0.0
        won, most = measures.at(frame, mechanism=mechanism)["won"], (1 + most_advantage(EPSILON, delta)) / 2
        checks.append(measures.seldom(f"{mechanism}: rounds won", won.astype(bool), most, factor=POWER))
    return checks


def _ratios() -> Iterator[float]:
    for mechanism in SOUND:
        for epsilon in EPSILONS:
            for delta in DELTAS if mechanism == GAUSSIAN else (0.0,):
                laws = pair(mechanism, epsilon, delta or DELTA)
                yield laws.advantage / most_advantage(epsilon, delta)


def _attained() -> Iterator[float]:
    for epsilon in EPSILONS:
        for delta in DELTAS:
            yield abs(answered(epsilon, delta).advantage - most_advantage(epsilon, delta))


CLAIMS = (
    Claim(
        "what-epsilon-means/attackers-stay-below",
        "X1",
        ("M21/DP", "WZ10/Thm2.4"),
        "True minus false positives of the best attacker is at most (e^ε - 1 + 2δ)/(e^ε + 1) for Laplace and"
        " Gaussian noise and the median (ε = .1 .. 4, δ to .1, exactly), and a leak with randomised response"
        " attains it; against the package's own draws at ε = 1 the likelihood ratio wins no more rounds.",
        checks=attackers_stay_below,
        sweeps=lambda: (ROUNDS,),
    ),
)
