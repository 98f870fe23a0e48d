"""Every contract over every example of the catalog, and the power of the statistical ones."""

import numpy as np
import pytest

from tests.contracts.parameters import centred, examples, references
from workbench.contracts import accuracy, behaviour
from workbench.contracts.behaviour import numbers
from workbench.contracts.datasets import typical_rows
from workbench.contracts.every import CONTRACTS, RECORDED, REFERENCE, SPENDING
from workbench.contracts.gaps import gap_is_the_sensitivity
from workbench.errors import ArgumentError
from workbench.privacy import ZCDP, NonPrivate, compose
from workbench.study.search import fewest_rows

SAMPLED = (
    accuracy.error_does_not_rise_with_n,
    accuracy.error_bound_is_exceeded_with_probability_at_most_beta,
)
DAILY = [pytest.mark.daily]


def trials():
    """What does not look at the budget is tried with the first example of a key, if not daily."""
    first = dict(one.values for one in reversed(examples()))
    for one in examples():
        key, example = one.values
        for contract in CONTRACTS:
            late = contract in SAMPLED or (contract in behaviour.CONTRACTS and example is not first[key])
            marks = DAILY if late else one.marks
            if contract not in RECORDED:
                yield pytest.param(example, contract, id=f"{one.id}-{contract.__name__}", marks=marks)


@pytest.mark.parametrize(("example", "contract"), [*trials()])
def test_contract(example, contract):
    contract(example)


@pytest.mark.daily
@pytest.mark.parametrize(("key", "example"), centred())
def test_centred_rows_are_charged_and_drawn_as_planned(key, example):
    for contract in SPENDING:
        contract(example)
    gap_is_the_sensitivity(example, small=False)
    estimator, budget = example.estimator, example.budget
    for d in (1, 2):
        delivered = compose(estimator.plan(fewest_rows(estimator, d, budget), d, budget))
        assert vars(delivered) == pytest.approx(vars(budget), rel=1e-9)


@pytest.mark.parametrize(
    "contract",
    [pytest.param(one, id=one.__name__, marks=DAILY if one in SAMPLED else []) for one in REFERENCE],
)
@pytest.mark.parametrize(("key", "example"), references())
def test_contract_without_privacy(key, example, contract):
    contract(example)


@pytest.mark.parametrize(("key", "example"), references())
def test_an_estimator_without_privacy_says_so_and_draws_nothing(key, example):
    rows = typical_rows(example, 30, 1)
    release = example.estimator(rows)
    assert isinstance(release.guarantee.budget, NonPrivate)
    assert _bits(release.value) == _bits(example.estimator(rows, rng=np.random.default_rng(1)).value)
    with pytest.raises(ArgumentError, match=r"^budget = "):
        example.estimator(rows, budget=ZCDP(1.0))


def _bits(value):
    return numbers(value).tobytes()
