"""Figures 1 and 3 of WX19: relative error against n, centrally and locally, in the spectral norm.

The structure is the source's, the numbers are ours. Every panel has the six references at its base values.
Figures 2 and 4 are ratios to them (`norms`).
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import isfinite
from typing import Any

import numpy as np
import pandas as pd

from workbench.chapters.sparse_covariance.figures.reference_names import LOOKS, named
from workbench.chapters.sparse_covariance.runs import figures as study
from workbench.chapters.sparse_covariance.runs import theory
from workbench.chapters.sparse_covariance.runs.designs import REFERENCES, Model
from workbench.charts.bands import predicted
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.words import number
from workbench.privacy import ApproxDP
from workbench.study.measures import BAND, at
from workbench.study.run import Run

DEFAULT, PAPER = "covariance/thresholded", "covariance/thresholded:paper"
LOCAL = {DEFAULT: "covariance/local-thresholded", PAPER: "covariance/local-thresholded:paper"}
FOLLOWING = {  # references that change with a setting: their lines are those of one value
    "p": "Plain release and no privacy",
    "epsilon": "Plain release",
}
UNKNOWN = "Without runs nothing is known here: sampling is a large part of the error."
FLOOR = 0.01  # of the pictures of local noise: without privacy errors fall far below
HEADS = {
    "share": "sparsity ratio, at p = {p}, ε = {epsilon}",
    "p": "columns p, at ratio {share}, ε = {epsilon}",
    "epsilon": "ε, at ratio {share}, p = {p}",
}
USUAL = study.Settings()


def figure_1(
    run: Run, *, share: float = USUAL.share, p: int = USUAL.p, epsilon: float = USUAL.epsilon
) -> Chart:
    """Return the central model, w = 2: for several sparsity ratios, and both rules."""
    chosen = study.Settings(share, p, epsilon)
    return _errors(
        run, 1, "central", "Under equation (9) the error is a diagonal's up to some 10⁵ rows", chosen
    )


def figure_3(
    run: Run, *, share: float = USUAL.share, p: int = USUAL.p, epsilon: float = USUAL.epsilon
) -> Chart:
    """Return the local model, w = 2: for several sparsity ratios, and both rules."""
    chosen = study.Settings(share, p, epsilon)
    title = "Under equation (9) local noise hides every correlation up to some 10¹⁰ users"
    return _errors(run, 3, "local", title, chosen)


def figure_1_further(
    run: Run, *, share: float = USUAL.share, p: int = USUAL.p, epsilon: float = USUAL.epsilon
) -> Chart:
    """Return the central model, w = 2, for several p and several ε."""
    title = "More columns and a smaller ε need more rows to leave the diagonal"
    return _further(run, 1, "central", title, study.Settings(share, p, epsilon))


def figure_3_further(
    run: Run, *, share: float = USUAL.share, p: int = USUAL.p, epsilon: float = USUAL.epsilon
) -> Chart:
    """Return the local model, w = 2, for several p and several ε."""
    title = "With local noise more columns or a smaller ε leave a diagonal longer"
    return _further(run, 3, "local", title, study.Settings(share, p, epsilon))


FIGURES: tuple[Callable[..., Chart], ...] = (figure_1, figure_1_further, figure_3, figure_3_further)


def table(run: Run, model: Model, chosen: study.Settings) -> pd.DataFrame:
    """Return the runs of all settings of a model."""
    return run.table(study.FIGURES[model].moved(chosen.points(model)))


def _errors(run: Run, place: int, model: Model, title: str, chosen: study.Settings) -> Chart:
    frame = table(run, model, chosen)
    return Chart(
        f"figure_{place}",
        title,
        (setting_panel(run, frame, "share", model, chosen), _rules(run, frame, model, chosen)),
        alt=ALT[model],
        how_to_read="Left, the rule of the source as printed. A curve says something about sparsity only"
        " where it is below the line of the true diagonal. Right, the same releases with the default rule.",
    )


def _further(run: Run, place: int, model: Model, title: str, chosen: study.Settings) -> Chart:
    frame = table(run, model, chosen)
    return Chart(
        f"figure_{place}_further",
        title,
        tuple(setting_panel(run, frame, setting, model, chosen) for setting in ("p", "epsilon")),
        alt=ALT[model],
        how_to_read="The rule of the source as printed. Left of the place where curves leave the line of the"
        " true diagonal, the flat error is that of an output of the diagonal alone.",
    )


ALT = {
    "central": "Relative error against n, all logarithmic. Algorithm 1 stays on the line of the diagonal up"
    " to some 10⁵ rows and then falls below it; the plain release begins above 1 and falls as 1/n. Lines for"
    " six references are in every panel.",
    "local": "Relative error against n, all logarithmic. Algorithm 2 lies above 1, the error of the zero"
    " matrix, at 10⁶ users and fewer, on the line of the diagonal up to 10¹⁰, and falls only then. Lines for"
    " six references are in every panel.",
}


def setting_panel(run: Run, frame: pd.DataFrame, setting: str, model: Model, chosen: study.Settings) -> Panel:
    """Return the panel of one setting: four curves, and the references at its base values."""
    base = chosen.base[setting]
    curves = settings(frame, setting, model, chosen)
    references = _references(run, at(frame, **base), model, chosen, base)
    written = {name: number(value) for name, value in base.items()}
    note = at_base(setting, chosen)
    again = setting == "epsilon"  # beside the panel of p, which has the names
    return panel(HEADS[setting].format(**written), curves, references, model, note, again=again)


def at_base(setting: str, chosen: study.Settings) -> str:
    """Return at which value references are drawn that follow a setting."""
    if setting not in FOLLOWING:
        return ""
    value = number(chosen.base[setting].get(setting, getattr(chosen, setting)))
    return f"{FOLLOWING[setting]}: {'ε' if setting == 'epsilon' else setting} = {value}."


def settings(frame: pd.DataFrame, setting: str, model: Model, chosen: study.Settings) -> list[Series]:
    """Return the curve of every value of a setting, on a ramp."""
    base, values = chosen.base[setting], chosen.values[setting]
    look = PAPER if model == "central" else LOCAL[PAPER]
    return [
        replace(
            curve(at(frame, **{**base, setting: value}), "algorithm", 2, number(value), look),
            rank=place / (len(values) - 1),
        )
        for place, value in enumerate(values)
    ]


def _rules(run: Run, frame: pd.DataFrame, model: Model, chosen: study.Settings) -> Panel:
    base = chosen.base["share"]
    rows = at(frame, **base)
    looks = (PAPER, DEFAULT) if model == "central" else (LOCAL[PAPER], LOCAL[DEFAULT])
    curves = [
        curve(rows, "algorithm", 2, "equation (9)", looks[0]),
        curve(rows, "default", 2, "default rule", looks[1]),
    ]
    references = _references(run, rows, model, chosen, base)
    return panel(f"both rules, at ratio {number(chosen.share)}", curves, references, model)


def panel(
    title: str,
    curves: list[Series],
    references: list[Series],
    model: str,
    note: str = "",
    *,
    again: bool = False,
) -> Panel:
    """Return a panel of relative errors against n, references named on the plot.

    Where another panel has the names (`again`), those that would need a leader are left out.
    """
    users = "rows n" if model == "central" else "users n"
    series = [*references, *curves]
    if not any(isfinite(y) for one in series for y in one.y):
        note = UNKNOWN
    floor = min([FLOOR, *(0.7 * y for one in curves for y in one.y)])
    limits = None
    if model == "local" and series:
        top = 1.6 * max((y for one in series for y in one.y), default=1.0)
        limits = (float(f"{floor:.3g}"), float(f"{top:.3g}"))
    lines = {name: line for name, line in zip(REFERENCES, references, strict=False) if tuple(line.x)}
    marks = named(lines, series, limits, again=again)
    return Panel(title, users, "relative error", tuple(series), ylim=limits, note=note, marks=marks)


def curve(rows: pd.DataFrame, name: str, w: int, label: str, look: str) -> Series:
    """Return the mean error of one output against n."""
    means = rows.groupby("n")[f"{name}, w = {w}"].mean()
    return Series(label, means.index, means, colour_key=look)


def _references(
    run: Run, rows: pd.DataFrame, model: Model, chosen: study.Settings, base: Mapping[str, Any]
) -> list[Series]:
    """Return the six references; the spectral error of the plain release is predicted."""
    found = {name: reference(rows, f"{name}, w = 2", name, "n") for name in REFERENCES}
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
    """Return one of the six references, without a name: geometric means of a column along a parameter."""
    means = np.exp(np.log(rows[column]).groupby(rows[along]).mean())
    return Series("", means.index, means, role="reference", colour_key=LOOKS[name])
