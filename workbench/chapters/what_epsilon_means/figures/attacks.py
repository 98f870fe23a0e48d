"""What the best attacker can do: both errors, and rounds won against ε."""

import numpy as np
import pandas as pd

from workbench.chapters.what_epsilon_means.runs.attacker import (
    ROUNDS,
    SOUND,
    fewest_misses,
    most_advantage,
    pair,
)
from workbench.chapters.what_epsilon_means.runs.laws import KEYS, Densities
from workbench.charts.bands import LEVEL, measured
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.parameters import brief
from workbench.study.measures import at, share
from workbench.study.run import Run

CUTS = (
    -0.9,
    -0.6,
    -0.3,
    0.0,
    0.3,
    0.6,
    0.9,
)  # log ratios above which an attacker says "the second", in units of ε
POSITIVES = tuple(float(alpha) for alpha in np.linspace(0.0, 1.0, 101))
GRID = tuple(float(epsilon) for epsilon in np.geomspace(0.1, 6.0, 25))
DRAWN = 121  # points of a curve


def attacker(run: Run, *, epsilon: float = 1.0, delta: float = 0.01) -> Chart:
    """Return both errors of attackers, and how many rounds of a hundred they win."""
    sweep = ROUNDS.moved([{**point, "epsilon": epsilon, "delta": delta} for point in ROUNDS.points])
    frame = run.table(sweep)
    return Chart(
        "attacker",
        "No attacker gets into the corner that ε and δ cut off",
        (_errors(frame, epsilon, delta), _wins(frame, epsilon, delta)),
        alt="Left, false negatives against false positives: curves of Laplace noise, Gaussian noise and the"
        " median above a dotted corner, with measured points on them. Right, rounds won against ε, all below"
        " a dotted curve.",
        how_to_read="Left, every point is a test; the lower left is where attackers want to be, and nobody"
        " gets below the dotted line. Right, 50 of 100 is guessing. Markers: simulated attacks on the"
        " package's own mechanisms.",
    )


def _errors(frame: pd.DataFrame, epsilon: float, delta: float) -> Panel:
    series = [
        Series(
            "best possible against (ε, δ)", POSITIVES, fewest_misses(epsilon, delta, POSITIVES), role="bound",
            colour_key="non-private",
        ),
        Series("guessing", (0, 1), (1, 0), role="reference"),
    ]  # fmt: skip
    for mechanism in SOUND:
        curve = curve_of(pair(mechanism, epsilon, delta))
        series.append(Series("", *curve, role="reference", colour_key=KEYS[mechanism]))
        series.append(_measured(at(frame, mechanism=mechanism), mechanism, epsilon))
    return Panel(
        f"ε = {brief(epsilon)}, δ = {brief(delta)}", "false positives", "false negatives", tuple(series),
        "linear", "linear", xlim=(0.0, 1.0), ylim=(0.0, 1.0),
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
    return measured(mechanism, dict(sorted(found.items())), KEYS[mechanism], kind="fraction")


def _wins(frame: pd.DataFrame, epsilon: float, delta: float) -> Panel:
    bound = [50 + 50 * most_advantage(e, delta) for e in GRID]
    series = [Series("", GRID, bound, role="bound", colour_key="non-private")]
    for mechanism in SOUND:
        best = [50 + 50 * pair(mechanism, e, delta).advantage for e in GRID]
        series.append(Series("", GRID, best, role="reference", colour_key=KEYS[mechanism]))
        won = at(frame, mechanism=mechanism)["won"]
        if len(won):
            found = share(int(won.sum()), len(won), LEVEL)
            low, high = ((100 * end,) for end in found.interval)
            at_epsilon = (epsilon,), (100 * found.estimate,), low, high
            series.append(Series("", *at_epsilon, colour_key=KEYS[mechanism]))
    return Panel(
        "rounds won",
        "ε",
        "won of 100 rounds",
        tuple(series),
        yscale="linear",
        xlim=(0.1, 6.0),
        ylim=(50, 100),
    )
