"""Everything that the notebook `00_start_here` shows: a real column, and what applies to it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cache
from math import sqrt

import numpy as np
import pandas as pd

from workbench.catalog import CATALOG
from workbench.errors import ArgumentError
from workbench.estimators import Abstention, Estimator
from workbench.lab.charts import Chart, Panel, Series
from workbench.privacy import ApproxDP, Budget, PureDP
from workbench.study.profiles import blocks
from workbench.study.streams import Role, stream

CLAIMS = ("M21.1",)
KNOWN = {"centre": 35.0, "radius": 25.0, "sigma": 5.0}  # of a body-mass index, before seeing any
COLUMN, UNIT = "bmi", "kg/m²"
DELTA = 1e-6
EPSILONS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
RUNS = {profile: 100 * count for profile, count in blocks(full=10).items()}
HALF = 0.25  # of the width of a bar
LABEL = "released body-mass index (kg/m²)"


@cache
def patients() -> pd.DataFrame:
    """Return the 442 patients of the diabetes data that come with scikit-learn, in their own units."""
    from sklearn.datasets import load_diabetes  # type: ignore[import-untyped]

    table: pd.DataFrame = load_diabetes(as_frame=True, scaled=False).data
    return table


def column() -> np.ndarray:
    """Return the body-mass index of every patient."""
    return patients()[COLUMN].to_numpy(np.float64)


@dataclass(frozen=True)
class Candidate:
    """An estimator of the mean with what is publicly known, and the budget it takes."""

    key: str
    estimator: Estimator
    budget: Budget


def candidates(n: int, epsilon: float) -> tuple[Candidate, ...]:
    """Return every estimator of a mean that takes n rows of one column at (ε, 1e-6), or at ε alone."""
    found = (_candidate(key, n, epsilon) for key, entry in CATALOG.items() if entry.estimand == "mean")
    return tuple(candidate for candidate in found if candidate is not None)


def _candidate(key: str, n: int, epsilon: float) -> Candidate | None:
    kind = type(CATALOG[key].estimator)
    known = {field.name for field in fields(kind)} & KNOWN.keys()  # type: ignore[arg-type]
    estimator = kind(**{name: KNOWN[name] for name in known})
    for budget in (ApproxDP(epsilon, DELTA), PureDP(epsilon)):
        try:
            estimator.plan(n, 1, budget)
        except ArgumentError:
            continue
        return Candidate(key, estimator, budget)
    return None


def released(one: Candidate, x: np.ndarray, runs: int, rng: np.random.Generator) -> np.ndarray:
    """Return what fresh noise makes of the same rows; NaN where there is no answer."""
    values = [one.estimator(x, budget=one.budget, rng=rng).value for _ in range(runs)]
    return np.array([_number(value) for value in values])


def _number(value: object) -> float:
    return np.nan if isinstance(value, Abstention) else float(np.ravel(value)[0])  # type: ignore[call-overload]


def side_by_side(profile: str, seed: int) -> Chart:
    """Return what every applicable estimator releases for the whole column at ε = 1, over fresh noise."""
    x, noise = column(), stream(seed, Role.NOISE, "side-by-side", 0, 0)
    spread = {one.key: released(one, x, RUNS[profile], noise) for one in candidates(len(x), 1.0)}
    return Chart(
        "side_by_side",
        f"One column at ε = 1, δ ≤ {DELTA:g}: what is released",
        (_strip(x, spread),),
        alt="For every estimator of the mean that applies, the middle and the central 90 % of what it"
        " releases for the same 442 rows. All are centred near the plain mean; the clipped means spread"
        " widest, those that first look for the data spread least.",
        how_to_read="The rows are the same in every run; only the noise is fresh. A marker is the median of"
        " what is released, its bar holds 90 % of the releases. The black line is the plain mean, which"
        " nobody may see; the grey lines are one standard error of it: a bar inside them costs less than"
        " sampling did. The median is off the line because the column is skewed: it is another number.",
    )


def _strip(x: np.ndarray, spread: dict[str, np.ndarray]) -> Panel:
    mean, error = float(x.mean()), float(x.std() / sqrt(len(x)))
    ends = (0.5, len(spread) + 0.5)
    series = [Series("plain mean", ends, (mean, mean), role="reference", colour_key="non-private")]
    for label, side in (("± its standard error", 1), ("", -1)):
        series.append(Series(label, ends, (mean + side * error,) * 2, role="reference"))
    for place, (key, values) in enumerate(spread.items(), start=1):
        found = values[np.isfinite(values)]
        if len(found):
            low, middle, high = np.quantile(found, (0.05, 0.5, 0.95))
            bar = (place - HALF, place + HALF)
            label = f"{place} {_name(key)}"
            series.append(Series(label, bar, (middle,) * 2, (low,) * 2, (high,) * 2, colour_key=key))
    return Panel("", "estimator, in the order of the catalog", LABEL, tuple(series), xscale="linear",
                 yscale="linear", xlim=ends, ylim=(mean - 12 * error, mean + 12 * error))  # fmt: skip


def _name(key: str) -> str:
    family, _, name = key.partition("/")
    words = name.replace("-", " ").replace("coinpress", "CoinPress")
    return words if family == "univariate" else f"{words} {family}, d = 1"


def price(profile: str, seed: int) -> Chart:
    """Return how far the noise moves the release, against ε, in standard errors of the plain mean."""
    x = column()
    error = x.std() / sqrt(len(x))
    keys = ("univariate/clipped-mean", "univariate/two-step-mean", "univariate/unbounded-mean")
    series = [Series("one standard error", (EPSILONS[0], EPSILONS[-1]), (1, 1), role="reference")]
    for key in keys:
        noise = stream(seed, Role.NOISE, key, 0, 0)
        runs = [_distances(key, x, epsilon, RUNS[profile], noise) / error for epsilon in EPSILONS]
        low, middle, high = np.quantile(runs, (0.25, 0.5, 0.75), axis=1, method="nearest")
        series.append(Series(_name(key), EPSILONS, middle, low, high, colour_key=key))
    panel = Panel("", "ε", "distance (standard errors)", tuple(series),
                  note=f"Median, middle half of the runs. δ = {DELTA:g} where it is used.")  # fmt: skip
    return Chart(
        "price",
        "What privacy adds to the error of 442 rows",
        (panel,),
        alt="The median distance between released and plain mean against ε, both logarithmic, for three"
        " estimators. All fall; the one that cuts at the whole range lies highest for large ε, and the others"
        " fall below one standard error of the plain mean.",
        how_to_read="Below the grey line privacy adds less than one standard error of the plain mean: the"
        " price drowns in what the sample leaves open anyway. To the left of ε = .5 the two means that look"
        " first can afford little more than the look itself: a median, which for a skewed column is another"
        " number than the mean, whatever the noise.",
    )


def _distances(key: str, x: np.ndarray, epsilon: float, runs: int, rng: np.random.Generator) -> np.ndarray:
    one = _candidate(key, len(x), epsilon)
    if one is None:
        return np.full(runs, np.inf)
    values = released(one, x, runs, rng)
    return np.where(np.isnan(values), np.inf, np.abs(values - x.mean()))


def side_by_side_view(seed: int) -> Callable[..., Iterator[Chart]]:
    """Return the view of `explore`: the plain mean at once, then more and more releases."""

    def view(epsilon: float, n: int) -> Iterator[Chart]:
        x = stream(seed, Role.DATA, "view", n, 0).choice(column(), n, replace=False)
        found = candidates(n, epsilon)
        noise = stream(seed, Role.NOISE, "view", n, 0)
        spread = {one.key: np.array([]) for one in found}
        yield _view_chart(x, spread, epsilon)
        for runs in (4, 8, 16, 32):
            for one in found:
                spread[one.key] = np.append(spread[one.key], released(one, x, runs, noise))
            yield _view_chart(x, spread, epsilon)

    return view


def _view_chart(x: np.ndarray, spread: dict[str, np.ndarray], epsilon: float) -> Chart:
    runs = max(map(len, spread.values()), default=0)
    shown = {key: values for key, values in spread.items() if len(values)}
    silent = [_name(key) for key, values in shown.items() if np.isnan(values).mean() > 0.5]
    said = f" Mostly no answer: {', '.join(silent)}." if silent else ""
    return Chart(
        "side_by_side_view",
        f"ε = {epsilon:g}, {len(x)} rows",
        (_strip(x, shown or {"": np.array([])}),),
        alt="What every estimator releases for the chosen rows, over fresh noise.",
        caption=f"{len(spread)} estimators take {len(x)} rows at this budget; {runs} releases each.{said}",
    )


def ledger_lines(entries: Sequence[tuple[str, Budget]], budget: Budget) -> str:
    """Return a ledger as text: one line for each release, and what it may add up to."""
    lines = [f"{name:<24} {cost}" for name, cost in entries]
    return "\n".join([*lines, f"{'at most, in all':<24} {budget}"])


__all__ = ["CLAIMS", "ledger_lines", "patients", "price", "side_by_side", "side_by_side_view"]
