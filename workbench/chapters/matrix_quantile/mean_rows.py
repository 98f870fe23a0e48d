"""Rows that a mean takes where its covariance is unknown, against the error that is asked for."""

from collections.abc import Mapping
from math import isfinite, log, nan, sqrt
from typing import Any

import numpy as np

from workbench.bounds import bhs23
from workbench.chapters.matrix_quantile import lifted
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.style import number
from workbench.errors import ArgumentError
from workbench.estimators.unbounded import UnboundedGaussian
from workbench.privacy import ApproxDP
from workbench.special import chdtri
from workbench.study.run import Run
from workbench.study.scaling import Move, Named, Public, Statement, measured
from workbench.study.search import fewest_rows

MANY = {"full": 200}  # runs of a search
D, HARDER = 2, (1, 2, 4, 8)
BAND, CONSTANT = 1.15, 0.4  # of searched over predicted n; the error where few rows are enough
USUAL: Mapping[str, float] = {"d": D, "epsilon": 1.0, "delta": 1e-6, "alpha": CONSTANT}
NAMES = {lifted.MEAN: "lifted quantile", lifted.COINPRESS: "CoinPress, given Σ"}


def constant_shape(d: int, epsilon: float, delta: float) -> float:
    """Return d ln(1/δ)/ε: what a constant error takes, for ε of order 1 or less."""
    return float(d * log(1 / delta) / epsilon)


def ball_shape(d: int, alpha: float, epsilon: float, delta: float) -> float:
    """Return d/α² + d √ln(1/δ)/(αε): what CoinPress takes where Σ and a ball are known."""
    noise = d * sqrt(log(1 / delta)) / (alpha * epsilon)
    return float(d / alpha**2 + noise)


def mean_shape(d: int, alpha: float, epsilon: float, delta: float) -> float:
    """Return d/α² + d √ln(1/δ)/(αε) + d ln(1/δ)/ε."""
    return ball_shape(d, alpha, epsilon, delta) + constant_shape(d, epsilon, delta)


def fewest(key: str, d: int, epsilon: float, delta: float) -> int:
    """Return the fewest rows that are not refused."""
    return lifted.fewest(key, d, ApproxDP(epsilon, delta))


def predicted(key: str, d: int, alpha: float, epsilon: float, delta: float) -> float:
    """Return the n whose predicted median is α, given an answer."""
    return float(lifted.predicted(key, d, alpha, epsilon, delta))


def affine(
    key: str, said: str, shape: Named, moves: tuple[Move, ...], *, caps: Any = MANY, **usual: Any
) -> Statement:
    """Return a statement about what lifted rows give."""
    where = {"epsilon": 1.0, "delta": 1e-6, "condition": 1e4, "offset": 1e3}
    return Statement(
        lifted.SOURCES[key],
        f"{key} ({said})",
        {"key": key, **where, **usual},
        shape,
        moves,
        lifted.released,
        predicted=predicted,
        fewest=fewest,
        share=0.5,
        caps=caps,
    )


ALPHA = affine(
    lifted.MEAN,
    "ε = 1",
    mean_shape,
    (Move("alpha", (0.4, 0.2, 0.1, 0.05), -1, {"1/α²": -2.0}, "d √ln(1/δ)/(αε)"),),
    d=D,
)
KNOWN = Statement(
    "M21/prior-CoinPress",
    f"{lifted.COINPRESS} (told Σ)",
    {"key": lifted.COINPRESS, **USUAL},
    ball_shape,
    (Move("alpha", tuple(CONSTANT / times for times in HARDER), 1, {}, ""),),
    lifted.whitened,
    predicted=predicted,
    fewest=fewest,
    share=0.5,
    caps=MANY,
)


def means(run: Run, *, epsilon: float = 1.0, delta: float = 1e-6, alpha: float = CONSTANT) -> Chart:
    """Return the rows of every mean against 1/α (mean-rows-in-steps)."""
    usual: dict[str, Any] = {"d": D, "epsilon": epsilon, "delta": delta, "alpha": alpha}
    publics = [{**usual, "alpha": alpha / times} for times in HARDER]
    x, budget = [1 / public["alpha"] for public in publics], ApproxDP(epsilon, delta)
    searched = [
        _curve(run, key, growth, publics, x, usual == USUAL)
        for key, growth in ((lifted.MEAN, ALPHA), (lifted.COINPRESS, KNOWN))
    ]
    rates = np.array([mean_shape(**public) for public in publics])
    rate = next(iter(searched[0].y)) * rates / rates[0]
    blocks = fewest_rows(UnboundedGaussian(), D, budget)  # their error there is far below all of these
    subsets = [float(bhs23.rows_of_means(D, public["alpha"], epsilon, delta)) for public in publics]
    plain = [float(chdtri(D, 0.5)) / public["alpha"] ** 2 for public in publics]
    series = (
        Series("", x, rate, role="reference"),
        *searched,
        Series("stable subsets (formula)", x, subsets, role="reference", kind="count"),
        Series("votes of blocks", x, [float(blocks)] * len(x), colour_key="gaussian/unbounded", kind="count"),
        Series("no privacy", x, plain, role="truth", colour_key="mean/empirical"),
    )
    named = Mark("rate for an unknown Σ", x=sqrt(x[-2] * x[-1]) / 1.12, y=3.2 * float(rate[-2]))
    panel = Panel(
        f"Rows for a median error of α, d = {D}",
        "1/α",
        "rows n",
        series,
        ylim=(5.0, 1e6),
        marks=(named,) if isfinite(named.y) else (),
    )
    return Chart(
        "means",
        "An unknown Σ costs a fixed number of rows; accuracy after that is cheap",
        (panel,),
        alt="Rows against 1/α. The lifted quantile needs several times the rows of CoinPress, given the"
        " covariance, fewer than votes of blocks, and dozens of times fewer than stable subsets; as 1/α grows"
        " eightfold its rows grow much less.",
        how_to_read=f"Rows for a median error of α at ({number(epsilon)}, {number(delta)}), d = {D}. Votes of"
        " blocks need a fixed number of rows whatever α is, and so do stable subsets: the formulas of Brown,"
        " Hopkins & Smith.",
    )


def _curve(
    run: Run, key: str, growth: Statement, publics: list[dict[str, float]], x: list[float], usual: bool
) -> Series:
    """Return the searched rows; where nothing is searched, what is predicted at both ends."""
    (scaling,) = growth.scalings()
    if run.simulate and usual and run.profile in scaling.caps:
        (found,) = measured([scaling], run.profile, seed=run.seed)
        places = [x[scaling.values.index(one.value)] for one in found]
        low, high = zip(*(one.interval for one in found), strict=True)
        return Series(
            NAMES[key], places, [one.n for one in found], low, high, colour_key=key,
            expected=[one.setting.predicted for one in found], margin=BAND - 1,
        )  # fmt: skip
    ends = [_foreseen(key, public) for public in (publics[0], publics[-1])]
    return Series(NAMES[key], (x[0], x[-1]), ends, role="theory", colour_key=key)


def _foreseen(key: str, public: Public) -> float:
    """Return the predicted rows, nan where none are enough."""
    try:
        return predicted(key, **public)
    except ArgumentError:
        return nan
