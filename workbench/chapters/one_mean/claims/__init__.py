"""What is claimed, and the checks that decide it."""

from workbench.chapters.one_mean.claims import (
    any_law,
    bound_scalings,
    costs,
    histogram_scalings,
    intervals,
    location,
    prediction,
    quantiles,
    scalings,
    tight,
    votes_on_shares,
)
from workbench.study.claim import Claim

CLAIMS: tuple[Claim, ...] = (
    *location.CLAIMS,
    *costs.CLAIMS,
    *tight.CLAIMS,
    *prediction.CLAIMS,
    *intervals.CLAIMS,
    *any_law.CLAIMS,
    *scalings.CLAIMS,
    *histogram_scalings.CLAIMS,
    *bound_scalings.CLAIMS,
    *quantiles.CLAIMS,
    *votes_on_shares.CLAIMS,
)
