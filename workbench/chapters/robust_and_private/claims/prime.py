"""Claims about PRIME and the filter by single directions: LKKO21 Theorems 5, 6 and 9, Figures 1 and 2.

Medians have exact intervals (two order statistics); slopes and ratios combine those of independent points.
"""

from math import inf, log, sqrt

import numpy as np
import pandas as pd

from workbench.chapters.robust_and_private.runs import prime as sweeps
from workbench.chapters.robust_and_private.runs import theory
from workbench.chapters.robust_and_private.runs.prime import limit
from workbench.study import measures
from workbench.study.grids import Sweep, resampler
from workbench.study.measures import Measure, median_ratio
from workbench.study.profiles import claim_level
from workbench.study.rules import Status, Verdict, alike

NEAR, TENTH, MISSED = 1.2, 0.1, 0.05
NOTICED = 1.5  # times the error in one direction is noticed
PLAIN_SLOPE, PLAIN_BAND = 0.5, 0.02
CORRUPTION_BAND = 0.05
FLAT, PLATEAU = 1.5, 1.5
MANY = (10_000, 30_000)
LEFT, LITTLE = 0.75, 1e-3  # of Ψ, Lemma E.1: (12), and what it asks of clean rows
SEEN_FROM = 10.0  # sd: from here on both conclusions hold, without the hypothesis
HEAVY = 1.5
NOTICED_TIMES = 4.0  # times as many failures are noticed
ORDERS, SETTLED = (10, 100, 10**4, 10**8, 10**16), 1.1


def medians(
    frame: pd.DataFrame, column: str, along: str, level: float, **where: object
) -> dict[float, Measure]:
    """Return the median of a column at every value of a parameter."""
    by = measures.by(measures.at(frame, **where), along)
    return {value: measures.median(rows[column], level / len(by)) for value, rows in by.items()}


def small_errors(frame: pd.DataFrame, column: str, most: float, sweep: Sweep) -> list[Verdict]:
    """Return the checks of the medians at every point, and of all single errors together."""
    checks = []
    for point in sweep.points:
        rows = measures.at(frame, **point)[column]
        name = ", ".join(f"{key} = {value}" for key, value in point.items() if key in ("d", "attack"))
        found = measures.median(rows, claim_level())
        checks.append(measures.between(f"median, {name}", found, 0.0, most, n=sweeps.N))
    return [*checks, seldom("share of single errors above the bound", frame[column] > most)]


def seldom(name: str, missed: pd.Series, most: float = MISSED) -> Verdict:
    """Decide whether at most a share of all runs misses, on average over the points."""
    found = measures.share(int(missed.sum()), len(missed), claim_level())
    return measures.between(name, found, 0.0, most, n=sweeps.N)


def figure_1a(frame: pd.DataFrame) -> list[Verdict]:
    """Return the checks of robust-and-private/prime-is-robust."""
    checks = small_errors(frame, "prime", NEAR * limit(sweeps.CORRUPTION), sweeps.PLANTED)
    prime = medians(frame, "prime", "d", claim_level())
    widest = max(prime)
    box = medians(frame, "box", "d", claim_level())[widest]
    ratio = measures.ratio(prime[widest], box)
    checks.append(measures.between("over mean/clipped-box, d = 50", ratio, 0.0, TENTH, n=sweeps.N))
    growth = measures.ratio(prime[widest], prime[min(prime)])
    return [*checks, measures.between("d = 50 over d = 2", growth, 0.0, FLAT, n=sweeps.N)]


def plain_mean(frame: pd.DataFrame) -> Verdict:
    """Return the checks of robust-and-private/plain-mean-grows."""
    found = medians(frame, "box", "d", claim_level())
    wide = {d: one for d, one in found.items() if d >= 10}
    slope = measures.slope(np.log([*wide]), [measures.logarithm(one) for one in wide.values()])
    low, high = PLAIN_SLOPE - PLAIN_BAND, PLAIN_SLOPE + PLAIN_BAND
    return measures.between("slope in d", slope, low, high, n=sweeps.N, bound=PLAIN_SLOPE)


def every_direction(frame: pd.DataFrame) -> Verdict:
    """Return the checks: errors over the mean at their d have the same mean in every direction."""
    names = sweeps.planted(sweeps.DIRECTIONS)
    relative = frame["prime"] / frame.groupby("d")["prime"].transform("mean")
    groups = [relative[frame["attack"] == name] for name in names]
    verdict = alike(groups, claim_level(), factor=NOTICED)
    return verdict.about("largest difference in standard errors", "no more than chance allows", n=sweeps.N)


def against_corruption(frame: pd.DataFrame) -> list[Verdict]:
    """Return the checks of robust-and-private/against-corruption."""
    prime, box = (medians(frame, name, "corruption", claim_level()) for name in ("prime", "box"))
    checks = [
        measures.between(f"over ξ√ln(1/ξ), ξ = {a:g}", measures.scaled(one, 1 / limit(a)), 0.0, NEAR)
        for a, one in prime.items()
    ]
    slope = measures.slope(np.log([*box]), [measures.logarithm(one) for one in box.values()])
    low, high = 1 - CORRUPTION_BAND, 1 + CORRUPTION_BAND
    return [*checks, measures.between("slope of the plain mean", slope, low, high)]


def ratios_in_n(frame: pd.DataFrame) -> dict[float, Measure]:
    """Return the median of PRIME over that of the plain mean at every n, on planted rows."""
    rows = measures.at(frame, attack="shift-ones")
    prime, box = (medians(rows, name, "n", claim_level()) for name in ("prime", "box"))
    return {n: measures.ratio(prime[n], box[n]) for n in prime}


def many_rows(frame: pd.DataFrame) -> list[Verdict]:
    """Return the checks of robust-and-private/better-from-many-rows."""
    found = ratios_in_n(frame)
    checks = [measures.between(f"over the plain mean, n = {n}", found[n], 0.0, 0.5, n=n) for n in MANY]
    return checks


def few_rows(frame: pd.DataFrame) -> list[Verdict]:
    """Return the checks of robust-and-private/plain-wins-few-rows: how often the plain mean is not better."""
    words, by = "in 5 % of runs at most", measures.by(frame, "n")
    return [
        measures.seldom(
            f"PRIME is better, n = {n:g}", rows["prime"] < rows["box"], MISSED, words, factor=NOTICED_TIMES
        )
        for n, rows in by.items()
    ]


def against_epsilon(frame: pd.DataFrame, seed: int) -> list[Verdict]:
    """Return the checks: the plain mean stays within half again of its plateau where PRIME does not."""
    checks = []
    prime, box = (medians(frame, name, "epsilon", claim_level()) for name in ("prime", "box"))
    least, most = min(prime), max(prime)
    name = f"ε = {least:g} over ε = {most:g}"
    worse, same = (measures.ratio(one[least], one[most]) for one in (prime, box))
    checks.append(measures.between(f"PRIME, {name}", worse, PLATEAU, inf))
    checks.append(measures.between(f"plain mean, {name}", same, 0.0, PLATEAU))
    means = [_mean_error(frame, epsilon, seed) for epsilon in (3.0, most)]
    flat = measures.between("PRIME, mean at ε = 3 over ε = 10", measures.ratio(*means), 0.0, PLATEAU)
    return [*checks, flat]


def _mean_error(frame: pd.DataFrame, epsilon: float, seed: int) -> Measure:
    """Return the mean error of mean/prime at one ε: a median would lie between two modes."""
    errors = measures.at(frame, epsilon=epsilon)["prime"]
    return measures.mean_size(errors, claim_level(parts=2), sweeps.EPSILONS.name, seed, {"epsilon": epsilon})


def little_corruption(frame: pd.DataFrame, seed: int) -> list[Verdict]:
    """Return the checks of robust-and-private/little-corruption."""
    checks = []
    for d, rows in measures.by(frame, "d").items():
        found = measures.median(rows["prime"] * sqrt(sweeps.N / d), claim_level(parts=4))
        checks.append(measures.between(f"over √(d/n), d = {d:g}", found, 0.5, FLAT, n=sweeps.N))
    wide, name = measures.at(frame, d=50), "PRIME over the plain mean, d = 50"
    top, bottom = (wide[column].to_numpy() for column in ("prime", "box"))
    rng = resampler(seed, name)
    paired = median_ratio(name, top, bottom, 0.0, 1.0, claim_level(), rng, n=sweeps.N)
    return [*checks, paired]


def passes(frame: pd.DataFrame) -> list[Verdict]:
    """Return the checks: slopes of the passes against the number of clusters."""
    counts = np.log([1, 2, 4, 8, 16])
    each = {name: medians(frame, name, "clusters", claim_level()) for name in ("top", "softmax")}
    top, softmax = (
        measures.slope(counts, [measures.logarithm(one) for one in found.values()]) for found in each.values()
    )
    checks = [
        measures.between("slope, top eigenvector", top, 0.6, 1.2),
        measures.between("slope, matrix exponential", softmax, -inf, 0.5),
    ]
    halved = seldom(
        "share of runs whose excess does not halve in two passes", frame["halved"] < 1, 2 * MISSED
    )
    return [*checks, halved]


def threshold(frame: pd.DataFrame) -> list[Verdict]:
    """Return the checks of robust-and-private/threshold-lemma: hypothesis, conclusion, operating point."""
    asked = frame["clean"] <= LITTLE
    far, figure = frame["distance"] >= sweeps.LEMMA_AT[-2], frame["distance"] == sweeps.LEMMA_AT[0]
    concluded, seen = frame[asked], frame[frame["distance"] >= SEEN_FROM]
    fails = {
        "the hypothesis fails from 100 on": ~asked[far],
        "(12) fails where the hypothesis holds": concluded["stays"] > LEFT,
        "(13) fails where the hypothesis holds": concluded["bad over good"] < 1,
        "(12) or (13) fails from 10 on": (seen["stays"] > LEFT) | (seen["bad over good"] < 1),
        "the hypothesis holds at the cluster of Figure 1": asked[figure],
    }
    return [
        measures.seldom(name, failed, MISSED, "in 5 % of runs at most", factor=NOTICED_TIMES)
        for name, failed in fails.items()
        if len(failed)
    ]


def single_directions(frame: pd.DataFrame) -> list[Verdict]:
    """Return the checks of robust-and-private/single-directions."""
    most = NEAR * limit(sweeps.CORRUPTION)
    return small_errors(frame, "filter", most, sweeps.FILTER)


def heavy_tails(frame: pd.DataFrame) -> Verdict:
    """Return the checks of robust-and-private/heavy-tails-prime."""
    above = frame["heavy"] > HEAVY * np.sqrt(frame["corruption"])
    return seldom("share of errors above 1.5 √corruption", above)


def rounds_are_few() -> Verdict:
    """Return the checks: with ⌊ln d⌋ rounds some round of an epoch without noise scores above λ/5.5."""
    scores = {d: theory.score_after(max(1, int(log(d))), d) for d in (10, 20, 50)}
    worst = min(scores.values())
    return Verdict(
        status=Status.HOLDS if worst > 1 / theory.FIRE else Status.REFUTED,
        test="formula", level=claim_level(), trials=len(scores), estimate=worst, interval=(worst, worst),
        bound=1 / theory.FIRE, id="Ψ/λ after ⌊ln d⌋ rounds",
        detail={"needed": {str(d): theory.rounds_needed(d) for d in scores}},
    )  # fmt: skip


def rounds_in_order() -> list[Verdict]:
    """Return the checks: rounds over ln d rise, and never above the constant of the step."""
    over = [theory.rounds_needed(d) / log(d) for d in ORDERS]
    most = 1 / theory.step_size(1.0)
    checks = [
        measures.between(f"rounds over ln d, d = {d:g}", measures.known(one), 0.0, most)
        for d, one in zip(ORDERS, over, strict=True)
    ]
    last = measures.known(over[-1] / over[-2])
    return [*checks, measures.between("the last over the one before", last, 1.0, SETTLED)]
