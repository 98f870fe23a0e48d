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
from workbench.chapters.what_epsilon_means.runs.laws import GAUSSIAN, KEYS, LAPLACE, MEDIAN, Densities
from workbench.charts.bands import LEVEL, measured
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.words import number
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
NAMES = {LAPLACE: "Laplace noise", GAUSSIAN: "Gaussian noise", MEDIAN: "private median"}


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
