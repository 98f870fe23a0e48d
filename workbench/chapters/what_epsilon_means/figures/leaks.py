"""The last bits of a float tell the row."""

import numpy as np
import pandas as pd

from workbench.chapters.what_epsilon_means.runs.floats import NOISES, ONE_FLOAT, OUTPUTS, predicted
from workbench.charts.bands import LEVEL, measured
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.study.measures import at, share
from workbench.study.run import Run

KEYS, PLACES = ("idea/first", "idea/second"), {0.0: (-55.8, 0.26), 1.0: (-50.4, 0.33)}
LAST = tuple(range(-62, -47))
ROWS = tuple((kind, x) for kind in NOISES for x in (0.0, 1.0))


def floats(run: Run) -> Chart:
    """Return the last bits of x + Lap(1) for x = 0 and x = 1, and how often they betray x = 0."""
    frame = run.table(OUTPUTS)
    return Chart(
        "floats",
        "The last bits of float noise tell x = 0 from x = 1",
        (_bits(frame), _betrayals(frame)),
        alt="Left, the share of outputs near 0 against the exponent of their last bit: for x = 1 none below"
        " -53, for x = 0 most are. Right, the share of outputs that betray x = 0: 27 % of float noise, none"
        " of noise on a grid.",
        how_to_read="Left, outputs within 1/2 of 0, by their last bit. If x = 1, all are multiples of 2⁻⁵³."
        " Any other output shows that x = 0: an event that no ε allows.",
    )


def _bits(frame: pd.DataFrame) -> Panel:
    series = []
    for key, x in zip(KEYS, (0.0, 1.0), strict=True):
        last = at(frame, kind=ONE_FLOAT, x=x, near=True)["last"]
        found = {bit: share(int((last == bit).sum()), len(last), LEVEL) for bit in LAST} if len(last) else {}
        series.append(measured(f"x = {x:g}", found, key, kind="fraction", joined=False, label_at=PLACES[x]))
    marks = (Mark("only if x = 0", "span", x=LAST[0] - 0.5, x2=-53.5, colour_key=KEYS[0]),)
    return Panel(
        "float noise, |y| < 1/2", "exponent of the last bit of y", "share of these outputs", tuple(series),
        "linear", "linear", ylim=(0.0, 0.45), marks=marks,
    )  # fmt: skip


def _betrayals(frame: pd.DataFrame) -> Panel:
    found = {
        place: share(int(some["betrays"].sum()), len(some), LEVEL)
        for place, (kind, x) in enumerate(ROWS, 1)
        if len(some := at(frame, kind=kind, x=x))
    }
    expected = [predicted() if ROWS[place - 1] == (ONE_FLOAT, 0.0) else 0.0 for place in found]
    names = [f"{'floats' if kind == ONE_FLOAT else 'grid'}, x = {x:g}" for kind, x in ROWS]
    line = Series("", (0.5, len(ROWS) + 0.5), np.full(2, predicted()), role="reference")
    marks = [
        Mark(f"{100 * one.estimate:.0f} %", x=one.estimate + 0.035, y=place) for place, one in found.items()
    ]
    foreseen = Mark("predicted", "vertical", x=predicted(), y=2.5, side="left")
    return Panel(
        "near 0, and no multiple of 2⁻⁵³", "", "share of all outputs",
        (line, measured("", found, "idea/total", expected, kind="fraction", joined=False)),
        yscale="linear", ylim=(-0.02, 0.4), names=tuple(names), marks=(*marks, foreseen),
    )  # fmt: skip
