"""What the planner simulates: the same bits for any number of workers, and what is predicted is met."""

import re
from dataclasses import dataclass
from math import inf, log

import numpy as np
import pytest

from tests.facts import facts
from workbench.catalog import CATALOG
from workbench.catalog.hardest import hardest
from workbench.errors import ArgumentError
from workbench.estimators import Abstention
from workbench.privacy import ApproxDP, Charge, NonPrivate, PureDP
from workbench.study.planner import Question, Simulation, compared, own_entry
from workbench.study.search import accepts, fewest_rows

BUDGET = ApproxDP(1.0, 1e-6)
PRIVATE = [key for key, entry in CATALOG.items() if NonPrivate() not in entry.budgets]


def compared_one(key, *, runs=60, jobs=1, seed=1, share=0.5, **more):
    how = Simulation(runs=runs, jobs=jobs, seed=seed, share=share)
    known = {"settings": facts(key)} if key else {}
    asked = {"subject": key, "alpha": 0.2, "budget": BUDGET, "simulation": how}
    return compared(Question(**asked | known | more))


@pytest.mark.parametrize("key", PRIVATE)
def test_every_key_has_rows_that_are_the_hardest_and_answers_on_them(key):
    entry = CATALOG[key]
    estimator, budget, d = entry.estimator, entry.examples[0].budget, entry.population.d or 1
    world = hardest(entry, estimator, d)
    n = 2 * fewest_rows(estimator, d, budget)
    rows = world.population.sample(n, rng=np.random.default_rng(1))
    assert rows.shape == ((n,) if entry.population.d is None else (n, d))
    value = estimator(rows, budget=budget, rng=np.random.default_rng(2)).value
    assert isinstance(value, Abstention) or world.loss(value, world.truth) is not None


@pytest.mark.parametrize(
    "key", ["mean/coinpress", "mean/tukey", "covariance/perturbed", "covariance/clipped"]
)
def test_the_hardest_rows_are_within_what_an_estimator_allows(key):
    entry = CATALOG[key]
    world = hardest(entry, entry.estimator, 2)
    skipped = {"the rows are sub-Gaussian"}  # rows of one length are, without being normal
    for assumption in entry.assumptions:
        if assumption.statement not in skipped:
            assert assumption.holds(world.population, entry.estimator), assumption.statement


@pytest.mark.daily
def test_any_number_of_workers_finds_the_same_and_another_seed_does_not():
    one, two, other = (
        [said.simulated for said in compared_one("location", alpha=2.5, **more)]
        for more in ({}, {"jobs": 2}, {"seed": 2})
    )
    assert one == two
    assert [said.found.interval for said in one] != [said.found.interval for said in other]


def test_more_runs_that_are_to_succeed_need_more_rows():
    (half,), (most,) = (compared_one("univariate/clipped-mean", runs=200, share=q) for q in (0.5, 0.9))
    assert half.simulated.n < most.simulated.n < half.proved.n


def test_a_budget_that_is_refused_is_not_simulated_and_the_cost_is_told_first():
    told = []
    how = Simulation(runs=40)
    question = Question(
        subject="location", alpha=2.5, budget=PureDP(1.0), simulation=how, settings=facts("location")
    )
    found = compared(question, lambda *numbers: told.append(numbers))
    by_key = {one.proved.key: one for one in found}
    assert by_key["univariate/stable-location"].simulated is None
    assert by_key["univariate/histogram-location"].simulated.found.runs >= 40
    assert [count for count, _ in told] == [1]
    assert told[0][1] > 0


@pytest.mark.parametrize(
    "more",
    [{"budget": None, "n": 100}, {"alpha": None}, {"simulation": Simulation(share=0.5), "alpha": None}],
)
def test_a_simulation_needs_a_budget_and_an_accuracy(more):
    with pytest.raises(ArgumentError, match="simulate"):
        compared_one("location", **more)


@pytest.mark.parametrize("wrong", [{"share": 0.0}, {"runs": 3}, {"seed": -1}, {"jobs": 0}])
def test_a_wrong_simulation_is_refused(wrong):
    with pytest.raises(ArgumentError):
        Simulation(**wrong)


PREDICTED = {  # where a prediction is of the very n: alphas, d, runs; nets and steps of blocks are coarser
    "univariate/clipped-mean": ((0.4, 0.2, 0.1), 1, 1500),
    "univariate/two-step-mean": ((0.3, 0.2, 0.1), 1, 1500),
    "univariate/unbounded-mean": ((0.3, 0.2, 0.1), 1, 1500),
    "univariate/median": ((0.3, 0.2, 0.1), 1, 1500),
    "univariate/scale": ((0.3, 0.2, 0.1), 1, 1500),
    "mean/clipped-box": ((0.4, 0.2, 0.1), 5, 400),
    "mean/coordinatewise": ((0.4, 0.2, 0.1), 10, 400),
    "mean/coinpress": ((0.4, 0.2, 0.1), 5, 400),
    "mean/clipped-heavy": ((0.4, 0.2, 0.1), 5, 400),
    "mean/populous": ((0.4, 0.2, 0.1), 5, 300),
    "mean/median-of-means": ((0.4, 0.2, 0.1), 5, 300),
    "mean/affine": ((0.4, 0.2, 0.1), 5, 300),
    "mean/filter": ((0.4, 0.2, 0.1), 5, 400),
    "mean/prime": ((0.4, 0.2, 0.1), 5, 400),
    "mean/prime-heavy": ((0.4, 0.2, 0.1), 5, 400),
    "mean/robust": ((0.4, 0.2, 0.1), 5, 400),
    "mean/robust-heavy": ((0.4, 0.2, 0.1), 5, 400),
    "covariance/clipped": ((0.5, 0.3, 0.2), 5, 300),
    "covariance/coinpress": ((0.5, 0.3, 0.2), 5, 300),
    "covariance/heavy-tailed-naive": ((0.5, 0.3, 0.2), 5, 300),
    "covariance/perturbed": ((0.2, 0.1, 0.05), 5, 400),
    "gaussian/coinpress": ((0.5, 0.3, 0.2), 5, 300),
    "gaussian/lifted": ((0.05, 0.03, 0.02), 2, 100),  # of total variation: where it begins it is .1
}
FEW = ("univariate/clipped-mean", "mean/coinpress")  # in every run of the tests
NEAR = log(1.15)


def agrees(key, alpha):
    """The interval meets 15 % about the n that is predicted."""
    _, d, runs = PREDICTED[key]
    (one,) = compared_one(key, alpha=alpha, d=d, runs=runs)
    low, high = one.simulated.found.interval
    n = one.predicted.n
    assert low < n * 1.15, (key, n, low, high)
    assert n / 1.15 < high < inf, (key, n, low, high)
    return abs(log(n / one.simulated.n))


@pytest.mark.daily
@pytest.mark.parametrize("key", FEW)
def test_what_is_predicted_is_what_is_simulated(key):
    assert agrees(key, PREDICTED[key][0][1]) < 2 * NEAR


@pytest.mark.slow
@pytest.mark.parametrize("key", PREDICTED)
def test_what_is_predicted_is_what_is_simulated_at_three_settings(key):
    assert np.median([agrees(key, alpha) for alpha in PREDICTED[key][0]]) < NEAR


@dataclass(frozen=True, kw_only=True)
class Thrown:
    """A mean of one's own: cut a little beyond the range, Laplace noise."""

    radius: float = 5.0

    def noise(self, n, budget):
        return 2 * (self.radius + 3) / (n * budget.epsilon)

    def plan(self, n, d, budget):
        if not isinstance(budget, PureDP):
            raise ArgumentError("budget", budget, "PureDP")
        return Charge("mean", "laplace", self.noise(n, PureDP(1.0)), budget)

    def predicted_error(self, n, d, budget):
        """Return the median of the noise and of sampling, about."""
        return 0.7 * (self.noise(n, budget) + n**-0.5)

    def __call__(self, x, *, budget, rng):
        reach = self.radius + 3
        mean = np.clip(x, -reach, reach).mean(axis=0)
        return Answered(mean + rng.laplace(scale=self.noise(len(x), budget)))


@dataclass(frozen=True)
class Answered:
    value: object


own = Thrown()
entry = CATALOG["univariate/median"]


def test_an_estimator_of_ones_own_is_planned_and_simulated_alone_or_beside_the_catalog():
    mine = own_entry(f"{__name__}:own", "mean")
    (alone,) = compared_one("", own=(mine,), d=1, settings={"radius": 3.0})
    assert alone.predicted.n == pytest.approx(alone.simulated.n, rel=0.7)
    assert alone.proved.parameters["radius"].value == 3.0
    assert alone.proved.reason
    question = Question(subject="mean", alpha=0.2, budget=BUDGET, own=(mine,))
    assert mine.key in {one.proved.key for one in compared(question)}


def test_an_entry_of_ones_own_stays_what_it_is():
    assert own_entry(f"{__name__}:entry", "") is entry


@pytest.mark.parametrize(
    ("reference", "words"),
    [
        ("nothing", "expected module:object"),
        ("no_such_module:x", "No module named"),
        (f"{__name__}:missing", "that can be imported"),
        (f"{__name__}:BUDGET", "with plan"),
        (f"{__name__}:Thrown", "an object with plan"),
        (f"{__name__}:own", "estimand = ''"),
    ],
)
def test_what_is_no_estimator_is_refused_in_one_line(reference, words):
    with pytest.raises(ArgumentError) as caught:
        own_entry(reference, "")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


EXAMPLES = [
    pytest.param(example, d, id=f"{key}-{place}-{d}")
    for key in PRIVATE
    for place, example in enumerate(CATALOG[key].examples)
    for d in ((1,) if CATALOG[key].population.d is None else (1, 2, 5))
]


@pytest.mark.daily
@pytest.mark.parametrize(("example", "d"), EXAMPLES)
def test_a_refusal_names_the_next_n_that_works(example, d):
    """From two rows on: of one row, what is said is that two are the fewest of any kind."""
    plan, budget = example.estimator, example.budget
    try:
        least = fewest_rows(plan, d, budget)
    except ArgumentError:
        return  # no n at this d
    for n in {least - 1, least // 2, 2} - {0, 1}:
        if n < least and not accepts(plan, n, d, budget):
            with pytest.raises(ArgumentError) as caught:
                plan.plan(n, d, budget)
            named = int(re.search(r"at least (\d+)", str(caught.value))[1])
            assert accepts(plan, named, d, budget)
            assert not any(
                accepts(plan, m, d, budget) for m in {n + 1, (n + named) // 2, named - 1} - {named}
            )
    for more in (least, least + 1, least + 7, 2 * least + 1):
        assert accepts(plan, more, d, budget)
