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
    """All with privacy: by default the first of each key and kind of budget, daily the others."""
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
    found, seen = [], set()
    for key, example, words in cases(CATALOG.values(), private):
        kind = key, type(example.budget)
        found.append(pytest.param(key, example, id=words, marks=[pytest.mark.daily] if kind in seen else []))
        seen.add(kind)
    return found
