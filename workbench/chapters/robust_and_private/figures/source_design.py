"""Figure 1 of LKKO21 as the source has it: a million rows, d up to 100, its own calibration and baseline."""

from collections.abc import Iterable
from math import inf, isfinite, sqrt

import numpy as np
import pandas as pd

from workbench.chapters.robust_and_private.runs import source_design as study
from workbench.chapters.robust_and_private.runs.planted import pull
from workbench.chapters.robust_and_private.runs.prime import CORRUPTION, DELTA, EPSILON, limit
from workbench.charts.bands import measured
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.parameters import short
from workbench.study import measures
from workbench.study.measures import Measure
from workbench.study.run import Run

CURVES = {
    "plain": ("range found, then the mean", "mean/clipped-box"),
    "paper": ("PRIME, constants of the source", "mean/prime:paper"),
    "tight": ("PRIME, ours", "mean/prime"),
    "robust": ("mean/robust", "mean/robust"),
}
SPLIT = "paper"  # its runs do either of two things: they are shown one by one
FLAT = 1.5  # over the error at the largest ε: what still counts as flat
ERRORS = "mean error (σ)"


def figure_1_in_full(run: Run) -> Chart:
    """Return Figure 1 of LKKO21 in its own design: a million rows, d up to 100, ε down to .001."""
    against_d, against_epsilon = run.table(study.AGAINST_D), run.table(study.AGAINST_EPSILON)
    return Chart(
        "figure_1_in_full",
        "Figure 1 in full: with the source's constants PRIME filters in some runs only",
        (_dimensions(against_d), _epsilons(against_epsilon)),
        alt="Two panels of mean error. Against d the plain mean is on the cluster's pull, which grows as the"
        " root of d. Single runs of PRIME with the constants of the source lie either there or far below;"
        " PRIME with ours and the robust mean stay below the limit. Against ε PRIME with the source's"
        " constants answers from 0.2 on, with ours from 0.001.",
        how_to_read=f"Means of {study.TRIALS} runs, two standard errors to either side; an arrow: some run"
        f" gives no answer. n = {short(study.N)}, δ = {short(DELTA)}, rows N(0, I), a share ξ of them moved"
        f" by {study.SHIFT:g} in every coordinate. The plain mean finds its own box on half of the budget"
        " (Algorithm 5). PRIME is one algorithm with two sets of constants: with those of the source,"
        " recalled,"
        " the noise hides the cluster in most runs, and dots are single runs. Vertical lines: from there on"
        f" PRIME errs by at most {FLAT:g} times what it does at the largest ε.",
    )


def means(frame: pd.DataFrame, name: str, along: str) -> dict[float, Measure]:
    """Return the mean error at every value, two standard errors to either side; infinite if one run is."""
    return {value: _mean(rows[name].to_numpy()) for value, rows in measures.by(frame, along).items()}


def _mean(errors: np.ndarray) -> Measure:
    centre = float(errors.mean())
    if not isfinite(centre):
        return Measure(inf, (0.0, inf), len(errors))
    reach = 2 * float(errors.std(ddof=1)) / sqrt(len(errors))
    return Measure(centre, (max(0.0, centre - reach), centre + reach), len(errors))


def flat_from(found: dict[float, Measure]) -> float:
    """Return the least value from which on every error is at most `FLAT` times the last one's.

    >>> errors = {0.1: 9.0, 0.2: 1.4, 0.5: 1.0, 1.0: 1.0}
    >>> flat_from({value: Measure(error, (0, 9), 10) for value, error in errors.items()})
    0.2
    """
    last = max(found)
    bad = [value for value, one in found.items() if not one.estimate <= FLAT * found[last].estimate]
    return min((value for value in found if value > max(bad, default=0.0)), default=last)


def _curves(frame: pd.DataFrame, along: str) -> list[Series]:
    found = {name: means(frame, name, along) for name in CURVES}
    series = [measured(label, found[name], look) for name, (label, look) in CURVES.items() if name != SPLIT]
    label, look = CURVES[SPLIT]
    answered = frame[np.isfinite(frame[SPLIT])]
    middle = {value: one.estimate for value, one in found[SPLIT].items()}
    return [
        *series,
        Series(label, middle, middle.values(), colour_key=look),
        Series("", answered[along], answered[SPLIT], role="rows", colour_key=look),
    ]


def _limit(places: Iterable[float], corruption: float) -> Series:
    shown = list(places)
    return Series("ξ √ln(1/ξ)", shown, [limit(corruption)] * len(shown), role="theory")


def _dimensions(frame: pd.DataFrame) -> Panel:
    dims = study.DIMENSIONS
    line = Series("cluster's pull", dims, [pull(d, CORRUPTION) for d in dims], role="reference")
    series = (*_curves(frame, "d"), line, _limit(dims, CORRUPTION))
    return Panel(f"(a) ξ = {CORRUPTION:g}, ε = {EPSILON:g}", "d", ERRORS, series)


def _epsilons(frame: pd.DataFrame) -> Panel:
    series = _curves(frame, "epsilon")
    for name in ("paper", "tight"):
        start = flat_from(means(frame, name, "epsilon"))
        series.append(Series("", (start, start), (0.01, 1.0), role="reference", colour_key=CURVES[name][1]))
    return Panel("(b) ξ = 0.1, d = 10", "ε", ERRORS, (*series, _limit(study.EPSILONS, 0.1)))
