"""A private confidence interval for the mean of any distribution with a fourth moment, nothing known.  Ours.

Rows x of shape (n,). Neighbours: replace one row. The distribution may be skewed, discrete, or mostly ties:

    (1) s = a scale that .15 of the pair differences exceed, within 1e±15; a tie is -∞    (`RankWindow`)
    (2) k = pair differences of s/8 or more + noise. Rows are *spread* if k is twice the rank of (1) and a
        margin, and s is not at the low end of its range; else they *pile up* on one value, without a scale
    (3) c = window-median position without a range, of x/s ± 1; piled up: of x ± 2^-38 of it. None, or where
        rows are capped at ±1e15: no answer
    (4) spread: r_0, r_1 = radii round c that about k_0 = 4 k_1 and k_1 rows lie beyond, from s/4 to 64 s,
        G = r_1 + the mean excess that both tell, b = where 3 rows would be left, f = 2b
        piled up: r_1 = b = G = a radius that about k_2 rows lie beyond, anywhere, f = 3b; r_0 is drawn, but
        not used, so that what is drawn does not depend on the branch
    (5) y = mean of (w, above, below, far) + noise, of sensitivity 2/n. A row up to r_1 has w = z/G, up to b
        w = ±1; up to f it counts as 1 above or below, farther as 1 that is far
    (6) v = mean(w²) + noise, of sensitivity 1/n
    (7) no answer if more are far than noise explains or, piled up, if v is noise: r_1 is of no rows then
    (8) s (c + G (w ± (q + doubt))), q the quantile of N(0, (v - w²)/n) and the noise together. Rows that are
        seen above or below lie 1.5b away, which is in doubt by b/2; piled up, unseen ones may be there

k_1 is about 10/ε of step (4): fewer could not be told from none. Rows between r_1 and b count as if at G, so
that clipping does not bias the mean where the tail is as guessed: if its log survival is concave in the log
distance and it is no lighter than exponential, its mean excess lies between

    r_1 (1 - e^-u)/λ     the tail of an exponential distribution,     u = ln(r_1/r_0), λ = ln(k_0/k_1)
    r_1 / (λ/u - 1)      a power of the distance, which has a mean for u < λ

half of their difference times k_1/n being the doubt in (8). No answer is the whole line; where n leaves no
k_0 the plan refuses. Values in few rows, far from the others, are likely to be missed, and an answer then
misses; so may one where a heavy tail has a step beyond r_0 (rows rounded to two standard deviations, a tenth
of them at one far value): `other_rows` says so on every release. Of 300 distributions tried at random at
ε = 1 the worst is covered .65 of the time at n = 1,200 (a lognormal one, rounded), .83 at 3,000 (a Pareto
one, with a value at 4 standard deviations), .92 at 20,000.

With E the ε of a choice that has the whole budget, shares are

    scale, support, centre   18/(rank · E), 50/(nE) and 70/(nE), between .01 and .3: no more is asked of them
    of the rest              .13 inner radius, .38 outer radius, .40 mean, .09 variance
    under zCDP               the squares of these, of ρ

Constants are chosen, on other distributions than those of the claims but for rare events (.1). (5) and (6)
are over the share p/n of rows that are there, drawn with (5) at no cost (`shared.noisy_means`), and the
widths of (8) are for p rows. Proof: `proofs/univariate.md`, sections 1.5 and 11.
"""

from dataclasses import dataclass, replace
from math import ceil, exp, expm1, inf, log, sqrt
from typing import ClassVar

import numpy as np

from workbench.distributions import Interval as ConfidenceInterval
from workbench.errors import ArgumentError, probability
from workbench.estimators.base import FARTHEST, Trace, Univariate, require_rows, standardised
from workbench.estimators.intervals import WHOLE_LINE
from workbench.estimators.scale import pair_differences
from workbench.estimators.shared.budgets import mean_charge, rule
from workbench.estimators.shared.noisy_means import half_width, mean_and_share, noise_quantile, noise_sd
from workbench.estimators.shared.rows import mean_in_box, present, with_count
from workbench.estimators.shared.window_median import RankWindow, WindowMedian, selection_epsilon
from workbench.linalg import fewest
from workbench.privacy import ZCDP, ApproxDP, Budget, Charge, NoiseSource, Plan, PureDP, Sequential
from workbench.privacy.grid import OnGrid
from workbench.privacy.mechanisms import additive
from workbench.special import ndtri
from workbench.types import Array

PAIRS_BEYOND = 0.15  # of the pairs, those that differ by more than s
HEADS = (
    (18.0, 0.0, 0.3),
    (50.0, 0.01, 0.2),
    (70.0, 0.03, 0.2),
)  # rows over (its rows)E, the least and most share
REST = (0.13, 0.38, 0.40, 0.09)
LEAST_WHOLE = 1200.0  # rows times E
NATS, WIDE_NATS, RATIO, LEAST_RATIO, LARGEST_SHARE = 4.8, 8.44, 4.0, 3.0, 0.2
CARRIED, NEARLY = 2.0, log(8.0)  # times the rank, pairs that differ by s/8
FARTHEST_LOG = 15 * log(10)
NEAREST_INNER, FARTHEST_INNER = log(0.25), log(64.0)  # over s
SCALE_WIDTH, INNER_WIDTH, OUTER_WIDTH, WIDE_WIDTH = 0.5, 0.1, 0.05, 0.1  # half widths of stretches, of logs
HEAVIEST = 1.25  # the least power of a tail that is dealt with
LEFT_BEYOND, NEAREST_FAR, FARTHEST_FAR = 3.0, 1.25, 3.0  # rows beyond b, which is between these times r_1
SEEN = 2.5  # sds of its noise by which a count differs from none
CAUTION = 0.35  # sds of its noise that are added to a variance, and the least that it may be
RESOLVED, TIED = 2.0**-40, 2.0**-37  # of an entry: differences that are ties, of two rows and from c
DROPPED = 13  # bits of a float, so that the others, as a whole number, stay below 1e15
CENTRE = WindowMedian(left=1.0, right=1.0)


@dataclass(frozen=True, kw_only=True)
class IntervalMean(Univariate[ConfidenceInterval]):
    """Private confidence interval for the mean of one column, of any distribution, nothing known (ours).

    For distributions with a fourth moment: skewed, discrete and two-valued ones as well as normal rows, most
    of which may be one value. Covers their mean with probability about 1 - `level` (simulated, not proved).
    Where that cannot be seen it is the whole line, as for a constant column; fewer than about 1200/ε rows are
    refused beforehand. Values in fewer than 100/ε rows, far from the others, are likely to be missed, and
    an answer then misses the mean: the release says how many rows that are. A heavy tail with steps (coarse
    rounding, many rows at one far value) is covered less often until there are some 20,000/ε rows.
    Guarantee: central model, one replaced row, for every input. Budgets: ApproxDP, or ZCDP, with delta > 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. The
    share of the others is drawn with the mean at no cost: mean and width are theirs. A share of absent rows
    that its noise hides draws the mean to the private centre.

    Parameters
    ----------
    level : float, default 0.05
        Chance, about, of missing the mean.

    Examples
    --------
    >>> x = np.random.default_rng(1).exponential(3.0, size=10_000)
    >>> release = IntervalMean()(x, budget=ApproxDP(1.0, 1e-6), rng=np.random.default_rng(2))
    >>> release.value.contains(3.0)
    True
    """

    laws: ClassVar[str] = "rows of any distribution with a fourth moment"

    level: float = 0.05

    def _validate(self) -> None:
        probability(level=self.level)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return the charges of steps (1) to (6), two of step (4): the same whether rows pile up or not."""
        require_rows(n, d)
        return Sequential(rule(budget), tail_design(n, budget).charges)

    def other_rows(self, n: int, d: int, budget: Budget) -> str:
        """Return which distributions are not covered."""
        require_rows(n, d)
        seen = ceil(1.5 * tail_design(n, budget).wide.rank)
        return (
            f"it misses the mean where values in fewer than {seen} rows are far from the others, and covers "
            "it less often where a heavy tail is rounded coarsely or has many rows at one value"
        )

    def estimate(
        self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None
    ) -> ConfidenceInterval:
        n, chosen, plan = len(x), tail_design(len(x), budget), self.plan(len(x), 1, budget)
        logs = resolved_differences(x)
        log_scale = chosen.scale.draw(logs, plan["log-scale"], noise)  # (1)
        assert log_scale is not None
        carried = float(additive(count_from(logs, log_scale - NEARLY), plan["support"], noise))  # (2)
        least = CARRIED * chosen.scale.rank + noise_quantile(plan["support"], 0.1)
        spread = carried >= least and log_scale > 1 - FARTHEST_LOG
        unit = exp(log_scale) if spread else 1.0
        points = standardised(x, 0.0, unit) if spread else ordinals(x)
        centre = CENTRE.draw(points, plan["locate"], noise)  # (3)
        if centre is None or (spread and abs(centre) > FARTHEST / 2):  # where rows are capped
            return WHOLE_LINE
        if spread:
            z = points - centre
        else:
            centre = of_ordinal(centre)
            z = x - centre
            z[np.abs(z) <= TIED * abs(centre)] = 0.0
        with np.errstate(divide="ignore"):
            distances = np.log(np.abs(z))
        inner = chosen.inner.draw(distances, plan["inner-radius"], noise)  # (4)
        assert inner is not None
        outer = (chosen.outer(inner) if spread else chosen.wide).draw(distances, plan["outer-radius"], noise)
        assert outer is not None
        tail = chosen.tail(inner, outer) if spread else chosen.counted(outer)
        if tail is None:
            return WHOLE_LINE
        moved = with_count(moved_mean(z, tail), int(present(x).sum()))
        sums, there = mean_and_share(moved, n, plan["average"], noise)  # (5)
        square = (0.5 + float(additive(mean_square(z, tail), plan["variance"], noise))) / there  # (6)
        found = self.middle_and_reach(n, tail, sums, square, plan, there)
        if found is None:
            return WHOLE_LINE
        middle, reach = found
        reach += 0.0 if spread else TIED * abs(centre)
        return ConfidenceInterval(unit * (centre + middle - reach), unit * (centre + middle + reach))

    def middle_and_reach(
        self, n: int, tail: "Tail", sums: Array, square: float, plan: Plan, there: float = 1.0
    ) -> tuple[float, float] | None:
        """Return the mean less the centre and the half-width, for noisy means of the rows that are there."""
        mean, *sides, far = (float(one) for one in sums)
        cell, caution = (noise_sd(plan[step]) / there for step in ("average", "variance"))
        seen = SEEN * cell + tail.left / n
        if far > seen or (tail.piled and square < max(tail.least / n, SEEN * caution)):
            return None  # (7)
        variance, doubt, place = square - mean * mean, tail.doubt / there, 1.5 * tail.beyond / tail.end
        for side, share in zip((1, -1), sides, strict=True):
            if share > seen:
                mean += side * place * share
                doubt += place * share / 3
                variance += place**2 * (n * cell**2 + share)
            elif tail.piled:
                doubt += place * max(share, 0.0)
        sd = sqrt(max(variance + CAUTION * caution, CAUTION * caution) / (n * there))
        average = replace(plan["average"], sensitivity=plan["average"].sensitivity / there)
        return tail.end * mean, tail.end * (half_width(self.level, sd, average) + doubt)  # (8)

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median half-width over sigma for normal rows; infinite where it is the whole line."""
        require_rows(n, d)
        chosen = tail_design(n, budget)
        inner, outer = (float(-ndtri(rank / (2 * n))) for rank in (chosen.inner.rank, chosen.outer_rank))
        tail = chosen.tail(log(inner), log(outer))
        if tail is None:
            return inf
        found = self.middle_and_reach(n, tail, np.zeros(4), 1 / tail.end**2, self.plan(n, 1, budget))
        return found[1] if found else inf


@dataclass(frozen=True)
class Tail:
    """What is released of the tail: where rows go, and the doubt in their mean over G.

    Rows up to `radius` go where they are, up to `beyond` to `end`, up to `far` they are counted.
    """

    radius: float
    beyond: float
    far: float
    end: float
    doubt: float = 0.0
    left: float = 0.0  # rows that may be beyond
    piled: bool = False
    least: float = 0.0  # of Σ w²

    def moved(self, z: Array) -> Array:
        """Return (w, above, below, far) of every row, at most 1 together; an absent row is nowhere."""
        size = np.abs(z)
        w = np.where(size <= self.radius, z / self.end, np.where(size <= self.beyond, np.sign(z), 0.0))
        counted = (size > self.beyond) & (size <= self.far)
        return np.column_stack([w, counted & (z > 0), counted & (z < 0), size > self.far])


@dataclass(frozen=True)
class TailDesign:
    """The charges of the steps in their order, and the mechanisms of (1) and (4): public."""

    n: int
    charges: tuple[Charge, ...]
    scale: RankWindow
    inner: RankWindow
    wide: RankWindow  # of rows that pile up
    outer_rank: int

    @property
    def log_share(self) -> float:
        """λ."""
        return log(self.inner.rank / self.outer_rank)

    def outer(self, inner: float) -> RankWindow:
        """Return the mechanism of the outer radius, given the log of the inner one."""
        furthest = inner + self.log_share / HEAVIEST
        return _stretched(OUTER_WIDTH, inner - INNER_WIDTH, furthest, self.outer_rank)

    def tail(self, inner: float, outer: float) -> Tail | None:
        """Return what the logs of both radii tell; None at an end of either range."""
        if not NEAREST_INNER + 2 * INNER_WIDTH <= inner <= FARTHEST_INNER - 2 * INNER_WIDTH:
            return None
        if outer > inner + self.log_share / HEAVIEST - 2 * OUTER_WIDTH:
            return None
        radius, apart = exp(outer + OUTER_WIDTH), max(outer - inner, 0.0)
        exponential = -radius * expm1(-apart) / self.log_share
        power = radius * apart / (self.log_share - apart)
        end = radius + (exponential + power) / 2
        further = (self.outer_rank / LEFT_BEYOND) ** (apart / self.log_share)
        further = min(max(further, NEAREST_FAR), FARTHEST_FAR)
        left = self.outer_rank * further ** (-self.log_share / apart) if apart else 0.0
        doubt = self.outer_rank / self.n * (power - exponential) / (2 * end)
        beyond = further * radius
        return Tail(radius, beyond, 2 * beyond, end, doubt, left)

    def counted(self, outer: float) -> Tail | None:
        """Return what the log of a radius of rows that pile up tells; None at an end of its range."""
        if not 1 - FARTHEST_LOG <= outer <= FARTHEST_LOG - 2 * WIDE_WIDTH:
            return None
        radius = exp(outer + WIDE_WIDTH)
        return Tail(radius, radius, 3 * radius, radius, piled=True, least=self.wide.rank / 2)


def _stretched(width: float, low: float, high: float, rank: int) -> RankWindow:
    return RankWindow(left=width, right=width, low=low, high=high, rank=rank)


def tail_design(n: int, budget: Budget) -> TailDesign:
    """Return the public choices of a run, or raise where there are too few rows for any."""
    costs = _costs(n, budget)
    found = ranks(n, budget)
    if found is None:
        raise ArgumentError("n", n, f"at least {fewest(lambda rows: ranks(rows, budget), 64)} at {budget}")
    inner, outer, wide = found
    charges = (
        Charge("log-scale", "window_median", 1.0, costs[0]),
        mean_charge("support", 1.0, costs[1]),
        CENTRE.charge("locate", costs[2]),
        Charge("inner-radius", "window_median", 1.0, costs[3]),
        Charge("outer-radius", "window_median", 1.0, costs[4]),
        mean_charge("average", 2 / n, costs[5]),
        mean_charge("variance", 1 / n, costs[6]),
    )
    return TailDesign(
        n,
        charges,
        scale=_stretched(SCALE_WIDTH, -FARTHEST_LOG, FARTHEST_LOG, _scale_rank(n)),
        inner=_stretched(INNER_WIDTH, NEAREST_INNER, FARTHEST_INNER, inner),
        wide=_stretched(WIDE_WIDTH, -FARTHEST_LOG, FARTHEST_LOG, wide),
        outer_rank=outer,
    )


def ranks(n: int, budget: Budget) -> tuple[int, int, int] | None:
    """Return k_0, k_1 and k_2, or None where there are too few rows."""
    epsilon = selection_epsilon(_costs(n, budget)[4])
    outer, wide = ceil(2 * NATS / epsilon), ceil(2 * WIDE_NATS / epsilon)
    inner = min(ceil(RATIO * outer), int(LARGEST_SHARE * n))
    enough = inner >= LEAST_RATIO * outer and n * selection_epsilon(budget) >= LEAST_WHOLE
    return (inner, outer, wide) if enough else None


def _scale_rank(n: int) -> int:
    return max(1, round(PAIRS_BEYOND * (n // 2)))


def _costs(n: int, budget: Budget) -> tuple[Budget, ...]:
    """Return the costs of the seven steps; all of δ is the centre's."""
    match budget:
        case ApproxDP(epsilon, delta) if delta > 0:
            heads = _heads(n, epsilon)
            shares = [*heads, *((1 - sum(heads)) * share for share in REST)]
            pure = PureDP(epsilon).split(*shares)
            return (*pure[:2], ApproxDP(pure[2].epsilon, delta), *pure[3:])
        case ZCDP(rho, delta) if delta > 0:
            heads = [share**2 for share in _heads(n, selection_epsilon(budget))]
            squares = sum(share**2 for share in REST)
            shares = [*heads, *((1 - sum(heads)) * share**2 / squares for share in REST)]
            without = ZCDP(rho).split(*shares)
            return (*without[:2], ZCDP(without[2].rho, delta), *without[3:])
    raise ArgumentError("budget", budget, "ApproxDP or ZCDP with delta > 0")


def _heads(n: int, whole: float) -> list[float]:
    of = _scale_rank(n), n, n
    return [min(max(a / (rows * whole), low), high) for rows, (a, low, high) in zip(of, HEADS, strict=True)]


def resolved_differences(x: Array) -> Array:
    """Return the logs of the differences of pairs, -inf of ties: what floats do not resolve."""
    even, apart = len(x) - len(x) % 2, pair_differences(x)
    with np.errstate(divide="ignore"):
        logs = np.asarray(np.log(apart))
    logs[apart <= RESOLVED * np.maximum(np.abs(x[:even:2]), np.abs(x[1:even:2]))] = -inf
    return logs


def count_from(logs: Array, least: float) -> OnGrid:
    """Return how many pairs differ by so much: sensitivity 1, of neighbours and given `least`."""
    return OnGrid(np.asarray((logs >= least).sum(), np.int64), 1.0)


def ordinals(x: Array) -> Array:
    """Return whole numbers in the order of x, 2^39 for a factor of two: the first bits of every float."""
    numbers = (np.abs(x).view(np.int64) >> DROPPED).astype(np.float64)
    return np.where(np.isnan(x), np.nan, np.copysign(numbers, x))


def of_ordinal(number: float) -> float:
    """Return the least float of that ordinal."""
    bits = np.asarray(abs(round(number)) << DROPPED, np.int64)
    return float(np.copysign(bits.view(np.float64), number))


def moved_mean(z: Array, tail: Tail) -> OnGrid:
    """Return the mean of (w, above, below, far): sensitivity 2/n in l1 and l2."""
    return mean_in_box(z, tail.moved, 1.0)


def mean_square(z: Array, tail: Tail) -> OnGrid:
    """Return the mean of w² - 1/2: sensitivity 1/n."""
    return mean_in_box(z, lambda rows: tail.moved(rows)[:, 0] ** 2 - 0.5, 0.5)
