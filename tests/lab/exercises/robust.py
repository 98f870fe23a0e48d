"""What the solutions of notebook 07 say, and what the package finds."""

from functools import cache
from math import log, sqrt

import numpy as np
from scipy.optimize import brentq

from tests.lab.exercises.solutions import Said
from workbench.chapters.robust_and_private import hidden_world
from workbench.populations.corruption.mean import MEAN_ATTACKS
from workbench.privacy import PureDP
from workbench.study.audit import Pair, audit

ALPHA = 0.05


def pull(d):
    """How far a plain mean follows the planted cluster of Figure 1."""
    return moved("shift-ones", d)


@cache
def moved(name, d, n=20_000):
    """How far an attack moves the mean of its rows."""
    (attack,) = (one for one in MEAN_ATTACKS if one.name == name)
    rng = np.random.default_rng(5)
    x = np.zeros((n, d))
    return float(np.linalg.norm(attack.corrupt(x, ALPHA, rng=rng).mean(axis=0)))


def limit(alpha=ALPHA):
    return alpha * sqrt(log(1 / alpha))


def unnoticed(alpha):
    """The farthest place of a cluster whose excess variance is α ln(1/α)."""
    excess = lambda t: alpha * (1 - alpha) * t**2 - alpha * log(1 / alpha)  # noqa: E731
    return brentq(excess, 0.0, 100.0)


def cluster_as_said():
    """Whether place and pull of that cluster are those of the solution, for small and large shares."""
    return all(
        np.isclose(unnoticed(a) ** 2, log(1 / a) / (1 - a))
        and np.isclose(a * unnoticed(a), limit(a) / sqrt(1 - a))
        for a in (0.01, ALPHA, 0.1)
    )


def clipped_mean(x, trials, rng):
    """Private means as the exercise has them."""
    return np.clip(x, -10, 10).mean() + rng.laplace(scale=20 / len(x), size=trials)


def private_median(x, trials, rng):
    """Private medians as the solution has them."""
    grid = np.linspace(-10, 10, 2001)
    far = np.abs(np.searchsorted(np.sort(x), grid) - len(x) / 2)
    weights = np.exp((far.min() - far) / 2)
    return rng.choice(grid, trials, p=weights / weights.sum())


def worst(mine):
    """The largest error in the hidden world; none where the audit finds a violation."""
    ends = [Pair("ends", [0, 0, 0, 10], [0, 0, 0, -10])]
    assert not audit(mine, ends, PureDP(1), seed=17).violated
    return hidden_world(mine, corruption=ALPHA, seed=17)["error"].max()


ROBUST = {
    ("07_robust_and_private", 1): (
        Said(
            r"$0.075\sqrt d > 0.0865$ for $d \ge 2$",
            lambda slope, most, d: (
                slope.rounds(pull(1))
                and np.isclose(slope * sqrt(d), pull(int(d)))
                and most.rounds(limit())
                and pull(1) < limit() < pull(int(d))
            ),
        ),
    ),
    ("07_robust_and_private", 2): (
        Said(
            r"$t^2 = \ln(1/\xi)/(1 - \xi)$, and the shift is $\xi t ="
            r" \xi\sqrt{\ln(1/\xi)/(1-\xi)}$: the limit itself, up to the factor $1/\sqrt{1-\xi}$."
            " The attack `under-threshold` is this cluster",
            lambda *_: (
                cluster_as_said() and 0.9 < moved("under-threshold", 3) / (ALPHA * unnoticed(ALPHA)) <= 1
            ),
        ),
    ),
    ("07_robust_and_private", 5): (
        Said("one row moves the rank of every point by 1 at most", lambda most: most == 1),
        Said(
            "Its worst error in the hidden world is 0.12; that of the clipped mean is 0.75",
            lambda middle, mean: middle.rounds(worst(private_median)) and mean.rounds(worst(clipped_mean)),
        ),
    ),
}
