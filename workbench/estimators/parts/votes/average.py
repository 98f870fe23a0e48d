"""The private populous mean of points: vote, weights, average, mask.  AL22 Algorithm 1.

Points are estimates of groups of rows, one group each: `parts.votes.covariance_groups` (covariances, by
triangular factors) and `parts.votes.mean_groups` (vectors). A replaced row changes one of them, in any way;
an unusable one is its own friend only.

    (1) N_i = the number of friends of point i at distance L
    (2) the vote: no answer unless most points are friends of most                  `parts.votes.vote`
    (3) the average of the points with the weights of the vote
    (4) out = the average under a mask                                              `privacy.masks`

A run that ends at (2) draws the mask too, of a fixed value, so that what is drawn is public. Proof:
`proofs/populous.md`, sections 2 to 4.
"""

from typing import Protocol

import numpy as np

from workbench.estimators.parts.votes.design import Design
from workbench.privacy import Charge, NoiseSource
from workbench.privacy.masks import masked
from workbench.privacy.mechanisms import gaussian
from workbench.types import Array


class Points(Protocol):
    """What a vote needs of points; a covariance is averaged and masked as a root of it."""

    @property
    def nothing(self) -> Array:
        """What is masked where there is no answer."""

    def friends(self, limit: float) -> np.ndarray:
        """Return for each point how many are within `limit`, itself among them."""

    def average(self, weights: Array) -> Array:
        """Return the weighted average; weights are 0 where a point is not usable."""


def private_average(points: Points, design: Design, noise: NoiseSource) -> Array | None:
    """Return the masked average, or None for no answer."""
    voting, masking = design.charges
    friends = points.friends(design.limit)  # (1)
    agreed = design.vote.passes(friends, voting, noise)  # (2)
    average = points.average(design.vote.weights(friends)) if agreed else points.nothing  # (3)
    released = _masked(average, masking, noise)  # (4)
    return released if agreed else None


def _masked(average: Array, charge: Charge, noise: NoiseSource) -> Array:
    return (gaussian if charge.mechanism == "gaussian" else masked)(average, charge, noise)
