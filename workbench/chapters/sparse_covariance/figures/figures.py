"""Figures 1 to 4 of WX19: relative error against n, centrally and locally, in two norms.

The structure is the source's, the numbers are ours. Every panel has the six references at its base values.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from workbench.chapters.sparse_covariance.runs import figures as study
from workbench.chapters.sparse_covariance.runs import theory
from workbench.chapters.sparse_covariance.runs.designs import REFERENCES, Model
from workbench.charts.bands import predicted
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.limits import covering
from workbench.privacy import ApproxDP
from workbench.study.measures import BAND, at
from workbench.study.run import Run

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
    "share": "(i) sparsity ratio {values}; p = {p:g}, ε = {epsilon:g}",
    "p": "(ii) p = {values}; ratio {share:g}, ε = {epsilon:g}",
    "epsilon": "(iii) ε = {values}; ratio {share:g}, p = {p:g}",
}
USUAL = study.Settings()
NAMES = {2: "spectral norm, w = 2", 1: "largest column sum, w = 1"}
LIMITS = {
    ("central", 2): (8e-4, 30),
    ("central", 1): (8e-4, 100),
    ("local", 2): (3e-3, 300),
    ("local", 1): (3e-3, 1000),
}


def figure_1(
    run: Run, *, share: float = USUAL.share, p: int = USUAL.p, epsilon: float = USUAL.epsilon
) -> Chart:
    """Return the central model, w = 2."""
    return _figure(run, 1, "central", 2, study.Settings(share, p, epsilon))


def figure_2(
    run: Run, *, share: float = USUAL.share, p: int = USUAL.p, epsilon: float = USUAL.epsilon
) -> Chart:
    """Return the central model, w = 1."""
    return _figure(run, 2, "central", 1, study.Settings(share, p, epsilon))


def figure_3(
    run: Run, *, share: float = USUAL.share, p: int = USUAL.p, epsilon: float = USUAL.epsilon
) -> Chart:
    """Return the local model, w = 2."""
    return _figure(run, 3, "local", 2, study.Settings(share, p, epsilon))


def figure_4(
    run: Run, *, share: float = USUAL.share, p: int = USUAL.p, epsilon: float = USUAL.epsilon
) -> Chart:
    """Return the local model, w = 1."""
    return _figure(run, 4, "local", 1, study.Settings(share, p, epsilon))


FIGURES: tuple[Callable[..., Chart], ...] = (figure_1, figure_2, figure_3, figure_4)


def _figure(run: Run, number: int, model: Model, w: int, chosen: study.Settings) -> Chart:
    frame = run.table(study.FIGURES[model].moved(chosen.points(model)))
    settings = (setting_panel(run, frame, setting, model, w, chosen) for setting in chosen.base)
    usual = chosen == USUAL
    base = f" (ratio {chosen.share:g}, ε = {chosen.epsilon:g}, p = {chosen.p:g} or {2 * chosen.p:g})"
    return Chart(
        f"figure_{number}",
        f"Figure {number}: {'Algorithm 1' if model == 'central' else 'Algorithm 2, local'}, {NAMES[w]}",
        (*settings, _rules(run, frame, model, w, chosen)),
        alt=ALT[model] if usual else ELSEWHERE[model],
        how_to_read=READING[model].format(base=base)
        + (MEASURED[model] + FURTHER[model, w] if usual else "")
        + IN_LAW,
    )


ALT = {
    "central": "Four panels of relative error against n, all logarithmic. Algorithm 1 stays on the line of"
    " the diagonal up to some 10⁵ rows and then falls below it; the plain release begins above 1 and is"
    " below Algorithm 1 for a while around 10⁵ rows. Lines for six references are in every panel.",
    "local": "Four panels of relative error against n, all logarithmic. Algorithm 2 lies above 1, the error"
    " of the zero matrix, at 10⁶ users and fewer, on the line of the diagonal up to 10¹⁰, and falls only"
    " then. Lines for six references are in every panel.",
}
ELSEWHERE = {
    "central": "Four panels of relative error against n, all logarithmic. Algorithm 1 stays on the line of"
    " the diagonal for small n and falls below it for large ones; the plain release begins above and falls"
    " as 1/n. Lines for six references are in every panel.",
    "local": "Four panels of relative error against n, all logarithmic. Algorithm 2 lies above 1, the error"
    " of the zero matrix, for small n, then on the line of the diagonal, and falls last. Lines for six"
    " references are in every panel.",
}
READING = {
    "central": "The structure is the source's, the numbers are ours. Markers: Algorithm 1 as printed, for"
    " the four values of each panel in their order; lines without markers: references at the base values"
    "{base}. A curve says something about sparsity only where it is below the"
    " amber line, the error of the true diagonal: left of that the algorithm returns the diagonal, and its"
    " error hardly changes with the ratio and p because the diagonal's does not. Below right, the same"
    " release with our default rule, which leaves the diagonal with a third of the rows.",
    "local": "Markers: Algorithm 2 as printed, for the four values of each panel in their order; lines"
    " without markers: references at the base values. Above the grey line it is better to answer with the"
    " zero matrix; on the amber line the answer is the diagonal.",
}
MEASURED = {
    "central": "",
    "local": " At ε = 1 the support appears with 10¹⁰"
    " users and more: any figure of the local model at n up to 10⁶ shows noise. Such n cost nothing here.",
}
FURTHER = {
    ("central", 2): " From 4·10⁴ to 2·10⁶ rows the plain release, without any rule, beats equation (9).",
    ("central", 1): " In this norm the picture is the same, as Corollary 1 says; noise adds up more, so"
    " that the plain release beats equation (9) around 10⁵ rows only.",
    ("local", 2): "",
    ("local", 1): " The norm for w = 1 adds up whole columns of noise: the plain release suffers most.",
}


def setting_panel(
    run: Run, frame: pd.DataFrame, setting: str, model: Model, w: int, chosen: study.Settings
) -> Panel:
    """Return the panel of one setting: four curves, and the references at its base values."""
    base, values = chosen.base[setting], chosen.values[setting]
    series = [
        curve(at(frame, **{**base, setting: value}), "algorithm", w, f"{place} value", str(number))
        for number, (place, value) in enumerate(zip(PLACES, values, strict=True))
    ]
    said = ", ".join(f"{value:g}" for value in values)
    title = TITLES[setting].format(values=said, **base)
    return panel(title, [*series, *_references(run, at(frame, **base), model, w, chosen, base)], model, w)


def _rules(run: Run, frame: pd.DataFrame, model: Model, w: int, chosen: study.Settings) -> Panel:
    base = chosen.base["share"]
    rows = at(frame, **base)
    looks = (PAPER, DEFAULT) if model == "central" else (LOCAL[PAPER], LOCAL[DEFAULT])
    series = [
        curve(rows, "algorithm", w, "equation (9)", looks[0]),
        curve(rows, "default", w, "default rule", looks[1]),
    ]
    references = _references(run, rows, model, w, chosen, base)
    return panel("both rules at the base values", [*series, *references], model, w)


def panel(title: str, series: list[Series], model: str, w: int) -> Panel:
    """Return a panel of relative errors against n."""
    users = "rows n" if model == "central" else "users n"
    return Panel(title, users, "relative error", tuple(series), ylim=covering(LIMITS[model, w], series))


def curve(rows: pd.DataFrame, name: str, w: int, label: str, look: str) -> Series:
    """Return the mean error of one output against n."""
    means = rows.groupby("n")[f"{name}, w = {w}"].mean()
    return Series(label, means.index, means, colour_key=look)


def _references(
    run: Run, rows: pd.DataFrame, model: Model, w: int, chosen: study.Settings, base: Mapping[str, Any]
) -> list[Series]:
    """Return the six references; the spectral error of the plain release is predicted."""
    found = {name: reference(rows, f"{name}, w = {w}", name, "n") for name in REFERENCES}
    if w != 2:
        return [*found.values()]
    p, ns = int(base["p"]), chosen.rows(model)
    foreseen = {
        float(n): theory.plain_error(
            theory.typical_spread(p, chosen.share, n), p, n, ApproxDP(chosen.epsilon, 1 / n), model, "paper"
        )
        for n in ns
    }
    found["plain"] = expecting(found["plain"], foreseen)
    return [*found.values(), *predicted(run, ns, foreseen.values(), LOOKS["plain"])]


def expecting(curve: Series, foreseen: Mapping[float, float]) -> Series:
    """Return a curve with what is predicted at its points."""
    return replace(curve, expected=[foreseen[x] for x in curve.x], margin=BAND)


def reference(rows: pd.DataFrame, column: str, name: str, along: str) -> Series:
    """Return one of the six references: geometric means of a column along a parameter."""
    means = np.exp(np.log(rows[column]).groupby(rows[along]).mean())
    return Series(REFERENCES[name], means.index, means, role="reference", colour_key=LOOKS[name])
