"""The planner and `workbench plan`: what it finds is enough and no less is, for whatever estimator."""

import json
import re
from dataclasses import replace
from functools import partial
from itertools import groupby, product
from math import inf, nan

import numpy as np
import pytest

from workbench import ClippedBoxMean
from workbench.catalog import CATALOG, Addition
from workbench.catalog.hardest import hardest
from workbench.errors import ArgumentError
from workbench.estimators import Abstention
from workbench.privacy import ApproxDP, NonPrivate, PureDP
from workbench.study.planner import (
    DECIMALS,
    Question,
    Simulation,
    answers,
    candidates,
    compared,
    decimal,
    entries_of,
    own_entry,
    plan,
)
from workbench.study.search import accepts, fewest_rows

# What is known of rows in the tests of the planner: the facts that an estimator must be told.

FACTS = {"radius": 10.0, "sigma": 1.0, "upper": 10.0, "lower": 1.0, "corruption": 0.02}


def facts(subject):
    """Those that some estimator of an estimand, a key, or the whole catalog takes."""
    taken = {name for entry in entries_of(subject) for name in vars(entry.estimator)}
    return {name: value for name, value in FACTS.items() if name in taken}


def told(subject):
    """The same as words of the command line."""
    return [word for name, value in facts(subject).items() for word in ("--set", f"{name}={value}")]


BUDGET, BOTH = ApproxDP(1.0, 1e-6), ("tight", "paper")
PRIVATE = [key for key, entry in CATALOG.items() if NonPrivate() not in entry.budgets]
MEAN = ("univariate/clipped-mean", "--alpha", "0.2", *told("univariate/clipped-mean"))
LOCATION = ("location", *told("location"))
ROWS = {"budget": None, "delta": 1e-6}


def asked(subject, settings=None, **more):
    usual = {"alpha": 0.2, "budget": BUDGET, "calibrations": BOTH}
    return Question(subject=subject, **usual | {"settings": facts(subject) | (settings or {})} | more)


def bound(answer, n, budget=None):
    """The bound, or the prediction, of an answer's estimator; infinite where so few rows are refused."""
    one, asked = answer.candidate, (n, answer.candidate.d, budget or answer.budget)
    try:
        if one.kind == "predicted":
            return one.estimator.predicted_error(*asked)
        return one.estimator.error_bound(*asked, 0.05)
    except ArgumentError:
        return inf


@pytest.mark.daily
@pytest.mark.parametrize(("estimand", "alpha"), [("mean", 0.2), ("location", 2.5), ("scale", 0.3)])
def test_the_n_found_is_enough_and_one_row_less_is_not(estimand, alpha):
    found = [one for one in plan(asked(subject=estimand, alpha=alpha)) if one.reached]
    assert {one.candidate.calibration for one in found} >= {"tight"}
    units = [one.candidate.unit for one in found]
    assert len([*groupby(units)]) == len({*units})  # errors of different units are not ranked
    for unit in {*units}:
        needed = [one.n for one in found if one.candidate.unit == unit]
        assert needed == sorted(needed) or estimand != "mean"
    for one in found:
        assert one.bound == bound(one, one.n) <= alpha < bound(one, one.n - 1)
        assert one.answers_from <= one.bounded_from <= one.n
        assert bound(one, one.bounded_from) < inf


@pytest.mark.daily
def test_the_epsilon_found_for_n_rows_is_enough_and_the_next_smaller_is_not():
    n, alpha, decimals = 3000, 0.2, [decimal(place) for place in range(DECIMALS)]
    found = [one for one in plan(asked(subject="mean", alpha=alpha, n=n, **ROWS)) if one.reached]
    assert len(found) > 4
    for one in found:
        smaller = decimals[decimals.index(one.budget.epsilon) - 1]
        assert one.bound == bound(one, n) <= alpha < bound(one, n, replace(one.budget, epsilon=smaller))


def test_a_delta_without_use_is_not_spent_and_an_estimator_is_not_asked_before_its_facts_are_told():
    key = "univariate/two-step-mean"
    (one,) = plan(asked(subject=key, calibrations=("tight",)))
    assert one.budget == PureDP(1.0)
    (there,) = plan(asked(subject=key, calibrations=("paper",), alpha=0.1, n=3000, budget=None))
    assert there.refusal.startswith(f"n = {there.answers_from - 1}: ")
    (back,) = plan(asked(subject=key, calibrations=("paper",), alpha=0.1, budget=there.budget))
    assert back.n <= 3000
    (one,) = plan(Question(subject="mean/coinpress", alpha=0.2, budget=BUDGET))
    assert (one.needs, one.reason) == (("radius", "sigma"), "needs --set radius=NUMBER --set sigma=NUMBER")
    assert {"covariance/perturbed", "gaussian/lifted"} <= {one.key for one in entries_of("covariance")}
    (private,) = plan(Question(subject="covariance/thresholded", budget=BUDGET))
    assert private.needs == ("radius",)  # of the example, whose rows are not anybody's


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"budget": PureDP(1.0), "subject": "univariate/unbounded-mean"}, "takes no ε = 1: expected Appr"),
        ({"d": 2, "subject": "univariate/median"}, "d = 2: expected 1 for a univariate estimator"),
        ({"alpha": 1.0, "subject": "univariate/stable-location"}, "any n up to 1e+12: the least bound"),
        ({"subject": "univariate/median", "n": 1} | ROWS, "n = 1: expected an integer, at least 2"),
        ({"subject": "univariate/histogram-location", "n": 10} | ROWS, "no finite error bound"),
        (
            {"subject": "covariance/perturbed", "alpha": 1e-3, "n": 50, "settings": {"radius": 1}} | ROWS,
            "found is 0.05",
        ),
        ({"subject": "mean/tukey", "d": 2, "settings": {"step": 1e-4}}, "step = 0.0001: expected at least"),
    ],
)  # fmt: skip
def test_why_an_entry_does_not_answer(more, words):
    for one in plan(asked(**more)):
        assert words in one.reason
        assert not one.reached


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("subject", 3), ("budget", 1.0), ("settings", None), ("beta", nan), ("d", 0)),
        *(("alpha", np.float32(wrong)) for wrong in (0, inf)),
    ],
)
def test_a_question_names_what_is_wrong_and_holds_plain_numbers(name, value):
    with pytest.raises(ArgumentError, match=f"^{name} = "):
        Question(**{"alpha": 0.2, "budget": BUDGET, name: value})
    assert type(Question(alpha=np.float32(0.2), budget=BUDGET).alpha) is float


@pytest.mark.parametrize(
    ("key", "more", "words"),
    [
        ("mean/clipped-box", {"beta": 0.02}, "any n up to 1e+12, but with --set beta=0.01"),
        ("mean/coinpress", {"n": 99} | ROWS, "δ = 1e-06)-DP, but with --set mode=proved"),
    ],
)
def test_a_bound_that_no_n_makes_finite_says_what_does(key, more, words):
    question = asked(key, calibrations=("tight",), **more)
    (one,) = candidates(question)
    assert answers(question, one).proved.reason.endswith(words)


@pytest.mark.daily
@pytest.mark.parametrize("key", CATALOG)
def test_no_entry_takes_fewer_rows_than_it_says_and_a_refusal_names_the_next_n_that_works(key):
    """From two rows on: of one row, what is said is that two are the fewest of any kind."""
    entry = CATALOG[key]
    for example in entry.examples:
        assert fewest_rows(example.estimator, entry.population.d or 1, example.budget) >= entry.least_rows
    dimensions = (1,) if entry.population.d is None else (1, 2, 5)
    for example, d in product(entry.examples, dimensions if key in PRIVATE else ()):
        works = partial(accepts, example.estimator, d=d, budget=example.budget)
        try:
            least = fewest_rows(example.estimator, d, example.budget)
        except ArgumentError:
            continue  # no n at this d
        for n in {least - 1, least // 2, 2} - {0, 1}:
            if n < least and not works(n):
                with pytest.raises(ArgumentError) as caught:
                    example.estimator.plan(n, d, example.budget)
                named = int(re.search(r"at least (\d+)", str(caught.value))[1])
                assert works(named)
                assert not any(map(works, {n + 1, (n + named) // 2, named - 1} - {named}))
        assert all(map(works, (least, least + 1, least + 7, 2 * least + 1)))


# Simulation


@pytest.mark.turns(4)
@pytest.mark.parametrize("key", PRIVATE)
def test_every_key_has_rows_that_are_the_hardest_and_answers_on_them(key):
    entry = CATALOG[key]
    estimator, budget, d = entry.estimator, entry.examples[0].budget, entry.population.d or 1
    world = hardest(entry, estimator, d)
    if key in ("mean/coinpress", "covariance/perturbed"):
        mean = world.population.mean - getattr(estimator, "centre", 0.0)
        assert np.linalg.norm(mean) <= estimator.radius * (1 + 1e-9)
    rows = world.population.sample(2 * fewest_rows(estimator, d, budget), rng=np.random.default_rng(1))
    assert rows.shape[1:] == (() if entry.population.d is None else (d,))
    value = estimator(rows, budget=budget, rng=np.random.default_rng(2)).value
    assert isinstance(value, Abstention) or world.loss(value, world.truth) is not None


@pytest.mark.turns(3)
def test_simulation_costs_what_is_told_first_needs_more_rows_for_a_larger_share_and_repeats_itself():
    said, tight = [], {"calibrations": ("tight",)}
    question = asked("location", alpha=2.5, budget=PureDP(1.0), simulation=Simulation(runs=40), **tight)
    by_key = {one.proved.key: one for one in compared(question, lambda *numbers: said.append(numbers))}
    assert by_key["univariate/stable-location"].simulated is None  # refuses the budget
    assert by_key["univariate/histogram-location"].simulated.found.runs >= 40
    assert [count for count, _ in said] == [1]
    (half,), (again,), (other,), (most,) = (
        compared(asked("univariate/clipped-mean", simulation=Simulation(**how), **tight))
        for how in ({}, {"jobs": 2}, {"seed": 2}, {"share": 0.9})
    )
    assert half.simulated.n < most.simulated.n < half.proved.n
    assert half == again
    assert half.simulated.found.interval != other.simulated.found.interval


own = ClippedBoxMean(radius=5.0, sigma=1.0)
entry = CATALOG["univariate/median"]
addition = Addition(entry=entry)


def test_an_estimator_of_ones_own_is_planned_and_simulated():
    mine = own_entry(f"{__name__}:own", "mean")
    how = {"alpha": 0.2, "budget": BUDGET, "own": (mine,)}
    (alone,) = compared(
        Question(subject="", **how, d=1, settings={"radius": 3.0}, simulation=Simulation(runs=60))
    )
    assert alone.predicted.n == pytest.approx(alone.simulated.n, rel=0.7)
    assert alone.proved.candidate.parameters["radius"].value == 3.0
    beside = Question(subject="mean", **how)
    assert next(iter(candidates(beside))).entry.key == mine.key
    listed = Question(subject="mean", alpha=0.2, budget=BUDGET, own=(entry,))
    assert [one.entry.key for one in candidates(listed)].count(entry.key) == 1
    assert own_entry(f"{__name__}:entry", "") is own_entry(f"{__name__}:addition", "") is entry


# The page


def printed(command, *arguments, code=0):
    done = command("plan", *arguments)
    assert done.returncode == code, done
    assert all(re.match(r"\d+ of \d+: \S+  ", line) for line in done.stderr.splitlines())  # after a second
    return done.stdout


def records(command, *arguments, code=0):
    return json.loads(printed(command, *arguments, "--json", code=code))


def test_rows_are_turned_into_a_budget_with_the_usual_delta_or_another(command):
    (there,) = records(command, *MEAN, "--n", 900, "--delta", 0)["answers"]
    assert (there["n"], there["budget"].keys()) == (900, {"text", "epsilon"})
    (approximate,) = records(command, *MEAN, "--n", 900)["answers"]
    assert approximate["budget"]["epsilon"] <= there["budget"]["epsilon"]
    (one,) = records(command, *MEAN, "--rho", "0.5")["answers"]
    assert one["budget"] == {"text": "ρ = 0.5 zCDP", "rho": 0.5, "delta": 0.0}
    assert printed(command, *LOCATION).startswith("where answers begin, at (ε = 1, δ = 1e-06)-DP")
    assert "least bound found is 2.5" in " ".join(printed(command, *LOCATION, "--alpha", "1", code=1).split())


def test_a_confidence_is_the_probability_of_no_larger_error_and_a_relative_error_a_share_of_the_centre(
    command,
):
    alone, same, other = (
        records(command, *MEAN, *words)["answers"]
        for words in (("--confidence", "0.9"), ("--beta", "0.1"), ("--beta", "0.05"))
    )
    proved = [{one["key"]: one["proved"] for one in answers} for answers in (alone, same, other)]
    assert proved[0] == proved[1] != proved[2]
    assert not any(one["predicted"] for one in alone)
    refused = command("plan", *MEAN, "--confidence", "0.9", "--alpha", "1e-12", "--n", "9")
    assert refused.returncode == 2
    said = "confidence = 0.9: expected none, as predictions hold in half of the runs: alpha is not reached"
    assert said in refused.stderr.splitlines()[-1]
    begun = printed(command, *MEAN[:1], *MEAN[3:], "--confidence", "0.9")  # where bounds are finite
    assert re.search(r"^univariate/clipped-mean +\d+ +\d+ ", begun, re.MULTILINE)
    at = (*MEAN[:1], *MEAN[3:], "--set", "centre=-20")  # for means of a column
    one, other = (records(command, *at, *words) for words in (("--relative", "1%"), MEAN[1:3]))
    assert one == other
    (answer,) = records(command, "mean/clipped-box", *at[1:], "--relative", "0.01", code=1)["answers"]
    assert answer["reason"] == "its error is in a unit of its own: --alpha"


def test_the_page_says_where_a_proved_and_a_predicted_error_have_other_units(command):
    asked = ("mean/clipped-box", "--alpha", "0.5", "--rho", "0.2", "--set", "radius=50", "--set", "sigma=10")
    assert "in standard deviations" in " ".join(printed(command, *asked).split())
    assert "in standard deviations" not in " ".join(printed(command, *MEAN).split())
