"""Figures 1 and 2 of LKKO21 with our constants and sizes, and the error against the corrupted share."""

from collections.abc import Mapping
from math import log, sqrt

import numpy as np
import pandas as pd

from workbench.bounds.corruption import mean_limit
from workbench.chapters.robust_and_private.claims.prime import medians
from workbench.chapters.robust_and_private.runs import duel
from workbench.chapters.robust_and_private.runs import prime as sweeps
from workbench.chapters.robust_and_private.runs import robust as robust_sweeps
from workbench.charts.bands import measured
from workbench.charts.chart import Chart, Panel, Series
from workbench.study import measures
from workbench.study.measures import Measure
from workbench.study.sweeps.sweep import run

LEVEL = 0.05  # of all bands of one curve together
PRIME, BOX, ROBUST, COINPRESS = "mean/prime", "mean/clipped-box", "mean/robust", "mean/coinpress"
FREE = "non-private"
ERROR, LIMIT = "median error (σ)", "α √ln(1/α)"
COLUMNS = {"prime": PRIME, "box": BOX}


def figure_1(profile: str, seed: int) -> Chart:
    """Return Figure 1: against d with much and with little corruption, and against ε."""
    return Chart(
        "figure_1",
        "Figure 1: a twentieth of the rows, one in a thousand, and ever less privacy",
        (_much(profile, seed), _little(profile, seed), _epsilons(profile, seed)),
        alt="Three panels of median error. (a) Against d at corruption .05: the plain private mean rises as"
        " the root of d to more than half a standard deviation, mean/prime and mean/robust stay below the"
        " dashed limit. (b) At corruption .001 both rise as the root of d over n, the plain mean above from"
        " d = 20 on. (c) Against ε: the plain mean is nearly flat, mean/prime is far below it for large ε"
        " and climbs to it for small ones.",
        how_to_read="Good curves stay at or below the dashed line, α √ln(1/α): against the worst adversary"
        " no estimator of robust means beats it by more than a constant. (a) The cluster is 1.5 away in"
        " every coordinate, so that its pull on the plain mean is .075 √d; the source goes to d = 100 at n ="
        " 10⁶. (b) Hardly any corruption: the dashed line is √(d/n), what sampling costs, and there is"
        " little to win. (c) ε from .05 to 10: the plain mean errs by the cluster's pull at every ε, and by"
        " noise at the least, mean/prime by less until the noise hides the cluster from it. The parameters"
        " of (b) and (c) are recalled, the numbers are ours.",
    )


def _much(profile: str, seed: int) -> Panel:
    frame = run(sweeps.PLANTED, profile, seed=seed)
    series = [measured(key, medians(frame, name, "d", LEVEL), key) for name, key in COLUMNS.items()]
    series.append(measured(ROBUST, _robust(profile, seed), ROBUST))
    clean = medians(frame, "clean", "d", LEVEL)
    series.append(_reference("mean of the clean rows", {d: one.estimate for d, one in clean.items()}))
    series += [
        Series(
            "cluster's pull, .075 √d", clean, [0.075 * sqrt(d) for d in clean], role="theory", colour_key=BOX
        ),
        _limit(clean, sweeps.CORRUPTION),
    ]
    note = "Six directions pooled; ε = 10, δ = .01, n = 10⁵."
    return Panel("(a) α = .05", "d", ERROR, tuple(series), note=note)


def _robust(profile: str, seed: int) -> dict[float, Measure]:
    found: dict[float, Measure] = {}
    for sweep in (robust_sweeps.PLANTED_LOW, robust_sweeps.PLANTED_HIGH):
        for d, rows in measures.by(run(sweep, profile, seed=seed), "d").items():
            pooled = np.concatenate([rows[name].to_numpy() for name in robust_sweeps.DIRECTIONS])
            found[d] = measures.median(pooled, LEVEL / 4)
    return dict(sorted(found.items()))


def _little(profile: str, seed: int) -> Panel:
    frame = run(sweeps.SMALL, profile, seed=seed)
    series = [measured(key, medians(frame, name, "d", LEVEL), key) for name, key in COLUMNS.items()]
    grid = sorted(measures.by(frame, "d"))
    series.append(Series("√(d/n)", grid, [sqrt(d / sweeps.N) for d in grid], role="theory", colour_key=FREE))
    return Panel("(b) α = .001", "d", ERROR, tuple(series), note="ε = 10, δ = .01, n = 10⁵.")


def _epsilons(profile: str, seed: int) -> Panel:
    frame = run(sweeps.EPSILONS, profile, seed=seed)
    series = [measured(key, medians(frame, name, "epsilon", LEVEL), key) for name, key in COLUMNS.items()]
    series.append(_limit(measures.by(frame, "epsilon"), 0.1))
    return Panel("(c) α = .1, d = 10", "ε", ERROR, tuple(series), note="δ = .01, n = 10⁴.")


def _limit(places: Mapping[float, object], corruption: float) -> Series:
    return Series(LIMIT, places, [sweeps.limit(corruption)] * len(places), role="theory", colour_key=PRIME)


def _reference(label: str, values: Mapping[float, float]) -> Series:
    return Series(label, values, values.values(), role="reference", colour_key=FREE)


def figure_2(profile: str, seed: int) -> Chart:
    """Return Figure 2: error against n, planted and clean, and where the plain means stop winning."""
    frame = run(duel.CROSSOVER, profile, seed=seed)
    panels = tuple(
        _against_n(measures.at(frame, attack=attack), title)
        for attack, title in (("shift-ones", "(a) planted, α = .05"), ("none", "(b) nobody cheats"))
    )
    return Chart(
        "figure_2",
        "Figure 2: with too few rows, plain private means win",
        panels,
        alt="Two panels of median error against n. With a planted cluster the plain means level off at the"
        " cluster's pull, near .24 and .19; mean/prime and mean/robust are above mean/coinpress below one or"
        " two thousand rows and fall below it after that. Without corruption mean/coinpress is never far"
        " from the best.",
        how_to_read="Plain means are hollow. Left, their flat end is the cluster's pull, which no n reduces:"
        " mean/coinpress clips harder and loses a little less. Where a robust curve crosses a plain one is"
        " the n below which noise does more harm than the adversary: the note names it. Right, the same"
        " without an adversary: what robustness costs when it was not needed. mean/robust decides by a"
        " public rule, from n, d and ε alone, whether the filter is worth its price; mean/prime always pays"
        " for a look. d = 10, ε = 1, δ = .01.",
    )


def _against_n(rows: pd.DataFrame, title: str) -> Panel:
    names = (*duel.PLAIN, *duel.ROBUST[1:])
    found = {name: medians(rows, name, "n", LEVEL) for name in names}
    series = [measured(name, one, name + ":plain" * (name in duel.PLAIN)) for name, one in found.items()]
    plain = {n: sqrt(duel.D / n) for n in found[PRIME]}
    series.append(_reference("√(d/n)", plain))
    note = "; ".join(_crossed(found, name, other) for name in (PRIME, ROBUST) for other in duel.PLAIN)
    return Panel(title, "rows n", ERROR, tuple(series), ylim=(0.01, 10), note=f"{note}.")


def _crossed(found: Mapping[str, Mapping[float, Measure]], name: str, other: str) -> str:
    n = crossover({n: one.estimate / found[other][n].estimate for n, one in found[name].items()})
    said = (
        "at no n for good" if n == np.inf else f"from n = {float(f'{n:.2g}'):.0f} on" if n else "at every n"
    )
    return f"{name.partition('/')[2]} beats {other.partition('/')[2]} {said}"


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
        return np.inf
    low, high = above[-1], above[-1] + 1
    share = values[low] / (values[low] - values[high])
    return float(ns[low] * (ns[high] / ns[low]) ** share)


def against_corruption(profile: str, seed: int) -> Chart:
    """Return the error against the corrupted share, with the limit and with the least possible."""
    frame = run(sweeps.SHARES, profile, seed=seed)
    series = [measured(key, medians(frame, name, "corruption", LEVEL), key) for name, key in COLUMNS.items()]
    shares = np.geomspace(0.01, 0.1, 13)
    least = [mean_limit(float(a)) for a in shares]
    series += [
        Series(LIMIT, shares, [sweeps.limit(float(a)) for a in shares], role="theory", colour_key=PRIME),
        Series("least against the worst adversary", shares, least, role="theory", colour_key=FREE),
        Series("cluster's pull, 1.5 α √d", shares, 1.5 * sqrt(20) * shares, role="theory", colour_key=BOX),
        _reference("mean of the clean rows", _clean(frame)),
    ]
    panel = Panel("", "corrupted share α", ERROR, tuple(series), note="d = 20, n = 10⁵, ε = 10, δ = .01.")
    return Chart(
        "against_corruption",
        "Error against corruption",
        (panel,),
        alt="Median error against the corrupted share, logarithmic. The plain private mean follows the"
        " cluster's pull, in proportion to the share; mean/prime stays near the clean rows' error and below"
        " the dashed limit α √ln(1/α).",
        how_to_read="A line of slope 1 is the fate of a mean that looks at all rows alike. The dashed line"
        " below it is α √ln(1/α), the error that the theorem promises but for a constant. The black dashed"
        " line is Φ⁻¹(1/2 + α): the worst adversary forces that error on every estimator. The planted cluster"
        " is not the worst: where a filter finds it, errors fall below both lines, towards the black solid"
        " one, the error of the mean of the rows before the adversary came, which nobody sees.",
    )


def _clean(frame: pd.DataFrame) -> dict[float, float]:
    return {a: one.estimate for a, one in medians(frame, "clean", "corruption", LEVEL).items()}
