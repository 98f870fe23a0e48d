"""Where thresholding wins: the matrices themselves, the map of regimes, and the error against p."""

from collections.abc import Sequence
from functools import cache

import numpy as np
import pandas as pd

from workbench.chapters.sparse_covariance.claims import dimension
from workbench.chapters.sparse_covariance.figures.figures import (
    DEFAULT,
    IN_LAW,
    LOOKS,
    PAPER,
    reference,
)
from workbench.chapters.sparse_covariance.runs import figures as study
from workbench.chapters.sparse_covariance.runs.designs import (
    REFERENCES,
    Run,
    estimates,
    released,
    share_of,
    spectral,
    spread,
)
from workbench.chapters.sparse_covariance.runs.measures import bootstrapped, exponential, geometric
from workbench.charts.chart import Chart, Heat, Panel, Series
from workbench.study.measures import at
from workbench.study.sweeps.streams import Role, stream
from workbench.study.sweeps.sweep import run
from workbench.types import Array

LEVEL = 0.05
SHOWN_P, SHOWN_N, SHOWN_DEGREE = 40, 15_000, 3
SHOWN = {
    "truth": "the truth",
    "empirical": "empirical, without privacy",
    "plain": "plain release",
    "noisy diagonal": "noisy diagonal",
    "algorithm": "Algorithm 1, equation (9)",
    "default": "default rule",
}
SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@cache
def shown_run(p: int, n: int, degree: float, epsilon: float, seed: int) -> Run:
    """Return one run of the picture of matrices; the truth depends on p, the degree and the seed alone."""
    data, noise = (stream(seed, role, "wx19-matrices", p, 0) for role in (Role.DATA, Role.NOISE))
    return released(spread(p, share_of(p, degree), n, data), n, epsilon, data, noise)


def matrices(profile: str, seed: int) -> Chart:
    """Return six matrices of one run, in units of the mean variance; the profile makes no difference."""
    one = shown_run(SHOWN_P, SHOWN_N, SHOWN_DEGREE, 1.0, seed)
    found = {"truth": one.truth, **estimates(one, stream(seed, Role.NOISE, "wx19-matrices", 1, 0))}
    return Chart(
        "matrices",
        f"One run at p = {SHOWN_P}, n = {SHOWN_N}, ε = 1",
        tuple(matrix_panel(label, found[name], one.truth) for name, label in SHOWN.items()),
        alt="Six coloured matrices. The truth and the empirical one have a clear diagonal and some hundred"
        " coloured entries; in the plain release these are among noise everywhere; equation (9) keeps only"
        " few, the default rule most of them.",
        how_to_read="Every cell is an entry, in units of the mean variance; pale is 0, and the diagonal is"
        " beyond the colours. The plain release has the right entries, and noise on all others: that adds"
        " up to a large spectral error. A threshold removes the noise and loses small entries; how many it"
        " loses is the whole difference between the two rules. Titles give the relative spectral error.",
    )


def matrix_panel(label: str, matrix: Array, truth: Array, reach: float = 0.4) -> Panel:
    """Return a matrix as colours, with its relative error in the title."""
    error = spectral(matrix - truth) / spectral(truth)
    title = label if matrix is truth else f"{label}: {error:.2f}"
    unit = float(np.diag(truth).mean())
    heat = Heat(
        matrix / unit,
        (-reach, reach),
        emphasis="middle",
        rows=("1", str(len(truth))),
        columns=("1", str(len(truth))),
    )
    return Panel(title, "column", "row", (), heat=heat)


def regime_map(profile: str, seed: int) -> Chart:
    """Return where thresholding wins, where it returns the diagonal, and where local privacy is hopeless."""
    frame = run(study.REGIMES, profile, seed=seed)
    best = frame[["plain", "noisy diagonal", "zero"]].min(axis=1)
    frame = frame.assign(ratio=frame["default"] / best)
    central, local = at(frame, model="central", degree=3), at(frame, model="local", degree=3)
    dense = at(frame, model="central", degree=0)
    return Chart(
        "regime_map",
        "Regimes at ε = 1: where thresholding wins",
        (
            _map("(a) default / best rival, s = 3", central, "p", "ratio", (0.2, 5.0), "rows n"),
            _map("(b) default / best rival, p = 100", dense, "share", "ratio", (0.2, 5.0), "rows n"),
            _map("(c) support found, s = 3", central, "p", "recall", (0.0, 1.0), "rows n"),
            _map("(d) local: relative error, s = 3", local, "p", "default", (0.02, 50.0), "users n"),
        ),
        alt="Four tables as colours. Thresholding wins to the right of a line that moves to larger n as p"
        " grows, and loses where half of all pairs or more are correlated. To the left of the line it finds"
        " no support. Locally the error is below a half from 10⁹ users on.",
        how_to_read="(a) and (b): the error of the default rule over the least of the plain release, the"
        " noisy diagonal and the zero matrix. Below 1 (purple) thresholding wins; above 1 (orange) it"
        " loses, in dense matrices (b, bottom), and where p is so large for n that zeros are better than a"
        " noisy diagonal (a, bottom left). (c) says what happens near 1: where nothing of the support is"
        " found, the rule returns the noisy diagonal. (d) is the error itself in the local model, where the"
        " zero matrix has 1: up to 10⁶ users zeros are better for every p, and at 10⁷ no more than the"
        " diagonal is learnt." + IN_LAW,
    )


def _map(
    title: str, frame: pd.DataFrame, along: str, value: str, limits: tuple[float, float], xlabel: str
) -> Panel:
    frame = frame.assign(log=np.log(np.maximum(frame[value], 1e-9)))
    table = frame.pivot_table(index=along, columns="n", values=value if value == "recall" else "log")
    numbers = table.to_numpy() if value == "recall" else np.exp(table.to_numpy())
    heat = Heat(
        numbers,
        limits,
        scale="linear" if value == "recall" else "log",
        emphasis="high" if value == "recall" else "middle",
        rows=tuple(f"{name:g}" for name in table.index),
        columns=tuple(short(float(n)) for n in table.columns[::2]),
        written=True,
    )
    return Panel(title, xlabel, "p" if along == "p" else "sparsity ratio", (), heat=heat)


def short(n: float) -> str:
    """Return a number as a power of ten, with one digit before it."""
    mantissa, exponent = f"{n:.0e}".split("e")
    ten = "10" + str(int(exponent)).translate(SUPERSCRIPT)
    return ten if mantissa == "1" else f"{mantissa}·{ten}"


def error_against_p(profile: str, seed: int) -> Chart:
    """Return the error on a fixed active block, and the n needed where the support is spread out."""
    block = run(dimension.BLOCK, profile, seed=seed)
    needed = run(dimension.NEEDED, profile, seed=seed)
    return Chart(
        "error_against_p",
        "“Only log p”: true where entries keep their size, false where they shrink",
        (_block(block), _needed(needed, seed)),
        alt="Left: the relative error against p on a fixed active block; both rules are flat, the plain"
        " release grows as the root of p. Right: the n for a relative error of 0.2 against p where the"
        " support is spread out; all lines rise as powers of p, the default rule's less steeply than the"
        " plain release's.",
        how_to_read="Left, 20 active coordinates and p - 20 that hardly vary, at n = 30 000: thresholding"
        " does not notice the others, and the plain release pays √p for them. That is the theorem's"
        " promise. Right, all coordinates take part, and a unit ball must hold all rows: entries shrink as"
        " 1/p, so that the rows needed are a power of p, whatever the rule. Dashed: p √ln p and p^1.5, from"
        " the measured n at p = 50; the truth's trace grows a little with p here, so that the measured"
        " lines are less steep." + IN_LAW,
    )


def _block(frame: pd.DataFrame) -> Panel:
    rules = {"default": ("default rule", DEFAULT), "algorithm": ("equation (9)", PAPER)}
    series = [_measured(frame, name, *words) for name, words in rules.items()]
    series += [reference(frame, name, name, "p") for name in REFERENCES]
    return Panel("fixed active block, n = 30 000: relative error", "p", "relative error", tuple(series))


def _measured(frame: pd.DataFrame, name: str, label: str, look: str) -> Series:
    found = [geometric(at(frame, p=p)[name], LEVEL) for p in dimension.BLOCK_P]
    low, high = zip(*(measure.interval for measure in found), strict=True)
    return Series(label, dimension.BLOCK_P, [one.estimate for one in found], low, high, colour_key=look)


def _needed(frame: pd.DataFrame, seed: int) -> Panel:
    orders = {"default": lambda p: p * np.sqrt(np.log(p)), "plain": lambda p: p**1.5}
    looks = {"default": ("default rule", DEFAULT), "plain": ("plain, rows needed", LOOKS["plain"])}
    ps, series = np.array(dimension.NEEDED_P, float), []
    for name, (label, look) in looks.items():
        curves = dimension.by_point(frame, name)
        low, middle, high = zip(*(_rows(curves, place, seed) for place in range(len(ps))), strict=True)
        series.append(Series(label, ps, middle, low, high, colour_key=look))
        order = orders[name](ps)
        series.append(Series("", ps, middle[0] * order / order[0], role="theory", colour_key=look))
    return Panel("support spread out: n for error 0.2", "p", "rows n", tuple(series))


def _rows(curves: Array, place: int, seed: int) -> Sequence[float]:
    def needed(rows: Array) -> float:
        return float(dimension.rows_needed(rows, dimension.NEEDED_P)[place])

    found = exponential(bootstrapped(needed, curves, LEVEL, "wx19-needed", seed))
    return found.interval[0], found.estimate, found.interval[1]
