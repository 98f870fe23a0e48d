"""How many steps: two to four are enough, more do no harm, and an error that rises with them is a bug.

M21/prior-CoinPress, `proofs/gaussian_steps.md`. The authors' program maps rows by X A and results by
A⁻¹ Z A⁻¹. A is a product of symmetric matrices and is not symmetric after two steps, so that what is measured
is Aᵀ Σ A while A Σ Aᵀ was made round: the third step looks at rows that the second one has not prepared.
Privacy is not touched: the map of a row depends on former releases alone.
"""

from collections.abc import Sequence
from functools import cache, partial
from itertools import product
from math import inf, nan, sqrt
from typing import Any

import numpy as np
from numpy.random import Generator
from pandas import DataFrame

from workbench.chapters.many_dimensions.coinpress import (
    CONDITION,
    DELTA,
    EPSILON,
    MODES,
    NAMES,
    REACH,
    RHO,
    SHADES,
    SOURCE,
    Covariances,
    D,
    Means,
    Of,
    Parts,
    at_numbers,
    column,
    measure,
    part,
    ratio,
    size,
    slope,
)
from workbench.charts.curves import (
    LEVEL,
    Chart,
    Film,
    Mark,
    Panel,
    Series,
    across,
    along,
    circle,
    measured,
    number,
    plane,
    styled,
    text_at,
)
from workbench.estimators.base import Trace
from workbench.estimators.coinpress import CoinPressCovariance, CoinPressMean, noisy_moment, preconditioned
from workbench.linalg import psd_part
from workbench.privacy import ZCDP, ApproxDP, Budget, noise_source
from workbench.privacy.mechanisms import gaussian_scale
from workbench.study.measures import at, between, median, median_ratio, paired_columns, resampled, rms
from workbench.study.rules import Checks, Claim, claim_level
from workbench.study.sweeps import (
    Point,
    Row,
    Run,
    Sweep,
    each_trial,
    grid,
    over_grid,
    resampler,
    streams,
    value_of,
)
from workbench.types import Array

MOST = 6
STEPS, ENDS = tuple(range(1, MOST + 1)), (1, MOST)
MORE = (0, 1, 2, 3)  # steps beyond the default number
REACHES = (10.0, 30.0, 100.0, 300.0, 1000.0)
SHOWN = (0, 2, 4)  # places in REACHES
HELD = 0.1  # β of the proved bounds
SAME, WORSE = 1.15, 2.0  # errors of 2 to 4 steps, and of one over that of two
FLAT, NEAR = 1.05, 1.15  # errors over those of the default number of steps, and of the plain estimate
ROUND = 0.5  # shortest over longest axis of a frame in which rows pass for white


# What is run


@each_trial
def mean_steps(n: int, d: int, rho: float, reach: float, *, data: Generator, noise: Generator) -> Row:
    estimators = {str(steps): Means.estimator(d, reach, steps=steps) for steps in STEPS}
    return measure(Means, estimators, *Means.rows(n, d, reach, data), rho, noise)


@each_trial
def covariance_steps(
    n: int, d: int, rho: float, condition: float, *, data: Generator, noise: Generator
) -> Row:
    estimators = {
        f"{mode} {steps}": Covariances.estimator(d, condition, mode=mode, steps=steps)
        for mode, steps in product(MODES, STEPS)
    }
    return measure(Covariances, estimators, *Covariances.rows(n, d, condition, data), rho, noise)


@each_trial
def orientations(n: int, d: int, rho: float, condition: float, *, data: Generator, noise: Generator) -> Row:
    sigma, x = Covariances.rows(n, d, condition, data)
    found = {}
    for steps in STEPS:
        estimator = Covariances.estimator(d, condition, steps=steps, calibration="paper")
        right = value_of(estimator, x, ZCDP(rho), noise)
        wrong = authors_orientation(estimator, x, ZCDP(rho), noise)
        found[f"right {steps}"] = Covariances.error(right, sigma)
        found[f"wrong {steps}"] = Covariances.error(wrong, sigma)
    return found


def authors_orientation(estimator: CoinPressCovariance, x: Array, budget: Budget, noise: Generator) -> Array:
    """Return the estimate of the wrong order of products: rows X A and the result A⁻¹ Z A⁻¹."""
    n, d = x.shape
    design, charges = estimator.design(n, d, budget), list(estimator.plan(n, d, budget).charges())
    a, source = np.eye(d) / sqrt(estimator.upper), noise_source(noise)
    bounds = zip(charges, design.clips, (*design.excess, None), design.lower, strict=True)
    for charge, clip, excess, lower in bounds:
        # maps rows by the transpose of what it is given
        z = noisy_moment(x, a.T, clip, charge, source, estimator.practical)
        if excess is not None:
            a = preconditioned(z, excess, lower, a)
    inverse = np.linalg.inv(a)
    return inverse @ psd_part(z) @ inverse


@each_trial
def more_steps(n: int, d: int, rho: float, condition: float, *, data: Generator, noise: Generator) -> Row:
    """Run the default number of steps and up to three more in both modes on the same rows."""
    estimators = {}
    for mode in MODES:
        default = Covariances.estimator(d, condition, mode=mode)
        count = len(default.design(n, d, ZCDP(rho)).weights)
        for more in MORE:
            one = Covariances.estimator(d, condition, mode=mode, steps=count + more) if more else default
            estimators[f"{mode} +{more}"] = one
    return measure(Covariances, estimators, *Covariances.rows(n, d, condition, data), rho, noise)


@each_trial
def over_what_is_proved(of: Of, d: int, n: int, proved: int, *, data: Generator, noise: Generator) -> Row:
    """Measure the error of mode "proved" on n rows over the bound that it proves at `proved` rows."""
    estimator: Any = of.estimator(d, 100.0, mode="proved", beta=HELD)
    truth, x = of.rows(n, d, 100.0, data)
    value = value_of(estimator, x, ZCDP(RHO), noise)
    return {"error": of.error(value, truth) / estimator.error_bound(proved, d, ZCDP(RHO), HELD)}


_LONG = grid(n=20_000, d=D, rho=RHO, condition=1e3)
MEAN_STEPS = over_grid("m21-mean-steps", mean_steps, 50, n=1000, d=D, rho=RHO, reach=REACHES)
COVARIANCE_STEPS = Sweep("m21-covariance-steps", _LONG, covariance_steps, 10)
ORIENTATIONS = Sweep("m21-orientations", _LONG, orientations, 10)
CONDITIONS = over_grid(
    "m21-conditions", more_steps, 2, 50, 1, n=100_000, d=D, rho=RHO, condition=(1e2, 1e4, 1e6)
)


# What is predicted


def mean_error(point: Point, count: int) -> Parts:
    estimator = Means.estimator(point["d"], point["reach"], steps=count)
    return Means.parts(estimator, point["n"], point["d"], ZCDP(point["rho"]))


def covariance_error(point: Point, mode: Any, count: int) -> float:
    """Return the predicted error; nan where rows of the last frame are far from white.

    Nan, too, where noise, of norm √(2d) times its sd, outweighs the least eigenvalue of the last frame: the
    positive part then takes some of it away.
    """
    n, d, budget = point["n"], point["d"], ZCDP(point["rho"])
    estimator = Covariances.estimator(d, point["condition"], mode=mode, steps=count)
    last = Covariances.frames(estimator, n, d, budget)[-1]
    if mode == "practical" and last.min() < ROUND * last.max():
        return nan
    sd = gaussian_scale(list(estimator.plan(n, d, budget).charges())[-1])
    return nan if sd * sqrt(2 * d) > last.min() else Covariances.parts(estimator, n, d, budget).total


# What is shown


def error_against_steps(run: Run, *, rho: float = RHO, d: int = D, radius: float = REACH) -> Chart:
    """Return the errors of means against the number of steps."""
    sweep = at_numbers(Means, MEAN_STEPS, rho, d, [radius * one / REACH for one in REACHES])
    frame, curves, marks = run.table(sweep), list[Series](), []
    for rank, place in zip((0.0, 0.5, 1.0), SHOWN, strict=True):
        point = sweep.points[place]
        rows = at(frame, reach=point["reach"])
        foreseen = {t: mean_error(point, t).quantile(0.5) for t in STEPS}
        found = {t: median(rows[f"error {t}"], LEVEL) for t in STEPS if len(rows)}
        curves += along(found, STEPS, foreseen.__getitem__, Means.key, rank=rank)
        marks.append(text_at(f"R = {number(point['reach'])}√d", 1.12, 1.35 * foreseen[1], Means.key))
    plain = sqrt(d / point["n"])  # about the median error of the sample mean
    curves.append(
        across("sample mean", ENDS, frame["reference"].median() if len(frame) else plain, "non-private")
    )
    title = f"mean, d = {d}, n = {number(point['n'])}, ρ = {number(rho)}"
    ylim = 0.7 * plain, 3.0 * mean_error(point, 1).total
    return Chart(
        "error_against_steps",
        "Two to four steps are enough, and more do no harm",
        [_against_steps(title, "median error (σ)", curves, marks, ylim)],
        alt="The error of a mean falls to that of the sample mean within a few steps, the wider the range the"
        " later, and stays there; that of one step grows in proportion to the range.",
        how_to_read="A good curve falls to the black line and stays on it: a step that the public numbers say"
        " cannot help is skipped. One step adds noise for the whole range, so its error grows in proportion"
        " to R.",
    )


def steps_on_the_wrong_side(run: Run, *, rho: float = RHO, d: int = D, condition: float = CONDITION) -> Chart:
    """Return the errors of covariances against the number of steps, with rows on either side."""
    right, either = (
        at_numbers(Covariances, one, rho, d, [10 * condition]) for one in (COVARIANCE_STEPS, ORIENTATIONS)
    )
    frame, sides, (point,) = run.table(right), run.table(either), right.points
    curves = list[Series]()
    for mode in reversed(MODES):
        found = {t: size(frame[f"error {mode} {t}"].to_numpy()) for t in STEPS if len(frame)}
        foreseen, look = partial(covariance_error, point, mode), SHADES[mode]
        curves += along(found, STEPS, foreseen, Covariances.key, label=NAMES[mode], rank=look)
    wrong = {t: size(sides[f"wrong {t}"].to_numpy()) for t in STEPS if len(sides)}
    curves.append(measured("rows on the wrong side", wrong, "idea/wrong"))
    floor = sqrt(d * (d + 1) / point["n"])
    plain = rms(frame["reference"].to_numpy()) if len(frame) else floor
    curves += [
        across("sample covariance", ENDS, plain, "non-private"),
        across("the estimate 0", ENDS, sqrt(d)),
    ]
    said = "two steps: right by accident"
    marks = [Mark(said, "point", 2, wrong[2].estimate, side="right")] if wrong else []
    title = f"covariance, d = {d}, n = {number(point['n'])}, condition number {number(point['condition'])}"
    label, ylim = "root mean square error (norm of Σ)", (0.68 * floor, 19 * sqrt(d))
    return Chart(
        "steps_on_the_wrong_side",
        "An error that rises with the number of steps is a bug",
        [_against_steps(title, label, curves, marks, ylim)],
        alt="The error of a covariance falls with the number of steps to that of the sample covariance and"
        " stays; with rows on the wrong side it rises again, beyond that of the estimate 0.",
        how_to_read="On the right side more steps are never worse. With rows on the wrong side of the"
        " preconditioner, as in the authors' program, two steps are right by accident. From the third on the"
        " error rises, and soon it is beyond that of the estimate 0.",
    )


def _against_steps(
    title: str, ylabel: str, curves: Sequence[Series], marks: Sequence[Mark], ylim: tuple[float, float]
) -> Panel:
    low, high = (float(f"{end:.1g}") for end in ylim)
    return Panel(title, "number of steps t", ylabel, curves, "linear", ylim=(low, high),
                 marks=marks, xlim=(0.8, MOST + 0.2))  # fmt: skip


# CoinPress for a mean in the plane, frame by frame: every ball is drawn inside the one before.
#
# One run with four steps, the mean halfway to the boundary of the public ball; the default number of steps is
# chosen for the error and not for the page.


PLANE_N, RADIUS = 1000, 1000.0
ROOM = 1.12  # of a picture, over what is in it
SQUARE = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)])


def balls(run: Run, *, frame: int = 1) -> Chart:
    """Return the four steps of one run, three frames each."""
    return _balls(run.seed).chart(frame)


@cache
def _balls(seed: int) -> Film:
    data, noise = streams(seed, "many-dimensions-mean", PLANE_N)
    direction = data.standard_normal(2)
    rows = RADIUS / 2 * direction / np.linalg.norm(direction) + data.standard_normal((PLANE_N, 2))
    estimator, trace = CoinPressMean(radius=RADIUS, steps=4, sigma=1.0), Trace()
    budget = ApproxDP(EPSILON, DELTA)
    value: Any = estimator(rows, budget=budget, rng=noise, trace=trace).value
    centres: list[Any] = [*trace.records["centre"], value]
    design = estimator.design(PLANE_N, 2, budget)
    sds = [gaussian_scale(charge) for charge in estimator.plan(PLANE_N, 2, budget).charges()]
    sizes, frames = [number(radius, 2) for radius in design.radii], []
    reaches = [ROOM * max(both) for both in zip(design.clips, design.radii, strict=False)]
    for step, clip in enumerate(design.clips):
        centre, after = centres[step], centres[step + 1]
        ball = circle("ball before the step", design.radii[step], centre, colour_key="idea/public")
        outer = circle("rows are clipped here", clip, centre, role="kept", colour_key="idea/public")
        found = Series("noisy average", after[:1], after[1:], colour_key=Means.key)
        left = [circle("ball after the step", design.radii[step + 1], after, colour_key=Means.key)]
        if step + 1 < len(design.clips):
            corners = after + reaches[step + 1] * SQUARE
            left.append(styled("reference", "the next picture", corners[:, 0], corners[:, 1]))
        known = "the step before has found it." if step else "that much is public."
        share = number(100 * design.weights[step], 2)
        for said, series in (
            (f"Step {step + 1}. The mean lies in a ball of radius {sizes[step]} σ; {known}", (ball,)),
            (
                "Rows beyond the outer circle are pulled back to it. The average gets noise of"
                f" {number(sds[step], 2)} σ, for {share} % of the budget.",
                (ball, outer, found),
            ),
            (
                "Noise and sampling are of known size, so that a ball of radius"
                f" {sizes[step + 1]} σ is left.",
                (ball, found, *left),
            ),
        ):
            names, middle = ("first coordinate (σ)", ""), (centre[0], centre[1])
            frames.append((said, plane("", series, reach=reaches[step], centre=middle, names=names)))
    shrink = float(f"{design.radii[0] / design.radii[-1]:.1g}")
    x, y = rows[:300].T  # rows that are shown
    return Film(
        "balls",
        f"In four steps the ball becomes about {number(shrink)} times smaller",
        tuple(frames),
        alt="A ball of radius 1000 with the rows as a dot in it. Step by step the rows are averaged with"
        " noise, a smaller ball is drawn round the result, and the picture zooms into it, until the ball is"
        " smaller than the cloud of rows.",
        how_to_read="Each step has three pictures: the ball that holds the mean, the noisy average, and the"
        " next ball. The grey square is the next step's picture; look at the numbers on the axes.",
        shared=(styled("rows", "rows", x, y, "idea/data"),),
    )


# What is claimed


def step_checks(frame: DataFrame, seed: int) -> Checks:
    level, rng = claim_level(parts=len(REACHES) + 3), resampler(seed, MEAN_STEPS.name)
    nearest, n = at(frame, reach=REACHES[0]), int(frame["n"].iloc[0])
    one, *others = (column(nearest, f"error {t}") for t in STEPS[:4])
    spread = resampled(_widest, np.column_stack(others), level, rng)
    spread = spread._replace(interval=(max(spread.interval[0], 1.0), spread.interval[1]))
    words, test = "2, 3 and 4 steps, largest over smallest", "largest over smallest, paired"
    found = [
        between(words, spread, 1.0, SAME, n=n, level=level, test=test),
        ratio("one step over two", one, others[0], WORSE, inf, level, rng, n=n),
    ]
    expected = [mean_error(point, 1).privacy for point in MEAN_STEPS.points]
    for reach, predicted in zip(REACHES, expected, strict=True):
        values = column(frame, "apart 1", reach=reach)
        found.append(part(f"privacy of one step, R = {reach:g}√d", values, predicted, level, rng, n=n))
    samples = paired_columns(frame, "apart 1", "reach")
    return [*found, slope("slope of one step in R", REACHES, samples, expected, level, rng)]


def _widest(trials: Array) -> float:
    sizes = rms(trials, axis=0)
    return float(sizes.max() / sizes.min())


def directions(frame: DataFrame, seed: int) -> Checks:
    level, rng = claim_level(parts=6), resampler(seed, ORIENTATIONS.name)
    n = int(frame["n"].iloc[0])
    for (side, low, high), t in product((("wrong", 1.0, inf), ("right", 0.0, 1.1)), (3, 4, 5)):
        after, before = (column(frame, f"{side} {count}") for count in (t, t - 1))
        name = f"{t} steps over {t - 1}, rows on the {side} side"
        yield median_ratio(name, after, before, low, high, level, rng, n=n)


def condition_checks(frame: DataFrame, seed: int) -> Checks:
    level = claim_level(parts=len(CONDITIONS.points) * len(MODES) * len(MORE))
    rng, n = resampler(seed, CONDITIONS.name), int(frame["n"].iloc[0])
    for condition, mode in product(frame["condition"].unique(), MODES):
        rows, where = at(frame, condition=condition), f"{mode}, condition {condition:g}"
        default, *more = (column(rows, f"error {mode} +{count}") for count in MORE)
        plain = column(rows, "reference")
        yield ratio(f"over the plain estimate, {where}", default, plain, 0.0, NEAR, level, rng, n=n)
        for count, errors in enumerate(more, start=1):
            yield ratio(f"{count} more steps, {where}", errors, default, 0.0, FLAT, level, rng, n=n)


CLAIMS = (
    Claim(
        "many-dimensions/order-of-steps",
        "G8",
        (SOURCE,),
        "d = 10, n = 1000, ρ = .5: at R = 10√d the errors of 2, 3 and 4 steps are within 15 % of each"
        " other and that of one step is at least twice as large; one step pays √d 2B/(n√(2ρ)), within 15 %"
        " and with the predicted slope in R, up to R = 1000√d.",
        step_checks,
        lambda: [MEAN_STEPS],
        kind="ours",
    ),
    Claim(
        "many-dimensions/wrong-side-grows",
        "G16b",
        (SOURCE, "proofs/gaussian_steps.md"),
        "With the authors' orientation, rows X A and the result A⁻¹ Z A⁻¹, every step beyond the second"
        " raises the median error (d = 10, n = 2e4, ρ = .5, condition number 1000); with rows X Aᵀ and the"
        " result A⁻¹ Z A⁻ᵀ none does by more than 10 %.",
        directions,
        lambda: [ORIENTATIONS],
        kind="ours",
    ),
    Claim(
        "many-dimensions/near-and-flat",
        "M21.2",
        (SOURCE, "M21/Problem"),
        "d = 10, n = 1e5, ρ = .5, condition numbers 1e2, 1e4, 1e6, rotated, both modes: the error is at"
        " most 1.15 times that of the sample covariance, and up to three steps more than the default"
        " number raise it by at most 5 %.",
        condition_checks,
        lambda: [CONDITIONS],
        kind="ours",
    ),
)
