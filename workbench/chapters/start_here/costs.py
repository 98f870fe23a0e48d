"""What is spent and what it costs: a ledger as a picture, and the price of privacy at 442 rows."""

from math import sqrt

import numpy as np

from workbench.chapters.start_here.columns import ROWS, column
from workbench.chapters.start_here.means import DELTA, EPSILON, Candidate, candidate, released, trials
from workbench.charts.chart import Chart, Panel, Series
from workbench.errors import ArgumentError
from workbench.privacy import ApproxDP, Budget, Ledger, PureDP
from workbench.study.run import Run
from workbench.study.sweeps.streams import Role, stream

EPSILONS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
SPENT = {"interval for bmi": 0.5, "mean of bp": 0.3}  # release of the notebook -> its share of ε
KEYS = {
    "univariate/clipped-mean": "clipped mean",
    "univariate/two-step-mean": "two-step mean",
    "univariate/unbounded-mean": "unbounded mean",
}


def spending(run: Run, *, epsilon: float = EPSILON) -> Chart:
    """Return the chart of the notebook's ledger; nothing is run."""
    ledger = Ledger(PureDP(epsilon))
    for name, share in SPENT.items():
        ledger.charge(PureDP(share * epsilon), name)
    return spent(ledger)


def spent(ledger: Ledger) -> Chart:
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
    return Chart(
        "spending",
        f"A ledger of ε = {total:g}",
        (panel,),
        alt=f"Bars one below the other: {len(costs)} releases, each beginning where the one above it ended,"
        f" together ε = {ends[-1]:g} of {total:g}; the last bar is what is left.",
        how_to_read="Every bar begins where the one above it ends: what was spent is spent, in whatever order"
        " and however the later releases were chosen. A release whose bar would cross the black line is"
        " refused before it looks at a row.",
    )


def _epsilon(budget: Budget) -> float:
    if not isinstance(budget, PureDP | ApproxDP):
        raise ArgumentError("ledger", budget, "budgets of ε or (ε, δ)")
    return budget.epsilon


def price(run: Run, *, epsilon: float = EPSILON, delta: float = DELTA, n: int = ROWS) -> Chart:
    """Return how far the noise moves the release, round this ε, in standard errors of the plain mean."""
    epsilons = [epsilon * one for one in EPSILONS]
    ends, runs = (epsilons[0], epsilons[-1]), trials(run)
    plain = Series("one standard error", ends, (1, 1), role="reference", colour_key="non-private")
    curves = [_price(key, label, epsilons, delta, n, run) for key, label in KEYS.items()] if runs else []
    note = f"Markers: median of {runs} releases; bands: their middle half. δ = {delta:g} where used."
    usual = (epsilon, delta, n) == (EPSILON, DELTA, ROWS)
    return Chart(
        "price",
        f"What privacy adds to the error of {n} rows",
        (Panel("", "ε", "distance from the plain mean", (plain, *curves), note=note),),
        alt="The median distance between released and plain mean against ε, both logarithmic, for three"
        " estimators. All fall; the one that cuts at the whole range lies highest, and the others"
        + (
            " fall below one standard error of the plain mean at ε of about 0.6."
            if usual
            else " lower, wherever ε is enough for an answer."
        ),
        how_to_read="The distance is in standard errors of the plain mean. Below the black line privacy adds"
        f" less than the sample leaves open anyway. {'To the left of ε = 0.5' if usual else 'On the left'}"
        " the two means that look first can afford little more than the look itself: a median, which for a"
        " skewed column is another number than the mean, whatever the noise; so their bands are narrow there,"
        " and stay above the line.",
    )


def _price(key: str, label: str, epsilons: list[float], delta: float, n: int, run: Run) -> Series:
    x, noise = column(n), stream(run.seed, Role.NOISE, key, 0, 0)
    error = x.std() / sqrt(len(x))
    found = [_distances(candidate(key, n, one, delta), x, trials(run), noise) / error for one in epsilons]
    low, middle, high = np.quantile(found, (0.25, 0.5, 0.75), axis=1, method="nearest")
    return Series(label, epsilons, middle, low, high, colour_key=key)


def _distances(one: Candidate, x: np.ndarray, runs: int, rng: np.random.Generator) -> np.ndarray:
    values = released(one, x, runs, rng)
    return np.where(np.isnan(values), np.inf, np.abs(values - x.mean()))
