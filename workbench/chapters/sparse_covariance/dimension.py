"""What p costs: where "only log p" is true, and where it is not (WX19 Theorem 2).

On a fixed block the other coordinates do not vary. On a spread support the entries of rows in the unit ball
shrink as 1/p, and the α that is asked for with them. Errors are spectral, and relative to the truth's norm.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import inf, log, sqrt
from typing import Any

import numpy as np
from numpy.random import Generator
from pandas import DataFrame

from workbench.bounds import wx19 as bounds
from workbench.chapters.sparse_covariance.designs import (
    DELTA,
    LARGEST_N,
    Model,
    P,
    arithmetic,
    block,
    bootstrapped,
    circle,
    crossing,
    diagonal,
    estimates,
    exponential,
    geometric,
    largest_variance,
    plain_error,
    recall,
    released,
    rows_factor,
    share_of,
    source_run,
    spectral,
    spectral_error,
    spread,
    spread_run,
    stated_noise,
    typical,
    without_privacy,
)  # fmt: skip
from workbench.chapters.sparse_covariance.figures_1_to_4 import (
    DEFAULT,
    LOOKS,
    NAMED,
    PAPER,
    UNKNOWN,
    expecting,
    reference,
)
from workbench.charts.curves import Chart, Mark, Panel, measured, number, predicted, styled, text_at
from workbench.privacy import ApproxDP
from workbench.privacy.mechanisms import gaussian_mu
from workbench.study import measures
from workbench.study.measures import Measure, at, between, by, each, growth, local_slope, paired_columns
from workbench.study.rules import CHECK_LEVEL, Checks, Claim, Complexity, claim_level, sized
from workbench.study.scaling import Growth, Move, Setting, Statement, grows
from workbench.study.sweeps import Point, Row, Run, Sweep, blocks, each_trial, grid, over_grid
from workbench.types import Array

LEVEL = 0.05
DEGREE = 3
BLOCK_N, ACTIVE, BLOCK_P = 30_000, 20, (50, 100, 200, 400, 800)
FLAT, GROWING = 1.5, 3.0
NEEDED_P, TARGET = (50, 100, 200, 400), 0.2
UNIT = 600  # rows a column
SOURCE_P, SOURCE_N, SEARCHED_P = (50, 400), 1_000_000, (25, 50, 100, 200)  # with the source's own rule
FACTORS = tuple(np.geomspace(0.15, 3.2, 9).tolist())


# What is run


@each_trial
def in_block(
    p: int, n: int, epsilon: float, active: int, degree: int, *, delta: float = DELTA,
    data: Generator, noise: Generator,
) -> Row:  # fmt: skip
    """Measure the errors of both rules and of all references on a fixed active block."""
    one = released(block(p, active, degree, n, data), n, epsilon, data, noise, delta=delta)
    return {name: one.error(matrix) for name, matrix in estimates(one, noise).items()}


@each_trial
def spread_out(
    p: int, n: int, epsilon: float, degree: float, *, delta: float = DELTA, data: Generator, noise: Generator
) -> Row:
    """Measure the errors of the default rule and of the plain release on a support that is spread out."""
    one = spread_run(p, degree, n, epsilon, data, noise, delta=delta)
    kept = one.thresholded("adaptive-lasso", noise).psd
    return {"plain": one.error(one.released), "default": one.error(kept)}


BLOCK = Sweep(
    "wx19-active-block",
    grid(p=BLOCK_P, n=BLOCK_N, epsilon=1.0, active=ACTIVE, degree=DEGREE),
    in_block,
    2,
    blocks(20),
    in_law=True,
)


def needed_points(epsilon: float = 1.0, degree: float = DEGREE, unit: float = UNIT) -> tuple[Point, ...]:
    return tuple(
        {"p": p, "n": round(unit * p * factor), "epsilon": epsilon, "degree": degree}
        for p in NEEDED_P
        for factor in FACTORS
    )


NEEDED = Sweep("wx19-rows-needed", needed_points(), spread_out, 2, blocks(12), in_law=True)


@each_trial
def in_source_block(p: int, n: int, epsilon: float, *, data: Generator, noise: Generator) -> Row:
    """Measure the source's noise and rule on the block, beside the error of the true diagonal."""
    one = source_run(block(ACTIVE, ACTIVE, DEGREE, n, data), p, n, epsilon, DELTA, data, noise)
    return {
        "algorithm": spectral_error(one.kept("paper", noise), one.truth),
        "diagonal": spectral((one.truth - diagonal(one.truth))[:ACTIVE, :ACTIVE]),
    }


@each_trial
def on_spread(p: int, n: int, epsilon: float, *, data: Generator, noise: Generator) -> Row:
    """Measure the relative error of the source's noise and rule on a support that is spread out."""
    covariance = spread(p, share_of(p, DEGREE), LARGEST_N, data)
    one = released(covariance, n, epsilon, data, noise, calibration="paper")
    return {"error": spectral_error(one.kept("paper", noise), covariance) / spectral(covariance)}


SOURCE_BLOCK = over_grid("wx19-source-block", in_source_block, 20, 20, p=SOURCE_P, n=SOURCE_N, epsilon=1.0)


# What is shown


def rows_needed(curves: Array, unit: float = UNIT) -> Array:
    """Return log n at which the geometric mean error falls to the target, from trials by (p, n)."""
    means = np.log(curves).mean(axis=0).reshape(len(NEEDED_P), len(FACTORS))
    ns = [[unit * p * factor for factor in FACTORS] for p in NEEDED_P]
    return np.array([crossing(n, mean, log(TARGET)) for n, mean in zip(ns, means, strict=True)])


def error_against_p(run: Run, *, epsilon: float = 1.0, delta: float = DELTA, degree: int = DEGREE) -> Chart:
    """Return the error on a fixed active block, and the n that spread support needs."""
    budget = ApproxDP(epsilon, delta)
    factor = rows_factor("central", P, budget)
    return Chart(
        "error_against_p",
        "Idle columns hardly matter to a threshold; correlated ones cost rows",
        (_block(run, budget, degree, round(factor * BLOCK_N)), _needed(run, budget, degree, factor)),
        alt="Left: the relative error against p on a fixed active block; the rules rise by 15 and 35 %, the"
        " plain release grows as the root of p. Right: the n for a relative error of 0.2 against p where the"
        " support is spread out; all lines rise as powers of p, the default rule's less steeply than the"
        " plain release's.",
        how_to_read=f"Left, {ACTIVE} columns vary and the others hardly do. Right, all take part, and a unit"
        f" ball must hold the rows: entries shrink as 1/p. Grey: rates. s = {degree}, ε = {number(epsilon)},"
        f" δ = {number(delta)}.",
    )


def _block(run: Run, budget: ApproxDP, degree: int, n: int) -> Panel:
    points = grid(p=BLOCK_P, n=n, epsilon=budget.epsilon, active=ACTIVE, degree=degree)
    frame = run.table(BLOCK.moved(points, delta=budget.delta))
    foreseen = {p: plain_error(typical(block, p, ACTIVE, degree, n), p, n, budget) for p in BLOCK_P}
    rules = {"default": ("default rule", DEFAULT), "algorithm": ("equation (9)", PAPER)}
    at_p = {p: at(frame, p=p) for p in BLOCK_P if len(frame)}
    series = [
        measured(label, {p: geometric(rows[name], LEVEL) for p, rows in at_p.items()}, look)
        for name, (label, look) in rules.items()
    ]
    found = {name: reference(frame, name, name, "p") for name in LOOKS}
    found["plain"] = replace(expecting(found["plain"], foreseen), role="estimate", label=NAMED["plain"])
    x, y = tuple(series[0].x), tuple(series[0].y)
    if x:  # its name stands below the middle
        series[0] = replace(series[0], label_at=(x[len(x) // 2], 0.8 * y[len(y) // 2]))
    for name in ("oracle diagonal", "empirical"):
        found[name] = replace(found[name], label=NAMED[name])
    series += [*found.values(), *predicted(run, foreseen, foreseen.values(), LOOKS["plain"])]
    marks = [text_at("zeros", 1.3 * BLOCK_P[0], 1.18)]
    lowest = tuple(found["without"].y)
    if lowest:
        place = BLOCK_P[len(lowest) // 2], 1.22 * max(lowest)
        marks.append(Mark(NAMED["without"], "region", *place, colour_key=LOOKS["without"]))
    title = f"{ACTIVE} active columns, n = {number(n)}"
    return Panel(title, "columns p", "relative error", series, marks=marks)


def _needed(run: Run, budget: ApproxDP, degree: int, factor: float) -> Panel:
    unit = UNIT * factor
    frame = run.table(NEEDED.moved(needed_points(budget.epsilon, degree, unit), delta=budget.delta))
    ps, series = np.array(NEEDED_P, float), []
    for name, label, look, order, rate in (
        ("default", "default rule", DEFAULT, ps * np.sqrt(np.log(ps)), r"as $p\sqrt{\ln p}$"),
        ("plain", "plain release", LOOKS["plain"], ps**1.5, "as $p^{3/2}$"),
    ):
        if len(frame):
            curves = paired_columns(frame, name, "point")
            found = {p: _rows(curves, place, run.seed, unit) for place, p in enumerate(NEEDED_P)}
            first = found[NEEDED_P[0]].estimate
            series.append(measured(label, found, look))
            series.append(styled("reference", rate, ps, first * order / order[0]))
    note = "" if series else UNKNOWN
    return Panel("all take part: rows for error 0.2", "columns p", "rows n", series, note=note)


def _rows(
    curves: Array, place: int, seed: int, unit: float = UNIT, level: float = LEVEL, name: str = "wx19-needed"
) -> Measure:
    return exponential(bootstrapped(lambda rows: rows_needed(rows, unit)[place], curves, level, name, seed))


# What is claimed


def block_checks(frame: DataFrame, source: DataFrame) -> Checks:
    name = f"error at p = {BLOCK_P[-1]} over that at p = {BLOCK_P[0]}"
    flat, growing = (_ends(frame, one, BLOCK_P, 4) for one in ("default", "plain"))
    name_9 = f"error at p = {SOURCE_P[-1]} over that at p = {SOURCE_P[0]}, equation (9)"
    over = {
        p: geometric(rows["algorithm"] / rows["diagonal"], claim_level(parts=2))
        for p, rows in by(source, "p").items()
    }
    return [
        between(f"{name}, default rule", flat, 0.0, FLAT, n=BLOCK_N),
        between(f"{name}, plain", growing, GROWING, np.inf, n=BLOCK_N, bound=GROWING),
        between(name_9, _ends(source, "algorithm", SOURCE_P), 0.0, FLAT, n=SOURCE_N),
        *each("error over that of the true diagonal, equation (9), p = ", over, 0.0, 0.5, n=SOURCE_N),
    ]


def _ends(frame: DataFrame, column: str, ps: Sequence[int], parts: int = 2, **where: float) -> Measure:
    """Return the geometric mean of a column at the largest p over that at the smallest."""
    level = claim_level(parts=parts)
    return measures.ratio(*(geometric(at(frame, **where, p=p)[column], level) for p in (ps[-1], ps[0])))


def exponent(curves: Array) -> float:
    return local_slope(NEEDED_P, np.exp(rows_needed(curves)))


def needed_checks(frame: DataFrame, *growths: Growth, seed: int) -> Checks:
    curves = {name: paired_columns(frame, name, "point") for name in ("default", "plain")}
    both, level = np.concatenate([*curves.values()], axis=1), claim_level(parts=3)
    checks = [
        between(f"exponent of p, {name}", bootstrapped(power, rows, level, "wx19-exponent", seed), *limits)
        for name, power, rows, limits in (
            ("default", exponent, curves["default"], (0.55, 1.1)),
            ("plain", exponent, curves["plain"], (0.95, 1.6)),
            ("difference", _difference, both, (0.3, 0.7)),
        )
    ]
    sizes = [size(curves["default"], place, p, seed) for place, p in enumerate(NEEDED_P)]
    return [sized(checks[0], *sizes), *checks[1:], *(grows(*growth) for growth in growths)]


def _difference(both: Array) -> float:
    default, plain = np.split(both, 2, axis=1)
    return exponent(plain) - exponent(default)


def size(curves: Array, place: int, p: int, seed: int) -> Complexity:
    """Return the n that the default rule needs at one p, beside p √ln p from the smallest p on."""
    found = _rows(curves, place, seed, level=CHECK_LEVEL, name="wx19-size")
    first = float(np.exp(rows_needed(curves)[0]))
    order = p * sqrt(log(p)) / (NEEDED_P[0] * sqrt(log(NEEDED_P[0])))
    formula = "p √ln p, from the n at p = 50: relative error .2 with s = 3"
    return Complexity("WX19/Thm2", formula, first * order, found.estimate, found.interval)


def searched(p: int) -> Setting:
    """Return the setting at p: α is a fifth of a typical truth's norm, γ the variance of a coordinate."""
    norm, trace = typical(spread, p, share_of(p, DEGREE), LARGEST_N)
    n = bounds.central_rows(TARGET * norm, DEGREE, p, 1.0, DELTA, trace / p)
    entry, noise = TARGET * norm / DEGREE, stated_noise(1.0, DELTA)
    predicted = bounds.rows_for_threshold(entry, p, noise, trace / p)
    share = noise * 4 * np.sqrt(np.log(p)) / entry / predicted
    return Setting({}, TARGET, round(predicted), stated=n, predicted=predicted, share=share)


def on_spread_support() -> Statement:
    """Return the searched n in p: its power is that of √ln p/α, since α falls with p."""
    power = local_slope(SEARCHED_P, [searched(p).stated for p in SEARCHED_P])
    wrong = {"√ln p": 0.12, "without a threshold": power + 0.5}  # the slope of √ln p over these p
    return Statement(
        "WX19/Thm2",
        "covariance/thresholded [paper, spread support]",
        {"epsilon": 1.0},
        lambda d: searched(d).stated,
        (Move("d", SEARCHED_P, power, wrong, "s √ln p √ln(1/δ)/(αε), α a share of |Σ|₂"),),
        on_spread,
        alpha=lambda: TARGET,
        predicted=lambda d: searched(d).predicted,
        isolated=lambda d: searched(d).share,
        also=lambda d: {"p": d},
        caps={"full": 200},
    )


# How fast noise fades in either model, and when privacy costs nothing any more (WX19 Theorems 2 and 3)


MODELS: tuple[Model, ...] = ("central", "local")
RATE_P, RATE_N, RATE_DELTA = (50, 200), (1, 2, 4, 8), (1e-3, 1e-6, 1e-12)
RATE_EPSILON = {"central": (0.25, 0.5, 1.0, 2.0), "local": (1.0, 2.0, 4.0, 8.0)}
RATES_ACTIVE, BLOCK_DEGREE = 16, 4
SIGNAL = {  # of a coordinate: its variance, and its correlation with each neighbour
    "central": (1e-6, 1e-7),
    "local": (
        largest_variance(RATES_ACTIVE, BLOCK_DEGREE) / 2,
        largest_variance(RATES_ACTIVE, BLOCK_DEGREE) / 20,
    ),
}
SLOPE_BAND, FOUND = {"n": 0.02, "epsilon": 0.05, "delta": 0.05}, 0.99
PRICE_P, STILL = (50, 100), (1.1, 1.6)


@each_trial
def on_a_block(
    model: Model, p: int, n: int, epsilon: float, delta: float, *, data: Generator, noise: Generator
) -> Row:
    """Measure the error of Algorithm 1 or 2 where all correlations stand out, and what it finds of them."""
    block = circle(RATES_ACTIVE, BLOCK_DEGREE, *SIGNAL[model])
    one = source_run(block, p, n, epsilon, delta, data, noise, model)
    kept = one.kept("paper", noise)
    return {"error": spectral_error(kept, one.truth), "recall": recall(kept, one.truth)}


def axes(model: Model) -> dict[str, tuple[Any, ...]]:
    """Return the values of every number, the first of which it has where another moves."""
    variance, entry = SIGNAL[model]
    noise = stated_noise(RATE_EPSILON[model][0], RATE_DELTA[-1])
    n = round(bounds.rows_for_threshold(entry / 3, RATE_P[-1], noise, variance, local=model == "local"))
    moved = tuple(factor * n for factor in RATE_N)
    return {"n": moved, "epsilon": RATE_EPSILON[model], "delta": RATE_DELTA, "p": RATE_P}


def rate_points() -> Iterator[Point]:
    for model in MODELS:
        usual = {"model": model, **{name: values[0] for name, values in axes(model).items()}}
        yield usual
        for name, values in axes(model).items():
            yield from ({**usual, name: other} for other in values[1:])


RATES = Sweep("wx19-rates", tuple(rate_points()), on_a_block, 100, blocks(20))


def price_rows(p: int, whole_trace: bool) -> int:
    """Return 10 (p σ₁/tr)², or 10 (p σ₁)² with the trace taken as 1; σ₁ is the noise of sensitivity 1."""
    sd = 1 / gaussian_mu(ApproxDP(1.0, DELTA))
    first = spread(p, share_of(p, DEGREE), round(10 * (p * sd) ** 2), np.random.default_rng(p))
    return round(10 * (p * sd / (1.0 if whole_trace else float(np.trace(first)))) ** 2)


@each_trial
def price(
    p: int, n: int, epsilon: float, degree: float, trace: str, *, data: Generator, noise: Generator
) -> Row:
    """Measure the error of the default rule with and without privacy on the same rows."""
    one = spread_run(p, degree, n, epsilon, data, noise)
    kept, plain = one.thresholded("adaptive-lasso", noise).psd, without_privacy(one, noise)
    return {"private": spectral(kept - one.truth), "without": spectral(plain - one.truth)}


PRICE = Sweep(
    "wx19-price",
    tuple(
        {"p": p, "n": price_rows(p, whole), "epsilon": 1.0, "degree": DEGREE, "trace": "1" if whole else "tr"}
        for p in PRICE_P
        for whole in (False, True)
    ),
    price,
    5,
    blocks(20),
)


def privacy_costs(rates: DataFrame, prices: DataFrame) -> Checks:
    checks = []
    for p in PRICE_P:
        for trace, limits in (("tr", (0.85, 1.2)), ("1", STILL)):
            rows = at(prices, p=p, trace=trace)
            ratio = geometric(rows["private"] / rows["without"])
            name = f"error over that without privacy, p = {p}, n = 10 (p σ₁/{trace})²"
            checks.append(between(name, ratio, *limits, n=int(rows["n"].max())))
    return [*[check for model in MODELS for check in model_checks(at(rates, model=model), model)], *checks]


def model_checks(frame: DataFrame, model: Model) -> Checks:
    values = axes(model)
    usual: dict[str, Any] = {name: some[0] for name, some in values.items()}
    moves: dict[str, tuple[Sequence[float], float]] = {
        "n": (RATE_N, -1.0 if model == "central" else -0.5),
        "epsilon": (RATE_EPSILON[model], -1.0),
        "delta": ([sqrt(log(1.25 / delta)) for delta in RATE_DELTA], 1.0),
    }
    for name, (axis, power) in moves.items():
        others, level = {k: v for k, v in usual.items() if k != name}, claim_level(parts=len(axis))
        sizes = {x: geometric(at(frame, **others, **{name: x})["error"], level) for x in values[name]}
        limits = power - SLOPE_BAND[name], power + SLOPE_BAND[name]
        said = "√ln(1.25/δ)" if name == "delta" else name
        yield between(f"slope in {said}, {model}", growth(sizes, axis), *limits, bound=power)
    most = sqrt(log(RATE_P[-1]) / log(RATE_P[0]))
    name = f"error at p = {RATE_P[-1]} over that at p = {RATE_P[0]}, {model}"
    del usual["p"]
    yield between(name, _ends(frame, "error", RATE_P, **usual), 0.0, most)
    yield between(f"share of the support, {model}", arithmetic(frame["recall"]), FOUND, inf)


CLAIMS = (
    Claim(
        "sparse-covariance/flat-in-block",
        "S4",
        ("WX19/Thm2", "WX19/finding2"),
        "With a fixed active block (20 coordinates, trace bounded) at n = 3e4, ε = 1, the error of the"
        " default rule at p = 800 is at most 1.5 times that at p = 50; that of the plain release at least 3"
        " times. With the source's noise and rule (n = 1e6, p = 50, 400) it is at most 1.5 times, too, and"
        " at most half of that of the true diagonal.",
        block_checks,
        lambda: (BLOCK, SOURCE_BLOCK),
    ),
    Claim(
        "sparse-covariance/power-behind-norm",
        "S5",
        ("WX19/Thm2", "WX19/finding2"),
        "With a support that is spread over all coordinates of rows in the unit ball, the n for a relative"
        " error of .2 grows as a power of p = 50 .. 400: .55 to 1.1 with the default rule, .95 to 1.6"
        " without, .3 to .7 apart. With the source's noise and rule the searched n grows as √ln p over the"
        " truth's norm does, p = 25 .. 200: as a power of p, and no logarithm.",
        needed_checks,
        lambda: [NEEDED],
        scalings=lambda: on_spread_support().scalings(),
        kind="ours",
    ),
    Claim(
        "sparse-covariance/price-of-privacy",
        "S6",
        ("WX19/Thm2", "WX19/Thm3", "WX19/finding3"),
        "Where correlations stand out of the noise (a block of 16 coordinates, all found), the error of"
        " Algorithm 1 falls as 1/n and that of Algorithm 2 as 1/√n, both as √ln(1.25/δ)/ε (slopes within .02"
        " in n, .05 in the others), and from p = 50 to 200 it grows no faster than √ln p. The price of"
        " central privacy fades: with the default rule 10 (p σ₁/tr)² rows make it .85 to 1.2 times the error"
        " without, 10 (p σ₁)² still 1.1 to 1.6.",
        privacy_costs,
        lambda: (RATES, PRICE),
    ),
)
