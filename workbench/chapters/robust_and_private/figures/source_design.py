"""Figure 1 of LKKO21 as the source has it: a million rows, d up to 100, its own calibration and baseline."""

from collections.abc import Iterable
from dataclasses import replace
from math import inf, isfinite, sqrt

import numpy as np
import pandas as pd

from workbench.chapters.robust_and_private.runs import source_design as study
from workbench.chapters.robust_and_private.runs.planted import pull
from workbench.chapters.robust_and_private.runs.prime import CORRUPTION, DELTA, EPSILON, limit
from workbench.charts.bands import measured
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.free_places import placed
from workbench.charts.words import number
from workbench.study import measures
from workbench.study.measures import Measure
from workbench.study.run import Run

CURVES = {
    "plain": ("clipped mean, range found", "mean/clipped-box"),
    "paper": ("PRIME, paper's constants", "mean/prime:paper"),
    "tight": ("PRIME, ours", "mean/prime"),
    "robust": ("row-by-row filter", "mean/robust"),
}
SPLIT = "paper"  # its runs do either of two things: they are shown one by one
BELOW = (3.0, 0.0031)  # where the filter has its name
FLAT = 1.5  # over the error at the largest ε: what still counts as flat
ERRORS = "mean error (σ)"
SINGLE = "hollow: the paper's constants; dots: their runs that find the cluster, others are at the squares"


def figure_1_in_full(run: Run) -> Chart:
    """Return Figure 1 of LKKO21 in its own design: a million rows, d up to 100, ε down to .001."""
    against_d, against_epsilon = run.table(study.AGAINST_D), run.table(study.AGAINST_EPSILON)
    return Chart(
        "figure_1_in_full",
        "With the source's constants PRIME finds the cluster in some runs only",
        (_dimensions(against_d), _epsilons(against_epsilon)),
        alt="Two panels of mean error. Against d the plain mean is on the cluster's pull, which grows as the"
        " root of d. Single runs of PRIME with the constants of the source lie either there or far below;"
        " PRIME with ours and the row-by-row filter stay below the limit. Against ε PRIME with the source's"
        " constants answers from 0.2 on, with ours from 0.001.",
        how_to_read=f"Means of {study.TRIALS} runs, two standard errors to either side; dots are single runs."
        " PRIME is one algorithm with two sets of constants: with the source's, noise hides the cluster in"
        " most runs. The plain mean pays half of its budget for its range.",
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
        Series(label, middle, middle.values(), colour_key=look, joined=False),
        Series("", answered[along], answered[SPLIT], role="rows", colour_key=look),
    ]


def _limit(places: Iterable[float], corruption: float) -> Series:
    shown = list(places)
    return Series("ξ √ln(1/ξ)", shown, [limit(corruption)] * len(shown), role="reference")


def _dimensions(frame: pd.DataFrame) -> Panel:
    dims = study.DIMENSIONS
    box = CURVES["plain"][1]
    line = Series("", dims, [pull(d, CORRUPTION) for d in dims], role="theory", colour_key=box)
    note = f"n = {number(study.N)}, δ = {number(DELTA)}; {SINGLE}."
    *curves, single = _curves(frame, "d")
    short = {CURVES[SPLIT][0]: "", CURVES["plain"][0]: "clipped mean"}
    curves = [replace(one, label=short.get(one.label, one.label)) for one in curves]
    limit_line = replace(_limit(dims, CORRUPTION), label="")  # has its name on the right
    series = placed((*curves, line, limit_line, single))
    robust = CURVES["robust"][0]
    series = tuple(replace(one, label_at=BELOW) if one.label == robust else one for one in series)
    title = f"ξ = {number(CORRUPTION)}, ε = {number(EPSILON)}"
    return Panel(title, "d, columns", ERRORS, series, note=note)


def _epsilons(frame: pd.DataFrame) -> Panel:
    paper, ours = (number(flat_from(means(frame, name, "epsilon"))) for name in ("paper", "tight"))
    series = (*_curves(frame, "epsilon"), _limit(study.EPSILONS, 0.1))
    answers = f"PRIME answers from ε = {paper} on, with our constants from {ours}."
    note = f"An arrow: some run gives no answer. {answers}"
    return Panel("ξ = 0.1, d = 10", "ε", ERRORS, series, note=note)
