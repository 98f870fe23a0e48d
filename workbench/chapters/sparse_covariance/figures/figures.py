"""Figures 1 to 4 of WX19: relative error against n, centrally and locally, in two norms.

The structure is the source's, the numbers are ours. Every panel has the six references at its base values.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd

from workbench.chapters.sparse_covariance.runs import figures as study
from workbench.chapters.sparse_covariance.runs.designs import REFERENCES
from workbench.charts.chart import Chart, Panel, Series
from workbench.study.measures import at
from workbench.study.sweeps.sweep import run

LOOKS = {
    "zero": "",
    "oracle diagonal": "4",
    "noisy diagonal": ":noisy",
    "plain": "5",
    "empirical": "covariance/empirical",
    "without": "covariance/empirical:thresholded",
}
DEFAULT, PAPER = "covariance/thresholded", "covariance/thresholded:paper"
LOCAL = {DEFAULT: "covariance/local-thresholded", PAPER: "covariance/local-thresholded:paper"}
IN_LAW = " Runs are drawn in law, conditional on no row being clipped."
PLACES = ("first", "second", "third", "fourth")
TITLES = {
    "share": "(i) sparsity ratio {}; p = 100, ε = 1",
    "p": "(ii) p = {}; ratio 0.2, ε = 1",
    "epsilon": "(iii) ε = {}; ratio 0.2, p = 200",
}
NAMES = {2: "spectral norm, w = 2", 1: "largest column sum, w = 1"}
LIMITS = {
    ("central", 2): (8e-4, 30),
    ("central", 1): (8e-4, 100),
    ("local", 2): (3e-3, 300),
    ("local", 1): (3e-3, 1000),
}


def figure_1(profile: str, seed: int) -> Chart:
    """Return the central model, w = 2."""
    return _figure(1, "central", 2, profile, seed)


def figure_2(profile: str, seed: int) -> Chart:
    """Return the central model, w = 1."""
    return _figure(2, "central", 1, profile, seed)


def figure_3(profile: str, seed: int) -> Chart:
    """Return the local model, w = 2."""
    return _figure(3, "local", 2, profile, seed)


def figure_4(profile: str, seed: int) -> Chart:
    """Return the local model, w = 1."""
    return _figure(4, "local", 1, profile, seed)


FIGURES: tuple[Callable[[str, int], Chart], ...] = (figure_1, figure_2, figure_3, figure_4)


def _figure(number: int, model: str, w: int, profile: str, seed: int) -> Chart:
    frame = run(study.FIGURES[model], profile, seed=seed)
    panels = (*(_setting(frame, setting, model, w) for setting in study.VALUES), _rules(frame, model, w))
    return Chart(
        f"figure_{number}",
        f"Figure {number}: {'Algorithm 1' if model == 'central' else 'Algorithm 2, local'}, {NAMES[w]}",
        panels,
        alt=ALT[model],
        how_to_read=READING[model] + FURTHER[model, w] + IN_LAW,
    )


ALT = {
    "central": "Four panels of relative error against n, all logarithmic. Algorithm 1 stays on the line of"
    " the diagonal up to some 10⁵ rows and then falls below it; the plain release begins above 1 and is"
    " below Algorithm 1 for a while around 10⁵ rows. Lines for six references are in every panel.",
    "local": "Four panels of relative error against n, all logarithmic. Algorithm 2 lies above 1, the error"
    " of the zero matrix, at 10⁶ users and fewer, on the line of the diagonal up to 10¹⁰, and falls only"
    " then. Lines for six references are in every panel.",
}
READING = {
    "central": "The structure is the source's, the numbers are ours. Markers: Algorithm 1 as printed, for"
    " the four values of each panel in their order; lines without markers: references at the base values"
    " (ratio 0.2, ε = 1, p = 100 or 200). A curve says something about sparsity only where it is below the"
    " amber line, the error of the true diagonal: left of that the algorithm returns the diagonal, and its"
    " error hardly changes with the ratio and p because the diagonal's does not. Below right, the same"
    " release with our default rule, which leaves the diagonal with a third of the rows.",
    "local": "Markers: Algorithm 2 as printed, for the four values of each panel in their order; lines"
    " without markers: references at the base values. Above the grey line it is better to answer with the"
    " zero matrix; on the amber line the answer is the diagonal. At ε = 1 the support appears with 10¹⁰"
    " users and more: any figure of the local model at n up to 10⁶ shows noise. Such n cost nothing here.",
}
FURTHER = {
    ("central", 2): " From 4·10⁴ to 2·10⁶ rows the plain release, without any rule, beats equation (9).",
    ("central", 1): " In this norm the picture is the same, as Corollary 1 says; noise adds up more, so"
    " that the plain release beats equation (9) around 10⁵ rows only.",
    ("local", 2): "",
    ("local", 1): " The norm for w = 1 adds up whole columns of noise: the plain release suffers most.",
}


def _setting(frame: pd.DataFrame, setting: str, model: str, w: int) -> Panel:
    base = study.BASE[setting]
    series = [
        _curve(at(frame, **{**base, setting: value}), "algorithm", w, f"{PLACES[place]} value", str(place))
        for place, value in enumerate(study.VALUES[setting])
    ]
    values = ", ".join(f"{value:g}" for value in study.VALUES[setting])
    return _panel(TITLES[setting].format(values), [*series, *_references(at(frame, **base), w)], model, w)


def _rules(frame: pd.DataFrame, model: str, w: int) -> Panel:
    rows = at(frame, **study.BASE["share"])
    looks = (PAPER, DEFAULT) if model == "central" else (LOCAL[PAPER], LOCAL[DEFAULT])
    series = [
        _curve(rows, "algorithm", w, "equation (9)", looks[0]),
        _curve(rows, "default", w, "default rule", looks[1]),
    ]
    return _panel("both rules at the base values", [*series, *_references(rows, w)], model, w)


def _panel(title: str, series: list[Series], model: str, w: int) -> Panel:
    users = "rows n" if model == "central" else "users n"
    return Panel(title, users, "relative error", tuple(series), ylim=LIMITS[model, w])


def _curve(rows: pd.DataFrame, name: str, w: int, label: str, look: str) -> Series:
    means = rows.groupby("n")[f"{name}, w = {w}"].mean()
    return Series(label, means.index, means, colour_key=look)


def _references(rows: pd.DataFrame, w: int) -> list[Series]:
    return [reference(rows, f"{name}, w = {w}", name, "n") for name in REFERENCES]


def reference(rows: pd.DataFrame, column: str, name: str, along: str) -> Series:
    """Return one of the six references: geometric means of a column along a parameter."""
    means = np.exp(np.log(rows[column]).groupby(rows[along]).mean())
    return Series(REFERENCES[name], means.index, means, role="reference", colour_key=LOOKS[name])
