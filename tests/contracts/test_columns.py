"""Centres, ranges and scales of each column: public maps of rows, exact where they are powers of two."""

from dataclasses import fields, replace
from typing import get_args, get_origin

import numpy as np
import pytest

from tests.contracts.parameters import examples
from workbench.catalog import Example
from workbench.contracts import behaviour
from workbench.contracts.behaviour import moved, numbers, rounded
from workbench.contracts.datasets import dimension, least, typical_rows, with_absent
from workbench.contracts.every import SPENDING
from workbench.contracts.gaps import coarse_afterwards, gap_is_the_sensitivity
from workbench.contracts.kit import run, stopped_early
from workbench.estimators.clipped import ClippedBoxMean, CoordinatewiseMean
from workbench.privacy import ZCDP

MOVES, UNITS = np.array([8.0, -64.0, 0.5]), np.array([1.0, 2.0**-8, 2.0**6])
KINDS = (ClippedBoxMean, CoordinatewiseMean)


def by_column(estimator):
    kinds = [field.type for field in fields(estimator) if field.name == "centre"]
    return any(get_origin(one) is tuple for kind in kinds for one in get_args(kind))


def columns_of(example):
    return np.resize(MOVES, dimension(example))


def with_centres(example):
    estimator, moves = example.estimator, columns_of(example)
    changed = {"centre": tuple((estimator.centre + moves).tolist())}
    if isinstance(estimator, KINDS) and estimator.radius is not None:
        units = np.resize(UNITS, len(moves))
        changed["sigma"] = tuple((estimator.sigma * units).tolist())
        changed["radius"] = tuple((estimator.radius * units).tolist())
    return Example(replace(estimator, **changed), example.budget)


CENTRED = [one for one in examples() if by_column(one.values[1].estimator)]
SEEN = (*SPENDING, behaviour.hostile_rows_are_ordinary_inputs, behaviour.an_unusable_row_is_absent)


@pytest.mark.daily
@pytest.mark.parametrize(("key", "example"), CENTRED)
def test_columns_are_charged_and_drawn_as_planned(key, example):
    other = with_centres(example)
    for contract in SEEN:
        contract(other)
    n, d = max(300, least(example)), dimension(example)
    assert [one.cost for one in other.estimator.plan(n, d, example.budget).charges()] == [
        one.cost for one in example.estimator.plan(n, d, example.budget).charges()
    ]


@pytest.mark.daily
@pytest.mark.parametrize(("key", "example"), CENTRED)
def test_one_row_moves_a_sum_by_its_sensitivity_whatever_the_columns_are(key, example):
    gap_is_the_sensitivity(with_centres(example), small=False)


@pytest.mark.parametrize(("key", "example"), CENTRED)
def test_an_answer_moves_with_rows_and_centres(key, example):
    """The same noise on rows that are moved as their centres are: the same answer, moved."""
    moves, found = columns_of(example), 0
    centres = tuple((example.estimator.centre + moves).tolist())
    other = Example(replace(example.estimator, centre=centres), example.budget)
    x = rounded(typical_rows(example, max(1000, least(example)), 3))
    with coarse_afterwards():
        for seed, rows in enumerate((x, with_absent(x, 7))):
            value, again = run(example, rows, seed), run(other, rows + moves, seed)
            assert type(value) is type(again)
            found += not stopped_early(value)
            expected = numbers(moved(example, value, moves))
            np.testing.assert_allclose(numbers(again), expected, rtol=1e-7, atol=1e-7)
    assert found


@pytest.mark.parametrize("kind", KINDS)
def test_an_answer_scales_with_columns_their_ranges_and_scales(kind):
    """Columns in other units, powers of two: the noise of each is in its unit."""
    x = rounded(np.random.default_rng(1).normal([1.0, -2.0, 0.5], 1.0, (2000, 3)))
    one = kind(radius=10.0, sigma=1.0)
    units = tuple(UNITS.tolist())
    other = kind(radius=tuple((10 * UNITS).tolist()), sigma=units)
    for seed, rows in enumerate((x, with_absent(x, 7))):
        values = [
            estimator(data, budget=ZCDP(0.5), rng=np.random.default_rng(seed)).value
            for estimator, data in ((one, rows), (other, rows * UNITS))
        ]
        np.testing.assert_allclose(values[1], values[0] * UNITS, rtol=1e-12)
