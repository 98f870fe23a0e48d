"""What floats and means leak: the claims hold, and fail where they are false."""

import numpy as np
import pytest

from tests.chapters.worlds import Falsified, columns, require_refuted, require_true
from workbench.chapters.what_epsilon_means.claims import leaks
from workbench.chapters.what_epsilon_means.runs import floats, tracing
from workbench.privacy import PureDP
from workbench.study.audit import Pair, audit, last_bit

FLOATS, TRACED, HIDDEN = (
    f"what-epsilon-means/{name}" for name in ("floats-leak", "members-are-traced", "privacy-hides-members")
)
ZERO_OR_ONE = [Pair("0 or 1", [0.0], [1.0])]


@pytest.mark.daily
@pytest.mark.parametrize("claim", [FLOATS, TRACED, HIDDEN])
def test_the_claims_hold(claim):
    require_true(claim)


def test_the_last_bit_is_that_of_the_float():
    rng = np.random.default_rng(1)
    for _ in range(200):
        odd, power = 2 * int(rng.integers(2**20)) + 1, int(rng.integers(-70, 20))
        assert last_bit(np.array([-odd * 2.0**power])) == [power]
    assert last_bit(np.array([0.0, 2.0**-1074])).tolist() == [0.0, -1074.0]


def test_what_betrays_zero_never_comes_from_one():
    """Not a matter of chance: 1 + noise within 1/2 of 0 is a multiple of 2^-53."""
    rng = np.random.default_rng(2)
    found = floats.float_noise(np.ones(1), 200_000, rng)
    assert not floats.betrays(found).any()
    assert floats.betrays(floats.float_noise(np.zeros(1), 1000, rng)).any()


@pytest.mark.parametrize("seed", [1, 2])
def test_an_audit_that_looks_at_the_last_bit_accuses_floats_and_not_the_grid(seed):
    """A sound mechanism is accused with probability 1e-6 at most."""
    found = [
        audit(one, ZERO_OR_ONE, PureDP(1), score=last_bit, seed=seed, level=1e-6)
        for one in (floats.float_noise, floats.grid_noise)
    ]
    assert [report.violated for report in found] == [True, False]


def test_noise_with_half_of_the_last_bits_zero_is_refuted(world):
    def coarse(x, trials, rng):
        return np.round(true(x, trials, rng) * 2.0**53) / 2.0**53

    true = floats.NOISES[floats.ONE_FLOAT]
    world.part(floats, "NOISES", {**floats.NOISES, floats.ONE_FLOAT: coarse})
    require_refuted(FLOATS, ["float noise, x = 0"])


def test_a_grid_on_which_floats_are_used_is_refuted(world):
    world.part(floats, "NOISES", {**floats.NOISES, floats.ON_A_GRID: floats.float_noise})
    require_refuted(FLOATS, ["noise on a grid, x = 0"])


def noisy(found, point):
    """The exact mean's column, with that of the private one in its place."""
    return {"plain": found["private"]}


def bare(found, point):
    return {"private": found["plain"]}


@pytest.mark.daily
@pytest.mark.parametrize(
    "case",
    [
        Falsified(TRACED, "TRACED", columns(noisy), 2500, "d = 1000"),
        Falsified(HIDDEN, "TRACED", columns(bare), 2500, "d = 1000"),
    ],
)
def test_exchanged_means_are_noticed(world, case):
    world.falsify(tracing, case)
    world.set(leaks, "TRACED", tracing.TRACED)
    case.require()


@pytest.mark.daily
def test_a_third_of_the_noise_is_noticed(world):
    true = tracing.gaussian
    world.part(
        tracing, "gaussian", lambda value, charge, noise: value + (true(value, charge, noise) - value) / 3
    )
    require_refuted(HIDDEN, "d = ")


def test_scores_drawn_in_law_are_those_of_tables():
    """Means and variances of scores from tables of rows, four standard errors apart at most, 64 in 1e6."""
    n, d, trials = 7, 30, 4000
    rng = np.random.default_rng(3)
    rows = 2.0 * rng.integers(2, size=(trials, n, d)) - 1
    strangers = 2.0 * rng.integers(2, size=(trials, d)) - 1
    out = rows.mean(axis=1)
    tables = np.array([(rows[:, 0] * out).sum(axis=1), (strangers * out).sum(axis=1)])
    found, _ = tracing.scores(n, d, tracing.released(n, d, 1.0, 0.01), trials, rng, rng)
    for ours, theirs in zip(found, tables, strict=True):
        error = np.sqrt(2 * theirs.var() / trials)
        assert abs(ours.mean() - theirs.mean()) < 4 * error
        assert abs(ours.var() / theirs.var() - 1) < 4 * np.sqrt(4 / trials)


def test_the_predicted_area_is_at_most_that_of_any_attacker():
    for epsilon in (0.1, 1.0, 5.0):
        most = tracing.most_area(epsilon, 0.01)
        found = [
            tracing.area(100, d, tracing.noise_scale(100, d, epsilon, 0.01)) for d in (1, 10, 1000, 100_000)
        ]
        assert max(found) <= most
        assert tracing.area(100, 100_000, 0.0) > most
