"""What is claimed, and the checks that decide it."""

from workbench.chapters.one_mean import (
    costs,
    histograms,
    intervals,
    locating,
    quantiles,
    votes_on_shares,
    wide_range,
)
from workbench.chapters.one_mean.claims import bound_scalings, histogram_scalings, scalings
from workbench.study.claim import Claim

CLAIMS: tuple[Claim, ...] = (
    *wide_range.CLAIMS,
    *locating.CLAIMS,
    *histograms.CLAIMS,
    *costs.CLAIMS,
    *intervals.CLAIMS,
    *scalings.CLAIMS,
    *histogram_scalings.CLAIMS,
    *bound_scalings.CLAIMS,
    *quantiles.CLAIMS,
    *votes_on_shares.CLAIMS,
)
