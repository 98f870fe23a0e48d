"""The examples of the catalog as pytest parameters."""

from dataclasses import replace

import pytest

from workbench.catalog import CATALOG, Example
from workbench.contracts.kit import cases, name

PAIRED = (
    *("covariance/heavy-tailed", "covariance/heavy-tailed-naive", "covariance/pure-net"),
    *("covariance/unbounded", "gaussian/unbounded"),
)


def examples():
    return _parameters(private=True)


def references():
    return _parameters(private=False)


def centred():
    return [
        pytest.param(key, Example(replace(one.estimator, centred=True), one.budget), id=f"{key}-{name(one)}")
        for key in PAIRED
        for one in CATALOG[key].examples
    ]


def _parameters(private):
    found = cases(CATALOG.values(), private)
    return [pytest.param(key, example, id=words) for key, example, words in found]
