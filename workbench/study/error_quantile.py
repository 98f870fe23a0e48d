"""The n at which a quantile of the error is alpha, from the errors themselves and not only from successes.

Near the answer ln e falls in ln n along a line of slope -b, whatever the law about it. What is found is where
the line of the q-quantile is at ln alpha, by the least pinball loss; its interval is a bootstrap's. It is a
fifth narrower than one from successes alone and hardly biased, where the line is one: no step of a location,
no lattice of errors, no runs without an answer.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp, log

import numpy as np

from workbench.special import ndtri
from workbench.study.intervals import Interval
from workbench.study.success import CLIFF, Vector

SLOPES = np.linspace(0.1, 3.0, 59)  # b
WINDOW = 0.8  # |ln n - ln n*| of the runs that are used
RESAMPLES, NOMINAL = 100, 0.45  # of the level: what bootstraps of placed runs lack
FEWEST = 60  # runs
ONE_SD = (0.1587, 0.8413)  # of a normal law, on both sides


@dataclass(frozen=True)
class Line:
    """Where the line crosses alpha, and the interval."""

    n: float
    interval: Interval


def crossing_line(
    errors: Mapping[int, Vector], alpha: float, share: float, level: float, around: float, width: float
) -> Line | None:
    """Return where the q-quantile of the error is alpha, or None where errors are no line in ln n.

    Parameters
    ----------
    errors
        By n.
    alpha, share, level : float
        The error, q, and the chance that the interval misses.
    around, width : float
        The n of a fit of successes (`success.fitted`), and the width s of the rise.
    """
    sizes = [n for n in sorted(errors) if abs(log(n / around)) <= WINDOW]
    found = np.concatenate([errors[n] for n in sizes]) if sizes else np.zeros(0)
    places = np.repeat([log(n / around) for n in sizes], [len(errors[n]) for n in sizes])
    lost = ~np.isfinite(found) | (found <= 0)
    few = len(found) < FEWEST or len(sizes) < 3 or len(set(found)) < len(found) / 2  # a lattice of errors
    if few or width <= CLIFF or lost.mean() >= (1 - share) / 3:
        return None
    logs = np.log(np.where(lost, max(found[~lost].max(), alpha) * 1e6, found) / alpha)
    rng = np.random.default_rng(len(found))  # resamples alone: fixed, so that equal runs give equal bits
    middle = _crossing(places, logs, share)
    picks = rng.integers(len(logs), size=(RESAMPLES, len(logs)))
    drawn = np.array([_crossing(places[pick], logs[pick], share) for pick in picks])
    if not np.isfinite(middle) or not np.isfinite(drawn).all() or abs(middle) > WINDOW:
        return None
    low, high = np.quantile(drawn, ONE_SD)
    half = float(high - low) / 2 * float(-ndtri(NOMINAL * level / 2))
    return Line(around * exp(middle), (around * exp(middle - half), around * exp(middle + half)))


def _crossing(places: Vector, logs: Vector, share: float) -> float:
    """Return ln n*/n_0 of the line with the least pinball loss."""
    level = logs + SLOPES[:, None] * places
    rank = min(int(share * len(logs)), len(logs) - 1)
    heights = np.partition(level, rank, axis=1)[:, rank]
    gaps = level - heights[:, None]
    loss = np.where(gaps > 0, share * gaps, (share - 1) * gaps).sum(1)
    best = int(loss.argmin())
    return float(heights[best] / SLOPES[best])
