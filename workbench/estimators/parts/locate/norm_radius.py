"""A clipping radius for rows of unknown norm: a private quantile over 80 octaves.  WX19, open problem 2.

    (1) counts of |x_i| over 321 bins, a quarter of an octave each, from 2⁻⁴⁰ to 2⁴⁰; zero and smaller norms
        are in the first bin, larger ones in the last                    l2-sensitivity √2: one row, two bins
    (2) noisy counts, those below 4.5 sd taken as 0
    (3) r = the smallest upper edge beyond which at most a share 1 - q of the rows is left; none: the last

Bins are public and every one gets noise. Where so few rows are given that no bin stands out of it, r is the
first edge, and the covariance is about 0: nothing is known, and nothing is said. With q = .9 the radius is
near the 90 % quantile of the norms, which for light and for heavy tails is better than their maximum.
Proof: `proofs/sparse.md`, section 3.
"""

from math import sqrt

import numpy as np

from workbench.estimators.parts.budgets import step_budgets, steps_plan
from workbench.estimators.parts.rows import second_moment_sensitivity
from workbench.linalg import norms
from workbench.privacy import Budget, Charge, NoiseSource, Plan
from workbench.privacy.mechanisms import gaussian, gaussian_scale
from workbench.types import Array

NORMS, COVARIANCE = "norms", "covariance"
OCTAVES, PARTS = 40, 4
EDGES = 2.0 ** (np.arange(-OCTAVES * PARTS, OCTAVES * PARTS + 1) / PARTS)  # upper edges of the bins
SHARE, QUANTILE, SILENT = 0.05, 0.9, 4.5


def radius_plan(n: int, budget: Budget) -> Plan:
    """Return the plan: a twentieth of μ² for the norms, the rest for the covariance of unit rows."""
    norm, moment = step_budgets(budget, (SHARE, 1 - SHARE))
    charges = (
        Charge(NORMS, "gaussian", sqrt(2), norm),
        Charge(COVARIANCE, "symmetric_gaussian", second_moment_sensitivity(n, 1.0), moment),
    )
    return steps_plan(budget, charges)


def norm_counts(x: Array) -> Array:
    """Return how many rows have their norm in each bin."""
    bins = np.minimum(np.searchsorted(EDGES, norms(x)), len(EDGES) - 1)
    return np.bincount(bins, minlength=len(EDGES)).astype(np.float64)


def private_radius(x: Array, charge: Charge, noise: NoiseSource) -> float:
    """Return the radius of step (3)."""
    noisy = gaussian(norm_counts(x), charge, noise)
    counts = np.where(noisy < SILENT * gaussian_scale(charge), 0.0, noisy)
    beyond = counts.sum() - np.cumsum(counts)
    enough = np.flatnonzero(beyond <= (1 - QUANTILE) * len(x))
    return float(EDGES[enough[0]] if len(enough) else EDGES[-1])
