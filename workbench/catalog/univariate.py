"""The univariate entries: L17 and KV18, and the private median."""

from functools import partial

from workbench import losses
from workbench.catalog.entry import NO_SYMMETRY, NORMAL, WITHIN, Entry, both_calibrations, each
from workbench.catalog.hardest import at_an_end
from workbench.estimators.bounded import BoundedMean, Count, Histogram
from workbench.estimators.clipped import ClippedMean
from workbench.estimators.histograms import HistogramLocation, StableLocation
from workbench.estimators.intervals import Interval, IntervalMean, IntervalUnknownVariance, UnboundedMean
from workbench.estimators.quantiles import Median, Quantiles
from workbench.estimators.scale import LEAST_ROWS, Scale
from workbench.estimators.two_step import TwoStepMean
from workbench.populations import Coin, UnivariateGaussian
from workbench.privacy import ZCDP, ApproxDP, GaussianDP, PureDP

PURE, APPROX = PureDP(1.0), ApproxDP(1.0, 1e-6)
CONCENTRATED, DELTA_CONCENTRATED = ZCDP(0.1), ZCDP(0.1, 1e-6)
EVERY = PURE, APPROX, CONCENTRATED, GaussianDP(0.5)
KNOWN_SIGMA = "the standard deviation is sigma"
NINE = tuple(share / 10 for share in range(1, 10))

anywhere = partial(
    Entry,
    estimand="mean",
    population=UnivariateGaussian(1.0),
    loss=losses.absolute_error,
    assumptions=(NORMAL, KNOWN_SIGMA),
    symmetries={"translation": "lattice", "scale": "none"},
)
on_a_range = partial(anywhere, assumptions=(NORMAL, KNOWN_SIGMA, WITHIN), symmetries=NO_SYMMETRY)
interval = partial(anywhere, estimand="interval", loss=losses.interval_loss)
of_any_rows = partial(
    Entry,
    estimand="counts",
    population=Coin(),
    loss=losses.share_error,
    least_rows=1,
    symmetries=NO_SYMMETRY,
)

UNIVARIATE = (
    on_a_range(
        key="univariate/clipped-mean",
        summary="mean on a range: cut at the range, average, add noise",
        hardest=at_an_end,
        statements=("L17/Lem2.2",),
        examples=both_calibrations(
            (ClippedMean(radius=10.0, sigma=1.0), PURE, CONCENTRATED, APPROX),
            (ClippedMean(radius=10.0, centre=3.0, sigma=2.0), GaussianDP(0.5)),
        ),
    ),
    on_a_range(
        key="univariate/two-step-mean",
        summary="mean on a range: locate, then average around the place",
        statements=("L17/Thm2.5",),
        examples=both_calibrations(
            (TwoStepMean(radius=100.0, sigma=1.0), PURE, CONCENTRATED),
            (TwoStepMean(radius=100.0, centre=3.0, sigma=2.0), PURE),
        ),
    ),
    anywhere(
        key="univariate/unbounded-mean",
        summary="mean anywhere on the line: locate, then average around the place",
        statements=("L17/Thm2.8",),
        examples=both_calibrations(
            (UnboundedMean(sigma=1.0), APPROX, DELTA_CONCENTRATED),
            (UnboundedMean(sigma=2.0), APPROX),
        ),
    ),
    on_a_range(
        key="univariate/median",
        summary="median on a range by the exponential mechanism",
        statements=("LKKO21/Alg14",),
        examples=both_calibrations(
            (Median(radius=100.0, sigma=1.0), PURE, CONCENTRATED),
            (Median(radius=100.0, centre=3.0, sigma=2.0), PURE),
        ),
        assumptions=(WITHIN,),
    ),
    anywhere(
        key="univariate/quantiles",
        summary="many quantiles at once, on a range or anywhere",
        estimand="quantiles",
        statements=("LKKO21/Alg14", "LKKO21/quantiles"),
        examples=each(
            (Quantiles(sigma=1.0), PURE, CONCENTRATED),
            (Quantiles(radius=100.0, centre=3.0, sigma=2.0), PURE),
            (Quantiles(levels=NINE, radius=100.0, sigma=1.0), CONCENTRATED),
            (Quantiles(radius=100.0, grid=0.125, sigma=1.0), PURE),
        ),
        loss=losses.absolute_error,
        assumptions=(NORMAL, "the rows lie within radius of centre, or within 1e6 sigma of it without one"),
        symmetries=NO_SYMMETRY,
    ),
    on_a_range(
        key="univariate/histogram-location",
        summary="location of the mean on a range, to 2.5 sigma, by a finite histogram",
        estimand="location",
        statements=("L17/Thm1.1", "L17/Cor2.4"),
        examples=both_calibrations(
            (HistogramLocation(radius=100.0, sigma=1.0), PURE, CONCENTRATED),
            (HistogramLocation(radius=100.0, centre=3.0, sigma=2.0), PURE),
        ),
    ),
    anywhere(
        key="univariate/stable-location",
        summary="location of the mean anywhere, to 2.5 sigma, by a stability-based histogram",
        estimand="location",
        statements=("L17/Thm1.2",),
        examples=both_calibrations(
            (StableLocation(sigma=1.0), APPROX, DELTA_CONCENTRATED),
            (StableLocation(sigma=2.0), APPROX),
        ),
    ),
    anywhere(
        key="univariate/scale",
        summary="standard deviation, mean unknown",
        estimand="scale",
        statements=("KV18/scale",),
        examples=both_calibrations(
            (Scale(), APPROX, DELTA_CONCENTRATED),
            (Scale(lower=1e-3, upper=1e3), PURE, CONCENTRATED),
        ),
        loss=losses.relative_scale_error,
        least_rows=LEAST_ROWS,
        assumptions=(NORMAL,),
        symmetries={"translation": "exact", "scale": "lattice"},
    ),
    interval(
        key="univariate/interval",
        summary="confidence interval for the mean, sigma known",
        statements=("KV18/interval",),
        examples=both_calibrations(
            (Interval(sigma=1.0), APPROX, DELTA_CONCENTRATED),
            (Interval(sigma=2.0), APPROX),
        ),
    ),
    interval(
        key="univariate/interval-unknown-variance",
        summary="confidence interval for the mean, nothing known",
        statements=("KV18/interval-unknown-variance",),
        examples=both_calibrations((IntervalUnknownVariance(), APPROX, DELTA_CONCENTRATED)),
        least_rows=LEAST_ROWS,
        assumptions=(NORMAL,),
        symmetries={"translation": "lattice", "scale": "lattice"},
    ),
    interval(
        key="univariate/interval-mean",
        summary="confidence interval for the mean of any distribution with a fourth moment, nothing known",
        statements=("KV18/other-laws",),
        examples=each((IntervalMean(), APPROX, DELTA_CONCENTRATED)),
        least_rows=LEAST_ROWS,
        assumptions=("the law has a fourth moment",),
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
        examples=each(
            (BoundedMean(low=0.0, high=1.0), *EVERY),
            (BoundedMean(low=-2.0, high=4.0), ApproxDP(0.5, 0.2)),
        ),
        loss=losses.absolute_error,
        assumptions=("the rows lie within low and high",),
    ),
    of_any_rows(
        key="univariate/count",
        summary="number, or share, of rows that are true",
        statements=("L17/naive",),
        examples=each(
            (Count(), *EVERY, ApproxDP(0.5, 0.2)),
        ),
    ),
    of_any_rows(
        key="univariate/histogram",
        summary="numbers of rows in public bins",
        statements=("L17/Thm1.1", "L17/histogram"),
        examples=each((Histogram(edges=(-1.0, 0.0, 1.0)), *EVERY, ApproxDP(0.5, 0.2))),
        population=UnivariateGaussian(),
    ),
)
