"""How `mean/robust-heavy` divides μ² and what it tolerates; a function of public numbers, in units of √upper.

As `parts.rowwise.design` but for these differences, since nothing but the covariance is known of the rows:

    bins    of width 4; the fullest leads by .25 n
    r = √(d/a), a = max(α, 2d/(nμ)) and at most 1: at most a share a of the rows lies outside, and bias √a and
            noise are alike where α is small;  r₀ = r + 1.5 √d
    share of recentring: so large that its noise is .2 in every direction; none where it would be .9
    sum .04;  moment: what leaves .2 for the mean, .25 at most
    e = 2.2 √d r²/(n √(moment) μ)                 the spectral norm of the noise of A/n

The filter is in use where e < .6 α r².
"""

from dataclasses import replace
from functools import lru_cache
from math import sqrt

from workbench.estimators.parts.locate.coordinate_modes import CoordinateModes
from workbench.estimators.parts.rowwise.design import (
    LEAST_MEAN,
    MOST_MOMENT,
    SEEN,
    RobustDesign,
    Shares,
    recentring,
    scoring,
    share,
)

WIDTH, LEAD, MARGIN, OFFSET, SUM = 4.0, 0.25, 4.0, 1.5, 0.04


@lru_cache(maxsize=1024)
def robust_heavy_design(n: int, d: int, corruption: float, reach: float, mu: float) -> RobustDesign:
    """Return the design for rows whose mean lies within ±`reach` in every coordinate."""
    modes = CoordinateModes(reach + MARGIN, WIDTH, d)
    radius = sqrt(d / min(max(corruption, 2 * d / (n * mu)), 1.0))
    wide = radius + OFFSET * sqrt(d)
    shares = Shares(share(modes.cost(n, LEAD) / mu, 0.005, 0.15), recentring(n, wide, 0.2, 0.9, mu))
    plain = RobustDesign(n, d, corruption, modes, wide, radius, shares, mu)
    return filtering(plain) or plain


def filtering(plain: RobustDesign) -> RobustDesign | None:
    """Return the design with the filter, None where it would see nothing."""
    if plain.corruption * plain.n < 1:
        return None
    rest = 1 - plain.shares.range - plain.shares.recentre
    scores, passes = scoring(plain)
    moment = min((rest - LEAST_MEAN) / passes - SUM - scores, MOST_MOMENT)
    if moment <= 0:
        return None
    shares = replace(plain.shares, sum=SUM, moment=moment, scores=scores, passes=passes)
    design = replace(plain, shares=shares)
    return design if allowance(design) < SEEN * design.corruption * design.radius**2 else None


def allowance(design: RobustDesign) -> float:
    """Return e."""
    return 2.2 * sqrt(design.d) * design.moment_noise / design.n
