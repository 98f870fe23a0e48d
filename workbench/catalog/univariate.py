"""The univariate entries: L17 and KV18, and the private median."""

from functools import partial
from typing import Any

from workbench import losses
from workbench.catalog.entry import NORMAL, WITHIN, Run, both_calibrations, entry
from workbench.catalog.hardest import at_an_end
from workbench.estimators.bounded import BoundedMean, Count, Histogram
from workbench.estimators.clipped import ClippedMean
from workbench.estimators.histograms import HistogramLocation, StableLocation
from workbench.estimators.intervals import Interval, IntervalMean, IntervalUnknownVariance, UnboundedMean
from workbench.estimators.quantiles import Median, Quantiles
from workbench.estimators.scale import LEAST_ROWS, Scale
from workbench.estimators.two_step import TwoStepMean
from workbench.populations import Coin, UnivariateGaussian
from workbench.privacy import ZCDP, ApproxDP, Budget, GaussianDP, PureDP

PURE, APPROX = PureDP(1.0), ApproxDP(1.0, 1e-6)
CONCENTRATED, DELTA_CONCENTRATED = ZCDP(0.1), ZCDP(0.1, 1e-6)
EVERY = PURE, APPROX, CONCENTRATED, GaussianDP(0.5)
KNOWN_SIGMA = "the standard deviation is sigma"
NINE = tuple(share / 10 for share in range(1, 10))

anywhere = partial(
    entry,
    estimand="mean",
    population=UnivariateGaussian(1.0),
    loss=losses.absolute_error,
    assumptions=(NORMAL, KNOWN_SIGMA),
    symmetries="lattice none",
)
on_a_range = partial(anywhere, assumptions=(NORMAL, KNOWN_SIGMA, WITHIN), symmetries="none none")
interval = partial(anywhere, estimand="interval", loss=losses.interval_loss)
of_any_rows = partial(entry, estimand="counts", population=Coin(), loss=losses.share_error, least_rows=1)


def at_two_scales(kind: Any, *budgets: Budget, **ranged: float) -> tuple[Run, ...]:
    """Return the runs of an estimator with sigma 1 and, at the first budget and another centre, sigma 2."""
    usual, other = kind(sigma=1.0, **ranged), kind(sigma=2.0, **ranged, **({"centre": 3.0} if ranged else {}))
    return both_calibrations((usual, *budgets), (other, budgets[0]))


UNIVARIATE = (
    on_a_range(
        "univariate/clipped-mean",
        "mean on a range: clip to the range, average, add noise",
        "L17/Lem2.2",
        *both_calibrations(
            (ClippedMean(radius=10.0, sigma=1.0), PURE, CONCENTRATED, APPROX),
            (ClippedMean(radius=10.0, centre=3.0, sigma=2.0), GaussianDP(0.5)),
        ),
        hardest=at_an_end,
    ),
    on_a_range(
        "univariate/two-step-mean",
        "mean on a range: locate, then average around the location",
        "L17/Thm2.5",
        *at_two_scales(TwoStepMean, PURE, CONCENTRATED, radius=100.0),
    ),
    anywhere(
        "univariate/unbounded-mean",
        "mean anywhere on the line: locate, then average around the location",
        "L17/Thm2.8",
        *at_two_scales(UnboundedMean, APPROX, DELTA_CONCENTRATED),
    ),
    on_a_range(
        "univariate/median",
        "median on a range by the exponential mechanism",
        "LKKO21/Alg14",
        *at_two_scales(Median, PURE, CONCENTRATED, radius=100.0),
        assumptions=(WITHIN,),
    ),
    anywhere(
        "univariate/quantiles",
        "many quantiles at once, on a range or anywhere",
        "LKKO21/Alg14 LKKO21/quantiles",
        (Quantiles(sigma=1.0), PURE, CONCENTRATED),
        (Quantiles(radius=100.0, centre=3.0, sigma=2.0), PURE),
        (Quantiles(levels=NINE, radius=100.0, sigma=1.0), CONCENTRATED),
        (Quantiles(radius=100.0, grid=0.125, sigma=1.0), PURE),
        estimand="quantiles",
        loss=losses.absolute_error,
        assumptions=(NORMAL, "the rows lie within radius of centre, or within 1e6 sigma of it without one"),
        symmetries="none none",
    ),
    on_a_range(
        "univariate/histogram-location",
        "location of the mean on a range, to 2.5 sigma, by a finite histogram",
        "L17/Thm1.1 L17/Cor2.4",
        *at_two_scales(HistogramLocation, PURE, CONCENTRATED, radius=100.0),
        estimand="location",
    ),
    anywhere(
        "univariate/stable-location",
        "location of the mean anywhere, to 2.5 sigma, by a stability-based histogram",
        "L17/Thm1.2",
        *at_two_scales(StableLocation, APPROX, DELTA_CONCENTRATED),
        estimand="location",
    ),
    anywhere(
        "univariate/scale",
        "standard deviation, mean unknown",
        "KV18/scale",
        (Scale(), PURE, CONCENTRATED),
        *both_calibrations((Scale(lower=1e-3, upper=1e3), PURE, CONCENTRATED)),
        (Scale(calibration="paper"), APPROX, DELTA_CONCENTRATED),
        estimand="scale",
        loss=losses.relative_scale_error,
        least_rows=LEAST_ROWS,
        assumptions=(NORMAL,),
        symmetries="exact lattice",
    ),
    interval(
        "univariate/interval",
        "confidence interval for the mean, sigma known",
        "KV18/interval",
        *at_two_scales(Interval, APPROX, DELTA_CONCENTRATED),
    ),
    interval(
        "univariate/interval-unknown-variance",
        "confidence interval for the mean, nothing known",
        "KV18/interval-unknown-variance",
        *both_calibrations((IntervalUnknownVariance(), APPROX, DELTA_CONCENTRATED)),
        least_rows=LEAST_ROWS,
        assumptions=(NORMAL,),
        symmetries="lattice lattice",
    ),
    interval(
        "univariate/interval-mean",
        "confidence interval for the mean of any distribution with a fourth moment, nothing known",
        "KV18/other-laws",
        (IntervalMean(), APPROX, DELTA_CONCENTRATED),
        least_rows=LEAST_ROWS,
        assumptions=("the distribution has a fourth moment",),
        bounded_steps={"average", "variance"},
        symmetries="lattice none",
    ),
    of_any_rows(
        "univariate/bounded-mean",
        "mean or sum of rows between two bounds, whatever their distribution",
        "L17/naive",
        (BoundedMean(low=0.0, high=1.0), *EVERY),
        (BoundedMean(low=-2.0, high=4.0), ApproxDP(0.5, 0.2)),
        estimand="mean",
        loss=losses.absolute_error,
        assumptions=("the rows lie within low and high",),
    ),
    of_any_rows(
        "univariate/count",
        "number, or share, of rows that are true",
        "L17/naive",
        (Count(), *EVERY, ApproxDP(0.5, 0.2)),
    ),
    of_any_rows(
        "univariate/histogram",
        "numbers of rows in public bins",
        "L17/Thm1.1 L17/histogram",
        (Histogram(edges=(-1.0, 0.0, 1.0)), *EVERY, ApproxDP(0.5, 0.2)),
        population=UnivariateGaussian(),
    ),
)
