"""What is spent and what it costs: a ledger as a picture, and the price of privacy at 442 rows."""

from collections.abc import Callable
from math import sqrt

import numpy as np

from workbench.chapters.start_here.means import DELTA, RUNS, candidate, column, released
from workbench.charts.chart import Chart, Panel, Series
from workbench.errors import ArgumentError
from workbench.privacy import ApproxDP, Budget, Ledger, PureDP
from workbench.study.sweeps.streams import Role, stream

EPSILONS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
KEYS = {
    "univariate/clipped-mean": "clipped mean",
    "univariate/two-step-mean": "two-step mean",
    "univariate/unbounded-mean": "unbounded mean",
}


def spending(ledger: Ledger) -> Callable[[str, int], Chart]:
    """Return the chart of a ledger of ε or (ε, δ): every release begins where the one before it ended.

    Raises
    ------
    ArgumentError
        If the ledger's budget, or a release's, is in another currency.
    """
    total = _epsilon(ledger.budget)
    costs = [_epsilon(cost) for _, cost in ledger.entries]
    ends = np.cumsum([0.0, *costs])
    names = [*(name for name, _ in ledger.entries), "left"]
    bars = [
        Series("", (place,), (high,), (low,), (high,), colour_key=str(place - 1))
        for place, (low, high) in enumerate(zip(ends, [*ends[1:], total], strict=True), start=1)
    ]
    bars[-1] = Series("", (len(names),), (total,), (ends[-1],), (total,))
    across = (0.5, len(names) + 0.5)
    limit = Series("the budget", across, (total, total), role="reference", colour_key="non-private")
    panel = Panel(
        "", "release", "ε spent so far", (*bars, limit), xscale="linear", yscale="linear", xlim=across,
        ylim=(0.0, 1.08 * total), names=tuple(names),
    )  # fmt: skip
    chart = Chart(
        "spending",
        f"A ledger of {ledger.budget}",
        (panel,),
        alt=f"Bars one below the other: {len(costs)} releases, each beginning where the one above it ended,"
        f" together ε = {ends[-1]:g} of {total:g}; the last bar is what is left.",
        how_to_read="Every bar begins where the one above it ends: what was spent is spent, in whatever order"
        " and however the later releases were chosen. A release whose bar would cross the black line is"
        " refused before it looks at a row.",
    )
    return lambda _profile, _seed: chart


def _epsilon(budget: Budget) -> float:
    if not isinstance(budget, PureDP | ApproxDP):
        raise ArgumentError("ledger", budget, "budgets of ε or (ε, δ)")
    return budget.epsilon


def price(profile: str, seed: int) -> Chart:
    """Return how far the noise moves the release, against ε, in standard errors of the plain mean."""
    ends = (EPSILONS[0], EPSILONS[-1])
    plain = Series("one standard error", ends, (1, 1), role="reference", colour_key="non-private")
    curves = [_price(key, label, RUNS[profile], seed) for key, label in KEYS.items()]
    note = f"Markers: median of {RUNS[profile]} releases; bands: their middle half. δ = {DELTA:g} where used."
    return Chart(
        "price",
        "What privacy adds to the error of 442 rows",
        (Panel("", "ε", "distance from the plain mean", (plain, *curves), note=note),),
        alt="The median distance between released and plain mean against ε, both logarithmic, for three"
        " estimators. All fall; the one that cuts at the whole range lies highest, and the others fall below"
        " one standard error of the plain mean at ε of about 0.6.",
        how_to_read="The distance is in standard errors of the plain mean. Below the black line privacy adds"
        " less than the sample leaves open anyway. To the left of ε = 0.5 the two means that look first can"
        " afford little more than the look itself: a median, which for a skewed column is another number"
        " than the mean, whatever the noise; so their bands are narrow there, and stay above the line.",
    )


def _price(key: str, label: str, runs: int, seed: int) -> Series:
    x, noise = column(), stream(seed, Role.NOISE, key, 0, 0)
    error = x.std() / sqrt(len(x))
    found = [_distances(key, x, epsilon, runs, noise) / error for epsilon in EPSILONS]
    low, middle, high = np.quantile(found, (0.25, 0.5, 0.75), axis=1, method="nearest")
    return Series(label, EPSILONS, middle, low, high, colour_key=key)


def _distances(key: str, x: np.ndarray, epsilon: float, runs: int, rng: np.random.Generator) -> np.ndarray:
    values = released(candidate(key, len(x), epsilon), x, runs, rng)
    return np.where(np.isnan(values), np.inf, np.abs(values - x.mean()))
