"""The source's vote: its thresholds, its constants, the rows they ask for.  AL22 Algorithms 1, 3 and 5.

ε' = ε/2 and δ' = δ/(4e^ε') go to the vote and again to the mask, since Lemma 3.6 states (2ε', 4e^ε'δ')-DP; by
plain composition it is (2ε', 2δ'). Q₀ = .8, a = .6, b = .7. The averages of two neighbours differ by at most
67(r + φ)/k for k ≥ 400 (the four terms of the source's proof, with constants), friends are at r/(2t).

    covariance   t = 3/2, r = 1, φ = 1; friends at dist ≤ 1/3, groups within 1/9 of Σ
                 η such that the mask moves dist by at most 1/3 with probability 1 - β (Lemma 5.2, by Davidson
                 & Szarek 2001): x = η(2√d + √(2 ln(1/β))), (1 - x)⁻² ≤ 4/3
                 γ of Lemma 5.1 (`privacy.masks.square_scale`), k = ⌈134/γ⌉
                 s such that x = (√d + √(2 ln(2k/β)))/√s has (1 - x)⁻² ≤ 10/9 (Lemma 5.3)
    mean         t = 1, r = α, φ = 0; friends at α/2, groups within α/4 of the mean, the mask within α/2:
                 σ = γ √(2 ln(2/δ'))/ε' (Lemma 7.2; drawn with the exact σ, which is less), γ = 67α/k,
                 σ(√d + √(2 ln(1/β))) ≤ α/2
                 s such that √(d/s) + √(2 ln(2k/β)/s) ≤ α/4, in units of the rows' scale

Constants: those of Lemma 5.1, .8, .6, .7 and 20/ε recalled; 67, η and s derived here.
"""

from functools import lru_cache
from math import ceil, exp, log, log1p, sqrt

from workbench.errors import ArgumentError
from workbench.estimators.parts.budgets import halved, least_groups
from workbench.estimators.parts.votes.vote import Design, Vote
from workbench.privacy import ApproxDP, Charge
from workbench.privacy.masks import square_scale
from workbench.privacy.roots import brentq

QUORUM, NOBODY, EVERYBODY = 0.8, 0.6, 0.7
MOVED, FEWEST = 67.0, 400
MASK_SHARE, GROUP_SHARE = 4 / 3, 10 / 9  # 1 + dist of the mask, and of a group from Σ


def covariance_design(n: int, d: int, budget: ApproxDP, beta: float) -> Design:
    """Return the design for n rows; raise where they are too few, with the number."""
    cost = halved(budget)
    gamma, k = _covariance_groups(d, cost, beta)
    size = max(_covariance_size(d, k, beta), n // k)
    return _design(n, k, size, MASK_SHARE, log1p(gamma), "square", cost)


def fewest_for_covariance(d: int, budget: ApproxDP, beta: float) -> int:
    """Return the fewest rows that have a design."""
    k = _covariance_groups(d, halved(budget), beta)[1]
    return k * _covariance_size(d, k, beta)


def mean_design(n: int, d: int, budget: ApproxDP, beta: float, alpha: float) -> Design:
    """Return the design for n rows of unit scale and a mean within α; raise where they are too few."""
    cost = halved(budget)
    width = (sqrt(d) + sqrt(2 * log(1 / beta))) * sqrt(2 * log(2 / cost.delta)) / cost.epsilon
    k = max(ceil(2 * MOVED * width), least_groups(cost), FEWEST)
    size = max(ceil((4 / alpha * (sqrt(d) + sqrt(2 * log(2 * k / beta)))) ** 2), n // k)
    return _design(n, k, size, alpha / 2, MOVED * alpha / k, "gaussian", cost)


def deviations(k: int, size: int, d: int, eta: float, beta: float) -> float:
    """Return an upper β-quantile of ln(1 + dist) of the answer from Σ.

    That of a group, by Lemma 5.3 for all groups, and that of the mask, by Lemma 5.2.
    """
    group = (sqrt(d) + sqrt(2 * log(4 * k / beta))) / sqrt(size)
    mask = eta * (2 * sqrt(d) + sqrt(2 * log(2 / beta)))
    return -2 * log(1 - group) - 2 * log(1 - mask) if max(group, mask) < 1 else float("inf")


@lru_cache(maxsize=256)
def _covariance_groups(d: int, cost: ApproxDP, beta: float) -> tuple[float, int]:
    """Return γ and k."""
    eta = (1 - sqrt(1 / MASK_SHARE)) / (2 * sqrt(d) + sqrt(2 * log(1 / beta)))

    def short(log_gamma: float) -> float:
        try:
            found = square_scale(Charge("mask", "square", log1p(exp(log_gamma)), cost), d)
        except ArgumentError:
            return 1.0
        return log(found / eta)

    gamma = exp(brentq(short, log(1e-12), 0.0, xtol=1e-10) - 1e-9)
    k = max(ceil(2 * MOVED / gamma), least_groups(cost), FEWEST)
    return 2 * MOVED / k, k


def _covariance_size(d: int, k: int, beta: float) -> int:
    share = 1 - sqrt(1 / GROUP_SHARE)
    return ceil(((sqrt(d) + sqrt(2 * log(2 * k / beta))) / share) ** 2)


def _design(n: int, k: int, size: int, limit: float, distance: float, kind: str, cost: ApproxDP) -> Design:
    if n < k * size:
        raise ArgumentError("n", n, f"at least {k * size} for the source's constants at {cost}, twice")
    vote = Vote.of(k, NOBODY, EVERYBODY, QUORUM)
    return Design(size, limit, vote, distance, kind, ApproxDP(2 * cost.epsilon, 2 * cost.delta), 0.5)
