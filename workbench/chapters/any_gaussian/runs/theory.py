"""What AL22's learners and masks ask for, by public numbers alone: nothing here is random."""

from functools import lru_cache
from itertools import pairwise
from math import exp, log, log1p, sqrt

import numpy as np

from workbench.bounds.al22 import mask_radius
from workbench.bounds.search import smallest
from workbench.errors import ArgumentError
from workbench.estimators.populous import PopulousMean
from workbench.privacy import ApproxDP, Charge
from workbench.privacy.mechanisms import truncated_laplace_bound
from workbench.privacy.stable import square_delta
from workbench.special import brentq
from workbench.types import Array

CELLS = 200  # between two breaks of the densities


def truncated_divergence(epsilon: float, delta: float) -> float:
    """Return the hockey-stick divergence of truncated Laplace noise from itself moved by 1, over δ.

    A sum over cells that no break of the densities cuts, of (P - e^ε Q)_+.
    """
    scale = 1 / epsilon
    bound = truncated_laplace_bound(Charge("noise", "truncated_laplace", 1.0, ApproxDP(epsilon, delta)))
    breaks = sorted({-bound, min(1 - bound, bound), 0.0, 1.0, bound, bound + 1})
    ends = np.unique(np.concatenate([np.linspace(a, b, CELLS) for a, b in pairwise(breaks)]))
    p, q = (np.diff(below(ends - moved, scale, bound)) for moved in (0.0, 1.0))
    return float(np.maximum(p - exp(epsilon) * q, 0).sum() / delta)


def below(x: Array, scale: float, bound: float) -> Array:
    """Return the distribution function of Laplace noise of this scale conditioned on [-bound, bound]."""
    x = np.clip(x, -bound, bound)
    tail = np.exp(-bound / scale) * np.expm1((bound - np.abs(x)) / scale) / (-2 * np.expm1(-bound / scale))
    return np.asarray(np.where(x < 0, tail, 1 - tail))


@lru_cache(maxsize=256)
def exact_radius(eta: float, d: int, epsilon: float, delta: float) -> float:
    """Return the largest γ that the source's mask of η hides, to a thousandth."""

    def excess(log_gamma: float) -> float:
        return log(max(square_delta(log1p(exp(log_gamma)), eta, d, epsilon), 1e-300) / delta)

    return exp(brentq(excess, log(1e-6), log(0.5), xtol=1e-3))


def gain(d: int, epsilon: float, delta: float) -> float:
    """Return the exact γ over that of Lemma 5.1, at η = 1/(6√d)."""
    eta = 1 / (6 * sqrt(d))
    return exact_radius(eta, d, epsilon, delta) / mask_radius(eta, d, epsilon, delta)


def stated_excess(d: int, epsilon: float, delta: float) -> float:
    """Return the exact δ at the γ of Lemma 5.1, over δ."""
    eta = 1 / (6 * sqrt(d))
    return square_delta(log1p(mask_radius(eta, d, epsilon, delta)), eta, d, epsilon) / delta


@lru_cache(maxsize=256)
def mean_rows(d: int, alpha: float, budget: ApproxDP, beta: float) -> int:
    """Return the fewest rows whose bound on the error of `mean/populous` is at most α, to half a percent."""

    def found(step: int) -> bool:
        try:
            return PopulousMean(sigma=1.0).error_bound(_rows(step), d, budget, beta) <= alpha
        except ArgumentError:
            return False

    return _rows(smallest(found, 1000))


def _rows(step: int) -> int:
    return round(exp(step / 200))
