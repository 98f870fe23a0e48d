"""With too few rows a plain private mean beats a filter: Figure 2 of LKKO21, and from which n a filter pays.

A run of a searched crossover (`scalings.lkko21`) is the error of mean/prime over that of mean/coinpress on
the same rows; n is where half of the runs have it below 1.
"""

from collections.abc import Mapping
from math import inf, log, sqrt

import numpy as np
import pandas as pd
from numpy.random import Generator

from workbench.bounds.search import smallest
from workbench.chapters.robust_and_private import duel
from workbench.chapters.robust_and_private.adversaries import (
    CORRUPTION,
    DELTA,
    PLACES,
    RADIUS,
    corrupted,
    error,
)
from workbench.chapters.robust_and_private.planted import (
    BOX,
    ERROR,
    MISSED,
    PRIME,
    ROBUST,
    medians,
    plain_error,
    sweep,
)
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.curves import covering, measured, predicted
from workbench.charts.style import name, number
from workbench.estimators.clipped import ClippedBoxMean
from workbench.estimators.prime import PrimeMean
from workbench.estimators.robust import RobustMean
from workbench.privacy import ApproxDP
from workbench.study import measures
from workbench.study.claim import Claim
from workbench.study.grids import Sweep, grid, multiples, resampler
from workbench.study.measures import Measure, median_ratio
from workbench.study.profiles import blocks, claim_level
from workbench.study.rules import Verdict
from workbench.study.run import Row, Run, each_trial
from workbench.types import Columns

NAMES = (*duel.PLAIN, *duel.ROBUST[1:])
CLEAN, CLUSTER, COINPRESS = "none", "shift-ones", "mean/coinpress"
SHOWN_N = (100, 200, 500, 1000, 2000, 5000, 10_000, 30_000)
DECADE = 100  # steps of the search for rows
FEW, HARMLESS = (3000, 10_000), 1.10


# What is run


@each_trial
def source_constants(n: int, d: int, *, data: Generator, noise: Generator) -> Row:
    """Measure PRIME with the constants of the source, and the plain mean in a box, on planted rows."""
    theta = data.uniform(-PLACES, PLACES, d)
    rows = corrupted(data.standard_normal((n, d)), CLUSTER, CORRUPTION, data) + theta
    paper = PrimeMean(radius=RADIUS, corruption=CORRUPTION, calibration="paper", sigma=1.0)
    chosen = {"prime": paper, "box": ClippedBoxMean(radius=RADIUS, sigma=1.0)}
    return {name: error(one, rows, theta, ApproxDP(1.0, DELTA), noise) for name, one in chosen.items()}


def few(n: int, *, trials: int, data: Generator, noise: Generator) -> Columns:
    """Measure mean/robust with and without the filter, on clean and planted rows, with the same noise."""
    found: Columns = {}
    for column, attack in (("clean", CLEAN), ("planted", CLUSTER)):
        pairs = np.empty((trials, 2))
        for trial in range(trials):
            x = corrupted(data.standard_normal((n, duel.D)), attack, CORRUPTION, data)
            mean, seed = data.uniform(-PLACES, PLACES, duel.D), int(noise.integers(2**63))
            for side, corruption in enumerate((CORRUPTION, 0.0)):
                estimator = RobustMean(radius=RADIUS, corruption=corruption, sigma=1.0)
                same = np.random.default_rng(seed)
                pairs[trial, side] = error(estimator, x + mean, mean, ApproxDP(1.0, DELTA), same)
        found |= {f"{column} filter": pairs[:, 0], f"{column} plain": pairs[:, 1]}
    return found


def over_coinpress(
    n: int, corruption: float, epsilon: float, *, trials: int, data: Generator, noise: Generator
) -> Columns:
    """Measure the error of mean/prime over that of mean/coinpress, both given the same."""
    fighters, budget = duel.fighters(duel.D, corruption), ApproxDP(epsilon, DELTA)
    ratio = np.empty(trials)
    for trial in range(trials):
        theta = data.uniform(-PLACES, PLACES, duel.D)
        x = corrupted(data.standard_normal((n, duel.D)), CLUSTER, corruption, data) + theta
        ours, plain = (error(fighters[name], x, theta, budget, noise) for name in (PRIME, COINPRESS))
        ratio[trial] = ours / plain
    return {"error": ratio, "abstained": np.isinf(ratio)}


SIZES = sweep("sizes", 10, 5, epsilon=1.0, n=(1000, 3000, 10_000, 30_000), attack=[CLEAN, CLUSTER])
SOURCE = Sweep("lkko21-source-constants", grid(n=(1000, 10_000), d=10), source_constants, 60, blocks(5))
FEWER = Sweep("lkko21-robust-few", grid(n=FEW), few, 40, blocks(25) | {"quick": 1})
CROSSOVER = Sweep(
    "lkko21-crossover",
    grid(attack=(CLEAN, CLUSTER), n=SHOWN_N, corruption=CORRUPTION, epsilon=duel.EPSILON, who="private"),
    duel.fights,
    20,
    blocks(3),
)


# What is predicted


def rows_to_filter(d: int, corruption: float, budget: ApproxDP) -> int:
    """Return about the n from which mean/robust, by its public rule, pays for a filter."""
    one = RobustMean(radius=RADIUS, corruption=corruption, sigma=1.0)

    def pays(step: int) -> bool:
        return one.filters(round(10 ** (step / DECADE)), d, budget)

    return round(10 ** (smallest(pays, DECADE) / DECADE))


# What is shown


def figure_2(
    run: Run,
    *,
    corruption: float = CORRUPTION,
    epsilon: float = duel.EPSILON,
    delta: float = DELTA,
    d: int = duel.D,
) -> Chart:
    """Return Figure 2: error against n, planted and clean (and where the plain means stop winning)."""
    budget = ApproxDP(epsilon, delta)
    here = rows_to_filter(d, corruption, budget)
    factor = here / rows_to_filter(duel.D, CORRUPTION, ApproxDP(duel.EPSILON, DELTA))
    ns = multiples(SHOWN_N, factor)
    points = grid(attack=(CLEAN, CLUSTER), n=ns, corruption=corruption, epsilon=epsilon, who="private")
    frame = run.table(CROSSOVER.moved(points, d=d, delta=delta))
    pulled, plain = ({n: plain_error(n, d, a, budget) for n in ns} for a in (corruption, 0.0))
    chosen = duel.fighters(d, corruption)
    expected = {
        key: {n: float(chosen[key].predicted_error(n, d, budget)) for n in ns} for key in NAMES if key != BOX
    }
    sampling = {n: sqrt(d / n) for n in ns}
    title = f"a planted cluster, ξ = {number(corruption)}"
    note = f"d = {d}, ε = {number(epsilon)}, δ = {number(delta)}."
    return Chart(
        "figure_2",
        "With too few rows a plain private mean beats the filter",
        (
            _against_n(run, frame, CLUSTER, title, {BOX: pulled}, sampling, note),
            _against_n(run, frame, CLEAN, "no corrupted rows", {BOX: plain, **expected}, sampling, note),
        ),
        alt="Two panels of median error against n. With a planted cluster the plain means level off at the"
        " cluster's pull, near 0.24 and 0.19; PRIME and the row-by-row filter are above"
        " CoinPress below one or two thousand rows and fall below it after that. Without corruption CoinPress"
        " is never far from the best.",
        how_to_read="Left, the plain means end at the cluster's pull, which no n reduces. Right, what"
        " robustness costs when no row is corrupted. The row-by-row filter decides by a public rule whether"
        " to filter; PRIME always pays for a second moment.",
    )


def _against_n(
    run: Run,
    frame: pd.DataFrame,
    attack: str,
    title: str,
    expected: Mapping[str, Mapping[int, float]],
    sampling: Mapping[int, float],
    note: str,
) -> Panel:
    rows = measures.at(frame, attack=attack)
    found = {key: medians(rows, key, "n") for key in NAMES}
    series = list[Series]()
    for key, one in found.items():
        foreseen = {n: e if np.isfinite(e) else np.nan for n, e in expected.get(key, {}).items()}
        series.append(measured(name(key), one, key, [foreseen[int(n)] for n in one] if foreseen else None))
        series += predicted(run, foreseen, foreseen.values(), key) if foreseen else ()
    series.append(Series("sampling", sampling, sampling.values(), role="reference", colour_key="non-private"))
    marks = [one for key in (PRIME, ROBUST) for one in _crossed(found, key)] if attack == CLUSTER else []
    ends = covering((0.01, 10), series)
    return Panel(title, "rows n", ERROR, tuple(series), ylim=ends, marks=tuple(marks), note=note)


def _crossed(found: Mapping[str, Mapping[float, Measure]], key: str) -> list[Mark]:
    """Return the n from which one of them errs less than CoinPress for good, as a mark, if there is one."""
    n = crossover({n: one.estimate / found[COINPRESS][n].estimate for n, one in found[key].items()})
    if not 0 < n < inf:
        return []
    said = number(float(f"{n:.2g}"))
    if key == PRIME:
        return [Mark(f"PRIME: from {said}", "vertical", x=n, y=5.0, side="right")]
    return [Mark(f"filter: from {said}", "vertical", x=n, y=0.03, side="left")]


def crossover(ratios: Mapping[float, float]) -> float:
    """Return the n from which a ratio stays below 1, between points on a straight line in logarithms.

    >>> round(crossover({100: 4.0, 400: 0.25})), crossover({100: 0.5}), crossover({100: 2.0})
    (200, 0, inf)
    """
    ns, values = list(ratios), [log(ratio) for ratio in ratios.values()]
    above = [place for place, value in enumerate(values) if value >= 0]
    if not above:
        return 0
    if above[-1] == len(ns) - 1:
        return inf
    low, high = above[-1], above[-1] + 1
    share = values[low] / (values[low] - values[high])
    return float(ns[low] * (ns[high] / ns[low]) ** share)


# What is claimed


def many_rows(frame: pd.DataFrame) -> list[Verdict]:
    rows = measures.at(frame, attack=CLUSTER)
    prime, box = (medians(rows, column, "n", claim_level()) for column in ("prime", "box"))
    return [
        measures.between(f"over the plain mean, n = {n}", measures.ratio(prime[n], box[n]), 0.0, 0.5, n=n)
        for n in (10_000, 30_000)
    ]


def plain_wins(frame: pd.DataFrame) -> list[Verdict]:
    """Return the checks: how often the plain mean is not better."""
    words = "in 5 % of runs at most"
    return [
        measures.seldom(f"PRIME is better, n = {n:g}", rows["prime"] < rows["box"], MISSED, words, factor=4.0)
        for n, rows in measures.by(frame, "n").items()
    ]


def few_rows(frame: pd.DataFrame, seed: int) -> list[Verdict]:
    checks = []
    for n in FEW:
        rows = measures.at(frame, n=n)
        for kind in ("clean", "planted"):
            most = 0.5 if (n, kind) == (3000, "planted") else HARMLESS
            filtered, plain = (rows[f"{kind} {side}"].to_numpy() for side in ("filter", "plain"))
            said = f"median over that of the plain mean, {kind}, n = {n}"
            rng = resampler(seed, said)
            checks.append(median_ratio(said, filtered, plain, 0.0, most, claim_level(), rng, n=n))
    return checks


CLAIMS = (
    Claim(
        "robust-and-private/better-from-many-rows",
        "P5",
        ("LKKO21/Fig2",),
        "d = 10, (1, .01)-DP: from n = 1e4 on the median error of mean/prime is at most half that of"
        " mean/clipped-box on planted rows.",
        sweeps=lambda: (SIZES,),
        checks=many_rows,
    ),
    Claim(
        "robust-and-private/plain-wins-few-rows",
        "P5.2",
        ("LKKO21/Fig2",),
        "The same with the source's own constants, n = 1000, 1e4: the plain mean is better in 95 % of runs."
        " PRIME gives no answer there; where ours pays, robust-and-private/prime-pays-from says.",
        sweeps=lambda: (SOURCE,),
        checks=plain_wins,
    ),
    Claim(
        "robust-and-private/few-rows-harmless",
        "R4",
        ("LKKO21/Asm1",),
        "(1, .01)-DP, d = 10, n = 3e3, 1e4: the median error of mean/robust is at most 1.10 times that of the"
        " plain mean in a ball with the same noise on the same rows, clean and planted, and half of it at"
        " most on planted rows at n = 3e3.",
        sweeps=lambda: (FEWER,),
        checks=few_rows,
        kind="ours",
    ),
)
