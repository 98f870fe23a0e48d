"""Every contract over an example of the general reduction that is no key: the histogram of notebook 02.

It is registered as an entry of another package would be.
"""

import numpy as np
import pytest
from scipy.stats import norm

from workbench import ApproxDP, Populous
from workbench.catalog import Example, register
from workbench.catalog.entry import Entry
from workbench.contracts import CONTRACTS
from workbench.distributions import Gaussian
from workbench.populations import MultivariateGaussian


def shares(rows):
    return np.bincount(np.clip(rows[:, 0], 0, 4).astype(int), minlength=5) / len(rows)


class Histogram(Populous):
    """Shares by the vote of single rows, any two of which are within 2."""


SHARES = np.diff([0.0, *norm.cdf([1.0, 2.0, 3.0, 4.0], 2.5), 1.0])
VOTE = Histogram(oracle=shares, size=1, space="l1", limit=2.0, dimension=5, far=1e-6, beta=0.001)
HISTOGRAM = Entry(
    key="histogram/by-vote",
    summary="an example of the general reduction",
    estimand="mean",
    statements=("AL22/Alg1",),
    examples=(Example(VOTE, ApproxDP(8.0, 1e-6)),),
    population=MultivariateGaussian(Gaussian([2.5], [[1.0]])),
    loss=lambda value, _: float(np.linalg.norm(value - SHARES, 1)),
    symmetries={"translation": "none", "scale": "none"},
    bounded_steps=frozenset({"vote", "mask"}),
)


@pytest.mark.daily
@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda one: one.__name__)
def test_a_contract_holds(monkeypatch, contract):
    monkeypatch.setattr("workbench.catalog._added", {})
    register(HISTOGRAM)
    contract(HISTOGRAM.examples[0])
