"""A world with a hidden mean: how far every adversary moves a reader's own private mean of one column."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from workbench.chapters.robust_and_private.runs.duel import SHOWN
from workbench.chapters.robust_and_private.runs.prime import CORRUPTION, PLACES, corrupted, limit
from workbench.study.grids import Role, point_id, stream
from workbench.types import Array

ROWS, TRIALS = 2000, 100
ALLOWED = 2.0  # times the limit ξ √(ln 1/ξ)
Mine = Callable[[Array, int, np.random.Generator], object]


def hidden_world(
    mine: Mine, *, corruption: float = CORRUPTION, n: int = ROWS, trials: int = TRIALS, seed: int = 17
) -> pd.DataFrame:
    """Return the median error of a mean of one column under every attack, and whether it is small enough.

    Parameters
    ----------
    mine
        `mine(x, trials, rng)` returns so many private means of the column x.
    corruption
        Share of the rows that the adversary replaces.
    n, trials
        Rows; runs for every attack.
    seed
        Of rows, hidden mean, adversary and noise.

    Returns
    -------
    DataFrame
        A row for each attack: `error`, and `stands`, which says whether it is at most twice ξ √(ln 1/ξ).
    """
    errors = {attack: _error(mine, attack, corruption, n, trials, seed) for attack in SHOWN}
    made = pd.DataFrame({"error": pd.Series(errors)})
    return made.assign(stands=made["error"] <= ALLOWED * limit(corruption))


def _error(mine: Mine, attack: str, corruption: float, n: int, trials: int, seed: int) -> float:
    data, noise = (
        stream(seed, role, "hidden world", point_id({"attack": attack}), 0)
        for role in (Role.DATA, Role.NOISE)
    )
    hidden = data.uniform(-PLACES, PLACES)
    x = corrupted(data.standard_normal((n, 1)), attack, corruption, data)[:, 0] + hidden
    return float(np.median(np.abs(np.asarray(mine(x, trials, noise)) - hidden)))
