"""No attacker wins more than ε and δ allow, and the package's own mutants are found."""

from collections.abc import Iterator
from dataclasses import replace
from math import sqrt

import pandas as pd

from workbench.chapters.what_epsilon_means.runs.attacker import (
    DELTA,
    EPSILON,
    ROUNDS,
    SOUND,
    answered,
    most_advantage,
    pair,
)
from workbench.chapters.what_epsilon_means.runs.composition import gaussian_losses, laplace_losses
from workbench.chapters.what_epsilon_means.runs.laws import GAUSSIAN
from workbench.chapters.what_epsilon_means.runs.suspects import SUSPECTS, accused
from workbench.privacy import ApproxDP
from workbench.privacy.budgets import gaussian_delta, optimal_composition
from workbench.study import measures
from workbench.study.claim import Claim
from workbench.study.measures import certain
from workbench.study.profiles import AuditPreset, claim_level
from workbench.study.rules import Verdict, combine, largest

EPSILONS, DELTAS = (0.1, 0.5, 1.0, 2.0, 4.0), (1e-6, 1e-2, 0.1)
ROUNDING = 1e-6  # of sums over cells of the densities
POWER = 1.1  # times the bound: noise that is half of what it should be wins more
USES, SLACKS = (1, 4, 16, 64), (1e-4, 1e-6)
BERRY_ESSEEN = 0.4748  # Shevtsova 2011, for sums of independent terms of one law
MUS = (0.25, 0.5, 1.0)
WIDTH = 1.02  # δ of losses rounded up over that of losses rounded down
SIZES = AuditPreset("claim", 2_000, 8_000, 40_000)


def attackers_stay_below(frame: pd.DataFrame) -> list[Verdict]:
    """Return the checks: advantages over the bound, exactly; and rounds that the best attacker wins."""
    checks = [
        largest("advantage over the bound", _ratios(), 1 + ROUNDING, "at most 1"),
        largest("what attains the bound, off by", _attained(), ROUNDING, "at most rounding"),
    ]
    for mechanism in SOUND:
        delta = DELTA if mechanism == GAUSSIAN else 0.0
        won, most = measures.at(frame, mechanism=mechanism)["won"], (1 + most_advantage(EPSILON, delta)) / 2
        checks.append(measures.seldom(f"{mechanism}: rounds won", won.astype(bool), most, factor=POWER))
    return checks


def _ratios() -> Iterator[float]:
    for mechanism in SOUND:
        for epsilon in EPSILONS:
            for delta in DELTAS if mechanism == GAUSSIAN else (0.0,):
                laws = pair(mechanism, epsilon, delta or DELTA)
                yield laws.advantage / most_advantage(epsilon, delta)


def _attained() -> Iterator[float]:
    for epsilon in EPSILONS:
        for delta in DELTAS:
            yield abs(answered(epsilon, delta).advantage - most_advantage(epsilon, delta))


def losses_become_normal() -> Verdict:
    """Return the checks of what-epsilon-means/losses-become-normal; nothing is random."""
    checks = [
        largest("ε of k Laplace releases over that of any mechanism", _over_optimal(), 1 + 1e-9, "at most 1"),
        largest("distance to the normal law over its bound", _normal(), 1.0, "at most 1"),
        largest("δ of losses rounded down over the package's δ", _gaussian(up=False), 1.0, "at most 1"),
        largest("the package's δ over that of losses rounded up", _gaussian(up=True), 1.0, "at most 1"),
        largest("rounded up over rounded down", _widths(), WIDTH, f"at most {WIDTH:g}"),
    ]
    return combine(checks)


def _over_optimal() -> Iterator[float]:
    for epsilon in EPSILONS[:3]:
        for k in USES:
            for slack in SLACKS:
                any_mechanism = optimal_composition(ApproxDP(epsilon, 0.0), k, slack).epsilon
                yield laplace_losses(epsilon).times(k).epsilon(slack) / any_mechanism


def _normal() -> Iterator[float]:
    for epsilon in EPSILONS:
        one = laplace_losses(epsilon)
        for k in USES:
            yield one.times(k).distance_to_normal() / (BERRY_ESSEEN * one.third / one.sd**3 / sqrt(k))


def _deltas(up: bool) -> Iterator[tuple[float, float]]:
    for mu in MUS:
        for k in USES[:3]:
            epsilon = 2 * mu * sqrt(k)
            yield gaussian_losses(mu, up=up).times(k).delta(epsilon), gaussian_delta(mu * sqrt(k), epsilon)


def _gaussian(up: bool) -> Iterator[float]:
    for rounded, exact in _deltas(up):
        yield exact / rounded if up else rounded / exact


def _widths() -> Iterator[float]:
    for (up, _), (down, _) in zip(_deltas(up=True), _deltas(up=False), strict=True):
        yield up / down


def mutants_are_found(*, seed: int) -> Verdict:
    """Return the checks: every suspect with a fault is accused, none without."""
    checks = []
    for letter, one in SUSPECTS.items():
        report = accused(one, seed, SIZES, claim_level())
        wanted = float(bool(one.fault))
        name = f"{letter}, {one.fault or 'no fault'}: accused"
        checks.append(_with_level(certain(name, float(report.violated), wanted, wanted), one.fault))
    return combine(checks, 2 * len(SUSPECTS) * SIZES.n_test)


def _with_level(check: Verdict, fault: str) -> Verdict:
    """Return a check with the level at which a right mechanism is accused by chance."""
    return check if fault else replace(check, level=claim_level())


CLAIMS = (
    Claim(
        "what-epsilon-means/attackers-stay-below",
        "X1",
        ("M21/DP", "WZ10/Thm2.4"),
        "True minus false positives of the best attacker is at most (e^ε - 1 + 2δ)/(e^ε + 1) for Laplace and"
        " Gaussian noise and the median (ε = .1 .. 4, δ to .1, exactly), and a leak with randomised response"
        " attains it; against the package's own draws at ε = 1 the likelihood ratio wins no more rounds.",
        checks=attackers_stay_below,
        sweeps=lambda: (ROUNDS,),
    ),
    Claim(
        "what-epsilon-means/losses-become-normal",
        "X2",
        ("M21/properties", "KOV15/Thm3.3"),
        "The loss of k = 1 .. 64 Laplace releases is within .4748 E|L - EL|^3/(sd^3 √k) of a normal law, its"
        " ε at most that of optimal composition; δ of k Gaussian releases is between sums of losses rounded"
        " down and up, which differ by 2 %.",
        checks=losses_become_normal,
        kind="ours",
    ),
    Claim(
        "what-epsilon-means/mutants-are-found",
        "X3",
        ("M21/Thm-Laplace", "M21/sensitivity"),
        "Six mutants of the clipped mean (n = 4, ε = 2 or μ = 2) are accused by an audit of 40 000 releases"
        " on either neighbour, and the right one is not, with Laplace and with Gaussian noise.",
        checks=mutants_are_found,
        kind="ours",
    ),
)
