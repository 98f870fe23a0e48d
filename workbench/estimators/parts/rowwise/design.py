"""How `mean/robust` and `mean/robust-heavy` divide μ² and what they tolerate, from public numbers.

For `mean/robust`, in units of sigma.

α is the corruption, m = μ². N₀(r) = 4r²d/(n²m): the squared error that noise of the sum costs with all of m.

    bins    K of width 2 in every coordinate            share of m so large that the fullest bin is one of
                                                        the two next to the mean if it leads by .43 n
    r       one clean row of n lies outside, if c is the mean;    r₀ = r + .6 √d, round the bins' centres
    share of recentring: so large that its noise is .1 in every direction; none where it would be .45
    e₀² = d/n + N₀(r)/rest                              the plain mean, rest = 1 less the two shares above
    sum .03;  scores: so much that the noise of a count is .08 α n;   T = 2 passes if that is dear, 3 if not
    moment: as much as leaves at least .2 for the mean, and .25 at most, and clean rows 8 % worse at most
    th(N) = 1.1 (2√d + 3) √(1/N + (s/N)²) + d/N         s the noise of A; the largest eigenvalue of clean rows

The filter is worth its price where α r > .1 e₀ and th(n) ≤ .6 α r². Otherwise the plain mean has everything.

`mean/robust-heavy`, in units of √upper, is as that but for these differences, since only the covariance is
known of the rows:

    bins    of width 4; the fullest leads by .25 n
    r = √(d/a), a = max(α, 2d/(nμ)) and at most 1: at most a share a of the rows lies outside, and bias √a and
            noise are alike where α is small;  r₀ = r + 1.5 √d
    share of recentring: so large that its noise is .2 in every direction; none where it would be .9
    sum .04;  moment: what leaves .2 for the mean, .25 at most
    e = 2.2 √d r²/(n √(moment) μ)                 the spectral norm of the noise of A/n

The filter is in use where e < .6 α r².
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from math import sqrt

from workbench.estimators.parts.locate.coordinate_modes import CoordinateModes
from workbench.estimators.parts.normal_ball import radius_within
from workbench.estimators.shared.weighted_moments import Costs, costs

WIDTH, LEAD, MARGIN = 2.0, 0.43, 2.0  # of the bins: their width, the lead of the fullest, beyond the radius
SUM, LEAST_MEAN, MOST_MOMENT = 0.03, 0.2, 0.25
OFFSET, DEARER = 0.6, 1.08  # of a bin's centre in every coordinate; of the error on clean rows
GAIN, SEEN = 0.1, 0.6  # the bias that counts, in units of e₀; the share of the largest excess that is seen

HEAVY_WIDTH, HEAVY_LEAD, HEAVY_MARGIN, HEAVY_OFFSET, HEAVY_SUM = 4.0, 0.25, 4.0, 1.5, 0.04  # for bounded Σ


@dataclass(frozen=True)
class Shares:
    """Shares of μ²: range, recentring, and for every pass sum, moment and scores; the rest is the mean's."""

    range: float
    recentre: float
    sum: float = 0.0
    moment: float = 0.0
    scores: float = 0.0
    passes: int = 0

    @property
    def weights(self) -> dict[str, float]:
        """The share of every step, in the order of the run."""
        found = {"range": self.range, "recentre": self.recentre} if self.recentre else {"range": self.range}
        for number in range(1, self.passes + 1):
            found |= {f"moments {number}": self.sum + self.moment, f"scores {number}": self.scores}
        return found | {"mean": 1 - sum(found.values())}


@dataclass(frozen=True)
class RobustDesign:
    """All public numbers of a run."""

    n: int
    d: int
    corruption: float
    modes: CoordinateModes
    wide: float
    radius: float
    shares: Shares
    mu: float

    @property
    def prices(self) -> Costs:
        """The costs of count, sum and moment in a pass."""
        return costs(self.shares.sum, self.shares.moment)

    @property
    def moment_noise(self) -> float:
        """The sd of an entry of A off the diagonal."""
        mu = sqrt(self.shares.sum + self.shares.moment) * self.mu
        return self.radius**2 / (self.prices.square * mu)

    @property
    def count_noise(self) -> float:
        """The sd of a count of the scores."""
        return sqrt(2 / self.shares.scores) / self.mu


def share(ratio: float, low: float, high: float) -> float:
    """Return the share of μ² that the part `ratio` of μ is, moved to the nearer end of [low, high]."""
    return min(max(min(ratio, 1.0) ** 2, low), high)


@lru_cache(maxsize=1024)
def robust_design(n: int, d: int, corruption: float, reach: float, mu: float) -> RobustDesign:
    """Return the design for rows whose mean lies within ±`reach` in every coordinate."""
    modes = CoordinateModes(reach + MARGIN, WIDTH, d)
    radius = radius_within(d, 1 / n)
    wide = radius + OFFSET * sqrt(d)
    shares = Shares(share(modes.cost(n, LEAD) / mu, 0.005, 0.15), recentring(n, wide, 0.1, 0.45, mu))
    plain = RobustDesign(n, d, corruption, modes, wide, radius, shares, mu)
    return filtering(plain) or plain


def recentring(n: int, wide: float, aim: float, most: float, mu: float) -> float:
    """Return the share at which the noise of recentring has sd `aim`; 0 where it would be above `most`."""
    noise = 2 * wide / (n * mu)
    found = share(noise / aim, 0.005, 0.08)
    return 0.0 if noise > most * sqrt(found) else found


def filtering(plain: RobustDesign) -> RobustDesign | None:
    """Return the design with the filter, None where it is not worth its price."""
    n, d, alpha, sd = plain.n, plain.d, plain.corruption, 2 * plain.radius / (plain.n * plain.mu)
    rest = 1 - plain.shares.range - plain.shares.recentre
    noise = d * sd * sd
    error = d / n + noise / rest
    if alpha * plain.radius <= GAIN * sqrt(error):
        return None
    scores, passes = scoring(plain)
    affordable = rest - noise / (DEARER**2 * error - d / n)
    moment = min(affordable, (rest - LEAST_MEAN) / passes - SUM - scores, MOST_MOMENT)
    if moment <= 0:
        return None
    shares = replace(plain.shares, sum=SUM, moment=moment, scores=scores, passes=passes)
    design = replace(plain, shares=shares)
    return design if threshold(design, n) <= SEEN * alpha * plain.radius**2 else None


def scoring(plain: RobustDesign) -> tuple[float, int]:
    """Return the share of the scores of one pass, and how many passes there are."""
    found = share(4 / (0.08 * plain.corruption * plain.n * plain.mu), 0.01, 0.12)
    return found, 2 if found > 0.05 else 3


def threshold(design: RobustDesign, count: float) -> float:
    """Return th(N): what the largest eigenvalue of the excess of clean rows stays below."""
    noise = sqrt(1 / count + (design.moment_noise / count) ** 2)
    return 1.1 * (2 * sqrt(design.d) + 3) * noise + design.d / count


@lru_cache(maxsize=1024)
def robust_heavy_design(n: int, d: int, corruption: float, reach: float, mu: float) -> RobustDesign:
    """Return the design for rows whose mean lies within ±`reach` in every coordinate."""
    modes = CoordinateModes(reach + HEAVY_MARGIN, HEAVY_WIDTH, d)
    radius = sqrt(d / min(max(corruption, 2 * d / (n * mu)), 1.0))
    wide = radius + HEAVY_OFFSET * sqrt(d)
    shares = Shares(share(modes.cost(n, HEAVY_LEAD) / mu, 0.005, 0.15), recentring(n, wide, 0.2, 0.9, mu))
    plain = RobustDesign(n, d, corruption, modes, wide, radius, shares, mu)
    return heavy_filtering(plain) or plain


def heavy_filtering(plain: RobustDesign) -> RobustDesign | None:
    """Return the design with the filter, None where it would see nothing."""
    if plain.corruption * plain.n < 1:
        return None
    rest = 1 - plain.shares.range - plain.shares.recentre
    scores, passes = scoring(plain)
    moment = min((rest - LEAST_MEAN) / passes - HEAVY_SUM - scores, MOST_MOMENT)
    if moment <= 0:
        return None
    shares = replace(plain.shares, sum=HEAVY_SUM, moment=moment, scores=scores, passes=passes)
    design = replace(plain, shares=shares)
    return design if allowance(design) < SEEN * design.corruption * design.radius**2 else None


def allowance(design: RobustDesign) -> float:
    """Return e."""
    return 2.2 * sqrt(design.d) * design.moment_noise / design.n
