"""Public numbers of any type and at their ends: of every key, of budgets, their conversions, and the ledger.

That parameters and budgets of any type are Python's is the contract `public_numbers_are_pythons`.
"""

from contextlib import suppress
from dataclasses import fields, replace
from functools import partial
from math import inf, nan

import numpy as np
import pytest
from numpy import array, ones

from workbench import ZCDP, ApproxDP, GaussianDP, Ledger, NonPrivate, PureDP, lookup
from workbench.catalog import CATALOG
from workbench.contracts.accounting import Tally
from workbench.contracts.behaviour import forms, outcome
from workbench.contracts.datasets import dimension, sizes, typical_rows
from workbench.contracts.kit import refusal, release
from workbench.errors import ArgumentError, in_range, positive, probability
from workbench.privacy import (
    Charge,
    Sequential,
    SimulatedNoise,
    budgets,
    compose,
    mechanisms,
)

FLOATS = (1e-300, 1e-140, 1e-12, 1e12, 1e140, 1e200)
ENDS = (*FLOATS, 2**53, 2**63 - 1, 2**63, 2**64, 10**400)


def spent(**cost):
    of = {"epsilon": PureDP(1.0), "rho": ZCDP(1.0), "mu": GaussianDP(1.0)}
    ledger = Ledger(ApproxDP(1.0, 0.5) if len(cost) > 1 else of[next(iter(cost))])
    with ledger.spend("mean", **cost) as granted:
        return granted, ledger.spent, ledger.remaining, str(ledger)


CALLS = {  # what a number is given to, beside the budgets of the contract
    "delta": lambda x: ApproxDP(1.0, x),
    "sensitivity": lambda x: Charge("mean", "laplace", x, PureDP(1.0)),
    "shares": lambda x: ZCDP(0.5).split(x, 1),
    "delta of zcdp": lambda x: budgets.approx_from_zcdp(ZCDP(0.5), x),
    "delta of zcdp as stated": lambda x: budgets.approx_from_zcdp_stated(ZCDP(0.5), x),
    "delta of gdp": lambda x: budgets.approx_from_gdp(GaussianDP(0.5), x),
    "mu": lambda x: budgets.gaussian_delta(x, 0.3),
    "slack of the best": lambda x: budgets.optimal_composition(ApproxDP(0.1, 1e-6), 3, slack=x),
    "classic scale": lambda x: mechanisms.classic_gaussian_scale(1.0, x, 1e-6),
    "ledger, epsilon": lambda x: spent(epsilon=x),
    "ledger, delta": lambda x: spent(epsilon=0.1, delta=x),
    "ledger, rho": lambda x: spent(rho=x),
    "ledger, mu": lambda x: spent(mu=x),
    "rho of laplace": budgets.zcdp_from_laplace,
    "rho of a range": budgets.zcdp_from_bounded_range,
    "epsilon of laplace": budgets.laplace_epsilon,
    "epsilon of a range": budgets.bounded_range_epsilon,
}
OF_BUDGETS = {  # what a budget is given to
    "zcdp": budgets.to_zcdp,
    "epsilon": lambda one: budgets.approx_from_zcdp(budgets.to_zcdp(one), 1e-5),
    "epsilon of gdp": lambda one: budgets.approx_from_gdp(GaussianDP(one.mu), 1e-5),
    "zcdp within": lambda one: budgets.zcdp_within_approx(ApproxDP(one.epsilon, 1e-6)),
    "gdp within": lambda one: budgets.gdp_within_approx(ApproxDP(one.epsilon, 1e-6)),
    "group": lambda one: one.for_group(3),
    "shares": lambda one: compose(
        Sequential("zcdp", tuple(Charge("mean", "laplace", 1.0, cost) for cost in one.split(1, 2)))
    ),
    "ledger": lambda one: spend(Ledger(one), one),
    "ledger of others": lambda one: spend(Ledger(ZCDP(1e150, 0.5)), one),
}


def spend(ledger, budget):
    ledger.charge(budget, "mean")
    return str(ledger), ledger.spent, ledger.remaining


def refused_or(call, *given, **named):
    with suppress(ArgumentError):
        return call(*given, **named)
    return None


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_number_of_any_type_is_what_it_is_as_pythons_and_taken_or_refused_at_an_end(call):
    for value in (0.3, 1.0, 1e-6):
        for form, meant in forms(value):
            assert outcome(call, form) == outcome(call, meant), repr(form)
    for end in ENDS:
        refused_or(call, end)


@pytest.mark.parametrize("call", OF_BUDGETS.values(), ids=OF_BUDGETS)
def test_a_budget_at_an_end_is_taken_or_refused(call):
    for end in (*ENDS, 1e-150, 1e150, 1e-75, 1e75):
        for made in (PureDP, lambda end: ApproxDP(end, 1e-6), ZCDP, GaussianDP):
            if (one := refused_or(made, end)) is not None:
                with suppress(AttributeError):  # of another kind
                    refused_or(call, one)


def at_their_ends(key):
    """The examples with each number of a budget or an estimator at each end, once a calibration and mode."""
    seen = set()
    for example in CATALOG[key].examples:
        chosen = [getattr(example.estimator, name, None) for name in ("calibration", "mode")]
        for what, of in vars(example).items():
            for name, value in vars(of).items():
                case = (type(of).__name__, name, *chosen)
                number = isinstance(value, (int, float, tuple)) and not isinstance(value, bool)
                if number and case not in seen:
                    seen.add(case)
                    for end in FLOATS if isinstance(value, float) else ENDS:
                        whole = (end,) * len(value) if isinstance(value, tuple) else end
                        yield f"{case}: {min(end, 2**64)}", example, what, {name: whole}


def ended(example, what, change):
    tally, n = Tally(SimulatedNoise(np.random.default_rng(0))), sizes(example, 300)[-1]
    try:
        changed = replace(example, **{what: replace(getattr(example, what), **change)})
        public = n, dimension(example) or 1, changed.budget
        changed.estimator.plan(*public)
        for ask, *more in (("predicted_error",), ("error_bound", 0.05)):
            refused_or(getattr(changed.estimator, ask, lambda *_: None), *public, *more)
        release(changed, typical_rows(example, n, 0), tally)
    except ArgumentError:
        assert not tally.draws, "an error after a draw"


@pytest.mark.daily
@pytest.mark.parametrize("key", CATALOG)
def test_an_estimator_with_a_number_at_an_end_refuses_before_a_draw_or_answers(key):
    failed = {words: outcome(ended, *case) for words, *case in at_their_ends(key)}
    assert {*failed.values()} <= {"None"}, failed


# Every estimator refuses a wrong public parameter when it is made, by an error that names it.

ABOVE_ZERO = (0.0, -1.0, nan, inf, "1", True)
SHARES = (0.0, 1.0, -0.1, nan, "0.1", None)
WHOLE = (0, -1, 1.5, True)
WRONG = {  # values that no estimator with such a parameter takes
    **dict.fromkeys(("radius", "sigma", "upper", "lower"), ABOVE_ZERO),
    **dict.fromkeys(("beta", "check"), SHARES),
    **dict.fromkeys(("steps", "passes", "splits"), (*WHOLE, 10**7, 10**400)),
    "k": WHOLE,
    **dict.fromkeys(("calibration", "mode", "mask", "rule", "covariance"), ("loose", "", 1, ones(2))),
    "alpha": (0.0, -0.1, nan, "0.1"),
    "centre": (nan, inf, "0"),
    "corruption": (-0.1, 0.5, nan, "0.1"),
    "gap": (1.5, -0.1, nan),
    "hypercontractivity": (0.0, 0.1, nan),
    "level": (-1.0, 0.0, nan, "0.1"),
    "moments": (0, 1.5, True),
    "step": (0.0, -1.0, nan),
    **dict.fromkeys(("levels", "edges"), (0.5, None, "x", ("a", "b"), array(0.5), 1j)),
}
LIMITS = (  # what one estimator refuses; where there are several parameters, the first one is named
    ("univariate/interval", {"level": 1.0}),
    ("univariate/scale", {"upper": 1.0, "lower": 2.0}),
    ("range/ball", {"corruption": 0.0}),
    ("range/ball", {"corruption": 0.125}),
    ("range/ball", {"hypercontractivity": 0.9}),
    ("mean/prime", {"radius": 1e5}),
    ("mean/robust", {"sigma": 1e308}),
    *(("mean/adaptive", {"radius": radius}) for radius in (1e-101, 1e101)),
    ("mean/tukey", {"radius": 10.0, "sigma": 5e-324}),
    ("mean/prime", {"corruption": 0.2}),
    ("mean/prime", {"corruption": 0.0, "calibration": "paper"}),
    ("mean/prime-heavy", {"corruption": 0.0}),
    ("mean/filter-nonprivate", {"corruption": 0.2}),
    *((f"mean/resilient{heavy}", {"corruption": share})
      for heavy in ("", "-heavy")
      for share in (0.0, 1 / 6)),
    ("covariance/clipped", {"lower": 20.0}),
    ("covariance/coinpress", {"lower": 200.0}),
    *((f"covariance/heavy-tailed{naive}", wrong)
      for naive in ("", "-naive")
      for wrong in ({"lower": 200.0}, {"moments": 1}, {"alpha": 1.0}, {"hypercontractivity": 0.5})),
    *(("covariance/pure-net", wrong) for wrong in ({"lower": 200.0}, {"moments": 1}, {"alpha": 1.0})),
    *((f"covariance/{key}", {"radius": radius})
      for key in ("adaptive", "perturbed", "thresholded", "local-thresholded")
      for radius in (1e200, 1e-200)),
    ("covariance/thresholded", {"radius": None, "calibration": "paper"}),
    ("covariance/populous-robust", {"corruption": 0.06}),
    ("gaussian/populous-robust", {"corruption": 0.06}),
    *(("gaussian/coinpress", wrong) for wrong in ({"radius": 1e200}, {"lower": 200.0}, {"lower": 1e-300})),
)  # fmt: skip


@pytest.mark.parametrize("key", CATALOG)
def test_a_wrong_parameter_is_named(key):
    estimator = CATALOG[key].estimator
    for field in fields(estimator):
        for value in WRONG.get(field.name, ()):
            assert refusal(replace, estimator, **{field.name: value}).argument == field.name, value


@pytest.mark.parametrize(("key", "wrong"), LIMITS)
def test_a_parameter_beyond_an_estimator_s_own_limit_is_named(key, wrong):
    assert refusal(replace, CATALOG[key].estimator, **wrong).argument == next(iter(wrong))


def test_a_prediction_refuses_the_budget_that_its_plan_refuses():
    estimator = CATALOG["univariate/unbounded-mean"].estimator
    assert refusal(estimator.predicted_error, 300, 1, PureDP(1.0)).argument == "budget"


NUMBERS = (0, -1.0, nan, inf, -inf, True, "1", None, 1j, [1.0])
DELTAS = (-1e-9, 5e-324, 1e-301, 1.0, 1, 2.0, nan, inf, "0.1", None)
BUDGETS = [
    *(("epsilon", make, value) for make in (PureDP, lambda v: ApproxDP(v, 1e-6)) for value in NUMBERS),
    *((name, make, value) for name, make in (("rho", ZCDP), ("mu", GaussianDP)) for value in NUMBERS),
    *(("delta", lambda v, of=of: of(1.0, v), value) for of in (ApproxDP, ZCDP) for value in DELTAS),
    *(("size", PureDP(1.0).for_group, value) for value in (*WHOLE, 10**9, 10**400, 10**5000)),
    *(("weights", lambda v: PureDP(1.0).split(1, v), value) for value in (0, -1, 0.0)),
    ("budget", Ledger, NonPrivate()),
    *(("key", lookup, key) for key in ("mean/none", 0, None)),
]


def test_a_wrong_number_of_a_budget_is_named_with_its_value_in_one_line():
    for argument, make, value in BUDGETS:
        error = refusal(make, value)
        assert error.argument == argument, (make, value)
        assert error.value is value or error.value == value or value != value
        assert str(error).startswith(f"{argument} = ")
        assert "\n" not in str(error)


def test_a_scalar_of_numpy_is_compared_as_the_number_that_it_is():
    """Not in its own precision, in which the largest float is infinite, and the least probability 0."""
    positive(share=np.float32(0.5))
    for check, value in ((positive, inf), (probability, 0.0), (partial(in_range, 0, 0.1), 0.1)):
        assert refusal(lambda share, check=check: check(share=share), np.float32(value)).argument == "share"
