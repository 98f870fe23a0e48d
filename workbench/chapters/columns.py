"""One column before it is used: what a release tells of a row, and how far five private means would be off.

Everything follows from public numbers: how many rows there are, a range, a usual spread, ε and δ. No row is
read, and what is simulated runs on a synthetic column of as many rows.
"""

from collections.abc import Mapping
from functools import cache
from math import inf

import numpy as np

from workbench.chapters.what_epsilon_means.attacks import most_advantage
from workbench.chapters.what_epsilon_means.densities import believed
from workbench.charts.curves import Chart, Mark, Panel, Series, number
from workbench.charts.style import METHODS
from workbench.errors import ArgumentError
from workbench.estimators.base import Abstention
from workbench.privacy import Budget
from workbench.study.sweeps import Run, streams, value_of
from workbench.study.trade_off import TradeOff

BOUNDED, UNBOUNDED = "univariate/bounded-mean", "univariate/unbounded-mean"
KEYS = (BOUNDED, "univariate/clipped-mean", "univariate/two-step-mean", UNBOUNDED, "univariate/median")
PRIORS = tuple(range(1, 100))  # %
CUT, LEVEL = 90, 5  # % of simulated releases that a bar holds, and those below it
NEVER = "would abstain at these numbers"


def settings(key: str, low: float, high: float, sigma: float) -> dict[str, float]:
    """Return what an estimator is told of a column between two bounds with a usual spread."""
    middle = {"centre": (low + high) / 2, "radius": (high - low) / 2, "sigma": sigma}
    return {BOUNDED: {"low": low, "high": high}, UNBOUNDED: {"sigma": sigma}}.get(key, middle)


@cache
def trade(key: str, *told: float) -> TradeOff:
    return TradeOff(key, settings=settings(key, *told))


def column(
    run: Run, *, epsilon: float = 1.0, n: int = 1000, low: float = 0.0, high: float = 1.0,
    sigma: float = 1 / 6, delta: float = 1e-6,
) -> Chart:  # fmt: skip
    """Return what a release tells of one row, beside the errors of five private means."""
    if not low < high:
        raise ArgumentError("low", low, f"a number below high = {high:g}")
    found = {key: trade(key, low, high, sigma).best(n, epsilon, delta) for key in KEYS}
    best = min(found, key=lambda key: found[key][0])
    error, right = found[best][0], 50 + 50 * most_advantage(epsilon, delta)
    told = f"ε = {number(epsilon)}, n = {number(n)}"
    return Chart(
        "column",
        f"At ε = {number(epsilon)} no attacker is right in more than {right:.0f} of 100 rounds",
        (_risk(epsilon, delta, right), _errors(run, found, (n, low, high, sigma))),
        alt="Left, a band of beliefs after a release against the belief before it. Right, an error bar for"
        " each of five private means.",
        how_to_read="Left, the wider the band, the more a release may tell of one row. Right, the shorter a"
        " bar the better: half of all releases are within it.",
        caption=f"{told}: {METHODS[best].name} has the least error, {number(error)} or less in"
        f" {'half' if best != BOUNDED else '90 %'} of its releases."
        if error < inf
        else f"{told}: every one of them {NEVER}.",
    )


def _risk(epsilon: float, delta: float, right: float) -> Panel:
    before = np.array(PRIORS) / 100
    least, most = (100 * believed(before, sign * epsilon) for sign in (-1, 1))
    band = Series("as before", PRIORS, PRIORS, least, most, "reference", "idea/data")
    here = Mark(
        f"{right:.0f} of 100", "point", 50, 100 * float(believed(np.array(0.5), epsilon)), side="left"
    )
    return Panel(
        "what may be believed of one row after the release", "belief before (%)", "belief after (%)", [band],
        "linear", "linear", xlim=(0, 100), ylim=(0, 100), marks=[here],
        note=f"But for a chance of δ = {number(delta)}.",
    )  # fmt: skip


def _errors(
    run: Run, found: Mapping[str, tuple[float, Budget]], public: tuple[int, float, float, float]
) -> Panel:
    places = range(1, len(KEYS) + 1)
    middle, errors = (public[1] + public[2]) / 2, [found[key][0] for key in KEYS]
    top, bottom = ([middle + sign * one for one in errors] for sign in (1, -1))
    series = [Series("", places, top, bottom, role="bars", colour_key="idea/noise")]
    if run.simulate:
        count = run.most or 200
        centre, least, most = np.transpose([_simulated(key, found[key][1], public, count) for key in KEYS])
        series.append(Series("", places, centre, least, most, colour_key="idea/data", joined=False))
    abstain = [METHODS[key].name for key, error in zip(KEYS, errors, strict=True) if error == inf]
    never = f"{', '.join(abstain)}: {NEVER}." if abstain else ""
    names = [f"{METHODS[one].name}{' (proved, any rows)' if one == BOUNDED else ''}" for one in KEYS]
    return Panel(
        "what five means would release of a column in the middle of the range", "", "released mean",
        series, "linear", "linear", names=tuple(names), note=never,
    )  # fmt: skip


def _simulated(
    key: str, budget: Budget, public: tuple[int, float, float, float], count: int
) -> tuple[float, float, float]:
    """Return the median and the bar of releases about synthetic columns; infinite where it abstains."""
    n, *told = public
    low, high, sigma = told
    data, noise = streams(17, f"own column, {key}")
    estimator = trade(key, *told).candidate.estimator
    middle = (low + high) / 2
    columns = np.clip(middle + sigma * data.standard_normal((count, n)), low, high)
    try:
        values = [value_of(estimator, rows, budget, noise) for rows in columns]
    except ArgumentError:
        return inf, inf, inf
    found = [inf if isinstance(one, Abstention) else float(one) for one in values]
    least, centre, most = np.percentile(found, (LEVEL, 50, LEVEL + CUT), method="nearest")
    return float(centre), float(least), float(most)


def call(n: int, epsilon: float, delta: float, **told: float) -> str:
    """Return the call of the estimator with the least error, for a column x with what is known of it."""
    public = told["low"], told["high"], told["sigma"]
    found = {key: trade(key, *public).best(n, epsilon, delta) for key in KEYS}
    key = min(KEYS, key=lambda key: found[key][0])
    named = ", ".join(f"{name}={value:g}" for name, value in settings(key, *public).items())
    made = type(trade(key, *public).candidate.estimator).__name__
    return f"{made}({named})(x, budget={found[key][1]!r}, rng=np.random.default_rng())"
