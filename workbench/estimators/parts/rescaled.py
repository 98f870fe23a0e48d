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
from math import sqrt
from typing import Literal, TypeAlias

import numpy as np

from workbench.estimators.parts.integers import WORD
from workbench.estimators.parts.rows import present, row_blocks
from workbench.privacy import Charge, NoiseSource
from workbench.privacy.grid import OnGrid
from workbench.privacy.mechanisms import additive
from workbench.types import Array

Missing: TypeAlias = Literal["neutral", "counted"]
"""Whether an answer stays as absent rows leave it, or makes up for the share of them that is released."""

LEAST = 0.1
DOWN = 1 - 2.0**-40  # covers the roundings of public numbers
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
    """Return the charge whose noise the share of `mean_and_share` has, but for a part of 2^-39."""
    return replace(charge, sensitivity=(1 + 2.0**-39) / (OF_MEANS[charge.mechanism] * n))


def share(noisy: float, whole: float) -> float:
    """Return the share of rows that are there by the last entry, which is `whole` for all of them."""
    return min(max(float(noisy) / whole, LEAST), 1.0)
