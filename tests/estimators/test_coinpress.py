"""CoinPress beside an unknown mean, and columns of unequal units."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tests.estimators.streams import rng as stream
from workbench import (
    ZCDP,
    ApproxDP,
    CoinPressCovariance,
    CoinPressMean,
    EmpiricalCovariance,
    PrincipalComponents,
    Scale,
    Scaled,
    TwoStepMean,
    catalog,
)
from workbench.catalog import CATALOG, Example, register
from workbench.contracts.every import CONTRACTS, SPENDING
from workbench.errors import ArgumentError
from workbench.estimators.release import Release
from workbench.losses import mahalanobis_covariance_error


def test_a_mean_beyond_its_bound_is_found_by_pairs_alone():
    x = stream(3).standard_normal((3000, 2)) + 1e4
    for paired, good in ((True, True), (False, False)):
        estimator = CoinPressCovariance(upper=1.0, lower=1.0, radius=10.0, paired=paired)
        value = estimator(x, budget=ZCDP(0.5), rng=stream(1)).value
        assert (mahalanobis_covariance_error(value, np.eye(2)) < 0.3) == good


# Columns of unequal units, and principal components.

UNITS = (1e-4, 18.0, 1.0)
COVARIANCE = CoinPressCovariance(lower=0.5, upper=2.0)
EXAMPLES = (
    Example(Scaled(estimator=COVARIANCE, scale=UNITS), ZCDP(0.1)),
    Example(Scaled(estimator=COVARIANCE, scale=Scale(), share=0.3), ApproxDP(1.0, 1e-6)),
    Example(Scaled(estimator=COVARIANCE, scale=Scale(lower=1e-6, upper=1e6)), ZCDP(0.1)),
)


@pytest.mark.parametrize("example", EXAMPLES, ids=["public", "found", "within"])
@pytest.mark.parametrize(
    "contract",
    [
        pytest.param(one, id=one.__name__, marks=() if one in SPENDING else pytest.mark.daily)
        for one in CONTRACTS
    ],
)
def test_every_contract_holds(monkeypatch, contract, example):
    monkeypatch.setattr(catalog, "_added", {})
    entry = replace(CATALOG["covariance/coinpress"], key="test/scaled", examples=(example,), hardest=None)
    register(entry)
    contract(example)


def test_units_that_are_powers_of_two_move_the_answer_and_nothing_else():
    units = np.array([2.0**-20, 4.0, 1.0])
    x = np.random.default_rng(1).normal(size=(500, 3))
    for inner, back in ((COVARIANCE, np.outer(units, units)), (CoinPressMean(radius=5.0, sigma=1.0), units)):
        plain = inner(x, budget=ZCDP(0.1), rng=np.random.default_rng(2))
        scaled = Scaled(estimator=inner, scale=tuple(units))
        moved = scaled(x * units, budget=ZCDP(0.1), rng=np.random.default_rng(2))
        assert np.array_equal(moved.value, plain.value * back)
        assert moved.plan == plain.plan


@pytest.mark.parametrize(
    ("make", "argument"),
    [
        (lambda: Scaled(estimator=TwoStepMean(radius=9.0, sigma=1.0), scale=UNITS), "estimator"),
        (lambda: Scaled(estimator=COVARIANCE, scale=(1.0, 0.0)), "scale"),
        (lambda: Scaled(estimator=COVARIANCE, scale=UNITS).plan(100, 2, ZCDP(0.1)), "scale"),
        (lambda: Scaled(estimator=COVARIANCE, scale=Scale(), share=1.0), "share"),
        (lambda: Scaled(estimator=COVARIANCE, scale=Scale(calibration="paper")), "calibration"),
        (lambda: PrincipalComponents(np.ones(3)), "covariance"),
    ],
)
def test_what_cannot_be_is_refused(make, argument):
    with pytest.raises(ArgumentError) as refused:
        make()
    assert refused.value.argument == argument


def test_principal_components_are_those_of_numpy():
    x = np.random.default_rng(5).normal(size=(300, 4)) @ np.random.default_rng(6).normal(size=(4, 4))
    release: Release = EmpiricalCovariance()(pd.DataFrame(x, columns=list("abcd")))
    matrix, sd = np.asarray(release), np.sqrt(np.diag(release))
    for correlation, wanted in ((False, matrix), (True, matrix / sd / sd[:, None])):
        pca = PrincipalComponents(release, correlation=correlation)
        values, axes = np.linalg.eigh(wanted)
        assert pca.variances == pytest.approx(values[::-1])
        assert pca.shares == pytest.approx(values[::-1] / values.sum())
        assert np.abs(pca.components @ axes[:, ::-1]) == pytest.approx(np.eye(4), abs=1e-9)
