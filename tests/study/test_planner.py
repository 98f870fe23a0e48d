"""The planner: what it finds is enough and no less is, in both directions, for whatever estimator."""

from dataclasses import dataclass, replace
from math import inf, nan
from types import SimpleNamespace

import pytest

from tests.facts import facts
from workbench.catalog import CATALOG
from workbench.errors import ArgumentError, integer_at_least
from workbench.privacy import ZCDP, ApproxDP, Charge, PureDP
from workbench.study import planner as answers
from workbench.study import planner as comparison
from workbench.study import planner as estimators
from workbench.study.planner import DECIMALS, Question, Scale, decimal, factors, plan, steps

BUDGET, PURE = ApproxDP(1.0, 1e-6), PureDP(1.0)
CLOSED = [key for key in CATALOG if "interval" not in key]  # their bounds are formulas, cheap at every n
BOTH = ("tight", "paper")


def asked(subject="", settings=None, **more):
    known = facts(subject) | (settings or {})
    return Question(
        **{"alpha": 0.2, "budget": BUDGET, "calibrations": BOTH} | more, subject=subject, settings=known
    )


def bound(answer, n, budget=None):
    estimator = CATALOG[answer.key].estimator
    values = {name: one.value for name, one in answer.parameters.items()}
    calibration = {"calibration": answer.calibration} if answer.calibration else {}
    estimator = replace(estimator, **values, **calibration)
    if answer.kind == "predicted":
        return estimator.predicted_error(n, answer.d, budget or answer.budget)
    return estimator.error_bound(n, answer.d, budget or answer.budget, 0.05)


def bound_or_refusal(answer, n):
    """The bound, infinite where so few rows are refused."""
    try:
        return bound(answer, n)
    except ArgumentError:
        return inf


def reached(question):
    return [one for one in plan(question) if one.reached]


ALPHAS = {"mean": 0.2, "location": 2.5, "scale": 0.3}


@pytest.mark.daily
@pytest.mark.parametrize("estimand", ALPHAS)
def test_the_n_found_is_enough_and_one_row_less_is_not(estimand):
    alpha = ALPHAS[estimand]
    found = reached(asked(subject=estimand, alpha=alpha))
    assert {one.calibration for one in found} >= {"tight"}
    for one in found:
        assert one.bound == bound(one, one.n) <= alpha
        assert bound_or_refusal(one, one.n - 1) > alpha
        assert one.answers_from <= one.bounded_from <= one.n
        assert bound(one, one.bounded_from) < inf


@pytest.mark.daily
def test_both_calibrations_of_every_mean_are_there_and_the_cheapest_is_first():
    found = plan(asked(subject="mean"))
    keys = {key: entry.estimator for key, entry in CATALOG.items() if entry.estimand == "mean"}
    versions = {key: BOTH if hasattr(one, "calibration") else (None,) for key, one in keys.items()}
    assert {(one.key, one.calibration) for one in found} == {(key, c) for key in keys for c in versions[key]}
    sizes = [one.n for one in found if one.reached]
    assert sizes == sorted(sizes)
    assert [one.reached for one in found] == sorted((one.reached for one in found), reverse=True)


@pytest.mark.parametrize("key", [f"univariate/{name}-mean" for name in ("clipped", "two-step", "unbounded")])
def test_more_accuracy_less_budget_and_less_risk_need_no_fewer_rows(key):
    def needed(**more):
        return plan(asked(subject=key, calibrations=("paper",), **more))[0].n

    assert needed(alpha=0.4) < needed(alpha=0.2) < needed(alpha=0.1)
    assert needed() < needed(budget=ApproxDP(0.5, 1e-6))
    assert needed(beta=0.05) < needed(beta=0.01)


def test_a_delta_that_an_estimator_has_no_use_for_is_not_spent():
    (one,) = plan(asked(subject="univariate/two-step-mean", calibrations=("tight",)))
    assert one.budget == PureDP(1.0)
    clipped = plan(asked(subject="univariate/clipped-mean", calibrations=("tight",)))[0]
    assert clipped.budget == PureDP(1.0)  # takes both: Laplace noise is the smaller one here
    assert clipped.n == plan(asked(subject=clipped.key, calibrations=("tight",), budget=PureDP(1.0)))[0].n


@pytest.mark.daily
def test_the_epsilon_found_for_n_rows_is_enough_and_the_next_smaller_is_not():
    n, alpha, decimals = 3000, 0.2, [decimal(place) for place in range(DECIMALS)]
    found = reached(asked(subject="mean", alpha=alpha, **rows(n)))
    assert len(found) > 4
    for one in found:
        assert (one.n, one.bound) == (n, bound(one, n))
        smaller = decimals[decimals.index(one.budget.epsilon) - 1]
        assert one.bound <= alpha < bound(one, n, replace(one.budget, epsilon=smaller))


def test_both_directions_agree():
    asking = {"subject": "univariate/two-step-mean", "calibrations": ("paper",)}
    (there,) = plan(asked(**asking, alpha=0.1, **rows(3000) | {"delta": 0.0}))
    (back,) = plan(asked(**asking, alpha=0.1, budget=there.budget))
    assert back.n <= 3000
    (less,) = plan(asked(**asking, alpha=0.1, budget=PureDP(there.budget.epsilon - 0.001)))
    assert less.n > 3000


def test_what_is_set_is_planned_with_and_the_rest_says_where_it_comes_from():
    (near,), (far,) = (
        plan(asked(subject="univariate/clipped-mean", calibrations=("paper",), settings=settings))
        for settings in ({}, {"radius": 1000.0})
    )
    assert near.n < far.n
    origins = {name: one.origin for name, one in far.parameters.items()}
    assert origins == {
        **dict.fromkeys(("radius", "sigma"), "set"),
        **dict.fromkeys(("centre", "beta"), "default"),
    }
    assert far.assumptions == tuple(one.statement for one in CATALOG[far.key].assumptions)


def rows(n):
    return {"n": n, "budget": None, "delta": 1e-6}


def test_an_estimator_is_not_asked_before_the_facts_that_it_needs_are_told():
    by_key = {one.key: one for one in plan(Question(subject="mean", alpha=0.2, budget=BUDGET))}
    coinpress, affine = by_key["mean/coinpress"], by_key["mean/affine"]
    assert (coinpress.needs, coinpress.reason) == (
        ("radius", "sigma"),
        "needs --set radius=NUMBER --set sigma=NUMBER",
    )
    assert affine.reached
    assert not affine.needs
    (private,) = plan(Question(subject="covariance/thresholded", budget=BUDGET))
    assert private.needs == ("radius",)  # of the example, whose rows are not anybody's


def test_where_answers_begin_needs_no_alpha():
    for one in plan(asked(alpha=None, subject="scale")):
        assert (one.answers_from, one.refusal) == (4, "n = 3: expected an integer, at least 4")
        assert one.bounded_from > 4
        assert not one.reached


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"budget": PURE, "subject": "univariate/unbounded-mean"}, "takes no ε = 1: expected Appr"),
        ({"d": 2, "subject": "univariate/median"}, "d = 2: expected 1 for a univariate estimator"),
        ({"alpha": 1.0, "subject": "univariate/stable-location"}, "any n up to 1e+12: the least bound"),
        ({"subject": "univariate/median"} | rows(1), "n = 1: expected an integer, at least 2"),
        ({"subject": "univariate/histogram-location"} | rows(10), "no finite error bound"),
    ],
)  # fmt: skip
def test_why_an_entry_does_not_answer(more, words):
    for one in plan(asked(**more)):
        assert words in one.reason
        assert not one.reached


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"subject": "means"}, "estimand = 'means': expected a key"),
        ({"subject": "mean/none"}, "key = 'mean/none'"),
        ({"alpha": 0.0}, "alpha = 0.0"),
        ({"beta": 1.0}, "beta = 1.0"),
        ({"d": 0}, "d = 0"),
        ({"n": 10}, "n = 10: expected a number of rows, or a budget instead"),
        ({"budget": None}, "n = None"),
        ({"n": 0, "budget": None}, "n = 0"),
        ({"n": 10, "budget": None, "alpha": None}, "alpha = None"),
        ({"n": 10, "budget": None, "delta": 2.0}, "delta = 2.0"),
        ({"calibrations": ("loose",)}, "calibration = 'loose'"),
        ({"settings": {"width": 1.0}, "subject": "mean"}, "set width = 1.0: expected one of 19 names"),
        ({"settings": {"radius": -1.0}, "subject": "mean"}, "radius = -1.0"),
        ({"settings": {"calibration": "tight"}, "subject": "mean"}, "set calibration"),
    ],
)  # fmt: skip
def test_a_wrong_question_is_refused_in_one_line(more, words):
    with pytest.raises(ArgumentError, match=None) as caught:
        plan(asked(**more))
    assert str(caught.value).startswith(words)


@dataclass(frozen=True, kw_only=True)
class Thrifty:
    """Answers from `least` rows on, errs by `scale`/(n rho), takes zCDP alone."""

    least: int = 10
    scale: float = 100.0

    def plan(self, n, d, budget):
        integer_at_least(1, d=d)
        if not isinstance(budget, ZCDP):
            raise ArgumentError("budget", budget, "ZCDP")
        if n < self.least:
            raise ArgumentError("n", n, f"at least {self.least}")
        return Charge("step", "gaussian", 1.0, budget)

    def error_bound(self, n, d, budget, beta):
        return self.scale / (n * budget.rho)


@dataclass(frozen=True, kw_only=True)
class Silent(Thrifty):
    error_bound = property()  # an estimator without one


def candidate(estimator):
    entry = SimpleNamespace(key="mean/thrifty", estimand="mean", assumptions=())
    return estimators.Candidate(entry, estimator, 3, {})


def test_an_estimator_that_takes_no_epsilon_is_priced_in_rho():
    one = comparison.answer(Question(alpha=0.5, n=1000), candidate(Thrifty()))
    assert (one.budget, one.calibration, one.d) == (ZCDP(0.2), None, 3)
    refused = comparison.answer(Question(alpha=0.5, n=9), candidate(Thrifty()))
    assert refused.reason == "n = 9: expected at least 10"
    takes = comparison.answer(Question(alpha=0.5, budget=PureDP(1.0)), candidate(Thrifty()))
    assert takes.reason == "takes no ε = 1: expected ZCDP"


def test_the_cliff_counts_where_the_bound_is_small_already():
    one = comparison.answer(Question(alpha=0.5, budget=ZCDP(1.0)), candidate(Thrifty(least=5000)))
    assert (one.answers_from, one.bounded_from, one.n) == (5000, 5000, 5000)
    assert one.refusal == "n = 4999: expected at least 5000"


def test_an_estimator_without_a_bound_still_has_a_cliff():
    one = comparison.answer(Question(alpha=0.5, budget=ZCDP(1.0)), candidate(Silent()))
    assert (one.answers_from, one.n, one.reason) == (10, None, answers.NO_BOUND)


def scale(bound, most=10**6):
    return Scale(bound, 2, most, factors)


def test_a_smaller_answer_that_the_grid_finds_is_taken_and_a_gap_above_is_told():
    gap = scale(lambda n: 1.0 if 5000 <= n < 6000 or 7000 <= n < 20_000 or n >= 40_000 else 2.0)
    assert gap.least(1.5) == 5000
    check = gap.check(5000, 1.5)
    assert check.short_above == (6000, 25_000)
    assert check.places == 13


def test_the_last_place_of_a_scale_counts():
    assert scale(lambda n: 1000.0 - n, most=1000).least(0.0) == 1000
    assert scale(lambda n: 1001.0 - n, most=1000).least(0.0) is None
    assert scale(lambda n: nan).least() is None
    assert scale(lambda n: inf if n < 77 else 1e300).least() == 77


def test_every_place_is_computed_once():
    calls = []
    one = scale(lambda n: calls.append(n) or 1000.0 / n)
    assert one.least() == 2
    assert one.least(1.0) == 1000
    one.check(1000, 1.0)
    assert len(calls) == len(set(calls))
    assert min(one.seen.values()) == one.best()[1]


def test_decimals_are_all_numbers_of_three_digits_in_order():
    numbers = [decimal(place) for place in range(DECIMALS + 1)]
    assert numbers == sorted(set(numbers))
    assert all(float(f"{number:.3g}") == number for number in numbers)
    assert (numbers[0], numbers[-1]) == (1e-6, 1e3)
    assert {decimal(place) for place in steps(5400)} >= {0.1, 10.0, 100.0}


@pytest.mark.daily
def test_a_critical_value_is_planned_for():
    asking = {"subject": "univariate/interval", "alpha": 0.4, "calibrations": ("tight",)}
    (one,) = plan(asked(**asking))
    assert one.bound == bound(one, one.n) <= 0.4 < bound(one, one.n - 1)


def test_the_risk_of_the_question_is_that_of_the_estimator_unless_set():
    asking = {"subject": "univariate/two-step-mean", "calibrations": ("paper",), "beta": 0.01}
    (one,) = plan(asked(**asking))
    assert (one.parameters["beta"].value, one.parameters["beta"].origin) == (0.01, "planner")
    (loose,) = plan(asked(**asking, settings={"beta": 0.05}))
    assert (loose.parameters["beta"].origin, loose.kind) == ("set", "predicted")
