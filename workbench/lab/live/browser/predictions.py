"""Predictions of one mean that have no closed form, on a grid: made here, looked up by the browser.

    python -m workbench.lab.live.browser.predictions

writes `one_mean.json` anew, in ten minutes or so. Numbers have four digits; what stands at a place of the
grid is the package's own prediction for it, and nothing is read off between places but borders of regions.
"""

import json
from math import log, sqrt
from pathlib import Path
from typing import Any

from workbench.chapters.one_mean import theory
from workbench.chapters.one_mean.costs import HALF_NORMAL_MEDIAN
from workbench.chapters.one_mean.figures.free_view import tight_distance
from workbench.privacy import PureDP
from workbench.special import brentq

PLACE = Path(__file__).with_name("one_mean.json")
EPSILONS = (0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0)
SIZES = (20, 30, 50, 70, *(round(m * 10**k) for k in (2, 3, 4) for m in (1, 1.5, 2, 3, 5, 7)), 100_000)
RADII = (*(float(m * 10**k) for k in (1, 2, 3, 4, 5) for m in (1, 2, 5)), 1e6)
HALF = 0.5  # of the runs
FEWEST, MOST = 2, 10_000_000  # rows between which a border is looked for


def predictions() -> dict[str, Any]:
    """Return the grid: errors and distances by ε, radius and n, and two n by ε and radius.

    `error` is the median error of the tight two-step mean, `distance` that from the sample mean. From n =
    `found` on it finds the mean in half of the runs, from `free` on the distance is at most what sampling
    errs by.
    """
    places = [(epsilon, radius) for epsilon in EPSILONS for radius in RADII]
    return {
        "epsilon": EPSILONS,
        "radius": RADII,
        "n": SIZES,
        "error": [[_short(error(n, radius, epsilon)) for n in SIZES] for epsilon, radius in places],
        "distance": [[_short(distance(n, radius, epsilon)) for n in SIZES] for epsilon, radius in places],
        "found": [found(radius, epsilon) for epsilon, radius in places],
        "free": [_short(free(radius, epsilon)) for epsilon, radius in places],
    }


def error(n: int, radius: float, epsilon: float) -> float:
    """Return the median error of the tight two-step mean."""
    return theory.two_step_error(n, radius, epsilon, "tight")


def distance(n: int, radius: float, epsilon: float) -> float:
    """Return the median distance of the tight two-step mean from the sample mean."""
    return tight_distance(n, PureDP(epsilon), radius)


def found(radius: float, epsilon: float) -> int:
    """Return the least n at which the place is right in half of the runs."""

    def failure(n: int) -> float:
        return theory.window_mean_tail(n, radius, PureDP(epsilon))[1]

    return theory.rows_needed(failure, HALF)


def free(radius: float, epsilon: float) -> float:
    """Return the n at which privacy moves the mean as far as sampling does."""

    def excess(log_n: float) -> float:
        n = round(2**log_n)
        return log(distance(n, radius, epsilon) * sqrt(n) / HALF_NORMAL_MEDIAN)

    low, high = log(FEWEST, 2), log(MOST, 2)
    return 2 ** brentq(excess, low, high, xtol=1e-3) if excess(low) > 0 else float(FEWEST)


def _short(number: float) -> float:
    return float(f"{number:.4g}")


if __name__ == "__main__":
    PLACE.write_text(json.dumps(predictions(), separators=(",", ":")) + "\n", encoding="utf-8")
