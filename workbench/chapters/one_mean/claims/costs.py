"""What privacy costs in rows: the 'private for free' remark and Lemma 2.7, on the two-step mean.

The two-step mean with the source's constants adds Laplace noise of scale b = 2w/(n eps/2) to a mean clipped
to a window of half-width w = 2.5 + sqrt(2 ln(4n/beta)) around a place found before. As long as the place is
right and nothing is clipped, it differs from the sample mean of the same rows by this noise and nothing else:
the cost of privacy is b on average, separated from the error of sampling.
"""

from collections.abc import Sequence
from math import inf, log, sqrt

import numpy as np
import pandas as pd
from numpy.random import Generator

from workbench.bounds.l17 import packing_bound, sampling_bound, two_point_bound
from workbench.chapters.one_mean.runs.costs import two_step
from workbench.losses import total_variation_of_means
from workbench.study.claim import Claim
from workbench.study.grids import Sweep, grid, resampler
from workbench.study.intervals import Crossing, bootstrap_interval, local_slope
from workbench.study.measures import at, mean, success
from workbench.study.profiles import blocks, claim_level
from workbench.study.rules import Verdict, beside, compare, in_proportion, inside_band, slope_inside

RADIUS, BETA = 100.0, 0.05
BAND, TOLERANCE = 0.1, 0.1

FREE_N, FREE_EPSILON = (1000, 2000, 4000, 8000, 16000), (0.25, 0.5, 1.0, 2.0)
FREE = Sweep(
    "l17-private-for-free",
    grid(n=FREE_N, epsilon=FREE_EPSILON, radius=RADIUS, calibration="paper"),
    two_step,
    trials=500,
    blocks=blocks(full=20),
)

SIZE_EPSILON, SIZE_BETA = 0.1, 0.1
ALPHAS = (0.03, 0.05, 0.1, 0.2, 0.5)
SIZE_N = {"tight": (150, 8000), "paper": (600, 60_000)}
STEPS = 8  # sizes per factor 10
CLOSE = {"tight": 8.0, "paper": inf}  # times the largest lower bound


def sizes(calibration: str) -> tuple[int, ...]:
    """Return the fixed grid of n of a calibration, 8 to a factor of 10."""
    low, high = SIZE_N[calibration]
    count = round(STEPS * np.log10(high / low)) + 1
    return tuple(int(n) for n in np.geomspace(low, high, count).round())


SIZES = Sweep(
    "l17-sizes",
    tuple(
        point
        for calibration in SIZE_N
        for point in grid(n=sizes(calibration), epsilon=SIZE_EPSILON, radius=RADIUS, calibration=calibration)
    ),
    two_step,
    trials=200,
    blocks=blocks(full=10),
)


def noise_part(n: float, epsilon: float) -> float:
    """Return b, the mean distance of the two-step mean from the sample mean, all constants explicit.

    >>> round(noise_part(1000, 1.0), 4)
    0.029
    """
    window = 2.5 + sqrt(2 * log(4 * n / BETA))
    return 2 * window / (n * epsilon / 2)


def free_checks(frame: pd.DataFrame, rng: Generator) -> list[Verdict]:
    """Return the slopes in n and in eps, then the comparison with the prediction at every point."""
    level = claim_level(parts=len(FREE_EPSILON) + len(FREE_N) + len(FREE.points))
    slopes = [_slope(at(frame, epsilon=e), "n", FREE_N, f"eps = {e:g}", level, rng) for e in FREE_EPSILON]
    slopes += [_slope(at(frame, n=n), "epsilon", FREE_EPSILON, f"n = {n}", level, rng) for n in FREE_N]
    return slopes + [_level(frame, n, e, level, rng) for n in FREE_N for e in FREE_EPSILON]


def _slope(
    frame: pd.DataFrame, along: str, xs: Sequence[float], where: str, level: float, rng: Generator
) -> Verdict:
    samples = frame.pivot(index=["block", "trial"], columns=along, values="apart")[list(xs)].to_numpy()
    predicted = [noise_part(float(row.n), float(row.epsilon)) for row in _firsts(frame, along, xs)]
    slope = local_slope(xs, predicted)
    check = slope_inside(xs, samples, slope, TOLERANCE, level=level, rng=rng, statistic=np.mean)
    largest = int(frame["n"].max())
    return check.about(f"slope in {along}, {where}", "the predicted local slope, within .1", n=largest)


def _firsts(frame: pd.DataFrame, along: str, xs: Sequence[float]) -> list[pd.Series]:
    return [at(frame, **{along: x}).iloc[0] for x in xs]


def _level(frame: pd.DataFrame, n: int, epsilon: float, level: float, rng: Generator) -> Verdict:
    apart = at(frame, n=n, epsilon=epsilon)["apart"].to_numpy()
    interval = bootstrap_interval(mean, apart, level, rng)
    predicted = noise_part(n, epsilon)
    check = inside_band(mean(apart), interval, predicted, BAND, level=level, trials=len(apart))
    check = check.about(f"privacy part, n = {n}, eps = {epsilon:g}", "2w/(n eps/2), within 10 %", n=n)
    return in_proportion(
        check, "L17/free", "2w/(b ε/2), w = 2.5 + √(2 ln(4n/β)): privacy part of mean size b"
    )


def lower_bounds(alpha: float, epsilon: float, beta: float, radius: float = RADIUS) -> dict[str, float]:
    """Return the rows that sampling, packing and two points require for |error| <= alpha but for beta."""
    return {
        "sampling": float(sampling_bound(alpha, beta)),
        "packing": packing_bound(radius, alpha, epsilon, beta, strict=False),
        "two points": float(two_point_bound(total_variation_of_means(2 * alpha), epsilon, beta)),
    }


def size_needed(
    frame: pd.DataFrame, calibration: str, alpha: float, level: float, rng: Generator
) -> Crossing:
    """Return the n from which 90 % of the runs err by at most alpha."""
    of = at(frame, calibration=calibration)
    return success(of["error"] <= alpha, of["n"], 1 - SIZE_BETA, level=level, rng=rng)


def never_below_the_bounds(frame: pd.DataFrame, seed: int) -> list[Verdict]:
    """Return the checks of one-mean/above-lower-bounds."""
    rng = resampler(seed, SIZES.name)
    level = claim_level(parts=len(ALPHAS) * len(SIZE_N))
    return [size_check(frame, c, alpha, level, rng) for c in SIZE_N for alpha in ALPHAS]


def size_check(frame: pd.DataFrame, calibration: str, alpha: float, level: float, rng: Generator) -> Verdict:
    """Decide whether the n needed is at least the largest lower bound, and close to it; their ratio."""
    found = size_needed(frame, calibration, alpha, level, rng)
    bounds = lower_bounds(alpha, SIZE_EPSILON, SIZE_BETA)
    least = max(bounds.values())
    low, high = (end / least for end in found.interval)
    check = Verdict(
        status=compare((low, high), 1.0, CLOSE[calibration]),
        test="measured n over the largest lower bound, at least 1",
        level=level,
        trials=int((frame["calibration"] == calibration).sum()),
        n=found.rows,
        estimate=found.estimate / least,
        interval=(low, high),
        bound=CLOSE[calibration] if CLOSE[calibration] < inf else 1.0,
        detail={"alpha": alpha, "bracket": found.bracket, "lower bounds": bounds},
    ).about(f"{calibration}, alpha = {alpha:g}", "needs no fewer rows than the lower bounds say")
    formula = "at least the largest of the sampling, the packing and the two-point bound"
    return beside(check, "L17/Lem2.7", formula, least, found)


CLAIMS = (
    Claim(
        id="one-mean/private-for-free",
        number="G5",
        sources=("L17/free", "L17/Thm2.5"),
        statement="The two-step mean of Theorem 2.5 differs from the sample mean of the same rows by"
        " 2w/(n eps/2), w = 2.5 + sqrt(2 ln(4n/.05)), on average (within 10 %): as 1/n and 1/eps (slopes"
        " within .1 of the predicted ones), so that privacy is free beside 1/sqrt(n).",
        sweeps=lambda: (FREE,),
        checks=lambda frame, seed: free_checks(frame, resampler(seed, FREE.name)),
    ),
    Claim(
        id="one-mean/above-lower-bounds",
        number="L2.7",
        sources=("L17/Lem2.7", "L17/Thm2.6", "L17/noise"),
        statement="At eps = .1, R = 100 the two-step mean, with the source's constants and with ours, needs"
        " no fewer rows to be within alpha = .03 .. .5 in 90 % of runs than sampling, packing and two"
        " points require; with ours at most 8 times as many.",
        sweeps=lambda: (SIZES,),
        checks=never_below_the_bounds,
        kind="lock",
    ),
)
