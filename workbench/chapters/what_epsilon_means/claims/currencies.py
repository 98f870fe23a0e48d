"""Conversions and compositions in their order of tightness, computed and not simulated.

Of what a zCDP budget means in (epsilon, delta), the lecture's lemma says the most, the bound of Canonne,
Kamath and Steinke less, and the truth about a Gaussian mechanism least. Of k adaptive uses of one budget,
basic and advanced composition say more than the optimal one.
"""

from collections.abc import Iterable
from typing import NamedTuple

from workbench.privacy import ZCDP, ApproxDP, PureDP
from workbench.privacy.budgets import (
    advanced_composition,
    approx_from_gdp,
    approx_from_zcdp,
    approx_from_zcdp_stated,
    gdp_from_gaussian_zcdp,
    optimal_composition,
    zcdp_from_pure,
    zcdp_from_pure_stated,
)
from workbench.study.claim import Claim
from workbench.study.rules import Verdict, largest

RHOS = tuple(10.0 ** (k / 4) for k in range(-16, 6))
DELTAS = (1e-3, 1e-5, 1e-6, 1e-9, 1e-12)
EPSILONS = tuple(10.0 ** (k / 8) for k in range(-24, 9))
TIMES = (2, 5, 10, 50, 200)
USES = tuple(ApproxDP(epsilon, delta) for epsilon in (0.01, 0.1, 0.5, 1.0) for delta in (0.0, 1e-9))
SLACK = 1e-6
ROUNDING = 1e-9  # relative; the roots behind the conversions are found to 1e-12

KNOWN = {  # (rho, delta): epsilon by the lecture's lemma, by Canonne-Kamath-Steinke, and exactly
    (0.5, 1e-6): (5.757, 5.222, 4.887),
    (0.1, 1e-6): (2.451, 2.142, 1.995),
    (0.01, 1e-5): (0.689, 0.546, 0.497),
    (2.0, 1e-9): (14.876, 14.150, 13.535),
}
KNOWN_COMPOSITION = {"basic": 5.0, "advanced": 3.967, "optimal": 3.2}  # 50 uses of .1 at slack 1e-6
DIGIT = 0.0005  # three decimals are printed


class Meaning(NamedTuple):
    """What a zCDP budget means in epsilon, at one delta."""

    stated: float
    tight: float
    exact: float


def meaning(rho: float, delta: float) -> Meaning:
    """Return epsilon by the lecture's lemma, by Canonne, Kamath and Steinke, and of Gaussian mechanisms."""
    budget = ZCDP(rho)
    return Meaning(
        approx_from_zcdp_stated(budget, delta).epsilon,
        approx_from_zcdp(budget, delta).epsilon,
        approx_from_gdp(gdp_from_gaussian_zcdp(budget), delta).epsilon,
    )


def composed(budget: ApproxDP, times: int, slack: float = SLACK) -> dict[str, float]:
    """Return epsilon of so many uses of a budget by the three theorems."""
    return {
        "basic": times * budget.epsilon,
        "advanced": advanced_composition(budget, times, slack).epsilon,
        "optimal": optimal_composition(budget, times, slack).epsilon,
    }


def order_checks() -> list[Verdict]:
    """Return the order of the conversions, of the compositions, and the table's values."""
    meanings = [meaning(rho, delta) for rho in RHOS for delta in DELTAS]
    compositions = [composed(use, times) for use in USES for times in TIMES]
    pure = [(zcdp_from_pure(b).rho, zcdp_from_pure_stated(b).rho) for b in map(PureDP, EPSILONS)]
    return [
        _at_most("exact over Canonne-Kamath-Steinke", (m.exact / m.tight for m in meanings)),
        _at_most("Canonne-Kamath-Steinke over the lecture's lemma", (m.tight / m.stated for m in meanings)),
        _at_most(
            "pure DP as zCDP, tight over the lecture's lemma", (tight / stated for tight, stated in pure)
        ),
        _at_most("optimal over basic composition", (c["optimal"] / c["basic"] for c in compositions)),
        _at_most("optimal over advanced composition", (c["optimal"] / c["advanced"] for c in compositions)),
        _at_most("distance from the table's values, in half digits", _distances(), 1.0),
    ]


def _distances() -> Iterable[float]:
    for key, values in KNOWN.items():
        yield from (abs(a - b) / DIGIT for a, b in zip(meaning(*key), values, strict=True))
    found = composed(ApproxDP(0.1, 0.0), 50)
    yield from (abs(found[name] - value) / DIGIT for name, value in KNOWN_COMPOSITION.items())


def _at_most(name: str, ratios: Iterable[float], bound: float = 1 + ROUNDING) -> Verdict:
    return largest(name, ratios, bound, "at most 1 everywhere")


CLAIMS = (
    Claim(
        id="what-epsilon-means/conversions-in-order",
        number="G17",
        sources=("L17/composition",),
        statement="For ρ = 10⁻⁴ .. 18 and δ = 10⁻¹² .. 10⁻³ the exact ε of Gaussian noise is at most that of"
        " Canonne, Kamath and Steinke, and this at most that of the lecture's lemma (4.887, 5.222, 5.757 at"
        " ρ = .5, δ = 10⁻⁶); optimal composition is at most advanced and basic composition.",
        checks=order_checks,
        kind="identity",
    ),
)
