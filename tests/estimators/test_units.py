"""Columns of unequal units, and principal components."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from workbench import (
    ZCDP,
    ApproxDP,
    CoinPressCovariance,
    CoinPressMean,
    EmpiricalCovariance,
    PrincipalComponents,
    Scale,
    Scaled,
    SubspaceAggregate,
    TwoStepMean,
    catalog,
)
from workbench.catalog import CATALOG, Example, register
from workbench.contracts.accounting import draws_are_those_of_the_plan
from workbench.contracts.every import CONTRACTS, SPENDING
from workbench.errors import ArgumentError
from workbench.estimators.release import Release

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


def scales_are_charged():
    with pytest.MonkeyPatch.context() as patch:
        test_every_contract_holds(patch, draws_are_those_of_the_plan, EXAMPLES[1])


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
        (lambda: Scaled(estimator=SubspaceAggregate(k=1, gap=0.1), scale=UNITS), "estimator"),
        (lambda: Scaled(estimator=COVARIANCE, scale=(1.0, 0.0)), "scale"),
        (lambda: Scaled(estimator=COVARIANCE, scale=2.0), "scale"),
        (lambda: Scaled(estimator=COVARIANCE, scale="ab"), "scale"),
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
    matrix = np.asarray(release)
    sd = np.sqrt(np.diag(matrix))
    for correlation, wanted in ((False, matrix), (True, matrix / sd / sd[:, None])):
        pca = PrincipalComponents(release, correlation=correlation)
        assert pca.matrix == pytest.approx(wanted)
        rebuilt = pca.components.T @ np.diag(pca.variances) @ pca.components
        assert rebuilt == pytest.approx(wanted)
        assert (np.diff(pca.shares) <= 0).all()
        assert pca.shares.sum() == pytest.approx(1.0)
    assert repr(pca).count("\n") == 3
    assert " a +" in repr(pca) or " a -" in repr(pca)
