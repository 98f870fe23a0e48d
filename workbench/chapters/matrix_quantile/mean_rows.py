"""Rows that a mean takes where its covariance is unknown, against the error that is asked for."""

from collections.abc import Mapping
from math import log, nan, sqrt

import numpy as np

from workbench.bounds import bhs23
from workbench.chapters.matrix_quantile import lifted
from workbench.chapters.matrix_quantile.claims.affine_scalings import (
    ALPHA,
    BAND,
    CONSTANT,
    fewest,
    mean_shape,
    predicted,
)
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.style import number
from workbench.errors import ArgumentError
from workbench.estimators.unbounded import UnboundedGaussian
from workbench.privacy import ApproxDP
from workbench.special import chdtri
from workbench.study.run import Run
from workbench.study.scaling import Growth, Move, Public, measured
from workbench.study.search import fewest_rows

D, HARDER = 2, (1, 2, 4, 8)
USUAL: Mapping[str, float] = {"d": D, "epsilon": 1.0, "delta": 1e-6, "alpha": CONSTANT}
NAMES = {lifted.MEAN: "lifted quantile", lifted.COINPRESS: "CoinPress, given Σ"}


def ball_shape(public: Public) -> float:
    """Return d/α² + d √ln(1/δ)/(αε): what CoinPress takes where Σ and a ball are known."""
    noise = public["d"] * sqrt(log(1 / public["delta"])) / (public["alpha"] * public["epsilon"])
    return float(public["d"] / public["alpha"] ** 2 + noise)


KNOWN = Growth(
    id="M21/prior-CoinPress",
    key=f"{lifted.COINPRESS} (told Σ)",
    block=lifted.whitened,
    usual={"key": lifted.COINPRESS, **USUAL},
    alpha=lambda public: public["alpha"],
    shape=ball_shape,
    start=predicted,
    fewest=fewest,
    predicted=predicted,
    share=0.5,
    caps={"full": 200},
    moves={"alpha": Move(tuple(CONSTANT / times for times in HARDER), 1, {}, "")},
)


def means(run: Run, *, epsilon: float = 1.0, delta: float = 1e-6, alpha: float = CONSTANT) -> Chart:
    """Return the rows of every mean against 1/α (mean-rows-in-steps)."""
    usual = {"d": D, "epsilon": epsilon, "delta": delta, "alpha": alpha}
    publics = [{**usual, "alpha": alpha / times} for times in HARDER]
    x, budget = [1 / public["alpha"] for public in publics], ApproxDP(epsilon, delta)
    searched = [
        _curve(run, key, growth, publics, x, usual == USUAL)
        for key, growth in ((lifted.MEAN, ALPHA), (lifted.COINPRESS, KNOWN))
    ]
    rates = np.array([mean_shape(public) for public in publics])
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
        f"Rows for a median error of α, d = {D}", "1/α", "rows n", series, ylim=(5.0, 1e6), marks=(named,)
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
    run: Run, key: str, growth: Growth, publics: list[dict[str, float]], x: list[float], usual: bool
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
        return predicted({"key": key, **public})
    except ArgumentError:
        return nan
