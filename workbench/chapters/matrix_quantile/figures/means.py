"""Every mean under an unknown covariance: the rows that it takes, one public number at a time."""

from collections.abc import Callable, Mapping
from math import log, nan, sqrt
from typing import Any

import numpy as np

from workbench.bounds import bhs23
from workbench.chapters.matrix_quantile.claims.affine_scalings import (
    ALPHA,
    BAND,
    CONSTANT,
    FEWEST,
    TALL,
    mean_shape,
    predicted,
)
from workbench.chapters.matrix_quantile.claims.affine_scalings import fewest as fewest_of
from workbench.chapters.matrix_quantile.runs import affine
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.words import number
from workbench.errors import ArgumentError
from workbench.estimators.unbounded import UnboundedGaussian
from workbench.privacy import ApproxDP
from workbench.special import chdtri
from workbench.study.run import Run
from workbench.study.scaling import Growth, Move, Public, Scaling, measured
from workbench.study.search import fewest_rows

D, DIMENSIONS, LEVELS, HARDER = 2, (2, 5, 10, 20), (1e-2, 1e-4, 1e-8, 1e-12), (1, 2, 4, 8)
USUAL: Mapping[str, float] = {"d": D, "epsilon": 1.0, "delta": 1e-6, "alpha": CONSTANT}
HEADS = {"d": "more columns", "epsilon": "smaller ε", "delta": "smaller δ"}
TITLES = {"d": "columns d", "epsilon": "1/ε", "delta": "ln(1/δ)", "alpha": "1/α"}
LOWER = "Lower grey: the rate for an unknown Σ."
SYMBOLS = {"d": "d", "epsilon": "ε", "delta": "δ", "alpha": "α"}
VOTES, PLAIN = "gaussian/unbounded", "mean/empirical"
CAPS = {"full": 200}
LIFTED = {"d": TALL, "alpha": ALPHA}


def ball_shape(public: Public) -> float:
    """Return d/α² + d √ln(1/δ)/(αε): what CoinPress takes where Σ and a ball are known."""
    noise = public["d"] * sqrt(log(1 / public["delta"])) / (public["alpha"] * public["epsilon"])
    return float(public["d"] / public["alpha"] ** 2 + noise)


def _known(key: str, statement: str, shape: Callable[[Public], float]) -> Growth:
    """Return what is searched of a mean that is told Σ."""
    return Growth(
        id=statement,
        key=f"{key} (told Σ)",
        block=affine.whitened,
        usual={"key": key, **USUAL},
        alpha=lambda public: public["alpha"],
        shape=shape,
        start=predicted,
        fewest=fewest_of,
        predicted=predicted,
        share=0.5,
        caps=CAPS,
        moves={name: Move(values, 1, {}, "") for name, values in _values(USUAL).items()},
    )


def _values(usual: Public) -> dict[str, tuple[float, ...]]:
    """Return the values of every number that moves, from the easiest on."""
    return {
        "d": DIMENSIONS,
        "epsilon": tuple(usual["epsilon"] / times for times in HARDER),
        "delta": LEVELS,
        "alpha": tuple(usual["alpha"] / times for times in HARDER),
    }


KNOWN = {
    affine.COINPRESS: _known(affine.COINPRESS, "M21/prior-CoinPress", ball_shape),
}
NAMES = {
    affine.MEAN: "lifted quantile",
    affine.COINPRESS: "CoinPress, told Σ",
}


def means(run: Run, *, epsilon: float = 1.0, delta: float = 1e-6, alpha: float = CONSTANT) -> Chart:
    """Return the rows of every mean against 1/α (mean-rows-in-steps)."""
    usual = {"d": D, "epsilon": epsilon, "delta": delta, "alpha": alpha}
    return Chart(
        "means",
        "Without Σ the first rows are dear, and accuracy after them is cheap",
        (_panel(run, "alpha", usual),),
        alt="Rows against 1/α. The lifted quantile needs several times the rows of CoinPress, told the"
        " covariance, fewer than votes of blocks, and dozens of times fewer than stable subsets; as 1/α grows"
        " eightfold its rows grow much less.",
        how_to_read=f"Rows for a median error of α at ({number(epsilon)}, {number(delta)}), d = {D}. Votes of"
        " blocks answer from so many rows on, whatever α is, and so do stable subsets: the formulas of Brown,"
        " Hopkins & Smith.",
    )


def means_elsewhere(run: Run, *, epsilon: float = 1.0, delta: float = 1e-6, alpha: float = CONSTANT) -> Chart:
    """Return the rows of every mean against d, 1/ε and ln(1/δ) (mean-rows-grow)."""
    usual = {"d": D, "epsilon": epsilon, "delta": delta, "alpha": alpha}
    return Chart(
        "means_elsewhere",
        "Privacy makes every mean dearer alike; columns hurt votes of blocks most",
        tuple(_panel(run, name, usual) for name in ("d", "epsilon", "delta")),
        alt="Rows against columns, 1/ε and ln(1/δ), three panels. Lines are about parallel in the last two;"
        " in the first, votes of blocks rise most steeply.",
        how_to_read=f"Rows for a median error of {number(alpha)} at ({number(epsilon)}, {number(delta)}), d ="
        f" {D}; one number moves in each panel. The grey line that starts at the lifted quantile is the rate"
        " for an unknown Σ.",
    )


def _panel(run: Run, name: str, usual: Public) -> Panel:
    values = _values(usual)[name]
    publics = [{**usual, name: value} for value in values]
    x = [_hardness(name, value) for value in values]
    growths = {affine.MEAN: LIFTED.get(name, FEWEST), **KNOWN}
    searched = {
        key: _curve(run, key, _moved(growth, name), publics, x, dict(usual) == dict(USUAL))
        for key, growth in growths.items()
    }
    blocks = [_votes(public) for public in publics]
    subsets = [float(bhs23.rows_of_means(public["d"], *_asked(public))) for public in publics]
    plain = [float(chdtri(public["d"], 0.5)) / public["alpha"] ** 2 for public in publics]
    rate = _rate(publics, x, next(iter(searched[affine.MEAN].y)))
    others = (
        Series("stable subsets (formula)", x, subsets, role="reference", kind="count"),
        Series("votes of blocks", x, blocks, colour_key=VOTES, kind="count"),
        Series("no privacy", x, plain, role="truth", colour_key=PLAIN),
    )
    series = (rate, *searched.values(), *others)
    if name == "alpha":
        title = f"median error of α, d = {D}"
        return Panel(title, TITLES[name], "rows n", series, ylim=(5.0, 1e6), marks=(_named(rate),))
    fixed = ", ".join(f"{SYMBOLS[one]} = {number(usual[one])}" for one in usual if one != name)
    note = f"{fixed}. {LOWER}" if name == "d" else fixed
    return Panel(HEADS[name], TITLES[name], "rows n", series, note=note, ylim=(5.0, 1e6))


def _rate(publics: list[dict[str, Any]], x: list[float], first: float) -> Series:
    """Return the rate of the literature for an unknown Σ, from the first point."""
    rates = np.array([mean_shape(public) for public in publics])
    return Series("", x, first * rates / rates[0], role="reference")


def _named(rate: Series) -> Mark:
    """Return the name of the rate, above its last point but one."""
    *_, x, last = rate.x
    *_, y, _ = rate.y
    return Mark("rate for an unknown Σ", x=sqrt(x * last) / 1.12, y=3.2 * y)


def _hardness(name: str, value: float) -> float:
    return value if name == "d" else log(1 / value) if name == "delta" else 1 / value


def _moved(growth: Growth, name: str) -> Scaling:
    return next(one for one in growth.scalings() if one.variable == name)


def _curve(
    run: Run, key: str, scaling: Scaling, publics: list[dict[str, Any]], x: list[float], usual: bool
) -> Series:
    """Return the searched rows; where nothing is searched, what is predicted at both ends."""
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


def _asked(public: Public) -> tuple[float, float, float]:
    return public["alpha"], public["epsilon"], public["delta"]


def _votes(public: Public) -> float:
    """Return the fewest rows of votes of blocks, whose error there is far below what is asked for."""
    return float(fewest_rows(UnboundedGaussian(), public["d"], ApproxDP(public["epsilon"], public["delta"])))
