"""The entry: public facts come first, absent rows are terms of 0, and far rows are noticed as it says.

False alarms: the test of far rows about 1 in 2000.
"""

import numpy as np
import pytest

from workbench.catalog import Example
from workbench.contracts.kit import answer
from workbench.contracts.ramps import rows_beside
from workbench.distributions import Gaussian
from workbench.errors import ArgumentError
from workbench.estimators import Abstention
from workbench.estimators.gaussian.lifted import LiftedGaussian
from workbench.estimators.unbounded import RoundFinish, UnboundedGaussian
from workbench.losses import gaussian_error
from workbench.privacy import ApproxDP, CountingNoise, PureDP, SimulatedNoise, compose
from workbench.study.planner import Question, plan

BUDGET, D, N = ApproxDP(8.0, 1e-6), 2, 1600
PRICED = [(BUDGET, D, N), (ApproxDP(4.0, 1e-4), 1, 1600), (ApproxDP(1.0, 1e-6), 3, 2500)]


def released(x, seed=1):
    return LiftedGaussian()(x, budget=BUDGET, rng=np.random.default_rng(seed)).value


def normal(seed, n=N):
    return np.random.default_rng((4, seed)).standard_normal((n, D))


FAILURES = [(np.zeros((N, D)), "lift"), (np.full((N, D), np.nan), "lift"), (normal(1), "linear algebra")]


@pytest.mark.parametrize(("x", "step"), FAILURES)
def test_a_failure_after_the_test_tells_nothing_of_rows_that_failed_it(monkeypatch, x, step):
    """Within the steps that follow, which see the same rows at no price of their own."""

    def failing(*_):
        raise np.linalg.LinAlgError("singular")

    monkeypatch.setattr(RoundFinish, "round", failing)
    example = Example(LiftedGaussian(), BUDGET)
    assert {answer(example, x, seed) for seed in range(3)} == {Abstention(step)}


def test_the_fewest_rows_are_public_and_one_less_is_refused_before_a_draw():
    fewest, noise = (
        LiftedGaussian().fewest(D, BUDGET),
        CountingNoise(SimulatedNoise(np.random.default_rng(1))),
    )
    with pytest.raises(
        ArgumentError, match=rf"^n = {fewest - 1}: expected at least {fewest} for d = {D} at "
    ):
        LiftedGaussian()(np.full((fewest - 1, D), np.nan), budget=BUDGET, rng=noise)
    assert not noise.draws
    for rows in (np.full((fewest, D), np.nan), np.zeros((fewest, D))):
        assert isinstance(LiftedGaussian()(rows, budget=BUDGET, rng=noise).value, Abstention)
    with pytest.raises(ArgumentError, match=r"^budget = .*: expected ApproxDP with delta > 0"):
        LiftedGaussian().plan(N, D, PureDP(1.0))


def test_rows_so_many_that_rounding_counts_are_refused_with_how_many_may_be():
    with pytest.raises(
        ArgumentError, match=r"^n = 1000000000: expected at most \d+ for d = 2 at "
    ) as refused:
        LiftedGaussian().plan(10**9, D, BUDGET)
    most = int(refused.value.allowed.split()[2])
    assert compose(LiftedGaussian().plan(most, D, BUDGET)) == BUDGET
    with pytest.raises(ArgumentError, match=rf"expected at most {most} "):
        LiftedGaussian().plan(int(1.02 * most), D, BUDGET)


@pytest.mark.daily
@pytest.mark.parametrize(("budget", "d", "n"), PRICED)
def test_the_whole_is_one_charge_that_a_search_of_its_own_allows(budget, d, n):
    plan = LiftedGaussian().plan(n, d, budget)
    assert compose(plan) == budget
    assert rows_beside(plan) == plan.degrees
    steps = [charge.step for charge in plan.charges()]
    assert (steps[0], steps[-1]) == ("lift", "far rows")


@pytest.mark.parametrize(("budget", "d", "n"), PRICED)
def test_the_charge_is_that_of_the_test_that_it_prices(budget, d, n):
    made = LiftedGaussian().recipe(n, d, budget).design
    assert made.plan.sensitivity == made.charge.sensitivity == made.test.change
    assert (made.plan.most, made.plan.d) == (made.test.most, made.test.d) == (made.test.most, d + 1)
    assert (made.plan.degrees, made.plan.room) == (made.charge.degrees, made.charge.room)


@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_the_answer_follows_an_affine_map(offset):
    """Lower triangular: a root of the lifted matrix follows, and with it every draw."""
    axes = np.array([[1.0, 0.0], [0.7, 1e-3]])
    plain, moved = released(normal(1)), released(normal(1) @ axes.T + offset)
    back = np.linalg.inv(axes)
    assert back @ (moved.mean - offset) == pytest.approx(plain.mean, abs=1e-5)
    assert back @ moved.covariance @ back.T == pytest.approx(plain.covariance, abs=1e-5)


def test_absent_rows_are_terms_of_0_and_not_far():
    """8 % absent, more than far rows may be: the error is that of the others, and they alone count."""
    x, errors = normal(2), []
    x[: N // 12, 1] = np.nan
    truth = Gaussian(np.full(D, 1e3), np.eye(D))
    for seed in range(6):
        value = released(x + 1e3, seed)
        assert not isinstance(value, Abstention)
        errors.append(gaussian_error(value, truth))
    assert max(errors) < 4 * LiftedGaussian().predicted_error(N, D, BUDGET)


@pytest.mark.daily
@pytest.mark.parametrize(("share", "at_most"), [(0.0, 10), (0.05, 4), (0.12, 4), (0.5, 0)])
def test_far_rows_are_noticed_from_one_in_twenty_on(share, at_most):
    """Of 10 runs; without them all answer but for β. Half of all are beyond `noticed`, and scattered."""
    answers, rng = 0, np.random.default_rng(3)
    for seed in range(10):
        x = normal(seed)
        count = int(share * N)
        x[:count] = 1e4 + rng.standard_normal((count, D)) * (1e6 if share == 0.5 else 1.0)
        answers += not isinstance(released(x, seed), Abstention)
    assert answers <= at_most
    assert share or answers >= 7


@pytest.mark.daily
def test_what_is_noticed_is_public_and_falls_with_the_columns():
    found = [LiftedGaussian().noticed(20_000, d, BUDGET) for d in (1, 2, 5, 10)]
    assert found == pytest.approx([0.21, 0.14, 0.07, 0.54 / 11])
    assert found[-1] < 0.05 < found[-2]


def test_plan_and_release_say_what_is_noticed_whatever_the_rows_are():
    """A function of n and d alone, of an answer and of none: it costs nothing."""
    said = (
        "far rows: a share of 5% to 14% is mostly noticed, from public numbers; what is not noticed, or lies"
        " where normal rows may, biases the answer without a word"
    )
    for x in (normal(1), np.zeros((N, D))):
        release = LiftedGaussian()(x, budget=BUDGET, rng=np.random.default_rng(1))
        assert release.other_rows == said
        assert said in str(release)
    assert "no share is sure to be noticed" in LiftedGaussian().other_rows(20_000, 10, BUDGET)


def test_it_is_nearer_than_what_stages_take_at_equal_rows():
    budget = ApproxDP(1.0, 1e-6)
    for n in (3000, 20_000):
        found, other = (one.predicted_error(n, 2, budget) for one in (LiftedGaussian(), UnboundedGaussian()))
        assert found < other


@pytest.mark.slow
def test_the_planner_begins_with_it_among_those_without_bounds_but_for_one_column():
    first = {1: "gaussian/unbounded", 2: "gaussian/lifted"}
    for d, key in first.items():
        question = Question(subject="gaussian", d=d, alpha=0.1, beta=0.05, budget=ApproxDP(1.0, 1e-6))
        found = [one.key for one in plan(question) if one.reached and one.key != "gaussian/coinpress"]
        assert found[0] == key
