"""Sums of clipped rows that tell how many rows are there, for the same noise.

A sum over n rows gives absent rows the centre of the ball: it shrinks by the share that is absent. With
`missing="counted"` every row that is there adds a public height a to one more coordinate, an absent one 0:

    (1) y = (mean, a p/n) + noise, p the number of rows that are there, of the sensitivity of the mean alone
    (2) out = mean of (1), over its last entry/a within [1/10, 1]

Rows w within the ball of radius r are at most 2r apart. (w, a) is as far from (w', a), and at most 2r from 0
if a = r in l1, √3 r in l2; wwᵀ with the corner a is at most √2 r² from 0, as it is from w'w'ᵀ with it, if
a = r². So p costs nothing, and is known to a few rows. (2) is post-processing. Proof: `proofs/absent.md`,
section 3.
"""

from collections.abc import Callable
from dataclasses import replace
from math import hypot, inf, sqrt
from typing import Literal, TypeAlias

import numpy as np

from workbench.estimators.parts.locate.laplace_normal import noise_quantile, noise_sd
from workbench.estimators.parts.rows import present, row_blocks
from workbench.privacy import Charge, NoiseSource
from workbench.privacy.grid import WORD, OnGrid
from workbench.privacy.mechanisms import additive
from workbench.types import Array

Missing: TypeAlias = Literal["neutral", "counted"]
"""Whether an answer stays as absent rows leave it, or makes up for the share of them that is released."""

LEAST = 0.1
DOWN = 1 - 2.0**-40  # covers the roundings of public numbers
GRID = 2.0**-24  # that the grid of a mean takes of a, at most, and DOWN with it
OF_MEANS = {"laplace": 1 / 2, "gaussian": sqrt(3) / 2}  # a over n times the sensitivity of the mean
OF_MOMENTS = sqrt(1 / 2)  # the same of a moment, whatever its mechanism


def count(missing: Missing, rows: Array) -> int | None:
    """Return p for rows, or numbers; None where they are not counted. Not private."""
    if missing == "neutral":
        return None
    return sum(int(present(block).sum()) for block in row_blocks(rows))


def rescaled_mean(mean: OnGrid, there: int | None, n: int, charge: Charge, noise: NoiseSource) -> Array:
    """Return a mean of n rows with its noise, over the share that is there if p is counted."""
    return mean_and_share(mean, there, n, charge, noise)[0]


def mean_and_share(
    mean: OnGrid, there: int | None, n: int, charge: Charge, noise: NoiseSource
) -> tuple[Array, float]:
    """Return the same, and the share; 1 where p is not counted."""
    if there is None:
        return additive(mean, charge, noise), 1.0
    row = units(mean, OF_MEANS[charge.mechanism], charge)
    kind = mean.counts.dtype if n * row < 2**WORD else object  # by public numbers, whatever p is
    joint = np.append(mean.counts.astype(kind), np.asarray(there * row, kind))
    noisy = additive(OnGrid(joint, mean.unit), charge, noise)  # (1)
    found = share(noisy[-1], row * n * mean.unit)
    return np.asarray(noisy[:-1].reshape(mean.shape) / found), found  # (2)


def rescaled_moment(
    moment: OnGrid, there: int | None, n: int, charge: Charge, draw: Callable[[OnGrid], Array]
) -> Array:
    """Return a second moment of n rows as `draw` draws it, over the share that is there if p is counted."""
    if there is None:
        return draw(moment)
    row, joint = units(moment, OF_MOMENTS, charge), moment.padded((0, 1))
    joint.counts[-1, -1] = there * row
    noisy = draw(joint)  # (1)
    return np.asarray(noisy[:-1, :-1] / share(noisy[-1, -1], row * n * moment.unit))  # (2)


def units(statistic: OnGrid, part: float, charge: Charge) -> int:
    """Return a/n in units of the statistic's grid."""
    return int(part * charge.sensitivity / statistic.unit * DOWN)


def charge_of_share(charge: Charge, n: int) -> Charge:
    """Return a charge whose noise is that of the share of `mean_and_share`, or more by a part of 2^-24."""
    return replace(charge, sensitivity=(1 + GRID) / (OF_MEANS[charge.mechanism] * n))


def counted_error(
    missing: Missing, error: Callable[[float], float], away: float, charge: Charge, n: int, beta: float
) -> float:
    """Return a bound on the error of (2), true but with probability beta, if all n rows are there.

    `error` bounds that of the mean of (1), true but with the probability that it is given; the truth is at
    most `away` from the centre. Proof: `proofs/absent.md`, section 4.
    """
    if missing == "neutral":
        return error(beta)
    lost = noise_quantile(charge_of_share(charge, n), beta)  # on one side: beta/2
    return (error(beta / 2) + lost * away) / (1 - lost) if lost < 1 else inf


def counted_noise(missing: Missing, away: float, charge: Charge, n: int) -> Charge:
    """Return a charge whose noise is as large, in mean square, as what both noises do to a number of (2).

    To first order, all n rows being there and the truth `away` from the centre: x + away max(s, 0), x the
    noise of the number and s that of the share.
    """
    if missing == "neutral":
        return charge
    ratio = away * noise_sd(charge_of_share(charge, n)) / noise_sd(charge)
    return replace(charge, sensitivity=charge.sensitivity * hypot(1, ratio / sqrt(2)))


def share(noisy: float, whole: float) -> float:
    """Return the share of rows that are there by the last entry, which is `whole` for all of them."""
    return min(max(float(noisy) / whole, LEAST), 1.0)
