"""What is searched: Algorithms 1 and 2 with the source's noise and rule, on the covariances that are worst.

A circle of correlated coordinates, each with s neighbours, all entries positive and of one size; the other
coordinates do not vary. An entry that is lost costs its size, and s of them in a row add up: whatever errs by
α must lose entries of α/s and more. The entries are 1.1, 1.5 and 2.5 times that, in the same run, and the
run errs by the largest of the three errors. An output without entries errs by 1.1 α, for any n.
"""

from dataclasses import dataclass
from functools import cache
from math import log, sqrt

import numpy as np
from numpy.random import Generator

from workbench.bounds import wx19 as bounds
from workbench.chapters.sparse_covariance.designs import Model, Run, charged, column_sum, neighbours, spectral
from workbench.distributions import Gaussian
from workbench.estimators.sparse import perturbed
from workbench.linalg import psd_part
from workbench.populations.gaussian import MultivariateGaussian, second_moment
from workbench.populations.sparse import unit_ball_scale
from workbench.privacy import ApproxDP, Charge, noise_source
from workbench.study.run import Row, each_trial
from workbench.types import Array

SIZES = (1.1, 1.5, 2.5)  # of entries, over α/s
LARGEST_N, CLIPPED = 10**9, 0.01  # so many rows lie in the unit ball but with this probability
UNIT = 0.35  # α over the variance of a coordinate, at most: then the largest entries are of a covariance


def stated_noise(epsilon: float, delta: float) -> float:
    """Return √(2 ln(1.25/δ))/ε: the source's sd of an entry times n, or √n in the local model."""
    return sqrt(2 * log(1.25 / delta)) / epsilon


@dataclass(frozen=True)
class Threshold:
    """The threshold of equation (9) at public numbers, as a function of n."""

    local: bool
    p: int
    epsilon: float
    delta: float
    variance: float

    def rows(self, t: float) -> float:
        """Return the n at which it is t."""
        noise = stated_noise(self.epsilon, self.delta)
        return bounds.rows_for_threshold(t, self.p, noise, self.variance, local=self.local)

    def only(self, term: str, t: float) -> float:
        """Return the n at which it would be t if it had one of its terms alone."""
        allowed = t / (4 * sqrt(log(self.p)))
        if term == "sampling":
            return (self.variance / allowed) ** 2
        noise = stated_noise(self.epsilon, self.delta) / allowed
        return noise**2 if self.local else noise


@cache
def largest_variance(active: int, degree: int) -> float:
    """Return the variance of a coordinate with which n rows lie in the unit ball, whatever the entries."""
    return 1 / unit_ball_scale(circle(active, degree, 1.0, SIZES[-1] * UNIT / degree), LARGEST_N, CLIPPED)


def circle(active: int, degree: int, variance: float, entry: float) -> Array:
    """Return the covariance of the coordinates that vary."""
    return np.asarray(variance * np.eye(active) + entry * neighbours(active, degree))


@cache
def noise_of(model: Model, p: int, n: int, epsilon: float, delta: float) -> Charge:
    """Return the charge of the source's noise."""
    return charged(p, n, ApproxDP(epsilon, delta), model, "paper")


def padded(block: Array, p: int) -> Array:
    """Return the block as the first coordinates of p; the others do not vary."""
    whole = np.zeros((p, p))
    whole[: len(block), : len(block)] = block
    return whole


def run_on(block: Array, p: int, n: int, charge: Charge, added: Array, data: Generator) -> Run:
    """Return a run in law, with this noise."""
    law = MultivariateGaussian(Gaussian(np.zeros(len(block)), block))
    empirical = padded(second_moment(law, n, rng=data), p)
    return Run(padded(block, p), empirical, empirical + added, charge, n)


def spectral_error(kept: Array, truth: Array) -> float:
    """Return the error of step (4) in spectral norm; coordinates without entries are repaired one by one."""
    away = ~np.eye(len(kept), dtype=bool)
    linked = (away & ((kept != 0) | (truth != 0))).any(axis=0)
    both = np.ix_(linked, linked)
    inside = spectral(psd_part(kept[both]) - truth[both]) if linked.any() else 0.0
    alone = np.abs(np.maximum(np.diag(kept), 0.0) - np.diag(truth))[~linked]
    return max(inside, float(alone.max(initial=0.0)))


@each_trial
def on_circles(
    model: Model,
    norm: str,
    p: int,
    active: int,
    degree: int,
    n: int,
    epsilon: float,
    delta: float,
    variance: float,
    alpha: float,
    *,
    data: Generator,
    noise: Generator,
) -> Row:
    """Measure the error on circles of all sizes of entries: of step (4), or of step (3) for w = 1."""
    charge = noise_of(model, p, n, epsilon, delta)
    added = perturbed(np.zeros((p, p)), charge, noise_source(noise))
    errors = []
    for size in SIZES:
        one = run_on(circle(active, degree, variance, size * alpha / degree), p, n, charge, added, data)
        kept = one.kept("paper", noise)
        errors.append(spectral_error(kept, one.truth) if norm == "w = 2" else column_sum(kept - one.truth))
    return {"error": max(errors)}


@each_trial
def largest_entry(
    p: int,
    active: int,
    n: int,
    epsilon: float,
    delta: float,
    variance: float,
    *,
    data: Generator,
    noise: Generator,
) -> Row:
    """Measure the largest |T_ij - σ_ij| over all entries, where some coordinates vary independently."""
    charge = noise_of("central", p, n, epsilon, delta)
    added = perturbed(np.zeros((p, p)), charge, noise_source(noise))
    one = run_on(variance * np.eye(active), p, n, charge, added, data)
    return {"error": float(np.abs(one.released - one.truth).max())}
