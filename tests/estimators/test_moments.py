"""Moments of clipped rows: what one row moves, a ball and its inverse, lifted and weighted ones, frames."""

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.estimators.streams import squared_gap
from workbench.estimators.shared.moments import (
    MOST_RAISED,
    STEP,
    LiftedMoment,
    _kept_shares,
    censored_spectrum,
    kept_share,
    slope,
    uncensored_spectrum,
)
from workbench.estimators.shared.rows import in_ball, within_ball
from workbench.estimators.unbounded import HEIGHT
from workbench.estimators.weighted_moments import (
    MEAN,
    Costs,
    WholeSums,
    costs,
    counted_sums,
    grid,
    length,
    merged,
    moments_charge,
    read,
    release,
    whitened,
)
from workbench.privacy import ZCDP, GaussianDP, SimulatedNoise
from workbench.privacy.grid import UP, OnGrid

LOUD = ZCDP(20.0, 1e-6)


@pytest.mark.parametrize("d", [2, 100, 3000])
def test_shares_that_are_interpolated_are_those_of_their_formula(d):
    for reach, centre in ((1.001, 1.0), (1.2, 0.7), (2.0, 1.3), (4.0, 1.0), (4.0, 0.3), (9.0, 1.0)):
        squared = d * centre * np.geomspace(1, reach, 500) / np.sqrt(reach)
        np.testing.assert_allclose(_kept_shares(squared, d), kept_share(squared, d), rtol=0, atol=1e-12)


@pytest.mark.daily
@given(st.lists(st.floats(0, 5), min_size=1, max_size=6), st.floats(0.5, 5))
def test_the_inverse_undoes_the_bias_wherever_it_can(variances, radius):
    variances = np.array(variances)
    censored = censored_spectrum(variances, radius)
    found = uncensored_spectrum(censored, radius)
    assert np.isfinite(found).all()
    assert (found >= np.where(censored > 1e-280, censored, 0.0) * (1 - 1e-9)).all()
    if variances.sum() < radius**2:
        np.testing.assert_allclose(found, variances, rtol=1e-6, atol=1e-12)


@pytest.mark.daily
@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=6), st.floats(1e-3, 1e3))
def test_moments_of_no_normal_law_have_a_finite_answer(values, radius):
    found = uncensored_spectrum(np.array(values), radius)
    assert np.isfinite(found).all()
    assert (found <= MOST_RAISED * np.array(values)).all()


@pytest.mark.daily
@pytest.mark.parametrize(("d", "rank"), [(1, 1), (2, 2), (3, 2), (5, 5), (4, 1)])
def test_no_row_moves_a_lifted_moment_by_more_than_its_charge(d, rank):
    """4000 neighbours within the ball, on its sphere and beyond; what is drawn has the size of d."""
    rng, lift, most = np.random.default_rng(1), LiftedMoment(7, d, HEIGHT), 0.0
    for _ in range(4000):
        rows = rng.standard_normal((7, rank)) * rng.choice([0.1, 10.0])
        rows /= np.maximum(1.0, np.linalg.norm(rows, axis=1))[:, None]
        other = rows.copy()
        other[rng.integers(7)] = rng.choice([-1.0, 1.0, 0.0, HEIGHT], rank) / sqrt(rank)
        squared = squared_gap(lift.of(rows, np.array), lift.of(other, np.array))
        assert squared <= Fraction(UP * lift.charge("", LOUD).sensitivity) ** 2
        most = max(most, sqrt(squared) / lift.charge("", LOUD).sensitivity)
    assert most > 0.7


@pytest.mark.parametrize("d", [2, 3, 10])
@pytest.mark.parametrize("height", [0.0, HEIGHT, 1.0])
def test_a_pair_of_rows_attains_the_sensitivity(d, height):
    """Rows on the sphere whose lifted rows are orthogonal: ⟨w, w'⟩ = -τ²."""
    lift, rows = LiftedMoment(3, d, height), np.zeros((3, d))
    rows[0, 0] = 1.0
    other = rows.copy()
    other[0, :2] = -(height**2), sqrt(1 - height**4)
    squared = squared_gap(lift.of(rows, np.array), lift.of(other, np.array))
    rounding = 2.0**-16  # entries of 2^18 steps, each off by one at most
    assert sqrt(squared) == pytest.approx(lift.charge("", LOUD).sensitivity, rel=rounding)
    assert sqrt(squared) == pytest.approx(sqrt(2) * (1 + height**2) / 3, rel=rounding)
    assert squared <= Fraction(UP * lift.charge("", LOUD).sensitivity) ** 2


@pytest.mark.parametrize(("d", "rank"), [(1, 1), (3, 3), (4, 2)])
def test_without_noise_a_lifted_moment_holds_mean_and_moment(d, rank):
    rows = np.random.default_rng(12).uniform(-0.5, 0.5, (50, rank))
    lift = LiftedMoment(50, d, HEIGHT)
    mean, moment = lift.read(np.asarray(lift.of(rows, np.array)), rank, lift.charge("", ZCDP(1.0)))
    assert mean == pytest.approx(rows.mean(axis=0), abs=STEP / 2)
    assert moment == pytest.approx(rows.T @ rows / 50, abs=STEP)


@pytest.mark.parametrize("d", [1, 2, 5])
def test_the_slope_of_a_clipped_mean_is_exact(d):
    """Against a difference quotient over the same normal rows: its error is that of the average alone."""
    rng, radius, step = np.random.default_rng(20), 1.2 * np.sqrt(d), 0.2
    z = rng.standard_normal((200_000, d))
    z = np.concatenate([z, -z])
    found = within_ball(z + step * np.eye(d)[0], radius)[:, 0].mean() / step
    assert found == pytest.approx(slope(d, radius), abs=0.01)


RADIUS = 2.5
RATIOS = [(1.0, 0.0), (0.0, 1.0), (1.0, 0.2), (1.0, 0.25), (1.0, 1.0), (0.01, 1.0)]
JOINT = pytest.mark.parametrize("prices", [costs(*pair) for pair in RATIOS], ids=map(str, RATIOS))


def exactly_moved(prices: Costs, rows: np.ndarray, counts: tuple[bool, bool]) -> Fraction:
    """The squared move of the whole numbers of one changed row, without rounding."""
    step = grid(RADIUS)
    whole = in_ball(rows, RADIUS, step)
    sums = [counted_sums(whole[[i]], np.array([counts[i]]), step) for i in (0, 1)]
    return squared_gap(*(whitened(one, RADIUS, prices) for one in sums))


@pytest.mark.turns(3)
@JOINT
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), d=st.integers(1, 4))
def test_no_row_of_whole_numbers_moves_it_by_more_than_one(prices: Costs, seed: int, d: int) -> None:
    """Rows in the ball, beyond it, opposite ones and unusable ones: one is one, without a tolerance."""
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((2, d)) * rng.choice([0.1, 1.0, 10.0, 1e200], (2, 1))
    rows[1] = rng.choice([rows[1], -rows[0], np.full(d, np.nan)])
    assert exactly_moved(prices, rows, tuple(rng.random(2) < 0.7)) <= 1


@JOINT
def test_one_is_attained_by_two_rows_and_by_a_weight(prices: Costs) -> None:
    cosine = max(-1.0, -(prices.total**2) / (4 * prices.square**2)) if prices.square else -1.0
    y, other = RADIUS * np.array([1.0, 0.0]), RADIUS * np.array([cosine, sqrt(1 - cosine**2)])
    for counts in ((True, True), (True, False)):
        squared = exactly_moved(prices, np.stack([y, other]), counts)
        assert 1 - 2.0**-14 < squared <= 1  # entries of 2^17 steps or more, each off by one at most


@pytest.mark.parametrize("d", [1, 2, 5])
def test_sums_are_those_of_the_definition_and_are_read_back(d: int) -> None:
    rng = np.random.default_rng(d)
    y, w = rng.integers(-(2**17), 2**17, (40_000, d)), rng.random(40_000) < 0.7
    sums, prices, step = counted_sums(y.astype(float), w, 0.5), costs(1.0, 2.0), 0.5
    assert sums.count == w.sum()
    assert (sums.total.counts == w @ y).all()
    assert (sums.square.counts == (y * w[:, None]).T @ y).all()
    assert (sums.total.unit, sums.square.unit) == (step, step**2)
    again = read(np.asarray(whitened(sums, 2.0, prices)), d, 2.0, prices)
    assert np.r_[again.count, again.total, again.square.ravel()] == pytest.approx(
        np.r_[sums.count, np.asarray(sums.total), np.asarray(sums.square).ravel()]
    )
    assert len(whitened(sums, 2.0, prices)) == length(d)
    assert len(whitened(sums.alone, 2.0, MEAN)) == length(d, square=False)


def test_several_releases_are_worth_one_of_their_joint_cost() -> None:
    # 200 sums of squares of 40 noises: chi-square with 8000 degrees of freedom, 5 sd are 8 %
    sums, budgets = WholeSums(50, OnGrid(np.zeros(40, int), 1.0)), [GaussianDP(mu) for mu in (0.3, 0.4, 1.2)]
    noise, errors = SimulatedNoise(np.random.default_rng(3)), []
    for _ in range(200):
        parts = [
            (release(sums, RADIUS, MEAN, moments_charge("mean", budget), noise), MEAN, budget)
            for budget in budgets
        ]
        errors.append(merged(parts).total)
    wanted = 2 * RADIUS / 1.3
    assert np.mean(np.square(errors)) == pytest.approx(wanted**2, rel=0.08)
