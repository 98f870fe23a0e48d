"""Public mistakes are one line naming the argument, its value and what is allowed; data are no mistakes."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from kit import HOSTILE

from workbench import (
    CATALOG,
    ZCDP,
    ApproxDP,
    ClippedMean,
    GaussianDP,
    HistogramLocation,
    Interval,
    IntervalUnknownVariance,
    Median,
    NonPrivate,
    PureDP,
    Scale,
    StableLocation,
    TwoStepMean,
    UnboundedMean,
)
from workbench.catalog import lookup
from workbench.errors import ArgumentError

INF, NAN = float("inf"), float("nan")
ROWS = np.arange(30.0)


def released(estimator, x, budget):
    return estimator(x, budget=budget, rng=np.random.default_rng(0))


CONSTRUCTIONS = [
    *((lambda value=value: PureDP(value), "epsilon") for value in (0, -1, NAN, INF, "1", None, True)),
    *((lambda value=value: ApproxDP(value, 0.1), "epsilon") for value in (0, -1, NAN, INF)),
    *((lambda value=value: ApproxDP(1.0, value), "delta") for value in (-1e-9, 1, 2, NAN, INF, None)),
    *((lambda value=value: ZCDP(value), "rho") for value in (0, -1, NAN, INF)),
    *((lambda value=value: ZCDP(1.0, value), "delta") for value in (-1e-9, 1, NAN)),
    *((lambda value=value: GaussianDP(value), "mu") for value in (0, -1, NAN, INF)),
    *(
        (lambda kind=kind, value=value: kind(radius=value), "radius")
        for kind in (ClippedMean, TwoStepMean, Median, HistogramLocation)
        for value in (0, -1, NAN, INF, 1e16, "wide")
    ),
    *(
        (lambda kind=kind, value=value: kind(sigma=value), "sigma")
        for kind in (UnboundedMean, StableLocation, Interval)
        for value in (0, -1, NAN, INF)
    ),
    (lambda: TwoStepMean(radius=1, centre=NAN), "centre"),
    (lambda: TwoStepMean(radius=1, beta=1), "beta"),
    (lambda: TwoStepMean(radius=1, calibration="loose"), "calibration"),
    (lambda: Interval(level=0), "level"),
    (lambda: IntervalUnknownVariance(level=1), "level"),
    (lambda: Interval(pivots=10), "pivots"),
    (lambda: Scale(lower=1.0), "upper"),
    (lambda: Scale(lower=2.0, upper=1.0), "upper"),
    (lambda: Scale(lower=-1.0, upper=1.0), "lower"),
    (lambda: PureDP(1).split(), "weights"),
    (lambda: PureDP(1).split(1, -1), "weights"),
    (lambda: PureDP(1).for_group(0), "size"),
    (lambda: lookup("univariate/mode"), "key"),
]


@pytest.mark.parametrize(("call", "argument"), CONSTRUCTIONS)
def test_a_public_mistake_names_the_argument_the_value_and_what_is_allowed(call, argument):
    with pytest.raises(ArgumentError) as caught:
        call()
    words = str(caught.value)
    assert words.startswith(f"{argument} = ")
    assert ": expected " in words
    assert "\n" not in words


WRONG_ROWS = [
    ([], "n"),
    ([1.0], "n"),
    (np.zeros((3, 2)), "x"),
    (np.zeros((3, 1, 1)), "x"),
    (3.0, "x"),
    (np.array(["a", "b"]), "x"),
    (np.array([1.0, None], dtype=object), "x"),
    (np.array([1j, 2.0]), "x"),
    (["a", 1.0], "x"),
    ([[1.0], [2.0, 3.0]], "x"),
    (pd.Series(["a", "b"]), "x"),
    (pd.DataFrame({"a": [1.0, 2.0], "b": [1.0, 2.0]}), "x"),
]


@pytest.mark.parametrize("key", CATALOG)
@pytest.mark.parametrize(("rows", "argument"), WRONG_ROWS)
def test_wrong_shapes_and_types_raise_before_anything_is_drawn(key, rows, argument):
    example, rng = CATALOG[key].examples[0], np.random.default_rng(0)
    before = rng.bit_generator.state
    with pytest.raises(ArgumentError) as caught:
        example.estimator(rows, budget=example.budget, rng=rng)
    assert str(caught.value).startswith(argument)
    assert rng.bit_generator.state == before


@pytest.mark.parametrize("key", CATALOG)
def test_a_budget_of_another_currency_is_refused_by_name(key):
    entry = CATALOG[key]
    refused = [NonPrivate(), None, 1.0]
    if not any(isinstance(budget, GaussianDP) for budget in (e.budget for e in entry.examples)):
        refused.append(GaussianDP(1.0))
    for budget in refused:
        with pytest.raises(ArgumentError, match="budget = "):
            released(entry.estimator, ROWS, budget)


@pytest.mark.parametrize("rng", [None, 0, "seed", np.random.default_rng, np.random.SeedSequence(0)])
def test_randomness_is_a_generator_or_a_noise_source(rng):
    with pytest.raises(ArgumentError, match="rng = "):
        TwoStepMean(radius=1)(ROWS, budget=PureDP(1), rng=rng)


def test_labels_of_a_frame_and_of_a_series_are_kept():
    frame = pd.DataFrame({"height": ROWS})
    assert released(UnboundedMean(), frame, ApproxDP(1, 0.1)).labels == ("height",)
    assert released(UnboundedMean(), frame["height"], ApproxDP(1, 0.1)).labels == ("height",)
    assert released(UnboundedMean(), list(ROWS), ApproxDP(1, 0.1)).labels is None


def test_missing_entries_of_nullable_columns_are_data():
    column = pd.Series([1, None, 3, 4], dtype="Int64")
    assert released(TwoStepMean(radius=10), column, PureDP(1)).value is not None


HOSTILE_SCRIPT = """
import itertools, numpy as np
from workbench import CATALOG
from dataclasses import replace
hostile = {hostile}
nan, inf = float("nan"), float("inf")
for key, entry in CATALOG.items():
    for example in entry.examples:
        estimator = example.estimator
        if hasattr(estimator, "pivots"):
            estimator = replace(estimator, pivots=200)
        for value in eval(hostile):
            for rows in (np.full(40, value), np.array([value, 1.0] * 20), [value] * 40):
                estimator(rows, budget=example.budget, rng=np.random.default_rng(1))
print("quiet")
"""


def test_hostile_rows_are_silent_in_a_process_where_warnings_are_errors():
    script = HOSTILE_SCRIPT.format(hostile=repr(repr(list(HOSTILE))))
    done = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True)
    assert done.stderr == ""
    assert done.stdout == "quiet\n"
