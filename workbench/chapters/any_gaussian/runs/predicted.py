"""What AL22's learners should do at any (ε, δ): how many rows they take, and how far they are off.

By public numbers alone. Rows at the chapter's own budget are those of the claims; at others they follow the
fewest that are answered.
"""

from functools import lru_cache
from math import sqrt
from typing import Any

from workbench.chapters.any_gaussian.runs import votes
from workbench.estimators.populous import (
    PopulousCovariance,
    PopulousGaussian,
    Preconditioner,
    centring,
    preconditioned_rows,
)
from workbench.estimators.shared.predictions import median_of_mean
from workbench.estimators.unbounded import UnboundedCovariance
from workbench.privacy import ApproxDP
from workbench.privacy.histograms import mode_charge
from workbench.privacy.mechanisms import truncated_laplace_bound
from workbench.study.grids import multiples
from workbench.study.search import fewest_rows, passing

LAW = PopulousGaussian()
COVARIANCES: dict[str, Any] = {"error": PopulousCovariance(), "unbounded": UnboundedCovariance()}


def frame_rows(d: int, budget: ApproxDP) -> int:
    """Return the rows that leave a condition of 4 with probability 1 - β."""
    if budget == votes.BUDGET:
        return votes.FRAME_ROWS[d]
    return preconditioned_rows(d, budget, votes.BETA, "auto")


@lru_cache(maxsize=64)
def law_rows(d: int, budget: ApproxDP) -> int:
    """Return about the fewest rows that learn a law."""
    if budget == votes.BUDGET:
        return votes.LAW_ROWS[d]
    here, usual = (fewest_rows(LAW, d, one) for one in (budget, votes.BUDGET))
    return multiples((votes.LAW_ROWS[d],), here / usual)[0]


@lru_cache(maxsize=64)
def covariance_rows(column: str, d: int, budget: ApproxDP) -> int:
    """Return the fewest rows with which a covariance answers."""
    return fewest_rows(COVARIANCES[column], d, budget)


def frame_distance(d: int, n: int, budget: ApproxDP) -> float:
    """Return the median Thompson distance of a mask: groups add little to it at so many rows."""
    charge = Preconditioner(centred=True).recipe(n, d, budget).design.charges[1]
    return centring(charge, d, 0.5)[1]


def found(share: float, budget: ApproxDP) -> float:
    """Return the chance that a name is released whose count leads by all k groups, a share of the planned."""
    bound = truncated_laplace_bound(mode_charge("subspace", budget))
    return passing(budget.epsilon, bound, votes.groups(share, budget) / 2)


@lru_cache(maxsize=64)
def law_error(d: int, n: int, budget: ApproxDP) -> float:
    """Return the median of what is measured of a law's total variation: on the line itself, else a bound.

    The bound is half the root of mean² + covariance²/2, by Pinsker's inequality as by Hellinger's.
    """
    errors = LAW.recipe(n, d, budget).squared_error
    if d == 1:
        return errors.total_variation
    return median_of_mean(sqrt(errors.mean + errors.covariance / 2), d * (d + 3) // 2) / 2


@lru_cache(maxsize=64)
def covariance_error(column: str, d: int, n: int, budget: ApproxDP) -> float:
    """Return the median Frobenius error of a covariance."""
    return float(COVARIANCES[column].predicted_error(n, d, budget))
