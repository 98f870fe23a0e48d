"""Figures 2 and 4 of WX19: the error in the largest column sum over the spectral one."""

from dataclasses import replace

import pandas as pd

from workbench.chapters.sparse_covariance.figures.figures import DEFAULT, LOCAL, PAPER, table
from workbench.chapters.sparse_covariance.figures.reference_names import LOOKS, NAMED
from workbench.chapters.sparse_covariance.runs import figures as study
from workbench.chapters.sparse_covariance.runs.designs import Model
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.limits import covering
from workbench.charts.words import number
from workbench.study.measures import at
from workbench.study.run import Run

USUAL = study.Settings()
TITLES = {
    "central": "Column sums magnify noise on every entry more than a thresholded error",
    "local": "With local noise the two norms differ by less than three times",
}


def figure_2(
    run: Run, *, share: float = USUAL.share, p: int = USUAL.p, epsilon: float = USUAL.epsilon
) -> Chart:
    """Return the central model, w = 1, over w = 2."""
    return _ratios(run, 2, "central", study.Settings(share, p, epsilon))


def figure_4(
    run: Run, *, share: float = USUAL.share, p: int = USUAL.p, epsilon: float = USUAL.epsilon
) -> Chart:
    """Return the local model, w = 1, over w = 2."""
    return _ratios(run, 4, "local", study.Settings(share, p, epsilon))


def _ratios(run: Run, place: int, model: Model, chosen: study.Settings) -> Chart:
    """Return the error in the norm for w = 1 over that in the spectral norm."""
    frame = table(run, model, chosen)
    looks = (PAPER, DEFAULT) if model == "central" else (LOCAL[PAPER], LOCAL[DEFAULT])
    shown = {"algorithm": ("equation (9)", looks[0]), "default": ("default rule", looks[1])}
    shown |= {name: (NAMED[name], LOOKS[name]) for name in ("plain", "empirical", "oracle diagonal")}
    rows = at(frame, **chosen.base["share"])
    series = [_over(rows, name, label, look) for name, (label, look) in shown.items()]
    where = "rows n" if model == "central" else "users n"
    words = {name: number(value) for name, value in chosen.base["share"].items()}
    title = "ratio {share}, p = {p}, ε = {epsilon}".format(**words)
    return Chart(
        f"figure_{place}",
        TITLES[model],
        (Panel(title, where, "error in column sums over spectral error", tuple(series), yscale="linear",
               ylim=covering((0.8, 3.0), series)),),
        alt="Ratios of two relative errors against n. Those of both rules and of the true diagonal are near"
        " 1;"
        " those of the plain release and the empirical covariance are larger.",
        how_to_read="The relative error in the largest column sum, over the relative spectral error of the"
        " same"
        " outputs. Near 1 the picture in both norms is the same, as the corollary says.",
    )  # fmt: skip


def _over(rows: pd.DataFrame, name: str, label: str, look: str) -> Series:
    one, two = (rows.groupby("n")[f"{name}, w = {w}"].mean() for w in (1, 2))
    line = Series(label, one.index, one / two, colour_key=look)
    return replace(line, role="reference") if look in ("", "covariance/empirical") else line
