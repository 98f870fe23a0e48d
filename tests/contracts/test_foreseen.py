"""No key is silent: what public numbers say of an error is true above the cliff; below it they say nothing.

A median is compared by counts: if it is at most b, runs with an error above b have at most the law of
Binomial(runs, 1/2).
"""

from dataclasses import KW_ONLY, dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pytest

import workbench as wb
from workbench.catalog import CATALOG, Example
from workbench.catalog.hardest import hardest
from workbench.contracts.accuracy import errors, refused
from workbench.contracts.kit import cases
from workbench.distributions import Gaussian
from workbench.errors import ArgumentError
from workbench.estimators.release import Asked
from workbench.populations import MultivariateGaussian
from workbench.privacy import ApproxDP, Budget, PureDP
from workbench.study.search import fewest_rows

# Of every key: how its public numbers foresee its error, and settings on both sides of its cliff.
#
# predicted   the median error is within 15 % of the prediction; below, nothing is predicted, or refused
# cautious    the median error is at most the prediction, and at least a part of it
# answers     an answer is good; below, the plan refuses or every run abstains
#
# All other keys state a finite bound for many rows: `workbench.contracts.accuracy` asks whether it is true.
#
# Settings are public numbers; rows are of the key's own model at the hardest parameters within them.

PURE, APPROX = PureDP(1.0), ApproxDP(1.0, 1e-6)


def its_own(entry, *_):
    return entry


def thin(entry, _, d):
    turned = np.linalg.qr(np.random.default_rng(0).standard_normal((d, d)))[0] * np.geomspace(1, 1e-3, d)
    return replace(entry, population=MultivariateGaussian(Gaussian(np.full(d, 1e6), turned @ turned.T)))


@dataclass(frozen=True)
class Cliff:
    """A key's row: what it is asked with, n above and below the cliff, and the entry whose rows are drawn.

    `below` is None where the plan refuses one row less than its fewest.
    `good` is what a median error above must not exceed where nothing is stated. `slow` is the number of runs
    that a prediction needs to be told from one that is off by three tenths, where that takes a minute.
    """

    kind: str
    estimator: Any
    d: int
    above: int
    below: int | None = None
    _: KW_ONLY
    budget: Budget = APPROX
    runs: int = 40
    world: Any = hardest
    good: float | None = None
    slow: int = 0

    def said(self, n):
        return Asked(self.estimator, n, self.d, self.budget).error()


def own(key, kind, above, below=None, **more):
    """A key's own example on rows of its own population."""
    (estimator, budget), d = vars(CATALOG[key].examples[0]).values(), CATALOG[key].population.d or 1
    return key, Cliff(kind, estimator, d, above, below, **{"budget": budget, "world": its_own} | more)


predicted = partial(Cliff, "predicted", runs=400)
CLIFFS = {
    "univariate/two-step-mean": predicted(
        wb.TwoStepMean(radius=1e6, sigma=1.0), 1, 60, 20, budget=PURE, runs=6000
    ),
    "univariate/median": predicted(wb.Median(radius=1e6, sigma=1.0), 1, 60, 20, budget=PURE, runs=6000),
    "univariate/quantiles": predicted(wb.Quantiles(sigma=1.0), 1, 400, 40, budget=PURE, runs=3000),
    "univariate/interval-unknown-variance": Cliff(
        "answers", wb.IntervalUnknownVariance(), 1, 1000, 30, good=0.1
    ),
    "univariate/interval-mean": predicted(wb.IntervalMean(), 1, 20_000, runs=200),
    "mean/clipped-box": predicted(
        wb.ClippedBoxMean(radius=10.0, sigma=1.0), 10, 1000, 20
    ),
    "mean/coordinatewise": predicted(wb.CoordinatewiseMean(sigma=1.0), 10, 1500, 200),
    "mean/coinpress": predicted(wb.CoinPressMean(radius=1e3, sigma=1.0), 10, 1000, 20),
    "mean/adaptive": predicted(wb.AdaptiveMean(radius=1e3), 10, 2000, 300),
    "mean/affine": predicted(wb.AffineMean(), 10, 3000, world=thin),
    "mean/filter": predicted(wb.FilterMean(radius=1e3, sigma=1.0), 10, 1500, 150),
    "mean/prime": predicted(wb.PrimeMean(radius=1e3, sigma=1.0), 10, 1500, 150),
    "mean/prime-heavy": predicted(wb.PrimeHeavyMean(radius=1e3, upper=1.0), 10, 1500, 150),
    "mean/robust": predicted(wb.RobustMean(radius=1e3, sigma=1.0), 10, 1000, 100),
    "mean/robust-heavy": predicted(wb.RobustHeavyMean(radius=1e3, upper=1.0), 10, 1000, 100),
    "mean/tukey": predicted(wb.TukeyMean(radius=10.0, step=0.5, sigma=1.0), 2, 200, 20, budget=PURE, runs=40),
    "mean/resilient": predicted(
        wb.ResilientMean(radius=1.0, corruption=0.05, step=0.05, sigma=1.0), 2, 3000, 200
    ),
    "mean/resilient-heavy": predicted(
        wb.ResilientHeavyMean(radius=1.0, corruption=0.05, step=0.05, sigma=1.0),
        2, 3000, 150
    ),
    "covariance/clipped": predicted(
        wb.ClippedCovariance(upper=1.0, lower=1.0), 10, 20_000, 1000, runs=120
    ),
    "covariance/coinpress": predicted(
        wb.CoinPressCovariance(upper=1e9, lower=1.0), 10, 20_000, 6000, runs=120
    ),
    "covariance/heavy-tailed": predicted(
        wb.HeavyTailedCovariance(upper=1e4, lower=1.0), 10, 20_000, 4000, runs=120
    ),
    "covariance/pure-net": predicted(
        wb.PureNetCovariance(upper=100.0, alpha=0.9, centred=True, lower=1.0),
        2, 300, 30, budget=PURE, runs=40
    ),
    "covariance/perturbed": predicted(wb.PerturbedCovariance(radius=2.0), 30, 300, 30, runs=80),
    "covariance/adaptive": Cliff("cautious", wb.AdaptiveCovariance(radius=2.0, centred=True), 30, 300, 30),
    "covariance/thresholded": Cliff("cautious", wb.ThresholdedCovariance(radius=2.0), 30, 300, 30),
    "covariance/local-thresholded": Cliff(
        "cautious", wb.LocalThresholdedCovariance(radius=2.0), 30, 20_000, 300
    ),
    "gaussian/coinpress": predicted(
        wb.CoinPressGaussian(radius=1e3, upper=1e6, lower=1.0), 10, 20_000, 4000, runs=120
    ),
    "gaussian/lifted": predicted(wb.LiftedGaussian(), 5, 3000, world=thin, runs=40, slow=400),
    **dict((
        own("univariate/unbounded-mean", "predicted", 60, 25, world=hardest, runs=6000),
        own("univariate/scale", "predicted", 600, world=hardest, runs=6000),
        own("covariance/populous", "predicted", 12_000, slow=1500),
        own("covariance/unbounded", "predicted", 2000, slow=1500),
        own("spectral/eigenvalues", "answers", 800, good=0.5),
        own("spectral/subspace-aggregate", "answers", 1200, good=0.1),
        own("spectral/subspace-exact", "answers", 64, good=1e-6),
        own("gaussian/populous", "predicted", 12_000, slow=1500),
        own("gaussian/populous-robust", "answers", 68_000, good=1.0),
        own("gaussian/unbounded", "predicted", 2000, slow=1500),
    )),
}  # fmt: skip

BANDS = {"predicted": (1 / 1.15, 1.15), "cautious": (0.1, 1.0), "answers": (0.0, 1.0)}
ROUNDING = 1 + 1e-9  # a lattice of candidates has exact errors


def errors_of(key, n, runs):
    row = CLIFFS[key]
    world = row.world(CATALOG[key], row.estimator, row.d)
    return errors(Example(row.estimator, row.budget), n, runs, world)


def the_statement_is_true_above_the_cliff(row, value, found):
    least, most = BANDS[row.kind]
    beyond = [(found > value * most * ROUNDING).sum(), (found < value * least / ROUNDING).sum()]
    assert max(beyond) < refused(len(found), 0.5), (value, np.median(found))


def test_every_key_has_its_cliff_or_a_proved_bound():
    for key in {key for key, _, _ in cases(CATALOG.values())} - {*CLIFFS}:
        entry = CATALOG[key]
        (estimator, budget), d = vars(entry.examples[0]).values(), entry.population.d or 1
        said = Asked(estimator, 10**5, d, budget).error()
        assert (said.kind, said.informative) == ("proved", True), key
    for key, row in CLIFFS.items():
        assert type(row.estimator) is type(CATALOG[key].estimator)
        assert row.runs >= 40


RUNS = [
    pytest.param(key, runs, slow or not row.slow, marks=pytest.mark.slow if slow else pytest.mark.daily)
    for key, row in CLIFFS.items()
    for slow, runs in enumerate((row.runs, row.slow))
    if runs
]


@pytest.mark.parametrize(("key", "runs", "decides"), RUNS)
def test_the_statement_is_true_above_the_cliff(key, runs, decides):
    """And for predictions: one that is off by three tenths is not."""
    row = CLIFFS[key]
    found, value = errors_of(key, row.above, runs), row.good or row.said(row.above).value
    the_statement_is_true_above_the_cliff(row, value, found)
    for factor in (1.3, 1 / 1.3) if decides and row.kind == "predicted" else ():
        with pytest.raises(AssertionError):
            the_statement_is_true_above_the_cliff(row, value * factor, found)


@pytest.mark.turns(6)
@pytest.mark.parametrize("key", CLIFFS)
def test_nothing_is_promised_below_the_cliff(key):
    """And there answers are bad: a prediction of nothing everywhere would be no lie, and of no use."""
    row = CLIFFS[key]
    if row.below is None:
        with pytest.raises(ArgumentError):
            row.estimator.plan(fewest_rows(row.estimator, row.d, row.budget) - 1, row.d, row.budget)
        return
    found = errors_of(key, row.below, 40)
    if row.kind == "answers":
        assert np.isinf(found).all()
        return
    said = row.said(row.below)
    assert not said.informative, said
    if row.kind == "predicted":
        assert np.median(found) > 3 * row.said(row.above).value
