"""What lifted rows give: the mean of any Gaussian, and a whole Gaussian, whatever covariance and offset.

Rows are along random axes, their eigenvalues in equal ratios up to a condition number, or by the name of a
spectrum; their mean is so many standard deviations away, in a random direction. Errors are in the norm of Σ,
or total variation; an abstention has an infinite one.
"""

from collections.abc import Mapping
from functools import lru_cache
from math import inf, isfinite, log, nan, sqrt
from typing import Any

import numpy as np
from numpy.random import Generator
from pandas import DataFrame

from workbench.bounds.limits import rows_of_means
from workbench.chapters.matrix_quantile.quantiles import STATEMENT
from workbench.charts.curves import Chart, Panel, Series, number, styled, text_at, theory
from workbench.distributions import Gaussian
from workbench.errors import ArgumentError
from workbench.estimators.affine import AffineMean, LiftedGaussian
from workbench.estimators.coinpress import CoinPressMean
from workbench.estimators.populous import PopulousGaussian
from workbench.estimators.unbounded import UnboundedGaussian
from workbench.populations.rotated import Rotated, named, rotated, shown
from workbench.privacy import ApproxDP
from workbench.special import chdtri
from workbench.study.measures import Measure, at, between, by, certain, median, seldom
from workbench.study.rules import Checks, Claim, enough, supremum
from workbench.study.scaling import Move, Named, Statement, measured
from workbench.study.search import fewest_rows
from workbench.study.sweeps import (
    Row,
    Run,
    Sweep,
    answered,
    blocks,
    distance_of,
    each_trial,
    grid,
    loss_of,
    over_grid,
)
from workbench.types import Array

MEAN, LAW = "mean/affine", "gaussian/lifted"
COINPRESS = "mean/coinpress"  # has to be given Σ
BETA = 0.1
BUDGET = ApproxDP(1.0, 1e-6)
ESTIMATORS: dict[str, Any] = {MEAN: AffineMean(beta=BETA), LAW: LiftedGaussian(beta=BETA)}
TOLD = 10.0  # standard deviations times √d, which CoinPress is given
CLOSE = 1.1  # of the ends between which a predicted n is a power of α


def loss(law: Rotated, found: Any) -> float:
    """Return the error of a mean in the norm of Σ, or the total variation of a whole Gaussian."""
    if not isinstance(found, Gaussian):
        return law.mean_error(found)
    return total_variation(law.whitening.T @ (found.mean - law.mean), law.in_units(found.covariance))


POINTS, DRAWN = 2**14, 59  # normal rows that a total variation is averaged over, and their seed


def total_variation(mean: Array, covariance: Array) -> float:
    """Return TV between N(mean, covariance) and N(0, I): the mean of max(0, 1 - p/φ) over fixed normal rows.

    To about 2 %, or .001; 1 where the first Gaussian is singular.
    """
    values, axes = np.linalg.eigh(covariance)
    if not values[0] > 0:
        return 1.0
    z = np.random.default_rng(DRAWN).standard_normal((POINTS, len(mean)))
    log_ratio = (z**2 - (z - axes.T @ mean) ** 2 / values - np.log(values)).sum(axis=1) / 2
    return float(np.maximum(0.0, -np.expm1(log_ratio)).mean())


# What is run, and what is planned for it


def _run(one: Any, law: Rotated, n: int, budget: ApproxDP, data: Generator, noise: Generator) -> float:
    return loss_of(one, law.sample(n, rng=data), budget, noise, lambda found: loss(law, found))


@each_trial
def released(
    key: str, d: int, n: int, epsilon: float, delta: float, condition: float, offset: float, *,
    data: Generator, noise: Generator,
) -> Row:  # fmt: skip
    """Measure the error of one of the two at a condition number and an offset."""
    law = rotated(np.geomspace(1.0, condition, d), data, offset)
    return answered(_run(ESTIMATORS[key], law, n, ApproxDP(epsilon, delta), data, noise))


@each_trial
def whitened(
    key: str, d: int, n: int, epsilon: float, delta: float, *, data: Generator, noise: Generator
) -> Row:
    """Measure the error of a mean that is given Σ, so that rows are white, and perhaps a ball."""
    direction = data.standard_normal(d)
    mean = TOLD * sqrt(d) * direction / np.linalg.norm(direction)
    x = mean + data.standard_normal((n, d))
    return answered(distance_of(given(key, d), x, mean, ApproxDP(epsilon, delta), noise))


def given(key: str, d: int) -> Any:
    return CoinPressMean(radius=TOLD * sqrt(d), sigma=1.0) if key == COINPRESS else ESTIMATORS[key]


@lru_cache(maxsize=256)
def fewest(key: str, d: int, budget: ApproxDP) -> int:
    one = given(key, d)
    return int(fewest_rows(one, d, budget) if key == COINPRESS else one.fewest(d, budget))


@lru_cache(maxsize=4096)
def expected(key: str, n: int, d: int, budget: ApproxDP) -> float:
    """Return the predicted median of the error for normal rows, infinite where n rows are refused."""
    try:
        if key == LAW:
            return float(ESTIMATORS[key].design(n, d, budget).squared_error.total_variation)
        return float(given(key, d).predicted_error(n, d, budget))
    except ArgumentError:
        return inf


@lru_cache(maxsize=256)
def predicted_mean_rows(key: str, d: int, alpha: float, epsilon: float, delta: float) -> float:
    """Return the fewest rows whose predicted median, given a release, is at most α: public."""
    budget = ApproxDP(epsilon, delta)
    low = high = fewest(key, d, budget)

    def error(n: int) -> float:
        return expected(key, n, d, budget)

    while error(high) > alpha:
        low, high = high, 2 * high
    while high > CLOSE * low:
        middle = round(sqrt(low * high))
        low, high = (low, middle) if error(middle) <= alpha else (middle, high)
    if low == high:
        return float(high)
    part = log(error(low) / alpha) / log(error(low) / error(high))
    return float(round(float(low * (high / low) ** part)))


# The same anywhere


LONGEST = 1e8  # a condition number; a little beyond it the guard of floats refuses: it abstains
FARTHEST = 1e9  # standard deviations
ROWS = {MEAN: 2.0, LAW: 1.5}  # times the fewest, for any spectrum
TIMES = {MEAN: 2.2, LAW: 1.3}  # the predicted median: hardly one release in thirty is farther off
SOURCES = {MEAN: "M21/affine-mean", LAW: "M21/lifted-gaussian"}
TRIED = 5  # columns


@lru_cache(maxsize=64)
def rows(key: str, d: int) -> int:
    return round(ROWS[key] * fewest(key, d, BUDGET))


@each_trial
def anywhere(key: str, d: int, spectrum: str, *, data: Generator, noise: Generator) -> Row:
    """Measure the error at some multiple of the fewest rows, the mean up to `FARTHEST` away."""
    offset = float(np.exp(data.uniform(0.0, log(FARTHEST))))
    law = rotated(named(spectrum, d, LONGEST), data, offset)
    return answered(_run(ESTIMATORS[key], law, rows(key, d), BUDGET, data, noise))


ANYWHERE = {
    key: over_grid(
        f"affine-anywhere-{key}-{TRIED}",
        anywhere,
        7,
        20,
        key=key,
        d=TRIED,
        spectrum=shown(TRIED, key, longest=LONGEST),
    )
    for key in SOURCES
}


def the_same_anywhere(*frames: DataFrame) -> Checks:
    for key, frame in zip(ANYWHERE, frames, strict=True):
        n = rows(key, TRIED)
        bad = frame["error"] > TIMES[key] * expected(key, n, TRIED, BUDGET)
        name = f"{key}, d = {TRIED}: within {TIMES[key]:g} times the predicted median"
        found = supremum(name, frame, bad, BETA, factor=4.0, n=n)
        yield enough(found, SOURCES[key], "enough, whatever covariance and mean: planned")


# A whole Gaussian from few rows, by a matrix quantile and all rows in its frame


FAR = 1000.0  # standard deviations, along random axes
LEARNER = PopulousGaussian(covariance="matrix-quantile", degenerate=False)
CONDITIONS, START, MORE = (1.0, 1e6, 1e12), 1.05, (2.0, 4.0, 16.0)  # times the fewest rows
LONG = 1e6  # the condition number at more rows
TRIALS = {2: (40, 10), 5: (20, 10), 10: (5, 20), 20: (2, 20)}  # of a block; blocks of the full profile
MOST = {2: 2000, 5: 7000, 10: 13_000, 20: 30_000}  # rows
SELDOM, FACTOR = 0.1, {2: 2.5, 5: 3.0, 10: 5.0, 20: 6.5}  # times that is what so many runs would notice
BAND = (0.85, 1.15)  # measured over predicted total variation


@lru_cache(maxsize=16)
def start(d: int) -> int:
    return fewest_rows(LEARNER, d, BUDGET)


@each_trial
def learned(d: int, condition: float, share: float, *, data: Generator, noise: Generator) -> Row:
    """Measure the total variation at so many times the fewest rows, infinite for an abstention."""
    law = rotated(np.geomspace(1.0, condition, d), data, FAR)
    return {"error": _run(LEARNER, law, int(share * start(d)), BUDGET, data, noise)}


LEARNED = {
    d: Sweep(
        f"mq-learned-{d}",
        (
            *grid(d=d, condition=CONDITIONS, share=START),
            *grid(d=d, condition=LONG, share=MORE if d < 20 else ()),
        ),
        learned,
        trials,
        blocks(full),
    )
    for d, (trials, full) in TRIALS.items()
}


def learned_from_few_rows(*frames: DataFrame) -> Checks:
    for d, frame in zip(LEARNED, frames, strict=True):
        yield certain(f"d = {d}: the fewest rows", start(d), 0.0, MOST[d])
        n, said = int(START * start(d)), "no release, in 10 % of runs"
        for condition, rows in by(at(frame, share=START), "condition").items():
            name = f"d = {d}, condition number {condition:g}"
            found = seldom(name, rows["error"] == inf, SELDOM, said, factor=FACTOR[d], n=n)
            yield enough(found, STATEMENT, "planned", n)
        for share, rows in by(frame, "share").items():
            n = int(share * start(d))
            predicted = LEARNER.recipe(n, d, BUDGET).squared_error.total_variation
            one = median(rows["error"])
            low, high = (end / predicted for end in one.interval)
            over = Measure(one.estimate / predicted, (low, high), one.trials)
            name = f"d = {d}, {share:g} times the fewest rows: total variation over the predicted"
            yield between(name, over, *BAND, n=n)


# Rows that a mean takes where its covariance is unknown, against the error that is asked for.


MANY = {"full": 200}  # runs of a search
D, HARDER = 2, (1, 2, 4, 8)
MEAN_ROWS_BAND, CONSTANT = 1.15, 0.4  # of searched over predicted n; the error where few rows are enough
USUAL: Mapping[str, float] = {"d": D, "epsilon": 1.0, "delta": 1e-6, "alpha": CONSTANT}
NAMES = {MEAN: "lifted quantile", COINPRESS: "CoinPress, given Σ"}


def constant_shape(d: int, epsilon: float, delta: float) -> float:
    """Return d ln(1/δ)/ε: what a constant error takes, for ε of order 1 or less."""
    return float(d * log(1 / delta) / epsilon)


def ball_shape(d: int, alpha: float, epsilon: float, delta: float) -> float:
    """Return d/α² + d √ln(1/δ)/(αε): what CoinPress takes where Σ and a ball are known."""
    noise = d * sqrt(log(1 / delta)) / (alpha * epsilon)
    return float(d / alpha**2 + noise)


def mean_shape(d: int, alpha: float, epsilon: float, delta: float) -> float:
    """Return the sum of both."""
    return ball_shape(d, alpha, epsilon, delta) + constant_shape(d, epsilon, delta)


def fewest_mean_rows(key: str, d: int, epsilon: float, delta: float) -> int:
    return fewest(key, d, ApproxDP(epsilon, delta))


def affine(
    key: str, said: str, shape: Named, moves: tuple[Move, ...], *, caps: Any = MANY, **usual: Any
) -> Statement:
    return Statement(
        SOURCES[key],
        f"{key} ({said})",
        {"key": key, "epsilon": 1.0, "delta": 1e-6, "condition": 1e4, "offset": 1e3, **usual},
        shape,
        moves,
        released,
        predicted=predicted_mean_rows,
        fewest=fewest_mean_rows,
        share=0.5,
        caps=caps,
    )


ALPHA = affine(
    MEAN,
    "ε = 1",
    mean_shape,
    (Move("alpha", (0.4, 0.2, 0.1, 0.05), -1, {"1/α²": -2.0}, "d √ln(1/δ)/(αε)"),),
    d=D,
)
KNOWN = Statement(
    "M21/prior-CoinPress",
    f"{COINPRESS} (told Σ)",
    {"key": COINPRESS, **USUAL},
    ball_shape,
    (Move("alpha", tuple(CONSTANT / times for times in HARDER), 1, {}, ""),),
    whitened,
    predicted=predicted_mean_rows,
    fewest=fewest_mean_rows,
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
        for key, growth in ((MEAN, ALPHA), (COINPRESS, KNOWN))
    ]
    rates = np.array([mean_shape(**public) for public in publics])
    rate = next(iter(searched[0].y)) * rates / rates[0]
    blocks = fewest_rows(UnboundedGaussian(), D, budget)  # their error there is far below all of these
    subsets = [rows_of_means(D, public["alpha"], epsilon, delta) for public in publics]
    plain = [float(chdtri(D, 0.5)) / public["alpha"] ** 2 for public in publics]
    series = (
        styled("reference", "", x, rate),
        *searched,
        styled("reference", "stable subsets (formula)", x, subsets, kind="count"),
        Series("votes of blocks", x, [blocks] * len(x), colour_key="gaussian/unbounded", kind="count"),
        styled("truth", "no privacy", x, plain, "mean/empirical"),
    )
    named = text_at("rate for an unknown Σ", sqrt(x[-2] * x[-1]) / 1.12, 3.2 * rate[-2])
    panel = Panel(
        f"Rows for a median error of α, d = {D}", "1/α", "rows n", series, ylim=(5.0, 1e6),
        marks=(named,) if isfinite(rate[-2]) else (),
    )  # fmt: skip
    return Chart(
        "means",
        "An unknown Σ costs a fixed number of rows; accuracy after that costs few rows",
        [panel],
        alt="Rows against 1/α. The lifted quantile needs 2 to 4 times the rows of CoinPress, given the"
        " covariance, fewer than votes of blocks, and 25 to 80 times fewer than stable subsets; as 1/α"
        " grows eightfold its rows grow about threefold.",
        how_to_read=f"Rows for a median error of α at ({number(epsilon)}, {number(delta)}), d = {D}. Votes of"
        " blocks need a fixed number of rows whatever α is, and so do stable subsets: the formulas of Brown,"
        " Hopkins & Smith.",
    )


def _curve(
    run: Run, key: str, growth: Statement, publics: list[dict[str, Any]], x: list[float], usual: bool
) -> Series:
    (scaling,) = growth.scalings()
    if run.simulate and usual and run.profile in scaling.caps:
        (found,) = measured([scaling], run.profile, seed=run.seed)
        places = [x[scaling.move.values.index(one.value)] for one in found]
        low, high = zip(*(one.interval for one in found), strict=True)
        return Series(
            NAMES[key], places, [one.n for one in found], low, high, colour_key=key,
            expected=[one.setting.predicted for one in found], margin=MEAN_ROWS_BAND - 1,
        )  # fmt: skip
    ends = []
    for public in (publics[0], publics[-1]):
        try:
            ends.append(predicted_mean_rows(key, **public))
        except ArgumentError:
            ends.append(nan)
    return theory(NAMES[key], (x[0], x[-1]), ends, key)


CLAIMS = (
    Claim(
        "matrix-quantile/law-from-few-rows",
        "MQ8",
        (STATEMENT,),
        "A whole Gaussian, by a matrix quantile and all rows in its frame, from at most 2,000, 7,000,"
        " 13,000, 30,000 rows for d = 2, 5, 10, 20: at 1.05 times its fewest rows 90 % of runs release, at"
        " condition numbers 1, 1e6 and 1e12, and there and at 2, 4, 16 times (d up to 10) the median total"
        " variation is .85 to 1.15 times the predicted one: (1, 1e-6).",
        learned_from_few_rows,
        lambda: LEARNED.values(),
        kind="ours",
    ),
    Claim(
        "matrix-quantile/lifted-anywhere",
        "MQ9",
        tuple(SOURCES.values()),
        "For d = 5, 90 % of means from a lifted quantile of twice its fewest rows are within 2.2 times the"
        " predicted median, and 90 % of whole Gaussians from 1.5 times their fewest within 1.3 times it in"
        " total variation: for means up to 1e9 standard deviations away and each of several spectra of"
        " condition numbers up to 1e8, the worst that a search found among them; (1, 1e-6); a failure rate"
        " of .4 would be refuted.",
        the_same_anywhere,
        lambda: ANYWHERE.values(),
        kind="ours",
    ),
)
