"""What privacy costs for one mean once it is located: beside sampling, and over the error of the sample mean.

In every run the mean is uniform on [-R, R] or, without a range, at a given place, and the rows are normal
with variance 1. The private mean and the sample mean see the same rows.

The two-step mean with the source's constants adds Laplace noise of scale b = 2w/(n eps/2) to a mean clipped
to a window of half-width w = 2.5 + sqrt(2 ln(4n/beta)) around a location found before. As long as the
location is right and nothing is clipped, it differs from the sample mean of the same rows by this noise and
nothing else: the cost of privacy is b on average, separated from the error of sampling.
"""

from collections.abc import Sequence
from functools import partial
from itertools import product
from math import ceil, inf, log, nan, pi, sqrt
from typing import Any

import numpy as np
from numpy.random import Generator
from pandas import DataFrame, concat
from scipy.optimize import brentq

from workbench.bounds import smallest
from workbench.bounds.l17 import packing_bound, sampling_bound, two_point_bound
from workbench.chapters.one_mean import locating
from workbench.charts.curves import (
    LEVEL,
    Chart,
    Mark,
    Panel,
    across,
    along,
    measured,
    name,
    number,
    styled,
    text_at,
    theory,
)
from workbench.estimators.base import Abstention
from workbench.estimators.intervals import UnboundedMean
from workbench.estimators.scale import Scale
from workbench.estimators.shared.noisy_means import FAR, half_width
from workbench.estimators.two_step import SHARE, HistogramMean, TwoStepMean, WindowMean
from workbench.losses import relative_scale_error, total_variation_of_means
from workbench.privacy import ApproxDP, Budget, PureDP
from workbench.special import ndtri
from workbench.study.audit import Pair
from workbench.study.measures import (
    Measure,
    at,
    by,
    local_slope,
    mean,
    near,
    paired_columns,
    paired_ratio,
    resampled,
    rms,
    rows_needed,
    slope_inside,
)
from workbench.study.rules import (
    Checks,
    Claim,
    Interval,
    Status,
    Verdict,
    claim_level,
    clopper_pearson,
    compare,
    enough,
    in_proportion,
)
from workbench.study.sweeps import (
    Point,
    Row,
    Run,
    Sweep,
    answered,
    block_columns,
    blocks,
    each_trial,
    error_of,
    grid,
    multiples,
    over_grid,
    resampler,
    value_of,
)
from workbench.types import Array, Columns, Mask

RADIUS, BETA, DELTA, EPSILON = 100.0, 0.05, 1e-6, 1.0
BAND, TOLERANCE = 0.1, 0.1
MEAN, PAPER = "univariate/two-step-mean", "univariate/two-step-mean:paper"
KEYS = {"tight": MEAN, "paper": PAPER}
CALIBRATIONS = ("paper", "tight")  # in the order of curves: hollow markers first
HALF_NORMAL_MEDIAN = float(ndtri(0.75))
FREE_N, FREE_EPSILON = (1000, 2000, 4000, 8000, 16000), (0.25, 0.5, 1.0, 2.0)
CURVE_N = (50, 100, 200, 500, 1000, 2000, 5000, 10_000)
NEAR = 1.1  # of the sample mean's error
FOUND = 0.01  # chance of a wrong location up to which predictions for runs that find the mean are compared
QUANTILES, WIDE = (0.5, 0.9), (100.0, 1e6)
BOUNDED = {100: 1.45, 300: 1.12, 1000: 1.06}  # n: the ratio asked for, pure eps = 1
UNBOUNDED = {300: 1.18, 1000: 1.08}  # the same without a range, (1, 1e-6)
ABSTAINING = (30, 36, 42, *UNBOUNDED)  # the first three straddle the n where releases begin
SCALES = {5000: 0.03, 300: 0.15}  # n: the relative error that 95 % of the runs must not exceed
COUNTED = 4000  # runs whose sampling error the share of failures is judged by; all are recorded beside
RESOLUTION = 0.05  # how wide the exact interval for such a share may be, on either side of the prediction


# What is run


def two_step(
    n: int, epsilon: float, radius: float, calibration: Any, *, trials: int, data: Generator, noise: Generator
) -> Columns:
    estimator = TwoStepMean(radius=radius, calibration=calibration, sigma=1.0)
    means = data.uniform(-radius, radius, trials)
    return block_columns(
        beside_the_sample_mean(estimator, PureDP(epsilon), mean, n, data, noise) for mean in means
    )


@each_trial
def unbounded(n: int, epsilon: float, mean: float, *, data: Generator, noise: Generator) -> Row:
    return beside_the_sample_mean(UnboundedMean(sigma=1.0), ApproxDP(epsilon, DELTA), mean, n, data, noise)


def beside_the_sample_mean(
    estimator: Any, budget: Budget, mean: float, n: int, data: Generator, noise: Generator
) -> Row:
    x = mean + data.standard_normal(n)
    value, sample = value_of(estimator, x, budget, noise), float(x.mean())
    silent = isinstance(value, Abstention)
    error, apart = (inf if silent else abs(value - place) for place in (mean, sample))
    return answered(error, reference=abs(sample - mean), apart=apart)


@each_trial
def relative_scale(n: int, epsilon: float, *, data: Generator, noise: Generator) -> Row:
    """Run the tight scale with nothing known, at a mean and a sigma that are different every time."""
    sigma, mean = float(np.exp(data.uniform(-7.0, 7.0))), data.uniform(-1e3, 1e3)
    x = mean + sigma * data.standard_normal(n)
    value = value_of(Scale(), x, PureDP(epsilon), noise)
    return answered(error_of(value, lambda found: relative_scale_error(found, sigma)))


def grids(*several: tuple[object, object, object], calibration: object = "tight") -> tuple[Point, ...]:
    return tuple(
        point
        for n, epsilon, radius in several
        for point in grid(n=n, epsilon=epsilon, radius=radius, calibration=calibration)
    )


FREE = Sweep(
    "l17-private-for-free",
    grids((FREE_N, FREE_EPSILON, RADIUS), calibration="paper"),
    two_step,
    500,
    blocks(20),
)
CURVES = Sweep("l17-curves", grids((CURVE_N, EPSILON, RADIUS), calibration=KEYS), two_step, 200, blocks(20))
SOME = {"quick": 1, "full": 20}
RATIOS = Sweep("l17-tight-ratio", grids((BOUNDED, 1.0, WIDE)), two_step, 2000, SOME)
UNBOUNDED_RATIOS = over_grid(
    "l17-tight-ratio-unbounded", unbounded, 2000, n=ABSTAINING, epsilon=1.0, mean=1e6
)
SCALE = over_grid("l17-tight-scale", relative_scale, 1000, 20, n=SCALES, epsilon=1.0)
PREDICTED = Sweep(
    "l17-predicted-error",
    grids(
        (100, 1.0, WIDE),
        (1000, 0.1, 100.0),
        (300, 1.0, WIDE),
        (1000, 0.3, 1e6),
        (1000, 1.0, 100.0),
        (3000, 1.0, 1e6),
        (1000, 3.0, 100.0),
    ),
    two_step,
    2000,
)
EDGE = Sweep("l17-predicted-error-edge", grids((30, 1.0, WIDE), (300, 0.1, 100.0)), two_step, 5000, SOME)


# What is predicted


def noise_part(n: float, epsilon: float) -> float:
    """Return b, the mean distance of the two-step mean from the sample mean, all constants explicit.

    >>> round(noise_part(1000, 1.0), 4)
    0.029
    """
    window = 2.5 + sqrt(2 * log(4 * n / BETA))
    return 2 * window / (n * epsilon / 2)


def sampling(n: float) -> float:
    return sqrt(2 / (pi * n))


def crossing(epsilon: float) -> float:
    """Return the n at which privacy moves the source's mean as far as sampling does: one row at least."""

    def apart(n: float) -> float:
        return noise_part(n, epsilon) - sampling(n)

    return float(brentq(apart, 1.0, 1e12)) if apart(1.0) > 0 else 1.0


def _ratio(calibration: str, n: float, epsilon: float, radius: float) -> float:
    """Return the predicted median error, once located, over that of the sample mean.

    With original constants that of sampling and Laplace noise, with ours of a normal distribution with the
    same rms.
    """
    rows, budget = round(n), PureDP(epsilon)
    if calibration == "paper":
        median = half_width(0.5, 1 / sqrt(rows), HistogramMean(radius, BETA).plan(rows, budget)["mean"])
    else:
        median = HALF_NORMAL_MEDIAN * WindowMean(radius).design(rows, budget).rms
    return median * sqrt(n) / HALF_NORMAL_MEDIAN


def _lost(calibration: str, n: int, epsilon: float, radius: float) -> float:
    if calibration == "paper":
        return locating.range_failure(n, radius, SHARE * epsilon)
    return locating.window_mean_tail(n, radius, PureDP(epsilon))[1]


def _rows_factor(epsilon: float, radius: float, usual: float = EPSILON) -> float:
    here, there = (
        locating.rows_needed(partial(locating.range_failure, radius=r, epsilon=SHARE * e), FOUND)
        for r, e in ((radius, epsilon), (RADIUS, usual))
    )
    return here / there


# What is shown


def private_for_free(run: Run, *, epsilon: float = EPSILON, radius: float = RADIUS) -> Chart:
    """Return the cost of privacy beside that of sampling against n, for ε round this one."""
    rng, epsilons = resampler(run.seed, "private-for-free"), [epsilon * one for one in FREE_EPSILON]
    xs = multiples(FREE_N, max(1.0, _rows_factor(epsilons[0], radius, FREE_EPSILON[0])))
    frame = run.table(FREE.moved(grids((xs, epsilons, radius), calibration="paper")))
    ns = np.geomspace(xs[0] / 4, 2 * xs[-1], 25)
    series = [styled("reference", "sampling", ns, [sampling(n) for n in ns], "non-private")]
    for place, one in enumerate(epsilons):
        groups = by(at(frame, epsilon=one), "n")
        found = {n: resampled(mean, rows["apart"], LEVEL, rng) for n, rows in groups.items()}
        foreseen, rank = partial(noise_part, epsilon=one), place / (len(epsilons) - 1)
        words = f"ε = {number(one)}"
        series += along(found, ns.tolist(), foreseen, PAPER, line=words, margin=BAND, rank=rank)
    marks = tuple(
        Mark(f"{number(float(f'{n:.3g}'))} rows", "point", n, sampling(n), side="above")
        for n in map(crossing, epsilons)
        if ns[0] < n < ns[-1]
    )
    panel = Panel(
        f"how far privacy moves the two-step mean (original constants, R = {number(radius)})",
        "rows n", "mean distance (σ)", series, marks=marks,
    )  # fmt: skip
    return Chart(
        "private_for_free",
        "Privacy costs 1/(nε), sampling 1/√n: beyond the crossing it is free",
        [panel],
        alt="The distance between private and sample mean falls as 1/n, for four values of ε, and"
        " crosses the error of the sample mean, which falls as 1/√n.",
        how_to_read="How far privacy moves the mean of the same rows: a line of slope −1 for every ε, on its"
        " prediction, in which nothing was fitted. Below the black line, the error due to sampling, privacy"
        " costs nothing that you would notice.",
    )


def tight_ratio(run: Run, *, epsilon: float = EPSILON, radius: float = RADIUS) -> Chart:
    """Return the error over that of the sample mean of the same rows, against n."""
    ns, rng = multiples(CURVE_N, _rows_factor(epsilon, radius)), resampler(run.seed, "tight-ratio")
    frame = run.table(CURVES.moved(grids((ns, epsilon, radius), calibration=KEYS)))
    fine = np.geomspace(ns[0], ns[-1], 25).round()
    near, curves, lines = {}, [], []
    for one, label, right, up in (  # and where the name stands, times the second point of the curve
        ("paper", "original constants", 2.3, 1.35),
        ("tight", "improved constants", 1.0, 1.38),
    ):
        ratio, found = partial(_ratio, one, epsilon=epsilon, radius=radius), {}
        for n, rows in by(at(frame, calibration=one), "n").items():
            error, reference = (rows[column].to_numpy() for column in ("error", "reference"))
            ends = quantile_ratio_interval(error, reference, 0.5, LEVEL, rng)
            found[n] = Measure(float(np.median(error) / np.median(reference)), ends, len(error))
        lost = [_lost(one, int(n), epsilon, radius) > FOUND for n in found]
        expected = [nan if gone else ratio(n) for n, gone in zip(found, lost, strict=True)]
        place = next(((right * n, up * one.estimate) for n, one in [*found.items()][1:2]), None)
        curves.append(measured(label, found, KEYS[one], expected, label_at=place))
        lines.append(theory("", fine, map(ratio, fine), KEYS[one]))
        near[one] = smallest(lambda n: ratio(n) <= NEAR, start=2)  # noqa: B023
    series = (*curves, *lines, across("no privacy", (ns[0], ns[-1]), 1, "non-private"))
    times, low = number(near["paper"] / near["tight"], 2), 0.84  # where an arrow stands
    arrow = near["tight"], low, near["paper"], low
    marks = (
        *(Mark(f"{number(float(f'{n:.2g}'))} rows", "point", n, NEAR, side="above") for n in near.values()),
        Mark(f"{times} times fewer rows", "arrow", *arrow, side="below"),
        Mark("10 % more", "horizontal", 14 * ns[0], NEAR),
    )
    panel = Panel(
        f"{name(MEAN)}, ε = {number(epsilon)}, R = {number(radius)}", "rows n",
        "median error / that of the sample mean", series, ylim=(0.6, 20), marks=marks,
        note="Predictions are for runs that find the mean.",
    )  # fmt: skip
    return Chart(
        "tight_ratio",
        f"Better constants: {times} times fewer rows come within 10 % of no privacy",
        [panel],
        alt=f"The ratio of the median error to that of the sample mean falls to 1 as n grows: predicted to be"
        f" below 1.1 for n at least {near['tight']} with improved constants, {near['paper']} with the"
        " original ones.",
        how_to_read="At 1 the private mean is as good as the plain one. The rings are where either is within"
        " 10 % of that. A marker far above its line belongs to runs that have not even located the mean.",
    )


def quantile_ratio_interval(a: Array, b: Array, q: float, level: float, rng: Generator) -> Interval:
    """Return an interval for the ratio of the q-quantiles of a and b, measured on the same samples.

    Pairs are resampled. Where the quantile of a is infinite its ends are, too, as far as the binomial test
    is sure of it.
    """
    if not np.isfinite(np.quantile(a, q, method="higher")):
        low, _ = clopper_pearson(int(np.isinf(a).sum()), len(a), level)
        return (inf if low > 1 - q else 0.0), inf

    return paired_ratio(partial(np.quantile, q=q), a, b, level, rng).interval


# What is claimed


def free_checks(frame: DataFrame, seed: int) -> Checks:
    rng, parts = resampler(seed, FREE.name), len(FREE_EPSILON) + len(FREE_N) + len(FREE.points)
    level = claim_level(parts=parts)
    words = "2w/(b ε/2), w = 2.5 + √(2 ln(4n/β)): privacy part of mean size b"
    slopes = [_slope(at(frame, epsilon=e), "n", FREE_N, f"eps = {e:g}", level, rng) for e in FREE_EPSILON]
    slopes += [_slope(at(frame, n=n), "epsilon", FREE_EPSILON, f"n = {n}", level, rng) for n in FREE_N]
    sizes = []
    for n, epsilon in product(FREE_N, FREE_EPSILON):
        found = resampled(mean, at(frame, n=n, epsilon=epsilon)["apart"], level, rng)
        said = f"privacy part, n = {n}, eps = {epsilon:g}", found, noise_part(n, epsilon)
        check = near(*said, "2w/(n eps/2), within 10 %", n=n, level=level, band=BAND)
        sizes.append(in_proportion(check, "L17/free", words))
    return slopes + sizes


def _slope(
    frame: DataFrame, along: str, xs: Sequence[float], where: str, level: float, rng: Generator
) -> Verdict:
    samples = paired_columns(frame, "apart", along)
    firsts = [at(frame, **{along: x}).iloc[0] for x in xs]
    slope = local_slope(xs, [noise_part(float(row.n), float(row.epsilon)) for row in firsts])
    check = slope_inside(xs, samples, slope, TOLERANCE, level=level, rng=rng, statistic=np.mean)
    largest = int(frame["n"].max())
    return check.about(f"slope in {along}, {where}", "the predicted local slope, within .1", n=largest)


def below(
    estimate: float, interval: Interval, bound: float, *, level: float, trials: int, **detail: object
) -> Verdict:
    return Verdict(
        status=compare(interval, -inf, bound),
        test="interval below a bound",
        level=level,
        trials=trials,
        estimate=float(estimate),
        interval=interval,
        bound=bound,
        detail=detail,
    )


def as_predicted(events: Mask, predicted: float, level: float, **detail: float) -> Verdict:
    """Decide whether events are as frequent as predicted, within the sampling error of these runs.

    REFUTED if the exact interval excludes the prediction, HOLDS if it does not and lies within `RESOLUTION`
    of it.
    """
    k, trials = int(events.sum()), len(events)
    low, high = clopper_pearson(k, trials, level)
    fine = predicted - low <= RESOLUTION and high - predicted <= RESOLUTION
    inside = low <= predicted <= high
    return Verdict(
        status=Status.REFUTED if not inside else Status.HOLDS if fine else Status.UNDECIDED,
        test="exact interval holds the prediction",
        level=level,
        trials=trials,
        estimate=k / trials,
        interval=(low, high),
        bound=predicted,
        detail={"events": k, **detail},
    )


def ratio_checks(ranged: DataFrame, free: DataFrame, seed: int) -> Checks:
    rng, parts = resampler(seed, RATIOS.name), len(BOUNDED) * len(WIDE) + len(UNBOUNDED)
    level = claim_level(parts=len(QUANTILES) * parts + len(ABSTAINING))
    cases = [
        (at(ranged, n=n, radius=radius), n, f"R = {radius:g}", bound, "L17/Thm2.5")
        for n, bound in BOUNDED.items()
        for radius in WIDE
    ]
    cases += [(at(free, n=n), n, "no range", bound, "L17/Thm2.8") for n, bound in UNBOUNDED.items()]
    for frame, n, where, bound, statement in cases:
        error, reference = frame["error"].to_numpy(), frame["reference"].to_numpy()
        for q in QUANTILES:
            ratio = np.quantile(error, q, method="higher") / np.quantile(reference, q, method="higher")
            interval = quantile_ratio_interval(error, reference, q, level, rng)
            check = below(float(ratio), interval, bound, level=level, trials=len(frame), quantile=q)
            name = f"ratio of {100 * q:.0f} % quantiles, n = {n}, {where}"
            words = "enough for an error within a stated ratio of the sample mean's"
            yield enough(check.about(name, f"at most {bound:g}", n=n), statement, words)
    for n in ABSTAINING:
        predicted = WindowMean(None).design(n, ApproxDP(1.0, DELTA)).failure
        check = as_predicted(at(free, n=n)["abstained"].to_numpy(), predicted, level)
        yield check.about(f"abstentions, n = {n}", "as often as predicted", n=n)


def prediction_checks(*frames: DataFrame, seed: int) -> Checks:
    """Return the comparison of the rms error at every point, then of the share of failures.

    `WindowMean.design` says, from public numbers, the rms error of runs within 4 standard deviations of the
    mean, and the share of the others: a first approximation, with the population's score in the place of that
    of the sample, which at n eps = 30 and R = 100 predicts 6e-4 where about 9e-4 is true.
    """
    frame, rng = concat(frames, ignore_index=True), resampler(seed, PREDICTED.name)
    points, sizes, failures = [*PREDICTED.points, *EDGE.points], [], []
    level = claim_level(parts=2 * len(points))
    for point in points:
        n, epsilon, radius = point["n"], point["epsilon"], point["radius"]
        error, predicted = at(frame, n=n, epsilon=epsilon, radius=radius)["error"].to_numpy(), predict(point)
        found, beyond, where = error[error <= FAR], error > FAR, f"n = {n}, eps = {epsilon:g}, R = {radius:g}"
        size = resampled(rms, found, level, rng), predicted.rms, "the predicted one, within 10 %"
        sizes.append(near(f"rms error, {where}", *size, n=n, level=level, band=BAND))
        every = {"failures in all runs": int(beyond.sum()), "all runs": len(beyond)}
        failed = as_predicted(beyond[:COUNTED], predicted.failure, level, **every)
        failures.append(failed.about(f"failures, {where}", "as often as predicted", n=n))
    return sizes + failures


def predict(point: Point) -> Any:
    return WindowMean(point["radius"]).design(point["n"], PureDP(point["epsilon"]))


def scale_checks(frame: DataFrame) -> Checks:
    level = claim_level(parts=len(SCALES))
    for n, most in SCALES.items():
        error = at(frame, n=n)["error"].to_numpy()
        beyond, q95 = int((error > most).sum()), float(np.quantile(error, 0.95, method="higher"))
        interval = clopper_pearson(beyond, len(error), level)
        check = below(beyond / len(error), interval, 0.05, level=level, trials=len(error), quantile_95=q95)
        check = check.about(
            f"relative error above {100 * most:.0f} %, n = {n}", "in at most 5 % of runs", n=n
        )
        yield enough(check, "KV18/scale", "enough for a stated relative error in 95 % of runs")


# How many rows an accuracy takes, above what nobody can do without: L17 Theorem 2.6 and Lemma 2.7.
#
# The two-step mean with the source's constants and with ours, on a range; |error| ≤ α in 90 % of runs.


ALPHA, SIZE_EPSILON, SIZE_BETA = 0.1, 0.1, 0.1
ALPHAS = (0.03, 0.05, 0.1, 0.2, 0.5)
STEPS = 8  # sizes per factor 10
SIZE_N = {
    calibration: tuple(
        int(n) for n in np.geomspace(low, high, round(STEPS * np.log10(high / low)) + 1).round()
    )
    for calibration, (low, high) in {"tight": (150, 8000), "paper": (600, 60_000)}.items()
}
RATIO = 1.02  # of neighbouring n that are predicted


def size_points(factor: float, epsilon: float, radius: float) -> tuple[Point, ...]:
    few, many = (
        grids((multiples(ns, factor), epsilon, radius), calibration=one) for one, ns in SIZE_N.items()
    )
    return few + many


SIZES = Sweep("l17-sizes", size_points(1, SIZE_EPSILON, RADIUS), two_step, 200)


def lower_bounds(alpha: float, epsilon: float, radius: float) -> dict[str, float]:
    """Return the rows that sampling, packing and two points require for |error| <= alpha but for β = .1."""
    return {
        "sampling": float(sampling_bound(alpha, SIZE_BETA)),
        "packing": packing_bound(radius, alpha, epsilon, SIZE_BETA, strict=False),
        "two points": float(two_point_bound(total_variation_of_means(2 * alpha), epsilon, SIZE_BETA)),
    }


def least_rows(alpha: float, epsilon: float, radius: float) -> float:
    return max(lower_bounds(alpha, epsilon, radius).values())


def foreseen(calibration: str, alpha: float, epsilon: float, radius: float) -> float:
    """Return the n, to one per cent, from which 90 % of the runs are predicted to err by at most alpha."""
    first = least_rows(alpha, epsilon, radius)

    def enough(place: int) -> bool:
        n, budget = ceil(RATIO**place), PureDP(epsilon)
        return locating.accuracy(n, radius, budget, calibration, SIZE_BETA) <= alpha

    return float(RATIO ** (smallest(enough, max(1, round(log(max(first, 2), RATIO)))) - 0.5))


def rows_against_accuracy(
    run: Run, *, alpha: float = ALPHA, epsilon: float = SIZE_EPSILON, radius: float = RADIUS
) -> Chart:
    """Return the n that 90 % of runs need against α, and what nobody can do without."""
    factor = least_rows(alpha, epsilon, radius) / least_rows(ALPHA, SIZE_EPSILON, RADIUS)
    frame = run.table(SIZES.moved(size_points(factor, epsilon, radius)))
    low, high, rng = 0.2 * alpha, 7 * alpha, resampler(run.seed, "rows-against-accuracy")
    alphas = np.geomspace(low, high, 41)
    bounds = [lower_bounds(one, epsilon, radius) for one in alphas]
    most, lines = [max(one.values()) for one in bounds], [[one[key] for one in bounds] for key in bounds[0]]
    series = [styled("bound", "", alphas, most, "idea/limit")]
    series += [theory("", alphas, line, "idea/limit") for line in lines]
    moved = (alpha, epsilon, radius) != (ALPHA, SIZE_EPSILON, RADIUS)
    for calibration in CALIBRATIONS:
        key, found = KEYS[calibration], {}
        label = name(key) if calibration == "tight" else ""
        of = at(frame, calibration=calibration)
        for one in [alpha / ALPHA * one for one in ALPHAS] if len(of) else ():
            size = rows_needed(of["error"] <= one, of["n"], 1 - SIZE_BETA, LEVEL, rng)
            found[one] = size._replace(trials=0)
        # away from the usual numbers, where nothing is committed, predictions judge
        expected = [foreseen(calibration, one, epsilon, radius) for one in found] if moved else None
        series.append(measured(label, found, key, expected, kind="count"))
    here = 2 * alpha
    edge, ours, paper = (
        least_rows(here, epsilon, radius),
        *(foreseen(one, here, epsilon, radius) for one in KEYS),
    )
    marks = [
        text_at(key, x, 0.6 * least_rows(x, epsilon, radius), "idea/limit")
        for key, x in (("sampling", 0.26 * alpha), ("two points", 1.05 * alpha), ("packing", 4.5 * alpha))
    ]
    marks.append(Mark(f"{number(ours / edge, 2)} times", "arrow", here, edge, here, ours, side="right"))
    marks.append(Mark(f"{number(paper / ours, 2)} times", "arrow", here, ours, here, paper, side="right"))
    panel = Panel(
        f"ε = {number(epsilon)}, R = {number(radius)}: error at most α in 90 % of runs",
        "target accuracy α (σ)", "rows n", series,
        xlim=(low, high), ylim=(10 * factor, 1e5 * factor), marks=marks,
    )  # fmt: skip
    return Chart(
        "rows_against_accuracy",
        "Three lower bounds on n, and how near improved constants come",
        [panel],
        alt="The rows that two private means need fall with the target accuracy α and stay above the largest"
        " of three lower bounds: sampling for small α, two points in the middle, packing for large α.",
        how_to_read="No ε-private estimator can enter the grey region. Its edge is the largest of three lower"
        " bounds, each named where it is the largest. The lower arrow is what could still be won, the upper"
        " one what the original constants cost.",
    )


# What judges a reader's own mean of one column: neighbours for an audit, and hidden worlds.
#
# Rows are normal with standard deviation 1, their mean anywhere within `RADIUS` of 0.


N = 1000
HALF = RADIUS / 2 * np.ones(5)
PAIRS = (
    Pair("the middle row moves", HALF * [-1, -1, -1, 1, 1], HALF * [-1, -1, 1, 1, 1]),
    Pair("one row leaves the rest", HALF, HALF * [1, 1, 1, 1, -1]),
)


def world(rng: Generator) -> tuple[Array, float]:
    mean = float(rng.uniform(-RADIUS, RADIUS))
    return rng.normal(mean, 1.0, size=N), mean


CLAIMS = (
    Claim(
        "one-mean/private-for-free",
        "G5",
        ("L17/free", "L17/Thm2.5", "L17/noise"),
        "The two-step mean of Theorem 2.5 differs from the sample mean of the same rows by"
        " 2w/(n eps/2), w = 2.5 + sqrt(2 ln(4n/.05)), on average (within 10 %): as 1/n and 1/eps (slopes"
        " within .1 of the predicted ones), so that privacy is free beside 1/sqrt(n).",
        free_checks,
        lambda: [FREE],
    ),
    Claim(
        "one-mean/near-sample-mean",
        "W2",
        ("L17/Thm2.5", "L17/Thm2.8"),
        "Tight, eps = 1: median and 90 % quantile of the error over those of the sample mean are at"
        " most 1.45, 1.12, 1.06 at n = 100, 300, 1000 (pure, R = 100 and 1e6), and at most 1.18, 1.08 at"
        " n = 300, 1000 without a range (delta = 1e-6, mean 1e6), where abstentions are as predicted.",
        ratio_checks,
        lambda: (RATIOS, UNBOUNDED_RATIOS),
        kind="ours",
    ),
    Claim(
        "one-mean/error-as-predicted",
        "W3",
        ("L17/Thm2.5",),
        "Tight, n eps = 30 .. 3000, R = 100 and 1e6: the rms error of runs that find the mean is"
        " within 10 % of the predicted one, and failures are as frequent as predicted, within the sampling"
        " error of 4000 runs.",
        prediction_checks,
        lambda: (PREDICTED, EDGE),
        kind="ours",
    ),
    Claim(
        "one-mean/scale-within-percents",
        "W4",
        ("KV18/scale",),
        "The tight scale, nothing known, at ε = 1: 95 % of relative errors are below 3 % at"
        " n = 5000 and below 15 % at n = 300.",
        scale_checks,
        lambda: [SCALE],
        kind="ours",
    ),
)
