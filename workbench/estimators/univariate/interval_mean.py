"""A private confidence interval for the mean of any law with a fourth moment, nothing known.  Ours.

Rows x of shape (n,). Neighbours: replace one row. The law may be skewed, discrete, or all ties:

    (1) s = a scale that .09 of the pair differences exceed, within 1e±15           `parts.locate.rank_window`
    (2) c = window-median position of z = x/s, window ±1, without a range; none, or where rows are capped at
        ±1e15: no answer
    (3) r_0, r_1 = radii round c that about k_0 = 4 k_1 and k_1 rows lie beyond     `parts.locate.rank_window`
    (4) e = the mean excess beyond r_1 from both radii (`parts.locate.tails`), G = r_1 + e
    (5) y = mean(g(z - c)) + noise, g(t) = t up to r_1 and ±G beyond; G/n times 2 is its sensitivity given G
    (6) v = mean(g²) + noise - y²
    (7) s (c + y ± (q + k_1/n times the doubt about e)), q the quantile of N(0, v/n) and the noise together

k_1 is about 10/ε of step (3): fewer could not be told from none. Rows beyond r_1 count as if at G, so that
clipping does not bias the mean where the tail is as guessed. Where a step says that the tail is heavier than
any with a mean, or wider than 64 s, the answer is the whole line; where n leaves no k_0 the plan refuses.

With `missing="counted"` (5) and (6) are over the share p/n of rows that are there, drawn with (5) at no cost
(`parts.rescaled`), and the widths of (7) are for p rows. Proof: `proofs/univariate.md`, sections 1.5 and 11.
"""

from dataclasses import dataclass, replace
from math import exp, inf, log, sqrt
from typing import ClassVar

import numpy as np

from workbench.distributions import Interval as ConfidenceInterval
from workbench.errors import probability
from workbench.estimators.base import FARTHEST, Trace, Univariate, require_rows, standardised
from workbench.estimators.parts.budgets import rule
from workbench.estimators.parts.integers import mean_in_box
from workbench.estimators.parts.locate.any_law import Design, Radii, design
from workbench.estimators.parts.locate.laplace_normal import half_width, noise_sd
from workbench.estimators.parts.rescaled import Missing, count, mean_and_share
from workbench.estimators.parts.rows import neutral
from workbench.estimators.parts.scale.exponent_scale import pair_differences
from workbench.estimators.univariate.interval import WHOLE_LINE
from workbench.privacy import Budget, NoiseSource, Plan, Sequential
from workbench.privacy.grid import OnGrid
from workbench.privacy.mechanisms import additive
from workbench.special import ndtri
from workbench.types import Array

LEAST_ROWS = 4
RESOLVED = 2.0**-40  # of an entry: the least difference, so that ties far from 0 are not capped
CAUTION = 0.35  # sds of its noise that are added to a variance, and the least that it may be


@dataclass(frozen=True, kw_only=True)
class IntervalMean(Univariate[ConfidenceInterval]):
    """Private confidence interval for the mean of one column, of any law, nothing known (ours).

    For laws with a fourth moment: skewed, discrete and two-valued ones as well as normal rows. Covers their
    mean with probability about 1 - `level` once there are 2,000 rows at ε = 1 (simulated for twelve laws, not
    proved). Where rare values weigh much it is the whole line, too few rows are refused beforehand; values in
    fewer than 100/ε rows may be missed.
    Guarantee: central model, one replaced row, for every input. Budgets: ApproxDP, or ZCDP, with delta > 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. It
    counts as a row at the private centre, which may be a standard deviation off: where a tenth is absent at
    random the mean is missed in up to a third of runs. `missing="counted"` makes up for that.

    Parameters
    ----------
    level : float, default 0.05
        Chance, about, of missing the mean.
    missing : {"neutral", "counted"}, default "neutral"
        "counted" covers with absent rows, too, if they are absent at random: how many are there is drawn with
        the mean at no cost.

    Examples
    --------
    >>> import numpy as np
    >>> from workbench.privacy import ApproxDP
    >>> x = np.random.default_rng(1).exponential(3.0, size=10_000)
    >>> release = IntervalMean()(x, budget=ApproxDP(1.0, 1e-6), rng=np.random.default_rng(2))
    >>> release.value.contains(3.0)
    True
    """

    laws: ClassVar[str] = "rows of any law with a fourth moment"

    level: float = 0.05
    missing: Missing = "neutral"

    def _validate(self) -> None:
        probability(level=self.level)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return the charges of steps (1), (2), (3) twice, (5) and (6)."""
        require_rows(n, d)
        return Sequential(rule(budget), design(n, budget).charges)

    def estimate(
        self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None
    ) -> ConfidenceInterval:
        """Return the interval of sanitised rows."""
        chosen = design(len(x), budget)
        plan = self.plan(len(x), 1, budget)
        s = exp(chosen.scale.draw(log_differences(x), plan["log-scale"], noise) or 0.0)  # (1)
        z = standardised(x, 0.0, s)
        centre = chosen.centre.draw(z, plan["locate"], noise)  # (2)
        if centre is None or abs(centre) > FARTHEST / 2:  # where rows are capped
            return WHOLE_LINE
        z = neutral(z - centre)
        radii = radii_of(z, chosen, plan, noise)  # (3)
        if radii is None:
            return WHOLE_LINE
        if trace is not None:
            trace.add(beyond=float((np.abs(z) > radii.outer).mean()))
        moved, counted = moved_mean(z, radii), count(self.missing, x)
        noisy, there = mean_and_share(moved, counted, len(x), plan["average"], noise)  # (5)
        mean = float(noisy)
        square = (0.5 + float(additive(mean_square(z, radii), plan["variance"], noise))) / there
        reach = self.reach(len(x), radii, square - mean * mean, plan, there)  # (6), (7)
        middle = centre + radii.end * mean
        return ConfidenceInterval(s * (middle - reach), s * (middle + reach))

    def reach(self, n: int, radii: Radii, variance: float, plan: Plan, there: float = 1.0) -> float:
        """Return the half-width, in units of s, for a noisy variance in units of G², of a share of n rows."""
        noise = CAUTION * noise_sd(plan["variance"]) / there
        sd = sqrt(max(variance + noise, noise) / (n * there))
        average = replace(plan["average"], sensitivity=plan["average"].sensitivity / there)
        return radii.end * half_width(self.level, sd, average) + radii.doubt / there

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median half-width over sigma for normal rows; infinite where it is the whole line."""
        require_rows(n, d)
        chosen = design(n, budget)
        inner, outer = (float(-ndtri(rank / (2 * n))) for rank in (chosen.inner_rank, chosen.outer_rank))
        radii = chosen.radii(log(inner), log(outer))
        if radii is None:
            return inf
        return self.reach(n, radii, 1 / radii.end**2, self.plan(n, 1, budget))


def log_differences(x: Array) -> Array:
    """Return the logs of the differences of pairs, of ties what floats resolve; -inf for two zeros."""
    even = len(x) - len(x) % 2
    resolved = RESOLVED * np.maximum(np.abs(x[:even:2]), np.abs(x[1:even:2]))
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.maximum(pair_differences(x), resolved)))


def radii_of(z: Array, chosen: Design, plan: Plan, noise: NoiseSource) -> Radii | None:
    """Return the radii of centred rows, if they tell of a tail that can be dealt with."""
    with np.errstate(divide="ignore"):
        distances = np.log(np.abs(z))
    inner = chosen.inner.draw(distances, plan["inner-radius"], noise)
    assert inner is not None
    outer = chosen.outer(inner).draw(distances, plan["outer-radius"], noise)
    assert outer is not None
    return chosen.radii(inner, outer)


def moved_mean(z: Array, radii: Radii) -> OnGrid:
    """Return the mean of g(z)/G: sensitivity 2/n."""
    return mean_in_box(z, radii.moved, 1.0)


def mean_square(z: Array, radii: Radii) -> OnGrid:
    """Return the mean of g(z)²/G² - 1/2: sensitivity 1/n."""
    return mean_in_box(z, lambda rows: radii.moved(rows) ** 2 - 0.5, 0.5)
