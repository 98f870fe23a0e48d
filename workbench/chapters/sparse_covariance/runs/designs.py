"""The covariances that the claims about WX19 are tried on, and one run on any of them.

All are scaled so that normal rows lie in the unit ball, up to a probability of `BEYOND` per sample, and runs
are in law: the second moment is drawn as a Wishart matrix, conditional on no row being clipped
(`populations.gaussian`). The estimator's own pieces do the rest.
"""

from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from workbench.distributions import Gaussian, SparseCovariance
from workbench.estimators.sparse import (
    STEP,
    USERS,
    LocalThresholdedCovariance,
    Noise,
    PerturbedCovariance,
    Rule,
    kept_and_repaired,
    perturbed,
    thresholded,
)
from workbench.linalg import psd_part
from workbench.populations.gaussian import MultivariateGaussian, second_moment
from workbench.populations.sparse import active_block, conditioned, sparse_signal, unit_ball_scale
from workbench.privacy import ApproxDP, Charge, noise_source
from workbench.privacy.mechanisms import gaussian_scale
from workbench.types import Array

Model = Literal["central", "local"]
Calibration = Literal["tight", "paper"]

BEYOND = 0.01  # probability that any of n rows would be clipped
DELTA = 1e-6
REFERENCES = {
    "zero": "zero matrix",
    "oracle diagonal": "true diagonal",
    "noisy diagonal": "noisy diagonal",
    "plain": "plain release",
    "empirical": "empirical covariance",
    "without": "non-private threshold",
}


def scaled(covariance: Array, n: int) -> Array:
    """Return the covariance over c, so that n normal rows lie in the unit ball."""
    return covariance / unit_ball_scale(covariance, n, BEYOND)


def share_of(p: int, degree: float) -> float:
    """Return the share of the pairs of which each coordinate has `degree` on average."""
    return degree / (p - 1)


def spread(p: int, share: float, n: int, rng: Generator) -> Array:
    """Return a covariance whose support is spread over all coordinates: entries shrink as 1/p."""
    return scaled(conditioned(sparse_signal(p, share, rng=rng)), n)


def block(p: int, active: int, degree: int, n: int, rng: Generator) -> Array:
    """Return a covariance whose signal sits in `active` coordinates: entries keep their size as p grows."""
    return scaled(active_block(p, active, degree, rng=rng), n)


def neighbours(p: int, degree: int) -> NDArray[np.bool_]:
    """Return which pairs are next to each other on a circle, `degree` of them for each of p places."""
    gap = np.abs(np.subtract.outer(np.arange(p), np.arange(p)))
    return np.asarray((np.minimum(gap, p - gap) <= degree // 2) & (gap > 0))


@dataclass(frozen=True)
class Run:
    """A released matrix with all that is public about it, and the truth that only a study knows."""

    truth: Array
    empirical: Array
    released: Array
    charge: Charge
    n: int

    @cached_property
    def noise(self) -> Noise:
        """The sds of the noise."""
        sd = gaussian_scale(self.charge)
        symmetric = self.charge.mechanism == "symmetric_gaussian"
        return Noise(sd, sd / sqrt(2) if symmetric else sd, self.n)

    def thresholded(self, rule: Rule, rng: Generator) -> SparseCovariance:
        """Return steps (3) and (4) of Algorithm 1 by a rule."""
        return kept_and_repaired(self.released, self.charge, self.n, rule, noise_source(rng))

    def kept(self, rule: Rule, rng: Generator) -> Array:
        """Return step (3) alone."""
        return thresholded(self.released, self.noise, rule, rng)


def released(
    covariance: Array,
    n: int,
    epsilon: float,
    data: Generator,
    noise: Generator,
    *,
    delta: float = DELTA,
    model: Model = "central",
    calibration: Calibration = "tight",
) -> Run:
    """Return a run on n rows of unit radius, in law."""
    law = MultivariateGaussian(Gaussian(np.zeros(len(covariance)), covariance))
    empirical = second_moment(law, n, rng=data)
    charge = charged(len(covariance), n, ApproxDP(epsilon, delta), model, calibration)
    return Run(law.covariance, empirical, perturbed(empirical, charge, noise_source(noise)), charge, n)


def charged(p: int, n: int, budget: ApproxDP, model: Model, calibration: Calibration) -> Charge:
    """Return the charge of the noise, as the estimators' plans have it."""
    if model == "local":
        return LocalThresholdedCovariance(calibration=calibration, radius=1.0).plan(n, p, budget)[USERS]
    return PerturbedCovariance(calibration=calibration, radius=1.0).plan(n, p, budget)[STEP]


def without_privacy(run: Run, rule: Rule, rng: Generator) -> Array:
    """Return the empirical covariance, thresholded by a rule and made positive semidefinite."""
    return psd_part(thresholded(run.empirical, Noise(0.0, 0.0, run.n), rule, rng))


def spectral(matrix: Array) -> float:
    """Return the spectral norm of a symmetric matrix."""
    return float(np.abs(np.linalg.eigvalsh(matrix)[[0, -1]]).max())


def column_sum(matrix: Array) -> float:
    """Return the largest absolute column sum: the norm for w = 1, and w = ∞ if the matrix is symmetric."""
    return float(np.abs(matrix).sum(axis=0).max())


def diagonal(matrix: Array) -> Array:
    """Return the diagonal as a matrix."""
    return np.diag(np.diag(matrix))


def estimates(one: Run, rng: Generator) -> dict[str, Array]:
    """Return the output of the source's rule and of the default one, and all references."""
    rules: dict[str, Rule] = {"algorithm": "paper", "default": "adaptive-lasso"}
    return {name: one.thresholded(rule, rng).psd for name, rule in rules.items()} | references(one, rng)


def references(one: Run, rng: Generator) -> dict[str, Array]:
    """Return the reference matrices of an estimate, by the keys of `REFERENCES`."""
    return {
        "zero": np.zeros_like(one.truth),
        "oracle diagonal": diagonal(one.truth),
        "noisy diagonal": diagonal(one.released),
        "plain": one.released,
        "empirical": one.empirical,
        "without": without_privacy(one, "adaptive-lasso", rng),
    }
