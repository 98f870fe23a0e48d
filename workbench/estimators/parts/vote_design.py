"""The design of a vote on covariances: group size, thresholds, and the split of (ε, δ), from public numbers.

For n rows in groups of s, k = ⌊n/s⌋, friends at L and a vote `parts.vote` that passes with probability
1 - β when the rows are normal:

    (1) L = the quantile 1 - p of 1 + dist of two independent normal groups, p = .002 .. .02
    (2) Q₀ = 1 - p - 2z √(p/k) - A - (S/ε_t) ln(1/β), z = 3: the share of friends exceeds it but for β
    (3) a, b on a grid, for the least Δ = ln(1 + CE/k)
    (4) of all s, p and shares ε_t/ε the one whose mask is narrowest: the largest ε_m/Δ (Thompson-Laplace,
        d ≤ 4; all of δ is the vote's), or μ(ε_m, δ/2)/Δ (Wishart)

Friends are counted at L, and E is taken at L (1 + 1e-6), for rounding. The law of (1) does not depend on the
covariance; it is simulated once, from a fixed seed. Privacy rests on Δ alone, and Δ on k, a, b, Q₀ and L.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import ceil, log, log1p, sqrt

import numpy as np

from workbench.errors import ArgumentError
from workbench.estimators.base import Array
from workbench.estimators.parts.vote import Vote, change, spread
from workbench.privacy import ApproxDP, Charge, PureDP, Sequential
from workbench.privacy.conversions import gdp_within_approx
from workbench.privacy.masks import LARGEST_THOMPSON, wishart_delta
from workbench.privacy.mechanisms import truncated_laplace_bound

VOTE, MASK = "vote", "mask"
SHARES = (0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
FAR = (0.002, 0.005, 0.01, 0.02)
SIZES = (1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0)  # rows of a group, in units of d + 3
PAIRS, SEED = 6000, 41
ROUNDING = 1 + 1e-6
FEWEST = 20  # groups


@dataclass(frozen=True)
class Design:
    """A vote, the group size and limit it is for, and the charges of the vote and the mask."""

    size: int
    limit: float
    vote: Vote
    charges: tuple[Charge, Charge]
    narrowness: float  # what (4) maximises

    @property
    def plan(self) -> Sequential:
        """Return the plan."""
        return Sequential("basic", self.charges)


@lru_cache(maxsize=4096)
def design(n: int, d: int, budget: ApproxDP, beta: float, kind: str) -> Design:
    """Return the design of step (4) for a mask of this kind.

    Raises
    ------
    ArgumentError
        If n rows are too few for any.
    """
    found = [one for s in sizes(d) if n // s >= FEWEST for one in _designs(n // s, s, d, budget, beta, kind)]
    best = max(found, key=lambda one: one.narrowness, default=None)
    if best is None or not _has_mask(best, d):
        raise ArgumentError("n", n, f"more rows for d = {d} at {budget}")
    return best


@lru_cache(maxsize=256)
def fewest_rows(d: int, budget: ApproxDP, beta: float, kind: str) -> int:
    """Return the fewest rows that have a design, to 1 %."""

    def found(n: int) -> bool:
        try:
            return design(n, d, budget, beta, kind) is not None
        except ArgumentError:
            return False

    low, high = 16, 32
    while not found(high):
        low, high = high, 2 * high
    while high > 1.01 * low + 1:
        middle = (low + high) // 2
        low, high = (low, middle) if found(middle) else (middle, high)
    return high


def _has_mask(made: Design, d: int) -> bool:
    """Return whether the mask of a design exists: θ > ⌊d²/4⌋ + 1, ν ≥ d."""
    mask = made.charges[1]
    if isinstance(mask.cost, PureDP):
        return made.narrowness > d * d // 4 + 1
    assert isinstance(mask.cost, ApproxDP)
    return wishart_delta(mask.sensitivity, d, d, mask.cost.epsilon) <= mask.cost.delta


def sizes(d: int) -> tuple[int, ...]:
    """Return the group sizes that are tried."""
    return tuple(sorted({ceil(factor * (d + 3)) for factor in SIZES}))


def _designs(k: int, size: int, d: int, budget: ApproxDP, beta: float, kind: str) -> list[Design]:
    found = []
    for share in SHARES:
        vote, mask = split(budget, share, kind)
        for far, limit in zip(FAR, limits(d, size), strict=True):
            made = _thresholds(k, size, far, limit, vote, mask, beta)
            if made is not None:
                found.append(made)
    return found


def best_mask(d: int) -> str:
    """Return the kind of mask that is narrowest in d dimensions."""
    return "thompson_laplace" if d <= LARGEST_THOMPSON else "wishart"


def split(budget: ApproxDP, share: float, kind: str) -> tuple[ApproxDP, PureDP | ApproxDP]:
    """Return the costs of the vote and of the mask."""
    rest = (1 - share) * budget.epsilon
    if kind == "thompson_laplace":
        return ApproxDP(share * budget.epsilon, budget.delta), PureDP(rest)
    return ApproxDP(share * budget.epsilon, budget.delta / 2), ApproxDP(rest, budget.delta / 2)


def _thresholds(
    k: int, size: int, far: float, limit: float, cost: ApproxDP, mask: PureDP | ApproxDP, beta: float
) -> Design | None:
    """Return the thresholds of steps (2) and (3), or None if there are none."""
    return for_quorum(k, size, 1 - far - 6 * sqrt(far / k), limit, cost, mask, beta)


def for_quorum(
    k: int, size: int, friends: float, limit: float, cost: ApproxDP, mask: PureDP | ApproxDP, beta: float
) -> Design | None:
    """Return the best thresholds of a vote that passes where a share `friends` of pairs are, but for β."""
    charge = Charge(VOTE, "truncated_laplace", 2 * (k - 1) / k**2, cost)
    quorum = ceil((friends - allowance(charge, beta)) * k * k)
    a, b = shares(k, quorum)
    if not len(a):
        return None
    moves = change(k, a / k, b / k, quorum / k**2) * spread(k, a / k, quorum / k**2, limit * ROUNDING)
    best = int(np.argmin(moves))
    vote, distance = Vote(k, int(a[best]), int(b[best]), quorum), log1p(float(moves[best]) / k)
    kind = "thompson_laplace" if isinstance(mask, PureDP) else "wishart"
    strength = mask.epsilon if isinstance(mask, PureDP) else gdp_within_approx(mask).mu
    return Design(size, limit, vote, (charge, Charge(MASK, kind, distance, mask)), strength / distance)


def allowance(charge: Charge, beta: float) -> float:
    """Return how far above Q₀ the share of friends must be for a vote to pass but for β: A + (S/ε) ln 1/β."""
    assert isinstance(charge.cost, ApproxDP)
    return truncated_laplace_bound(charge) + charge.sensitivity / charge.cost.epsilon * log(1 / beta)


def shares(k: int, quorum: int) -> tuple[Array, Array]:
    """Return pairs a < b of whole numbers of friends that a vote may have."""
    lowest, highest = k // 2 + 1, quorum // k - 1
    if quorum >= k * k or highest <= lowest:
        return np.zeros(0), np.zeros(0)
    ends = np.unique(np.linspace(lowest, highest, 30).astype(int))
    first, second = np.triu_indices(len(ends), 1)
    return ends[first], ends[second]


@lru_cache(maxsize=1024)
def limits(d: int, size: int) -> tuple[float, ...]:
    """Return L of step (1) for each p."""
    rng = np.random.default_rng((SEED, d, size))
    first, second = factors(PAIRS, size, d, rng), factors(PAIRS, size, d, rng)
    product = second @ np.linalg.inv(first)
    values = np.linalg.svd(product, compute_uv=False) ** 2
    return tuple(np.quantile(np.maximum(values[:, 0], 1 / values[:, -1]), [1 - far for far in FAR]).tolist())


def factors(count: int, size: int, d: int, rng: np.random.Generator) -> Array:
    """Return the triangular factors of `count` normal groups, drawn in law (Bartlett)."""
    upper = np.triu(rng.standard_normal((count, d, d)), 1)
    axes = np.arange(d)
    upper[:, axes, axes] = np.sqrt(rng.chisquare(size - axes, (count, d)))
    return np.asarray(upper / sqrt(size))
