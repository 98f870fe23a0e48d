"""What floats leak, and what a released mean says about its members."""

import pandas as pd

from workbench.chapters.what_epsilon_means.runs import tracing
from workbench.chapters.what_epsilon_means.runs.floats import ON_A_GRID, ONE_FLOAT, OUTPUTS, predicted
from workbench.chapters.what_epsilon_means.runs.tracing import (
    DELTA,
    EPSILON,
    TRACED,
    area,
    most_area,
    noise_scale,
)
from workbench.study import measures
from workbench.study.claim import Claim
from workbench.study.measures import at, between, by, share
from workbench.study.profiles import claim_level
from workbench.study.rules import Verdict

BITS = 0.02  # of the share that betrays x = 0: fair last bits are a model
RARE = 2e-3  # what is called never, of outputs
NORMAL = 0.02  # of the areas: normal scores are a model


def floats_leak(frame: pd.DataFrame) -> list[Verdict]:
    """Return the checks: how often float noise betrays x = 0, and that nothing else betrays anything."""
    betrayed = at(frame, kind=ONE_FLOAT, x=0.0)["betrays"].astype(bool)
    found = share(int(betrayed.sum()), len(betrayed), claim_level())
    middle = predicted()
    checks = [between("float noise, x = 0", found, middle - BITS, middle + BITS, bound=middle)]
    for kind, x in ((ONE_FLOAT, 1.0), (ON_A_GRID, 0.0), (ON_A_GRID, 1.0)):
        other = at(frame, kind=kind, x=x)["betrays"].astype(bool)
        checks.append(measures.seldom(f"{kind}, x = {x:g}", other, RARE, factor=4.0))
    return checks


def members_are_traced(frame: pd.DataFrame) -> list[Verdict]:
    """Return the checks of the exact mean: how often a member scores above a stranger, at every d."""
    checks = []
    for d, some in by(frame, "d").items():
        expected = area(tracing.N, int(d), 0.0)
        found = _share(some, "plain")
        ends = expected - NORMAL, expected + NORMAL
        checks.append(between(f"d = {d:g}", found, *ends, bound=expected, n=tracing.N))
    return checks


def privacy_hides_members(frame: pd.DataFrame) -> list[Verdict]:
    """Return the checks of the private mean: as predicted, and below the bound for every attacker."""
    most, checks = most_area(EPSILON, DELTA), []
    for d, some in by(frame, "d").items():
        expected = area(tracing.N, int(d), noise_scale(tracing.N, int(d), EPSILON, DELTA))
        found = _share(some, "private")
        checks.append(between(f"d = {d:g}", found, expected - NORMAL, most, n=tracing.N))
    return checks


def _share(some: pd.DataFrame, name: str) -> measures.Measure:
    return share(int(some[name].sum()), len(some), claim_level())


CLAIMS = (
    Claim(
        "what-epsilon-means/floats-leak",
        "X4",
        ("Mironov12/floats",),
        "x + Lap(1) in floats lies within 1/2 of 0 and is no multiple of 2^-53 with probability .272 (± .02)"
        " for x = 0 and never for x = 1; on a grid of 2^-10 with whole-number noise never for either.",
        checks=floats_leak,
        sweeps=lambda: (OUTPUTS,),
        kind="ours",
    ),
    Claim(
        "what-epsilon-means/members-are-traced",
        "X5",
        ("DSSUV15/tracing",),
        "From an exact mean of 100 rows of d fair signs, a member's score ⟨z, mean⟩ is above a stranger's"
        " with probability Φ(√(d/199)) (± .02), d = 10 .. 1000: .59 .. .99.",
        checks=members_are_traced,
        sweeps=lambda: (TRACED,),
        kind="ours",
    ),
    Claim(
        "what-epsilon-means/privacy-hides-members",
        "X6",
        ("DSSUV15/tracing", "M21/Thm-Gaussian"),
        "From the same mean with Gaussian noise at (1, .01) it is at most Φ(μ/2) = .61 for every d to 1000,"
        " and at least what is predicted, less .02.",
        checks=privacy_hides_members,
        sweeps=lambda: (TRACED,),
        kind="ours",
    ),
)
