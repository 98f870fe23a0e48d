"""Mechanisms: a value, a charge and a noise source in; the private value out.

The noise scale is computed here and nowhere else, from the charge alone: sensitivity / cost. A charge names
its mechanism; the names are those of the functions below.
"""

from math import expm1, log, log1p, sqrt

import numpy as np
from numpy.typing import ArrayLike

from workbench.errors import ArgumentError, of_plain_numbers, positive, probability
from workbench.privacy.budgets import (
    ZCDP,
    ApproxDP,
    Budget,
    GaussianDP,
    PureDP,
    bounded_range_epsilon,
    gdp_within_approx,
    laplace_epsilon,
)
from workbench.privacy.cuts import Level
from workbench.privacy.grid import Integers, OnGrid, on_grid, passed_no_more
from workbench.privacy.noise import NoiseSource
from workbench.privacy.plan import Charge
from workbench.special import ndtri
from workbench.types import Array

FINE = 40  # bits of a grid between whole numbers, for a bound that is to hold with a stated probability


def pure_cost(charge: Charge) -> PureDP:
    if not isinstance(charge.cost, PureDP):
        raise ArgumentError("cost", charge.cost, "PureDP")
    return charge.cost


def approximate_cost(charge: Charge) -> ApproxDP:
    if not isinstance(charge.cost, ApproxDP) or not charge.cost.delta > 0:
        raise ArgumentError("cost", charge.cost, "ApproxDP with delta > 0")
    return charge.cost


def laplace_scale(charge: Charge) -> float:
    """Return Δ₁/ε (Dwork, McSherry, Nissim & Smith 2006); of reals under zCDP, ε + e^-ε - 1 = ρ."""
    match charge.cost:
        case ZCDP(rho, 0.0):
            return charge.sensitivity / laplace_epsilon(rho)
        case ApproxDP(epsilon, delta) if delta > 0:
            return charge.sensitivity / epsilon
    return charge.sensitivity / pure_cost(charge).epsilon


def gaussian_scale(charge: Charge) -> float:
    """Return the standard deviation for l2-sensitivity Δ: Δ/√(2ρ), Δ/μ, or the analytic one for (ε, δ)."""
    return charge.sensitivity / gaussian_mu(charge.cost)


def gaussian_mu(cost: Budget) -> float:
    """Return the largest sensitivity / sd ratio of a Gaussian mechanism within `cost`."""
    match cost:
        case GaussianDP(mu):
            return mu
        case ZCDP(rho, 0.0):
            return sqrt(2 * rho)
        case ApproxDP():
            return gdp_within_approx(cost).mu
    raise ArgumentError("cost", cost, "GaussianDP, ZCDP with delta = 0, or ApproxDP with delta > 0")


@of_plain_numbers
def classic_gaussian_scale(sensitivity: float, epsilon: float, delta: float) -> float:
    """Return Δ√(2 ln(1.25/δ))/ε, for comparison with the analytic scale; its proof needs ε ≤ 1."""
    positive(sensitivity=sensitivity, epsilon=epsilon)
    probability(delta=delta)
    if epsilon > 1:
        raise ArgumentError("epsilon", epsilon, "at most 1 for the classic Gaussian mechanism")
    return sensitivity * sqrt(2 * log(1.25 / delta)) / epsilon


def selection_scale(charge: Charge) -> float:
    """Return 2Δ/ε, the scale of Gumbel or exponential noise on scores of sensitivity Δ.

    Under zCDP, ε of `bounded_range_epsilon`: the exponential mechanism's log-likelihood ratio has range ε.
    """
    match charge.cost:
        case PureDP(epsilon):
            return 2 * charge.sensitivity / epsilon
        case ZCDP(rho, 0.0):
            return 2 * charge.sensitivity / bounded_range_epsilon(rho)
    raise ArgumentError("cost", charge.cost, "PureDP, or ZCDP with delta = 0")


def truncated_laplace_bound(charge: Charge) -> float:
    """Return A = (Δ/ε) ln(1 + (e^ε - 1)/(2δ)), for (ε, δ)-DP noise on [-A, A] (AL22 Theorem 2.12)."""
    cost = approximate_cost(charge)
    epsilon = cost.epsilon
    log_ratio = log1p(expm1(epsilon) / (2 * cost.delta)) if epsilon < 500 else epsilon - log(2 * cost.delta)
    return charge.sensitivity / epsilon * log_ratio


def laplace(value: ArrayLike, charge: Charge, noise: NoiseSource) -> Array:
    """Return `value` + Lap(Δ₁/ε) per entry: ε-DP and (ε + e^-ε - 1)-zCDP."""
    return noise.laplace(value, charge.sensitivity, laplace_scale(charge))


def discrete_laplace(value: ArrayLike, charge: Charge, noise: NoiseSource) -> Array:
    """Return integers + discrete Laplace noise, P(z) ∝ e^(-|z| ε/Δ₁): ε-DP, no low bits to leak."""
    cost = approximate_cost(charge) if isinstance(charge.cost, ApproxDP) else pure_cost(charge)
    return noise.discrete_laplace(value, charge.sensitivity, charge.sensitivity / cost.epsilon)


def gaussian(value: ArrayLike, charge: Charge, noise: NoiseSource) -> Array:
    """Return `value` + N(0, σ²) per entry, for l2-sensitivity; σ of `gaussian_scale`."""
    return noise.gaussian(value, charge.sensitivity, gaussian_scale(charge))


def symmetric_gaussian(value: ArrayLike, charge: Charge, noise: NoiseSource) -> Array:
    """Return a symmetric matrix + symmetric noise, for Frobenius sensitivity.

    Sd σ on the diagonal and σ/√2 off it: the Gaussian mechanism on (M_ii, √2 M_ij), whose l2 norm is the
    Frobenius norm of M.
    """
    return noise.symmetric_gaussian(value, charge.sensitivity, gaussian_scale(charge))


def truncated_laplace(value: ArrayLike, charge: Charge, noise: NoiseSource) -> Array:
    """Return `value` + Laplace noise on [-A, A]: (ε, δ)-DP for one number."""
    scale = charge.sensitivity / approximate_cost(charge).epsilon
    return noise.truncated_laplace(value, charge.sensitivity, scale, truncated_laplace_bound(charge))


def exceeds_bound(value: ArrayLike, charge: Charge, noise: NoiseSource) -> bool:
    """Return whether `value` + noise on [-A, A] exceeds A: at 0 never, up to Δ with probability at most δ.

    Whole numbers go on a finer grid first. Proof: `proofs/univariate.md`, section 8.
    """
    fine, unit = _finer(value)
    return bool(
        truncated_laplace(fine, charge, noise) > passed_no_more(truncated_laplace_bound(charge), unit)
    )


def _finer(value: ArrayLike) -> tuple[OnGrid | ArrayLike, float]:
    at = on_grid(value)
    return (value, 0.0) if at is None else (at.finer(FINE), at.finer(FINE).unit)


def lower_bound(value: ArrayLike, charge: Charge, noise: NoiseSource) -> Array:
    """Return `value` + noise - its (1 - δ)-quantile: above `value` with probability δ.

    N(0, σ²) noise, a Gaussian mechanism of ρ-zCDP, or Laplace noise, ε-DP. The δ of its charge pays for later
    steps that take the bound for granted: whole numbers go on a finer grid first, whose unit is given away.
    """
    scale, quantile = _of_lower_bound(charge)
    fine, unit = _finer(value)
    draw = noise.gaussian if isinstance(charge.cost, ZCDP) else noise.laplace
    return draw(fine, charge.sensitivity, scale) - passed_no_more(-(scale * quantile), unit)


def lower_bound_offset(charge: Charge) -> float:
    """Return the δ-quantile of the noise of `lower_bound`."""
    scale, quantile = _of_lower_bound(charge)
    return scale * quantile


def _of_lower_bound(charge: Charge) -> tuple[float, float]:
    """Return the scale, and the δ-quantile in scales."""
    match charge.cost:
        case ZCDP(rho, delta) if delta > 0:
            return charge.sensitivity / sqrt(2 * rho), float(ndtri(delta))
        case ApproxDP(epsilon, delta) if 0 < delta <= 0.5:
            return charge.sensitivity / epsilon, log(2 * delta)
    raise ArgumentError("cost", charge.cost, "ZCDP or ApproxDP with delta > 0, at most 1/2 for the latter")


def additive(value: ArrayLike, charge: Charge, noise: NoiseSource) -> Array:
    """Return `value` with the additive noise that `charge` names."""
    return _ADDITIVE[charge.mechanism](value, charge, noise)


_ADDITIVE = {"laplace": laplace, "discrete_laplace": discrete_laplace, "gaussian": gaussian}


def exponential(
    scores: ArrayLike, charge: Charge, noise: NoiseSource, weights: OnGrid | Integers | Array | None = None
) -> int:
    """Return an index drawn with probability ∝ weight · e^(ε score/(2Δ)) (LKKO21 eq. 19).

    ε-DP and, as a bounded-range mechanism, of the zCDP of `zcdp_from_bounded_range`. `weights` are a base
    measure, in any unit; an entry of 0 is never chosen. They and the scores are whole numbers where noise is
    to be exact.
    """
    return noise.choice(scores, charge.sensitivity, selection_scale(charge), weights)


def noisy_max(scores: ArrayLike, charge: Charge, noise: NoiseSource) -> int:
    """Return the index of the largest score + exponential noise of mean 2Δ/ε: ε-DP.

    Report-noisy-max with exponential noise has the distribution of permute-and-flip, never worse than the
    exponential mechanism (McKenna & Sheldon 2020; Ding et al. 2021).
    """
    pure_cost(charge)
    return int(np.argmax(noise.exponential(scores, charge.sensitivity, selection_scale(charge))))


def cuts(level: Level, charge: Charge, noise: NoiseSource) -> list[list[int]]:
    """Return the pieces of the cuts of a level, node by node: ε-DP, of a log-likelihood ratio of range ε.

    Proof: `proofs/quantiles.md`, section 2.
    """
    return noise.cuts(level, charge.sensitivity, selection_scale(charge))
