"""The examples of the catalog as pytest parameters."""

from dataclasses import replace

import pytest

from workbench.catalog import CATALOG, Example
from workbench.contracts.kit import cases, name

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


def examples():
    """All with privacy: the first of a key, in turn the first of a kind of budget, daily the others."""
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
