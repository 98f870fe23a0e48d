"""A whole Gaussian from lifted rows: its one charge, errors as predicted, far rows, and absent ones.

False alarms: each test of runs about 1 in 2000.
"""

from functools import lru_cache
from math import sqrt

import numpy as np
import pytest

from workbench.catalog import Example
from workbench.contracts.kit import answer
from workbench.contracts.ramps import rows_beside
from workbench.distributions import Gaussian
from workbench.errors import ArgumentError
from workbench.estimators import Abstention, affine
from workbench.estimators.affine import (
    LiftedGaussian,
    LiftedLaw,
    fewest_rows,
    frame_spectrum,
    gaussian_design,
)
from workbench.estimators.base import Trace
from workbench.estimators.shared.moments import Moments
from workbench.estimators.unbounded import RoundFinish
from workbench.losses import gaussian_error, mahalanobis_covariance_error, mahalanobis_mean_error
from workbench.privacy import ApproxDP, CountingNoise, SimulatedNoise, compose
from workbench.study.planner import Question, plan

BUDGET, D, N = ApproxDP(8.0, 1e-6), 2, 1600


PRICED = [(BUDGET, D, N), (ApproxDP(4.0, 1e-4), 1, 1600), (ApproxDP(1.0, 1e-6), 3, 2500)]


def normal(seed, n=N):
    return np.random.default_rng((4, seed)).standard_normal((n, D))


def released(x, seed=1):
    return LiftedGaussian()(x, budget=BUDGET, rng=np.random.default_rng(seed)).value


FAILURES = [(np.zeros((N, D)), "lift"), (np.full((N, D), np.nan), "lift"), (normal(1), "linear algebra")]


@pytest.mark.parametrize(("x", "step"), FAILURES)
def test_a_failure_after_the_test_tells_nothing_of_rows_that_failed_it(monkeypatch, x, step):
    """Within the steps that follow, which see the same rows at no price of their own."""

    def failing(*_):
        raise np.linalg.LinAlgError("singular")

    monkeypatch.setattr(RoundFinish, "round", failing)
    example = Example(LiftedGaussian(), BUDGET)
    assert {answer(example, x, seed) for seed in range(3)} == {Abstention(step)}


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


@pytest.mark.slow
def test_the_planner_begins_with_it_among_those_without_bounds_but_for_one_column():
    first = {1: "gaussian/unbounded", 2: "gaussian/lifted"}
    for d, key in first.items():
        question = Question(subject="gaussian", d=d, alpha=0.1, beta=0.05, budget=ApproxDP(1.0, 1e-6))
        found = [one.key for one in plan(question) if one.reached and one.key != "gaussian/coinpress"]
        assert found[0] == key


USUAL, BETA, RUNS = ApproxDP(1.0, 1e-6), 0.1, 100


SIZES = {1: 1600, 2: 1700, 5: 2500}


def law(d):
    """Of condition about 10^6, rotated, some 10^7 sds away."""
    rng = np.random.default_rng(d)
    root = np.linalg.qr(rng.normal(size=(d, d)))[0] * np.logspace(-1.5, 1.5, d)
    return root, 1e7 * rng.normal(size=d)


@lru_cache
def runs(d, n):
    made, (root, mean), rng = LiftedLaw(n, d, USUAL, BETA), law(d), np.random.default_rng((3, d))
    truth, errors = Gaussian(mean, root @ root.T), []
    for _ in range(RUNS):
        out = made.draw(rng.normal(size=(n, d)) @ root.T + mean, SimulatedNoise(rng))
        if not isinstance(out, Abstention):
            errors.append(
                (
                    mahalanobis_mean_error(out.mean, truth),
                    mahalanobis_covariance_error(out.covariance, truth.covariance),
                )
            )
    return made.design, np.array(errors)


@pytest.mark.daily
@pytest.mark.parametrize(("d", "n"), SIZES.items())
def test_errors_are_as_predicted(d, n):
    """Root mean squares within 25 %: 3.5 sds of those of 100 runs for one number, less for more of them."""
    design, errors = runs(d, n)
    mean, covariance = np.sqrt((errors**2).mean(axis=0))
    assert mean == pytest.approx(sqrt(design.squared_error.mean), rel=0.25)
    assert covariance == pytest.approx(sqrt(design.squared_error.covariance), rel=0.25)


def test_the_count_is_of_rows_beyond_and_sees_one_in_twenty():
    """Normal rows pass but for .002, 5 % of far ones for .03: of 300 runs 4 and 24 are 4 sds and more."""
    far, rng = gaussian_design(SIZES[2], 2, USUAL, BETA).far, np.random.default_rng(1)
    noise, n = SimulatedNoise(rng), SIZES[2]
    clean = [far.passes(rng.chisquare(2, n), noise) for _ in range(300)]
    dirty = [
        far.passes(np.r_[rng.chisquare(2, n - n // 20), np.full(n // 20, np.nan)], noise) for _ in range(300)
    ]
    assert sum(clean) >= 296
    assert sum(dirty) <= 24
    assert far.most <= 0.08


@pytest.mark.parametrize("d", [1, 3])
def test_draws_are_those_of_the_plan_whatever_the_rows(d):
    """Those of the mask alone where the test gives no answer."""
    made, kept = LiftedLaw(2500, d, USUAL, BETA), []
    rng = np.random.default_rng(5)
    for x in (rng.normal(size=(2500, d)), np.zeros((2500, d)), np.full((2500, d), 1e100)):
        noise = CountingNoise(SimulatedNoise(np.random.default_rng(1)))
        made.draw(x, noise)
        kept.append(noise.draws)
    assert kept[0][:1] == kept[1] == kept[2]
    assert len(kept[0]) == len(list(made.design.plan.charges()))
    assert compose(made.design.plan) == USUAL


def test_moments_are_of_rows_in_a_ball_round_what_was_released(monkeypatch):
    """A far row moves the released moments by no more than their sensitivity, with the same noise."""
    n, d = 1700, 2
    made, rng = LiftedLaw(n, d, USUAL, BETA), np.random.default_rng(4)
    x = rng.normal(size=(n, d))
    y = x.copy()
    y[7] = [300.0, -4000.0]
    kept = []

    class Kept(SimulatedNoise):
        def symmetric_gaussian(self, value, sensitivity, scale):
            kept.append((np.asarray(value, float), sensitivity))
            return super().symmetric_gaussian(value, sensitivity, scale)

    lift = made.design.test.lift(x)
    monkeypatch.setattr(type(made.design.test), "lift", lambda self, rows: lift)
    for rows in (x, y):
        made.draw(rows, Kept(np.random.default_rng(2)))
    half = len(kept) // 2
    (first, allowed), (second, _) = kept[0], kept[half]
    assert 0.1 * allowed < np.linalg.norm(first - second) <= allowed * (1 + 1e-9)


@pytest.mark.daily
def test_the_centre_is_not_that_of_the_rows():
    """What is shown is masked: two runs differ by about √(d/ν) sds."""
    made, x = LiftedLaw(1700, 2, USUAL, BETA), np.random.default_rng(4).normal(size=(1700, 2))
    centres = []
    for seed in range(40):
        trace = Trace()
        made.draw(x, SimulatedNoise(np.random.default_rng(seed)), trace)
        centres.append(trace.records["centre"][0])
    spread = np.array(centres).std(axis=0)
    assert (spread > 0.3 / sqrt(made.design.charge.degrees)).all()


def test_the_frame_leaves_the_spectrum_that_is_planned():
    drawn = np.random.default_rng(1).normal(size=(400, 30, 4))  # 30 degrees, less one, in 4 columns
    values = np.linalg.eigvalsh(np.einsum("kia,kib->kab", drawn, drawn) / 31)
    assert frame_spectrum(4, 31.0) == pytest.approx(np.median(1 / values, axis=0), rel=0.12)


def test_the_fewest_rows_have_a_design_and_fewer_have_none():
    fewest = fewest_rows(2, USUAL, BETA)
    design = gaussian_design(fewest, 2, USUAL, BETA)
    assert fewest <= 1700
    assert design.far.most <= 0.08
    assert design.squared_error.total_variation <= 0.2
    with pytest.raises(ArgumentError, match=rf"^n = .*: expected at least {fewest} for d = 2 at "):
        gaussian_design(int(fewest / 1.02), 2, USUAL, BETA)


class Kept(SimulatedNoise):
    """Keeps the share of far rows, the only vector of one number, before its noise."""

    def __init__(self, seed):
        super().__init__(np.random.default_rng(seed))
        self.far = []

    def gaussian(self, value, sensitivity, scale):
        self.far += [float(np.asarray(value, float)[0])] if len(value) == 1 else []
        return super().gaussian(value, sensitivity, scale)


def with_lift_of(monkeypatch, made, x):
    """Let the run take the lift of other rows, so that only what follows sees which are absent."""
    lift = made.design.test.lift(x)
    monkeypatch.setattr(type(made.design.test), "lift", lambda self, rows: lift)


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_absent_rows_are_not_far(monkeypatch, share):
    """Of the others .05 are: .08 is 4 sds of the rows and the answer off."""
    made, x = LiftedLaw(2500, 2, USUAL, BETA), np.random.default_rng(1).normal(size=(2500, 2))
    with_lift_of(monkeypatch, made, x)
    x[: int(share * 2500)] = np.nan
    for seed in range(4):
        noise = Kept(seed)
        found = made.draw(x, noise)
        assert noise.far[0] < 0.08 * (1 - share)
        assert not (isinstance(found, Abstention) and found.step == "far rows")


def test_a_row_that_comes_or_goes_moves_the_share_by_its_sensitivity(monkeypatch):
    """With the same noise: a far row that goes takes 1/n, one that is near nothing."""
    made, x = LiftedLaw(2500, 2, USUAL, BETA), np.random.default_rng(1).normal(size=(2500, 2))
    with_lift_of(monkeypatch, made, x)
    shares = []
    for row in ([50.0, 0.0], [0.0, 0.0], [np.nan, np.nan]):
        y, noise = x.copy(), Kept(3)
        y[7] = row
        monkeypatch.setattr(type(made.design.finish), "round", lambda self, *_: moments())
        made.draw(y, noise)
        shares += noise.far
    assert shares[0] - shares[2] == pytest.approx(made.design.far.charge.sensitivity)
    assert shares[1] == shares[2]


@pytest.mark.parametrize("d", [2, 8, 40, 100])
def test_a_row_that_goes_leaves_the_lengths_of_others_as_they_are(d):
    """To the last bit, wherever it stood: a row at the edge must not follow it over."""
    rng = np.random.default_rng(d)
    centre, whitened = rng.normal(size=d), rng.normal(size=(d, d))
    for n in (2, 5, 8, 33, 101):
        x = rng.normal(size=(n, d))
        for gone in {0, n // 2, n - 1}:
            y, others = x.copy(), np.arange(n) != gone
            y[gone] = np.nan
            before, after = (affine.squared_lengths(rows, centre, whitened) for rows in (x, y))
            assert after.shape == (n,)
            assert after[gone] == 0
            assert (after[others] == before[others]).all()


def moments():
    """A released answer, the same for all."""
    return Moments(np.zeros(2), np.eye(2))
