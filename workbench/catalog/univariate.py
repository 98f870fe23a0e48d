"""The univariate entries: L17 and KV18, and the private median."""

from functools import partial

from workbench import losses
from workbench.catalog.entry import (
    DELTA,
    EPSILON,
    NO_SYMMETRY,
    Assumption,
    Entry,
    Example,
    Knob,
    at,
    both_calibrations,
)
from workbench.catalog.hardest import at_an_end
from workbench.estimators.bounded import BoundedMean, Count, Histogram
from workbench.estimators.clipped import ClippedMean
from workbench.estimators.histograms import HistogramLocation, StableLocation
from workbench.estimators.intervals import Interval, IntervalMean, IntervalUnknownVariance, UnboundedMean
from workbench.estimators.quantiles import Median, Quantiles
from workbench.estimators.scale import LEAST_ROWS, Scale
from workbench.estimators.two_step import TwoStepMean
from workbench.populations import Coin, UnivariateGaussian, UnivariateStudent
from workbench.privacy import ZCDP, ApproxDP, GaussianDP, PureDP

PURE, APPROX = PureDP(1.0), ApproxDP(1.0, 1e-6)
CONCENTRATED, DELTA_CONCENTRATED = ZCDP(0.1), ZCDP(0.1, 1e-6)
N = Knob("n", 20, 1e5, "rows")
RADIUS, SIGMA = Knob("radius", 1, 1e6, "unit of the data"), Knob("sigma", 1e-3, 1e3, "unit of the data")
LEVEL = Knob("level", 0.01, 0.2, log=False)

NORMAL = Assumption(
    "the rows are normal",
    lambda population, _: isinstance(population, UnivariateGaussian),
    UnivariateStudent(3.0),
)
MOMENTS = Assumption(
    "the law has a fourth moment",
    lambda population, _: getattr(population, "degrees", 5.0) > 4,
    UnivariateStudent(3.0),
)
KNOWN_SIGMA = Assumption(
    "the standard deviation is sigma",
    lambda population, estimator: population.sigma == estimator.sigma,
    UnivariateGaussian(sigma=10.0),
)
WITHIN = Assumption(
    "the mean lies within radius of centre",
    lambda population, estimator: abs(population.mean - estimator.centre) <= estimator.radius,
    UnivariateGaussian(mean=1e6),
)

INSIDE = Assumption(
    "the rows lie within radius of centre, or within 1e6 sigma of it without one",
    lambda population, estimator: abs(population.mean - estimator.centre) <= (estimator.radius or 1e6),
    UnivariateGaussian(mean=1e9),
)
NINE = tuple(share / 10 for share in range(1, 10))

anywhere = partial(
    Entry,
    estimand="mean",
    population=UnivariateGaussian(1.0),
    loss=losses.absolute_error,
    assumptions=(NORMAL, KNOWN_SIGMA),
    knobs=(N, EPSILON, DELTA),
    symmetries={"translation": "lattice", "scale": "none"},
)
on_a_range = partial(
    anywhere, assumptions=(NORMAL, KNOWN_SIGMA, WITHIN), knobs=(N, EPSILON, RADIUS), symmetries=NO_SYMMETRY
)

BOUNDED = Assumption(
    "the rows lie within low and high",
    lambda population, estimator: isinstance(population, Coin) and estimator.low <= 0 < 1 <= estimator.high,
    UnivariateGaussian(mean=1e6),
)
of_any_rows = partial(
    Entry,
    estimand="counts",
    population=Coin(),
    loss=losses.share_error,
    least_rows=1,
    knobs=(N, EPSILON),
    symmetries=NO_SYMMETRY,
)

UNIVARIATE = (
    on_a_range(
        key="univariate/clipped-mean",
        summary="mean on a range: cut at the range, average, add noise",
        hardest=at_an_end,
        statements=("L17/Lem2.2",),
        examples=both_calibrations(
            *at(ClippedMean(radius=10.0, sigma=1.0), PURE, CONCENTRATED, APPROX),
            Example(ClippedMean(radius=10.0, centre=3.0, sigma=2.0), GaussianDP(0.5)),
        ),
    ),
    on_a_range(
        key="univariate/two-step-mean",
        summary="mean on a range: locate, then average around the place",
        statements=("L17/Thm2.5",),
        examples=both_calibrations(
            *at(TwoStepMean(radius=100.0, sigma=1.0), PURE, CONCENTRATED),
            Example(TwoStepMean(radius=100.0, centre=3.0, sigma=2.0), PURE),
        ),
    ),
    anywhere(
        key="univariate/unbounded-mean",
        summary="mean anywhere on the line: locate, then average around the place",
        statements=("L17/Thm2.8",),
        examples=both_calibrations(
            *at(UnboundedMean(sigma=1.0), APPROX, DELTA_CONCENTRATED),
            Example(UnboundedMean(sigma=2.0), APPROX),
        ),
    ),
    on_a_range(
        key="univariate/median",
        summary="median on a range by the exponential mechanism",
        statements=("LKKO21/Alg14",),
        examples=both_calibrations(
            *at(Median(radius=100.0, sigma=1.0), PURE, CONCENTRATED),
            Example(Median(radius=100.0, centre=3.0, sigma=2.0), PURE),
        ),
        assumptions=(WITHIN,),
    ),
    anywhere(
        key="univariate/quantiles",
        summary="many quantiles at once, on a range or anywhere",
        estimand="quantiles",
        statements=("LKKO21/Alg14", "LKKO21/quantiles"),
        examples=(
            *at(Quantiles(sigma=1.0), PURE, CONCENTRATED),
            Example(Quantiles(radius=100.0, centre=3.0, sigma=2.0), PURE),
            Example(Quantiles(levels=NINE, radius=100.0, sigma=1.0), CONCENTRATED),
            Example(Quantiles(radius=100.0, grid=0.125, sigma=1.0), PURE),
        ),
        loss=losses.absolute_error,
        assumptions=(NORMAL, INSIDE),
        knobs=(N, EPSILON),
        symmetries=NO_SYMMETRY,
    ),
    on_a_range(
        key="univariate/histogram-location",
        summary="location of the mean on a range, to 2.5 sigma, by a finite histogram",
        estimand="location",
        statements=("L17/Thm1.1", "L17/Cor2.4"),
        examples=both_calibrations(
            *at(HistogramLocation(radius=100.0, sigma=1.0), PURE, CONCENTRATED),
            Example(HistogramLocation(radius=100.0, centre=3.0, sigma=2.0), PURE),
        ),
    ),
    anywhere(
        key="univariate/stable-location",
        summary="location of the mean anywhere, to 2.5 sigma, by a stability-based histogram",
        estimand="location",
        statements=("L17/Thm1.2",),
        examples=both_calibrations(
            *at(StableLocation(sigma=1.0), APPROX, DELTA_CONCENTRATED),
            Example(StableLocation(sigma=2.0), APPROX),
        ),
    ),
    anywhere(
        key="univariate/scale",
        summary="standard deviation, mean unknown",
        estimand="scale",
        statements=("KV18/scale",),
        examples=both_calibrations(
            *at(Scale(), APPROX, DELTA_CONCENTRATED),
            *at(Scale(lower=1e-3, upper=1e3), PURE, CONCENTRATED),
        ),
        loss=losses.relative_scale_error,
        least_rows=LEAST_ROWS,
        assumptions=(NORMAL,),
        symmetries={"translation": "exact", "scale": "lattice"},
    ),
    anywhere(
        key="univariate/interval",
        summary="confidence interval for the mean, sigma known",
        estimand="interval",
        statements=("KV18/interval",),
        examples=both_calibrations(
            *at(Interval(sigma=1.0), APPROX, DELTA_CONCENTRATED),
            Example(Interval(sigma=2.0), APPROX),
        ),
        loss=losses.interval_loss,
        knobs=(N, EPSILON, DELTA, LEVEL),
    ),
    anywhere(
        key="univariate/interval-unknown-variance",
        summary="confidence interval for the mean, nothing known",
        estimand="interval",
        statements=("KV18/interval-unknown-variance",),
        examples=both_calibrations(*at(IntervalUnknownVariance(), APPROX, DELTA_CONCENTRATED)),
        loss=losses.interval_loss,
        least_rows=LEAST_ROWS,
        assumptions=(NORMAL,),
        knobs=(N, EPSILON, DELTA, LEVEL),
        symmetries={"translation": "lattice", "scale": "lattice"},
    ),
    anywhere(
        key="univariate/interval-mean",
        summary="confidence interval for the mean of any distribution with a fourth moment, nothing known",
        estimand="interval",
        statements=("KV18/other-laws",),
        examples=at(IntervalMean(), APPROX, DELTA_CONCENTRATED),
        loss=losses.interval_loss,
        least_rows=LEAST_ROWS,
        assumptions=(MOMENTS,),
        knobs=(N, EPSILON, DELTA, LEVEL),
        bounded_steps=frozenset(
            {"average", "variance"}
        ),  # a row just beyond r_1, and one at the centre, attain it
        symmetries={"translation": "lattice", "scale": "none"},
    ),
    of_any_rows(
        key="univariate/bounded-mean",
        summary="mean or sum of rows between two bounds, whatever their distribution",
        estimand="mean",
        statements=("L17/naive",),
        examples=(
            *at(BoundedMean(low=0.0, high=1.0), PURE, APPROX, CONCENTRATED, GaussianDP(0.5)),
            Example(BoundedMean(low=-2.0, high=4.0), ApproxDP(0.5, 0.2)),
        ),
        loss=losses.absolute_error,
        assumptions=(BOUNDED,),
    ),
    of_any_rows(
        key="univariate/count",
        summary="number, or share, of rows that are true",
        statements=("L17/naive",),
        examples=(*at(Count(), PURE, APPROX, CONCENTRATED, GaussianDP(0.5), ApproxDP(0.5, 0.2)),),
    ),
    of_any_rows(
        key="univariate/histogram",
        summary="numbers of rows in public bins",
        statements=("L17/Thm1.1", "L17/histogram"),
        examples=at(
            Histogram(edges=(-1.0, 0.0, 1.0)), PURE, APPROX, CONCENTRATED, GaussianDP(0.5), ApproxDP(0.5, 0.2)
        ),
        population=UnivariateGaussian(),
    ),
)
