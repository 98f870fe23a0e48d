"""What a private filter decides before it sees a row: radii, shares, levels.  After LKKO21 Alg 9, 16.

Rows of standard deviation 1, mean within R of 0 in every coordinate, a share a of them corrupted, n and d
public. Constants are chosen here.

    light tails     width 2, q = tail(d, β/n), r₀ = q + .6 √d, r = q + a r₀, 1 taken off every direction
    bounded Σ ≤ I   width 4, q = √(d/a), r₀ = q + 1.5 √d, r = q, nothing taken off

with the bins of the centre's histogram, the radius r₀ round their centre, and the radius r round the mean
of the rows in that ball. For light tails a pass ends the filter where λ ≤ max(C a ln 1/a, ν), otherwise where
λ ≤ C + ν; ν is what noise and sampling make of a clean λ:

    ν = 1.1 (2√d + 3) √(1/n + (g/n)²) + d/n,  g = the sd of the entries of A

Shares of μ²: 5 % for the histogram, 5 % for the rows in the ball, 80 % for the passes, of which a tenth is
for the scores, 10 % for the mean. b² : c² = 1 : 10.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, inf, log, sqrt
from typing import Literal

from workbench.estimators.parts.filters.removal import edges
from workbench.estimators.parts.filters.weighted_moments import SENSITIVITY, costs, length, moments_charge
from workbench.estimators.parts.foreseen import CleanRun
from workbench.estimators.parts.rows import mean_sensitivity
from workbench.linalg import tail
from workbench.privacy import Budget, Charge
from workbench.privacy.mechanisms import gaussian_mu
from workbench.special import ndtr

RANGE, CENTRE, PASSES, SCORES, MEAN_SHARE = 0.05, 0.05, 0.8, 0.1, 0.1
PRICES = costs(0.1, 1.0)
Score = Literal["softmax", "top"]


@dataclass(frozen=True)
class FilterDesign:
    """All public numbers of one run, in standard deviations.

    `heavy`: bounded covariance instead of light tails; `score`: the matrix U that weighs directions; `level`:
    C above; `reach`: R.
    """

    n: int
    d: int
    corruption: float
    reach: float
    level: float
    passes: int
    score: Score
    beta: float
    heavy: bool = False

    @property
    def width(self) -> float:
        """Width of the bins in which the centre is looked for."""
        return 4.0 if self.heavy else 2.0

    @property
    def bins(self) -> int:
        """How many bins a coordinate has: they reach from -R to R and a bin beyond."""
        return 2 * ceil(self.reach / self.width + 1)

    @property
    def inner(self) -> float:
        """The radius q that holds clean rows round their mean."""
        return sqrt(self.d / self.corruption) if self.heavy else tail(self.d, self.beta / self.n)

    @property
    def outer(self) -> float:
        """The radius r₀ that holds them round the centre of their bins."""
        return self.inner + (1.5 if self.heavy else 0.6) * sqrt(self.d)

    @property
    def radius(self) -> float:
        """The radius r that holds them round the mean of the rows in the outer ball."""
        return self.inner + (0.0 if self.heavy else self.corruption * self.outer)

    @property
    def base(self) -> float:
        """The inconspicuous second moment of clean rows in every direction."""
        return 0.0 if self.heavy else 1.0

    @property
    def tail(self) -> int | None:
        """How many rows a pass may remove: 2 a n, or any number of them."""
        return None if self.heavy else ceil(2 * self.corruption * self.n)

    @property
    def largest(self) -> float:
        """The largest score: centre and row are in the ball."""
        return 4 * self.radius**2 * (1 + 1e-9)

    @property
    def sharpness(self) -> float:
        """β of U ∝ exp(β F/λ): infinite for the top eigenvector alone."""
        return inf if self.score == "top" else max(4.0, 2 * log(self.d + 1))

    @property
    def sizes(self) -> tuple[int, int]:
        """How many numbers a pass draws for the moments and for the scores."""
        return length(self.d), max(len(edges(self.largest)), length(self.d, square=False))

    def threshold(self, cost: Budget) -> float:
        """Return the λ at which the filter ends, if a release of moments has this cost."""
        sd = self.radius**2 / (PRICES.square * gaussian_mu(cost))
        noise = 1.1 * (2 * sqrt(self.d) + 3) * sqrt(1 / self.n + (sd / self.n) ** 2) + self.d / self.n
        if self.heavy:
            return self.level + noise
        a = self.corruption
        return max(self.level * a * log(1 / a) if a else 0.0, noise)

    @property
    def shares(self) -> tuple[float, ...]:
        """The shares of μ² of all steps."""
        one = PASSES / self.passes
        return RANGE, CENTRE, *((1 - SCORES) * one, SCORES * one) * self.passes, MEAN_SHARE

    def charges(self, budgets: tuple[Budget, ...]) -> list[Charge]:
        """Return one charge for each step; `budgets` are in proportion to `shares`."""
        first, second, *passes, last = budgets
        return [
            Charge("range", "gaussian", sqrt(2 * self.d), first),
            Charge("recentre", "gaussian", mean_sensitivity(self.n, self.outer), second),
            *(self._in_a_pass(number, cost) for number, cost in enumerate(passes)),
            moments_charge("mean", last),
        ]

    def clean_run(self, costs: Sequence[Budget]) -> CleanRun:
        """Return the expected run on clean rows; `costs` are those of the charges."""
        counts, centre, first, *rest = (gaussian_mu(cost) for cost in costs)
        first *= PRICES.total if self.tail != 0 else 1.0
        return CleanRun(
            n=self.n,
            d=self.d,
            ahead=self.n * float(ndtr(self.width) - 0.5) * counts / sqrt(2 * self.d),
            bins=self.bins,
            apart=sqrt(self.d) * mean_sensitivity(self.n, self.outer) / centre,
            radius=self.radius,
            noise=mean_sensitivity(self.n, self.radius) / sqrt(first**2 + sum(mu**2 for mu in rest)),
        )

    def _in_a_pass(self, number: int, cost: Budget) -> Charge:
        turn = number // 2 + 1
        if number % 2:
            return Charge(f"scores {turn}", "gaussian", SENSITIVITY, cost)
        return moments_charge(f"moments {turn}", cost)
