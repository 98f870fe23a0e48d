"""Every contract over every example of the catalog, and the power of the statistical ones."""

from dataclasses import fields, replace
from itertools import takewhile

import numpy as np
import pytest

from tests.mutants.table import attaining, charges
from workbench.catalog import CATALOG, Example
from workbench.contracts import CONTRACTS, OF_ESTIMATORS, REFERENCE, SPENDING, accuracy, behaviour
from workbench.contracts.behaviour import mapped, numbers, rounded
from workbench.contracts.datasets import dimension, least, planned, typical_rows, with_absent
from workbench.contracts.gaps import coarse_afterwards, gap_is_the_sensitivity
from workbench.contracts.kit import cases, name, run, stopped_early
from workbench.errors import ArgumentError
from workbench.estimators.clipped import ClippedBoxMean, CoordinatewiseMean
from workbench.privacy import ZCDP, NonPrivate, compose
from workbench.study.search import fewest_rows

PAIRED = (
    *("covariance/heavy-tailed", "covariance/heavy-tailed-naive", "covariance/pure-net"),
    *("covariance/unbounded", "gaussian/unbounded"),
)
LONG = (  # keys whose plans or draws take long: two or three of them a day
    *("covariance/coinpress", "covariance/matrix-quantile", "covariance/populous"),
    *("covariance/populous-robust", "covariance/unbounded"),
    *("gaussian/coinpress", "gaussian/lifted", "gaussian/populous"),
    *("gaussian/populous-robust", "gaussian/unbounded", "spectral/preconditioner"),
    *("univariate/interval-unknown-variance", "mean/affine", "mean/adaptive"),
)


def parameters(private):
    """The first of a key, in turn the first of a kind of budget, daily the others."""
    found, seen = [], set()
    for key, example, words in cases(CATALOG.values(), private):
        kind, marks = (key, type(example.budget)), []
        if kind in seen:
            marks = [pytest.mark.daily]
        elif key in LONG:
            marks = [pytest.mark.turns(6, place=LONG.index(key))]
        elif any(one == key for one, _ in seen):
            marks = [pytest.mark.turns(3, place=len(seen))]
        found.append(pytest.param(key, example, id=words, marks=marks))
        seen.add(kind)
    return found


EXAMPLES, REFERENCES = map(parameters, (True, False))


# Every contract over every example of the catalog, and the power of the statistical ones.

SAMPLED = (
    accuracy.error_does_not_rise_with_n,
    accuracy.error_bound_is_exceeded_with_probability_at_most_beta,
)
DAILY = [pytest.mark.daily]


def trials():
    """What does not look at the budget is tried with the first example of a key, if not daily."""
    first = dict(one.values for one in reversed(EXAMPLES))
    for one in EXAMPLES:
        key, example = one.values
        for contract in CONTRACTS:
            late = contract in SAMPLED or (contract in OF_ESTIMATORS and example is not first[key])
            marks = DAILY if late else one.marks
            if contract is not gap_is_the_sensitivity:
                yield pytest.param(example, contract, id=f"{one.id}-{contract.__name__}", marks=marks)


def keeps(contract, example):
    """What a fault of one entry must break."""
    {one.__name__: one for one in CONTRACTS}[contract](example)


@pytest.mark.parametrize(("example", "contract"), [*trials()])
def test_contract(example, contract):
    contract(example)


@pytest.mark.parametrize(
    "contract",
    [pytest.param(one, id=one.__name__, marks=DAILY if one in SAMPLED else []) for one in REFERENCE],
)
@pytest.mark.parametrize(("key", "example"), REFERENCES)
def test_contract_without_privacy(key, example, contract):
    contract(example)


@pytest.mark.parametrize(("key", "example"), REFERENCES)
def test_an_estimator_without_privacy_says_so_and_draws_nothing(key, example):
    rows = typical_rows(example, 30, 1)
    release = example.estimator(rows)
    assert isinstance(release.guarantee.budget, NonPrivate)
    again = example.estimator(rows, rng=np.random.default_rng(1))
    assert numbers(release.value).tolist() == numbers(again.value).tolist()
    with pytest.raises(ArgumentError, match=r"^budget = "):
        example.estimator(rows, budget=ZCDP(1.0))


# Centres, ranges and scales of each column: public maps of rows, exact where they are powers of two.

MOVES, UNITS = np.array([8.0, -64.0, 0.5]), np.array([1.0, 2.0**-8, 2.0**6])
KINDS = (ClippedBoxMean, CoordinatewiseMean)


def by_column(estimator):
    return any("tuple" in str(field.type) for field in fields(estimator) if field.name == "centre")


def columns_of(example):
    return np.resize(MOVES, dimension(example))


def scaled(estimator):
    return isinstance(estimator, KINDS) and estimator.radius is not None


def with_centres(example):
    estimator, moves = example.estimator, columns_of(example)
    changed = {"centre": tuple((estimator.centre + moves).tolist())}
    if scaled(estimator):
        units = np.resize(UNITS, len(moves))
        changed["sigma"] = tuple((estimator.sigma * units).tolist())
        changed["radius"] = tuple((estimator.radius * units).tolist())
    return Example(replace(estimator, **changed), example.budget)


COLUMNS = [one for one in EXAMPLES if by_column(one.values[1].estimator)]
CENTRED = [
    pytest.param(key, Example(replace(one.estimator, centred=True), one.budget), id=f"{key}-{name(one)}")
    for key in PAIRED
    for one in CATALOG[key].examples
]
MOVED = [pytest.param(key, with_centres(one), id=str(key)) for key, one in (a.values for a in COLUMNS)]
SEEN = (*SPENDING, behaviour.hostile_rows_are_ordinary_inputs, behaviour.an_unusable_row_is_absent)


@pytest.mark.daily
@pytest.mark.parametrize(("key", "example"), [*CENTRED, *MOVED])
def test_centred_rows_and_columns_are_charged_and_drawn_as_planned(key, example):
    for contract in SEEN:
        contract(example)
    gap_is_the_sensitivity(example, small=False)
    estimator, budget = example.estimator, example.budget
    for d in (1, 2) if getattr(estimator, "centred", False) else ():
        delivered = compose(estimator.plan(fewest_rows(estimator, d, budget), d, budget))
        assert vars(delivered) == pytest.approx(vars(budget), rel=1e-9)


@pytest.mark.parametrize(("key", "example"), COLUMNS)
def test_an_answer_moves_with_rows_and_centres_and_scales_with_columns(key, example):
    """The same noise on rows that are moved and scaled as centres, ranges and scales of columns are.

    Units are powers of two: the noise of each column is in its own.
    """
    other, found = with_centres(example), 0
    units = np.divide(other.estimator.sigma, example.estimator.sigma) if scaled(example.estimator) else 1.0
    moves = columns_of(example) + np.multiply(example.estimator.centre, np.subtract(1.0, units))
    x = rounded(typical_rows(example, max(1000, least(example)), 3))
    with coarse_afterwards():
        for seed, rows in enumerate((x, with_absent(x, 7))):
            value, again = run(example, rows, seed), run(other, rows * units + moves, seed)
            assert type(value) is type(again)
            found += not stopped_early(value)
            expected = numbers(mapped(example, value, units, moves))
            np.testing.assert_allclose(numbers(again), expected, rtol=1e-7, atol=1e-7)
    assert found


def mechanisms(example):
    return {(charge.step, charge.mechanism) for charge in charges(example)}


def is_new(key, example):
    former = takewhile(lambda one: one is not example, CATALOG[key].examples)
    return mechanisms(example) not in map(mechanisms, former)


@pytest.mark.daily
@pytest.mark.parametrize(("key", "example"), EXAMPLES)
def test_gap_is_the_sensitivity(key, example):
    """All pairs of few rows once for each statistic; where a budget of another kind has the same, some pairs.

    Those still attain the sensitivity of every step, so that no other declaration stands.
    """
    of_many_rows = {charge.step for charge in planned(example, max(1000, least(example))).charges()}
    of_few_rows = {charge.step for charge in attaining(example)} - of_many_rows
    gap_is_the_sensitivity(example, small=bool(of_few_rows) or is_new(key, example))
