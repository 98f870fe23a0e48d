"""Sums of clipped rows that tell how many rows are there, for the same noise.

A sum over n rows gives absent rows the centre of the ball: it shrinks by the share that is absent. So every
row that is there adds a public height a to one more coordinate, an absent one 0:

    (1) y = (mean, a p/n) + noise, p the number of rows that are there, of the sensitivity of the mean alone
    (2) s = the last entry over a, at least 1/10; 1 unless it is below 1 by more than noise takes but with
        chance `SURE`/2
    (3) out = mean of (1), over s

Rows w within the ball of radius r are at most 2r apart. (w, a) is as far from (w', a), and at most 2r from
0 if a = r in l1, √3 r in l2; wwᵀ with the corner a is at most √2 r² from 0, as it is from w'w'ᵀ with it, if
a = r². So p costs nothing, and is known to a few rows. (2) and (3) are post-processing. Where no row is
absent they leave the mean as it is, but with chance `SURE`/2. Proof: `proofs/absent.md`, section 3.
"""

from collections.abc import Callable
from dataclasses import replace
from math import inf, sqrt

import numpy as np

from workbench.estimators.parts.locate.laplace_normal import noise_quantile
from workbench.privacy import Charge, NoiseSource
from workbench.privacy.grid import WORD, OnGrid
from workbench.privacy.mechanisms import additive
from workbench.types import Array

LEAST, SURE = 0.1, 1e-3
DOWN = 1 - 2.0**-40  # covers the roundings of public numbers
GRID = 2.0**-24  # that the grid of a mean takes of a, at most, and DOWN with it
OF_MEANS = {"laplace": 1 / 2, "gaussian": sqrt(3) / 2}  # a over n times the sensitivity of the mean
OF_MOMENTS = sqrt(1 / 2)  # the same of a moment, whatever its mechanism


def rescaled_mean(counted: OnGrid, n: int, charge: Charge, noise: NoiseSource) -> Array:
    """Return a mean of n rows with its noise, over the share of those that are there."""
    return mean_and_share(counted, n, charge, noise)[0]


def mean_and_share(counted: OnGrid, n: int, charge: Charge, noise: NoiseSource) -> tuple[Array, float]:
    """Return the same, and the share."""
    joint, whole = _weighed(counted, OF_MEANS[charge.mechanism], n, charge)
    noisy = additive(joint, charge, noise)  # (1)
    found = share(float(noisy[-1]), whole, charge)  # (2)
    return np.asarray(noisy[:-1] / found), found  # (3)


def rescaled_moment(counted: OnGrid, n: int, charge: Charge, draw: Callable[[OnGrid], Array]) -> Array:
    """Return a second moment of n rows as `draw` draws it, over the share of those that are there."""
    joint, whole = _weighed(counted, OF_MOMENTS, n, charge)
    noisy = draw(joint)  # (1)
    return np.asarray(noisy[:-1, :-1] / share(float(noisy[-1, -1]), whole, charge))  # (2) (3)


def _weighed(counted: OnGrid, part: float, n: int, charge: Charge) -> tuple[OnGrid, float]:
    """Return the statistic with a for every row that it counts, and what that is for n of them."""
    row = int(part * charge.sensitivity / counted.unit * DOWN)  # a/n in units of the grid
    kind = counted.counts.dtype if n * row < 2**WORD else object  # by public numbers, whatever p is
    counts = counted.counts.astype(kind)
    counts.flat[-1] *= row
    return OnGrid(counts, counted.unit), row * n * counted.unit


def share(noisy: float, whole: float, charge: Charge) -> float:
    """Return s of step (2) by a noisy entry that is `whole` where all rows are there."""
    return 1.0 if noisy > whole - noise_quantile(charge, SURE) else max(noisy / whole, LEAST)


def charge_of_share(charge: Charge, n: int) -> Charge:
    """Return a charge whose noise is that of the share of `mean_and_share`, or more by a part of 2^-24."""
    return replace(charge, sensitivity=(1 + GRID) / (OF_MEANS[charge.mechanism] * n))


def counted_error(error: Callable[[float], float], away: float, charge: Charge, n: int, beta: float) -> float:
    """Return a bound on the error of (3), true but with probability beta, if all n rows are there.

    `error` bounds that of the mean of (1), true but with the probability that it is given; the truth is at
    most `away` from the centre. Proof: `proofs/absent.md`, section 4.
    """
    lost = noise_quantile(charge_of_share(charge, n), beta)  # on one side: beta/2
    divided = (error(beta / 2) + lost * away) / (1 - lost) if lost < 1 else inf
    return min(divided, error(beta - SURE / 2)) if beta > SURE / 2 else divided
