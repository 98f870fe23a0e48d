"""Moments of clipped rows: what one row moves, a ball and its inverse, lifted and weighted ones, frames."""

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import workbench as wb
from tests.estimators.streams import squared_gap
from workbench.estimators.base import sanitised
from workbench.estimators.shared.moments import (
    MOST_RAISED,
    STEP,
    LiftedMoment,
    _kept_shares,
    best_radius,
    censored_spectrum,
    kept_share,
    slope,
    uncensored_spectrum,
)
from workbench.estimators.shared.rows import (
    centred_rows,
    in_ball,
    mean_of,
    mean_sensitivity,
    moment_of,
    second_moment_sensitivity,
    second_moment_within,
    within_ball,
)
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
from workbench.privacy import ZCDP, GaussianDP, PureDP, SimulatedNoise, UnitNoise
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


def moved(prices: Costs, y: np.ndarray, other: np.ndarray, weights: tuple[float, float]) -> float:
    """How far one changed row, or weight, moves the whitened vector, by the definition."""
    (p, v), (q, w) = zip(weights, (y / RADIUS, other / RADIUS), strict=True)
    squares = np.outer(v, v) * p - np.outer(w, w) * q
    parts = prices.count * (p - q), prices.total / 2 * (p * v - q * w), prices.square / sqrt(2) * squares
    return float(sqrt(sum(np.sum(np.square(part)) for part in parts)))


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
    assert moved(prices, y, other, (1.0, 1.0)) == pytest.approx(1, abs=1e-9)
    assert moved(prices, y, other, (1.0, 0.0)) == pytest.approx(1, abs=1e-9)
    for counts in ((True, True), (True, False)):
        squared = exactly_moved(prices, np.stack([y, other]), counts)
        assert 1 - 2.0**-14 < squared <= 1  # entries of 2^17 steps or more, each off by one at most


def test_noise_has_the_scales_that_are_promised() -> None:
    d, prices, charge = 3, costs(0.15, 1.0), moments_charge("moments", GaussianDP(0.7))
    sums = WholeSums(10, OnGrid(np.arange(3), 0.5), OnGrid(np.eye(3, dtype=int), 0.25))
    noisy = release(sums, RADIUS, prices, charge, UnitNoise())
    assert noisy.count - 10 == pytest.approx(1 / (prices.count * 0.7))
    assert noisy.total - np.asarray(sums.total) == pytest.approx(
        np.full(d, 2 * RADIUS / (prices.total * 0.7))
    )
    sd = sqrt(2) * RADIUS**2 / (prices.square * 0.7)
    wanted = np.where(np.eye(3) == 1, sd, sd / sqrt(2))
    assert noisy.square - np.asarray(sums.square) == pytest.approx(wanted)


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


HOSTILE = (np.nan, np.inf, -np.inf, 1e308, -1e308, 1e100, 1e99, 1e50, 1e12, 1e-300, 5e-324, 1.0, 0.0, -0.0)
TRIALS = 2000


def scaled(rng, shape, low, high):
    """Normal numbers whose first axis has units of any size."""
    return rng.standard_normal(shape) * 10.0 ** rng.integers(low, high, (shape[0], *(1,) * (len(shape) - 1)))


def preconditioned_moment(rng, n, d):
    a, clip = scaled(rng, (d, d), -8, 9), rng.uniform(0.1, 10)
    return lambda x: moment_of(x, lambda rows: within_ball(rows @ a.T, clip)), second_moment_sensitivity(
        n, clip
    )


def moment_in_a_subspace(rng, n, d):
    mapping = rng.standard_normal((d, rng.integers(1, d + 1))) * 10.0 ** rng.integers(-9, 9)
    return lambda x: moment_of(x, lambda rows: within_ball((rows - 0.5) @ mapping, 1.0)), sqrt(2) / n


def mean_in_a_subspace(rng, n, d):
    mapping = rng.standard_normal((d, rng.integers(1, d + 1))) * 10.0 ** rng.integers(-9, 9)
    return lambda x: mean_of(x, lambda rows: within_ball((rows - 0.5) @ mapping, 1.0)), 2 / n


def shift_of_a_mean(rng, n, d):
    estimator, clip = wb.CoinPressMean(radius=1.0, sigma=rng.uniform(0.1, 10)), rng.uniform(0.1, 10)
    centre = scaled(rng, (d,), -2, 16)
    return lambda x: estimator.shift(x, centre, clip), mean_sensitivity(n, clip)


def shift_of_a_heavy_mean(rng, n, d):
    estimator, budget = wb.ClippedHeavyMean(radius=100.0, upper=4.0), ZCDP(0.5)
    charges = list(estimator.plan(n, d, budget).charges())
    step, centre = rng.integers(len(charges)), scaled(rng, (d,), -3, 6)
    clip = estimator.design(n, d, budget).clips[step]
    return lambda x: estimator.shift(x, centre, clip), charges[step].sensitivity


def moment_of_heavy_rows(estimator):
    """The moment of a random stage, in a random frame."""

    def statistic(rng, n, d):
        stages = estimator.stages(n, d, ZCDP(0.5))
        stage = stages[rng.integers(len(stages))]
        a = scaled(rng, (d, d), -2, 6) + np.eye(d)

        def moment(x):
            return estimator.moment(centred_rows(x, estimator.centred)[stage.start : stage.stop], a, stage)

        return moment, stage.sensitivity

    return statistic


def winsorised_moment(rng, n, d):
    radius = best_radius(n, d, 1.0)
    return lambda x: second_moment_within(x, radius), second_moment_sensitivity(n, radius)


def lifted_moment(rng, n, d):
    a, centre = scaled(rng, (d, d), -8, 9), scaled(rng, (d,), -2, 9)
    lift = LiftedMoment(n, d, rng.choice([0.1, 0.4, 1.0]))
    return (
        lambda x: lift.of(x, lambda block: within_ball((block - centre) @ a.T, 1.0)),
        lift.charge("", ZCDP(1.0)).sensitivity,
    )


def scores_of_a_net(rng, n, d):
    """In few dimensions, those of all candidates: they move in the largest of their gaps."""
    d, budget = min(d, 2), PureDP(1.0)
    estimator = wb.PureNetCovariance(upper=4.0, centred=bool(rng.integers(2)), alpha=0.9, lower=1.0)
    clip = estimator.clip(n, d, budget)

    def largest(x):
        return estimator.scores(centred_rows(x[:, :d], estimator.centred), clip)

    return largest, estimator.plan(n, d, budget)["candidate"].sensitivity


HEAVY = {
    repr(estimator): moment_of_heavy_rows(estimator)
    for estimator in (
        wb.HeavyTailedNaiveCovariance(upper=4.0, lower=1.0),
        wb.HeavyTailedNaiveCovariance(upper=4.0, calibration="paper", centred=True, lower=1.0),
        wb.HeavyTailedCovariance(upper=1e3, lower=1.0),
        *(
            wb.HeavyTailedCovariance(upper=1e3, centred=True, calibration=calibration, mode=mode, lower=1.0)
            for calibration, mode in (("paper", "practical"), ("tight", "proved"), ("paper", "proved"))
        ),
    )
}
MEANS = (mean_in_a_subspace, shift_of_a_mean, shift_of_a_heavy_mean)
MOMENTS = (preconditioned_moment, moment_in_a_subspace, winsorised_moment, lifted_moment)
STATISTICS = {function.__name__: function for function in (*MEANS, *MOMENTS, scores_of_a_net)} | HEAVY


def rows_of(rng, n, d):
    """Normal rows, equal ones, rows on a line, of many scales, or with hostile entries."""
    x = rng.standard_normal((n, d)) * 10.0 ** rng.integers(-3, 4)
    match rng.integers(5):
        case 1:
            return np.tile(x[0], (n, 1))
        case 2:
            return np.outer(x[:, 0], x[0])
        case 3:
            return scaled(rng, (n, d), -3, 14)
        case 4:
            return np.where(rng.random((n, d)) < 0.3, rng.choice(HOSTILE), x)
    return x


def new_row(rng, old):
    """A row of any scale, the opposite of the old one, or with hostile entries."""
    row = rng.standard_normal(len(old)) * 10.0 ** rng.integers(-6, 14)
    match rng.integers(4):
        case 1:
            return -old
        case 2:
            return rng.choice(HOSTILE, len(old))
        case 3:
            row[rng.integers(len(old))] = rng.choice(HOSTILE)
    return row


@pytest.mark.daily
@pytest.mark.parametrize("name", STATISTICS)
def test_one_row_moves_a_statistic_by_at_most_its_sensitivity(name):
    most = 0.0
    for seed in range(TRIALS):
        rng = np.random.default_rng(seed)
        n, d = int(rng.integers(4, 9)), int(rng.integers(1, 5))
        statistic, sensitivity = STATISTICS[name](rng, n, d)
        x = rows_of(rng, n, d)
        other, row = x.copy(), rng.integers(n)
        other[row] = new_row(rng, x[row])
        with np.errstate(all="ignore"):
            first, second = (np.asarray(statistic(sanitised(rows))) for rows in (x, other))
        gap = np.abs(first - second).max() if name == "scores_of_a_net" else np.linalg.norm(first - second)
        assert gap <= sensitivity * (1 + 1e-9), seed
        most = max(most, gap / sensitivity)
    assert most > (0.65 if "paper" in name else 0.9)  # where far rows count as 0, the worst pair is rare
