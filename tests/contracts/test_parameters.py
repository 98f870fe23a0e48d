"""Every estimator refuses a wrong public parameter when it is made, by an error that names it."""

from dataclasses import fields, replace
from decimal import Decimal
from math import inf, nan

import pytest
from numpy import array, ones

from workbench import ZCDP, ApproxDP, GaussianDP, Ledger, NonPrivate, PureDP, lookup
from workbench.catalog import CATALOG
from workbench.errors import ArgumentError
from workbench.estimators.base import ASKED

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


def refused(key, wrong):
    with pytest.raises(ArgumentError) as error:
        replace(CATALOG[key].estimator, **wrong)
    return error.value.argument


@pytest.mark.parametrize("key", CATALOG)
def test_a_wrong_parameter_is_named(key):
    for field in fields(CATALOG[key].estimator):
        for value in WRONG.get(field.name, ()):
            assert refused(key, {field.name: value}) == field.name, value


@pytest.mark.parametrize(("key", "wrong"), LIMITS)
def test_a_parameter_beyond_an_estimator_s_own_limit_is_named(key, wrong):
    assert refused(key, wrong) == next(iter(wrong))


@pytest.mark.parametrize("key", CATALOG)
def test_more_rows_or_columns_than_can_be_are_refused(key):
    example = CATALOG[key].examples[0]
    for n, d, named in ((10**30, 1, "n"), (2**53 + 1, 2, "n"), (10**6, 10**30, "d")):
        with pytest.raises(ArgumentError) as error:
            example.estimator.plan(n, d, example.budget)
        assert error.value.argument == named


@pytest.mark.parametrize("key", CATALOG)
def test_what_is_asked_of_no_rows_columns_or_budget_is_refused_by_name(key):
    example, wrong = CATALOG[key].examples[0], (ones(2), ones(0), Decimal("sNaN"), [1], {}, "1", None, 1.0j)
    for name in ASKED & {*dir(example.estimator)}:
        beta = (0.05,) if name in ("error_bound", "interval_reach") else ()
        asked = {"n": 1000, "d": 1, "budget": example.budget}
        for argument in asked:
            for value in wrong:
                with pytest.raises(ArgumentError, match=f"^{argument} = "):
                    getattr(example.estimator, name)(*(asked | {argument: value}).values(), *beta)


def test_a_prediction_refuses_the_budget_that_its_plan_refuses():
    with pytest.raises(ArgumentError, match=r"^budget = PureDP"):
        CATALOG["univariate/unbounded-mean"].estimator.predicted_error(300, 1, PureDP(1.0))


@pytest.mark.parametrize("alpha", [1e-300, 1e-16, 1e-4])
def test_a_net_of_too_many_candidates_is_not_built(alpha):
    estimator = replace(CATALOG["covariance/pure-net"].estimator, alpha=alpha)
    with pytest.raises(ArgumentError, match=r"alpha = .* for at most .* candidates"):
        estimator.plan(1000, 2, PureDP(1.0))


NUMBERS = (0, -1.0, nan, inf, -inf, True, "1", None, 1j, [1.0])
DELTAS = (-1e-9, 5e-324, 1e-301, 1.0, 1, 2.0, nan, inf, "0.1", None)
BUDGETS = [
    *(("epsilon", make, value) for make in (PureDP, lambda v: ApproxDP(v, 1e-6)) for value in NUMBERS),
    *((name, make, value) for name, make in (("rho", ZCDP), ("mu", GaussianDP)) for value in NUMBERS),
    *(("delta", lambda v, of=of: of(1.0, v), value) for of in (ApproxDP, ZCDP) for value in DELTAS),
    *(("size", PureDP(1.0).for_group, value) for value in (*WHOLE, 10**9, 10**400, 10**5000)),
    *(("weights", lambda v: PureDP(1.0).split(1, v), value) for value in (0, -1, 0.0)),
    ("budget", Ledger, NonPrivate()),
    ("key", lookup, "mean/none"),
]


def test_a_wrong_number_of_a_budget_is_named_with_its_value_in_one_line():
    for argument, make, value in BUDGETS:
        with pytest.raises(ArgumentError) as raised:
            make(value)
        error = raised.value
        assert error.argument == argument, (make, value)
        assert error.value is value or error.value == value or value != value
        assert str(error).startswith(f"{argument} = ")
        assert "\n" not in str(error)
