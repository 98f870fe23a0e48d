"""A reader's own rule for the choice, judged in settings that it does not know beforehand."""

from collections.abc import Callable
from math import inf

import numpy as np
import pandas as pd

from workbench.chapters.which_one import choice
from workbench.errors import one_of
from workbench.study.grids import Role, stream

SETTINGS = 20
ENDS = {"n": (60, 6000), "epsilon": (0.1, 3.0), "radius": (5.0, 1000.0)}  # of what is drawn
COLUMNS = (2, 3, 5, 10)
DELTA = 1e-6
Rule = Callable[[int, int, float, float], str]


def judged(rule: Rule, *, seed: int = 17, settings: int = SETTINGS) -> pd.DataFrame:
    """Return what a rule chooses in hidden settings, and its predicted error over the least one.

    Parameters
    ----------
    rule
        `rule(n, d, epsilon, radius)` returns the key of a private mean of several columns.
    seed
        Of the settings.
    settings
        How many.

    Returns
    -------
    DataFrame
        A row for each setting that some estimator answers; `over` is infinite where the chosen one does not.
    """
    draw = stream(seed, Role.DATA, "which one, hidden", 0, 0)
    return pd.DataFrame([row for _ in range(settings) if (row := _judged(rule, draw))])


def _judged(rule: Rule, draw: np.random.Generator) -> dict[str, object]:
    rows, epsilon, radius = (_short(float(np.exp(draw.uniform(*np.log(ends))))) for ends in ENDS.values())
    n, d = round(rows), int(draw.choice(COLUMNS))
    chosen = rule(n, d, epsilon, radius)
    one_of(choice.keys(d), rule=chosen)
    ranked = choice.ranked(n, d, epsilon, DELTA, radius)
    if not ranked:
        return {}
    own = {key: error for error, key in ranked}.get(chosen, inf)
    public = {"n": n, "d": d, "epsilon": epsilon, "radius": radius}
    return {**public, "chosen": chosen, "best": ranked[0][1], "over": own / ranked[0][0]}


def _short(value: float) -> float:
    return float(f"{value:.2g}")
