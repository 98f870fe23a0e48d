"""Where PRIME pays, and what d costs: crossovers with a plain private mean, and both filters side by side.

A run of a crossover is the error of mean/prime over that of mean/coinpress on the same rows; n is where half
of the runs have it below 1.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.random import Generator

from workbench.chapters.robust_and_private.claims import filter_scalings
from workbench.chapters.robust_and_private.claims.worst import Growth
from workbench.chapters.robust_and_private.runs import clusters, duel
from workbench.chapters.robust_and_private.runs.prime import CORRUPTION, DELTA, PLACES, corrupted, error
from workbench.populations.corruption.mean import SHIFT
from workbench.privacy import ApproxDP
from workbench.study.claim import Claim
from workbench.study.profiles import claim_level
from workbench.study.rules import Status, Verdict
from workbench.study.scaling import (
    SEARCHED,
    SEEN,
    TOLERANCE,
    Least,
    Scaling,
    Setting,
    grows,
    slope,
    standard_errors,
    within,
)
from workbench.types import Columns

CAPS = {"full": 100}
PAIR = "mean/prime", "mean/coinpress"
TWICE = 2.0  # the n of a crossover over the predicted one
APART = 0.5  # of the exponents of Theorems 5 and 6 in d


def over_coinpress(
    n: int, corruption: float, epsilon: float, *, trials: int, data: Generator, noise: Generator
) -> Columns:
    """Measure the error of mean/prime over that of mean/coinpress, both told the same."""
    fighters, budget = duel.fighters(duel.D, corruption), ApproxDP(epsilon, DELTA)
    ratio = np.empty(trials)
    for trial in range(trials):
        theta = data.uniform(-PLACES, PLACES, duel.D)
        x = corrupted(data.standard_normal((n, duel.D)), "shift-ones", corruption, data) + theta
        ours, plain = (error(fighters[name], x, theta, budget, noise) for name in PAIR)
        ratio[trial] = ours / plain
    return {"error": ratio, "abstained": np.isinf(ratio)}


def crossovers() -> Iterator[Scaling]:
    """Return the scalings of the crossover in ε and in ξ."""
    wrong: Mapping[str, Mapping[str, float]] = {
        "epsilon": {"1/√ε": -0.5, "1/ε²": -2.0},
        "corruption": {"1/√ξ": -0.5, "1/ξ²": -2.0},
    }
    values = {"epsilon": (2.0, 1.0, 0.5, 0.25), "corruption": (0.01, 0.02, 0.04, 0.08)}
    for variable in values:
        yield Scaling(
            statement="LKKO21/Fig2",
            variable=variable,
            key="mean/prime [over mean/coinpress]",
            term="1/(εξ)",
            values=values[variable],
            setting=partial(_crossing, variable),
            block=over_coinpress,
            power=-1,
            instead=wrong[variable],
            bound="equal",
            share=0.5,
            caps=CAPS,
        )


def _crossing(variable: str, value: float) -> Setting:
    point = {"corruption": CORRUPTION, "epsilon": duel.EPSILON, variable: value}
    budget = ApproxDP(point["epsilon"], DELTA)
    reach = SHIFT * duel.D**0.5
    n = clusters.rows_to_see("mean/prime", duel.D, point["corruption"], budget, reach=reach)
    return Setting(point, 1.0, round(n), n, n, fewest=20)


def crosses(*growths: Growth) -> list[Verdict]:
    """Return the checks: n grows as the one that is predicted, and is at most twice as large."""
    checks = [grows(*growth) for growth in growths]
    return checks + [within(*growth, lambda setting: TWICE * setting.predicted) for growth in growths]


def in_dimension() -> Iterator[Scaling]:
    """Return the scalings in d of the filters, with a cluster at just the distance at which it does harm."""
    for one in (filter_scalings.FILTER, filter_scalings.PRIME):
        first = replace(one, moves=one.moves[:1])
        yield from (scaling for scaling in first.scalings() if scaling.key.endswith("cluster at 1]"))


def price_of_dimension(*growths: Growth) -> list[Verdict]:
    """Return the check of robust-and-private/price-of-dimension."""
    (_, single), (_, matrix) = growths
    return [apart(single, matrix)]


def apart(one: Sequence[Least], other: Sequence[Least]) -> Verdict:
    """Decide whether the exponents of two n differ by 1/2, as those of Theorems 5 and 6 in d.

    HOLDS if the interval at 5 % meets 1/2 within `TOLERANCE` and excludes 0, REFUTED if it certainly misses.
    """
    pairs = [pair for pair in zip(one, other, strict=True) if pair[0].bounded and pair[1].bounded]
    intervals = ([least.interval for least in side] for side in zip(*pairs, strict=True))
    errors = np.hypot(*(standard_errors(ones, SEARCHED) for ones in intervals))
    line = slope([a.value for a, _ in pairs], [a.n / b.n for a, b in pairs], errors)
    low, high = line.interval(SEEN)
    least, most = line.interval(claim_level())
    seen = low <= APART + TOLERANCE and high >= APART - TOLERANCE and low > 0
    missed = least > APART + TOLERANCE or most < APART - TOLERANCE
    return Verdict(
        status=Status.REFUTED if missed else Status.HOLDS if seen else Status.UNDECIDED,
        test="slope of the ratio of searched n",
        level=claim_level(),
        trials=sum(a.runs + b.runs for a, b in pairs),
        estimate=line.estimate,
        interval=(low, high),
        bound=APART,
        id="exponent in d of the n of mean/filter, less that of mean/prime",
        detail={"d": [a.value for a, _ in pairs], "over": [a.n / b.n for a, b in pairs]},
    )


CLAIMS = (
    Claim(
        "robust-and-private/prime-pays-from",
        "N81",
        ("LKKO21/Fig2",),
        "d = 10, δ = .01, a cluster at 1.5 √d: the n from which mean/prime errs less than mean/coinpress in"
        " half of the runs grows in ε = 2 .. .25 at ξ = .05, and in ξ = .01 .. .08 at ε = 1, as the n from"
        " which the public threshold of its filter is below what the cluster adds to the second moment, about"
        " ξ^-1 and ε^-.8, and is at most twice that.",
        checks=crosses,
        scalings=crossovers,
        kind="ours",
    ),
    Claim(
        "robust-and-private/price-of-dimension",
        "N82",
        ("LKKO21/Thm5", "LKKO21/Thm6"),
        "What d costs, (2, 1e-6)-DP, ξ = .05, a cluster at the distance at which one that stays does just"
        " harm: from d = 4 to 16 the searched n of mean/filter with 2d passes grows by half a power"
        " more, within"
        " a tenth, than that of mean/prime, as d² and d^1.5 do.",
        checks=price_of_dimension,
        scalings=in_dimension,
    ),
)
