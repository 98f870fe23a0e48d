"""Every contract over two examples of the general reduction that are no keys: coefficients, and a histogram.

They are the two of notebook 02. Each is registered as an entry of another package would be.
"""

import numpy as np
import pytest
from scipy.stats import norm

from workbench import ApproxDP, Populous, catalog
from workbench.catalog import KNOWN, Addition, Example
from workbench.catalog.entry import Entry
from workbench.contracts.every import CONTRACTS
from workbench.distributions import Gaussian
from workbench.populations import MultivariateGaussian

LOUD = ApproxDP(8.0, 1e-6)
LINE = MultivariateGaussian(Gaussian(np.zeros(3), [[1, 0, 1], [0, 1, 2], [1, 2, 6]]))
COLUMN = MultivariateGaussian(Gaussian([2.5], [[1.0]]))


def least_squares(rows):
    return np.linalg.lstsq(rows[:, :-1], rows[:, -1])[0]


def shares(rows):
    return np.bincount(np.clip(rows[:, 0], 0, 4).astype(int), minlength=5) / len(rows)


class Regression(Populous):
    """Coefficients by the vote of groups of eight rows."""


class Histogram(Populous):
    """Shares by the vote of single rows, any two of which are within 2."""


def entry(key, estimator, population, truth, order):
    return Entry(
        key=key,
        summary="an example of the general reduction",
        estimand="mean",
        statements=("AL22/Alg1",),
        examples=(Example(estimator, LOUD),),
        population=population,
        loss=lambda value, _: float(np.linalg.norm(value - truth, order)),
        symmetries={"translation": "none", "scale": "none"},
        bounded_steps=frozenset({"vote", "mask"}),
    )


REGRESSION = entry(
    "regression/by-vote",
    Regression(oracle=least_squares, size=8, limit=2.15, dimension=2),
    LINE,
    (1.0, 2.0),
    2,
)
HISTOGRAM = entry(
    "histogram/by-vote",
    Histogram(oracle=shares, size=1, space="l1", limit=2.0, dimension=5, far=1e-6, beta=0.001),
    COLUMN,
    np.diff([0.0, *norm.cdf([1.0, 2.0, 3.0, 4.0], 2.5), 1.0]),
    1,
)
ENTRIES = pytest.mark.parametrize("entry", [REGRESSION, HISTOGRAM], ids=lambda one: one.key)


@pytest.fixture(autouse=True)
def known(monkeypatch):
    added = {one.key: Addition(entry=one) for one in (REGRESSION, HISTOGRAM)}
    monkeypatch.setattr(catalog, "_added", catalog._added | added)
    assert REGRESSION.key in KNOWN


@pytest.mark.daily
@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda one: one.__name__)
@ENTRIES
def test_a_contract_holds(entry, contract):
    contract(entry.examples[0])
