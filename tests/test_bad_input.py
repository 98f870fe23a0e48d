"""Bad input: one line that names the argument, its value and what is allowed."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import workbench as wb
from workbench import (
    ZCDP,
    ApproxDP,
    ArgumentError,
    ClippedMean,
    GaussianDP,
    HistogramLocation,
    Interval,
    IntervalUnknownVariance,
    Ledger,
    Median,
    NonPrivate,
    PureDP,
    Scale,
    StableLocation,
    TwoStepMean,
    UnboundedMean,
)
from workbench.catalog import CATALOG

ON_THE_LINE = {key: entry for key, entry in CATALOG.items() if entry.population.d is None}
PURE, APPROX, SMALL = PureDP(1.0), ApproxDP(1.0, 1e-6), [1.0, 2.0, 3.0, 4.0]
ABOVE_ZERO, INSIDE = "a finite number above 0", "strictly between 0 and 1"


def run(estimator, x, budget, rng=None):
    return estimator(x, budget=budget, rng=np.random.default_rng(0) if rng is None else rng)


def budgets():
    for value in (0, 0.0, -1.0, float("nan"), float("inf"), -float("inf"), True, "1", None, 1j, [1.0]):
        yield "epsilon", value, lambda value=value: PureDP(value), ABOVE_ZERO
        yield "epsilon", value, lambda value=value: ApproxDP(value, 1e-6), ABOVE_ZERO
        yield "rho", value, lambda value=value: ZCDP(value), ABOVE_ZERO
        yield "mu", value, lambda value=value: GaussianDP(value), ABOVE_ZERO
    for value in (-1e-9, 5e-324, 1e-301, 1.0, 1, 2.0, float("nan"), float("inf"), "0.1", None):
        yield "delta", value, lambda value=value: ApproxDP(1.0, value), "[1e-300, 1)"
        yield "delta", value, lambda value=value: ZCDP(1.0, value), "[1e-300, 1)"
    for value in (0, -1, 1.5, True):
        yield "size", value, lambda value=value: PURE.for_group(value), "at least 1"
        yield (
            "weights",
            value if value in (0, -1) else 0.0,
            lambda value=value: PURE.split(1, value if value in (0, -1) else 0.0),
            ABOVE_ZERO,
        )
    for value in (10**9, 10**400, 10**5000):
        for one in (PURE, APPROX, ZCDP(1.0), GaussianDP(1.0)):
            yield "size", value, lambda one=one, value=value: one.for_group(value), "from 1 to 1000000"
    yield "weights", (), PURE.split, "at least one"
    yield "budget", NonPrivate(), lambda: Ledger(NonPrivate()), "a private budget"


def parameters():
    kinds = (ClippedMean, TwoStepMean, Median, HistogramLocation)
    for value in (0, -1.0, float("nan"), float("inf"), "10", None, True):
        for kind in kinds:
            yield "radius", value, lambda kind=kind, value=value: kind(radius=value, sigma=1), ABOVE_ZERO
            yield "sigma", value, lambda kind=kind, value=value: kind(radius=1, sigma=value), ABOVE_ZERO
        for kind in (UnboundedMean, StableLocation, Interval):
            yield "sigma", value, lambda kind=kind, value=value: kind(sigma=value), ABOVE_ZERO
        if value is not None:
            yield "lower", value, lambda value=value: Scale(lower=value, upper=2.0), ABOVE_ZERO
    for value in (float("nan"), float("inf"), "0", None):
        for kind in kinds:
            yield (
                "centre",
                value,
                lambda kind=kind, value=value: kind(radius=1, sigma=1, centre=value),
                "a finite number",
            )
    for value in (0, 1, -0.1, 1.5, float("nan"), "0.1", None):
        for given in (Interval(sigma=1), IntervalUnknownVariance()):
            yield "level", value, lambda given=given, value=value: replace(given, level=value), INSIDE
        yield "beta", value, lambda value=value: UnboundedMean(beta=value, sigma=1.0), INSIDE
        for kind in (ClippedMean, TwoStepMean):
            yield "beta", value, lambda kind=kind, value=value: kind(radius=1, sigma=1, beta=value), INSIDE
    for value in ("loose", "", None, 1):
        for entry in ON_THE_LINE.values():
            if not hasattr(entry.estimator, "calibration"):
                continue
            yield (
                "calibration",
                value,
                lambda given=entry.estimator, value=value: replace(given, calibration=value),
                "paper, tight",
            )
    yield "upper", 1.0, lambda: Scale(lower=2.0, upper=1.0), "above lower"
    yield "upper", None, lambda: Scale(lower=2.0), "if and only if"
    yield "key", "mean/none", lambda: wb.lookup("mean/none"), "univariate/clipped-mean"


def wrong_budgets():
    with_range = (
        TwoStepMean(radius=9.0, sigma=1.0),
        Median(radius=9.0, sigma=1.0),
        HistogramLocation(radius=9.0, sigma=1.0),
        Scale(lower=1, upper=2),
    )
    without = (
        UnboundedMean(sigma=1.0),
        StableLocation(sigma=1.0),
        Scale(),
        Interval(sigma=1.0),
        IntervalUnknownVariance(),
    )
    for estimator in with_range:
        for budget in (APPROX, ZCDP(0.5, 1e-6), GaussianDP(1.0), NonPrivate(), 1.0, None):
            yield "budget", budget, lambda e=estimator, b=budget: run(e, SMALL, b), "PureDP or ZCDP"
    for estimator in without:
        for budget in (PURE, ZCDP(0.5), ApproxDP(1.0, 0.0), GaussianDP(1.0), NonPrivate(), 1.0, None):
            yield "budget", budget, lambda e=estimator, b=budget: run(e, SMALL, b), "ApproxDP or ZCDP"
    for budget in (NonPrivate(), ApproxDP(1.0, 0.0), ZCDP(0.5, 1e-6), 1.0, None):
        yield (
            "budget",
            budget,
            lambda b=budget: run(ClippedMean(radius=9.0, sigma=1.0), SMALL, b),
            "GaussianDP",
        )


def identified(cases):
    return [
        pytest.param(*case, id=f"{number}-{case[0]}-{type(case[1]).__name__}")
        for number, case in enumerate(cases)
    ]


@pytest.mark.parametrize(
    ("argument", "value", "call", "allowed"), identified([*budgets(), *parameters(), *wrong_budgets()])
)
def test_a_wrong_argument_is_named_with_its_value_and_what_is_allowed(argument, value, call, allowed):
    with pytest.raises(ArgumentError) as raised:
        call()
    error = raised.value
    assert error.argument == argument
    assert error.value is value or error.value == value or value != value
    assert allowed in str(error)
    assert str(error).startswith(f"{error.argument} = ")
    assert "\n" not in str(error)


COLUMNS = [
    ("n", 0, []),
    ("n", 0, np.zeros(0)),
    ("n", 0, pd.Series([], dtype=float)),
    ("n", 1, [3.0]),
    ("n", 1, np.array([[3.0]])),
    ("x", "shape ()", 3.0),
    ("x", "shape (2, 3)", np.zeros((2, 3))),
    ("x", "shape (4, 0)", np.zeros((4, 0))),
    ("x", "shape (4, 1, 1)", np.zeros((4, 1, 1))),
    ("x", "shape (4, 2)", pd.DataFrame(np.zeros((4, 2)))),
    ("x", "entry of type str", np.array([1.0, "a"], object)),
    ("x", "type <U1", np.array(["a", "b"])),
    ("x", "type complex128", np.zeros(4, complex)),
    ("x", "of type ndarray", np.array(None)),
    ("x", "entry of type str", ["1.0", "2.0", "3.0"]),
    ("x", "rows", [[1.0], [2.0, 3.0]]),
    ("x['name']", "type", pd.DataFrame({"name": ["a", "b"]})),
    ("x['name']", "type", pd.Series(["a", "b"], name="name")),
    ("x['day']", "type", pd.DataFrame({"day": pd.to_datetime(["2020-01-01"] * 4)})),
    ("x", "of type dict", {"a": 1.0}),
]


@pytest.mark.parametrize(("argument", "words", "x"), identified(COLUMNS))
def test_a_wrong_column_is_refused_before_any_draw(argument, words, x):
    for key in ON_THE_LINE:
        if words == 1 and CATALOG[key].least_rows == 1:
            continue
        example, rng = CATALOG[key].examples[0], np.random.default_rng(3)
        before = repr(rng.bit_generator.state)
        with pytest.raises(ArgumentError) as raised:
            run(example.estimator, x, example.budget, rng)
        assert raised.value.argument == argument, key
        assert str(words) in str(raised.value)
        assert repr(rng.bit_generator.state) == before


@pytest.mark.parametrize("key", ["univariate/scale", "univariate/interval-unknown-variance"])
@pytest.mark.parametrize("n", [2, 3])
def test_what_needs_four_rows_says_so(key, n):
    example = CATALOG[key].examples[0]
    with pytest.raises(ArgumentError, match=f"n = {n}: expected an integer, at least 4"):
        run(example.estimator, np.zeros(n), example.budget)
