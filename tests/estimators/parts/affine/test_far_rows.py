"""What rows that are others can do: up to the share that is said they carry nothing away, more of them may.

No false alarms: bounds are proved; runs are of fixed seeds.
"""

from math import floor

import numpy as np
import pytest

from workbench.estimators import Abstention
from workbench.estimators.covariance.matrix_quantile import MatrixQuantileCovariance
from workbench.estimators.mean.affine import AffineMean
from workbench.estimators.parts.affine.stability import LiftedStability
from workbench.estimators.parts.quantile.influence import Influence
from workbench.estimators.parts.quantile.matrix_quantile import quantile
from workbench.privacy import ApproxDP

N, CASES, BUDGET = 80, 120, ApproxDP(1.0, 1e-6)


def others(rng, k, d):
    """Rows in one place, on a line, or anywhere, up to 10^12 sds away."""
    away, one = 10.0 ** rng.uniform(0, 12), rng.normal(size=(k, d))
    kinds = (away + 1e-3 * one, away * one, np.outer(away ** rng.random(k), np.ones(d)), 1e100 * np.sign(one))
    return kinds[rng.integers(len(kinds))]


def spoilt(seed):
    """A test, rows of which k are others, at most what the test holds, and the rest; the test is weak."""
    rng = np.random.default_rng((11, seed))
    d, level = int(rng.integers(1, 4)), rng.uniform(0.15, 0.3) * N
    strength, knee = rng.uniform(1.02, 4.0), float(rng.choice([0.3, 1.0]))
    test = LiftedStability(N, d + 1, Influence(knee), level, 2, strength, least=rng.uniform(0.2, 1.0))
    k = int(rng.integers(1, floor(test.held * N) + 1))
    rest = rng.normal(size=(N - k, d))
    return test, rng.permutation(np.vstack([rest, others(rng, k, d)])), rest


def carried(test, found, rest):
    """P_u over what bounds it, and the location's distance over its bound √(C/s): at most 1 where h ≥ 1."""
    u, d = test.level, rest.shape[1]
    most = (u + 1) / test.strength
    lifted = np.c_[np.ones(len(rest)), rest]
    bound = quantile(lifted, u + 1 - (N - len(rest)), test.influence.knee)
    s, m = bound[0, 0], bound[1:, 0] / bound[0, 0]
    root = np.block([[np.array([[found.height]]), np.zeros((1, d))],
                     [found.height * (found.centre + found.shift)[:, None], found.root]])  # fmt: skip
    scatter = np.linalg.cholesky(bound[1:, 1:] - s * np.outer(m, m))
    grown = np.linalg.norm(np.linalg.solve(np.linalg.cholesky(bound), root), ord=2) ** 2
    moved = np.linalg.norm(np.linalg.solve(scatter, found.centre + found.shift - m))
    return grown / most, moved * found.height / np.sqrt(most)


@pytest.mark.daily
def test_a_share_that_is_held_carries_neither_matrix_nor_location_away():
    answered, worst = 0, [0.0, 0.0]
    for seed in range(CASES):
        test, rows, rest = spoilt(seed)
        found = test.lift(rows)
        if found.count:
            answered += 1
            worst = np.maximum(worst, carried(test, found, rest))
    assert answered >= CASES / 4
    assert (worst <= 1 + 1e-6).all()
    assert worst[0] > 0.2


def spoilt_runs(estimator, n, share, error):
    """Errors of eight runs with a share of the rows far away in one place; no answer is an infinite one."""
    found = []
    for seed in range(8):
        rng = np.random.default_rng((12, seed))
        x = rng.normal(size=(n, 2))
        x[: round(share * n)] += 1e4
        value = estimator(x, budget=BUDGET, rng=rng).value
        found.append(np.inf if isinstance(value, Abstention) else error(value))
    return np.array(found)


ENTRIES = [
    (AffineMean(), 1500, np.linalg.norm, "14%"),
    (MatrixQuantileCovariance(centred=True), 1200, lambda value: np.linalg.norm(value) ** 0.5, ""),
]


@pytest.mark.daily
@pytest.mark.parametrize(("estimator", "n", "error", "said"), ENTRIES, ids=["mean", "covariance"])
def test_more_rows_than_it_says_in_one_place_carry_an_answer_away(estimator, n, error, said):
    words = estimator.other_rows(n, 2, BUDGET)
    share = float(words.split("up to ")[1].split("%")[0]) / 100
    assert said in words
    assert words in str(estimator(np.zeros((n, 2)), budget=BUDGET, rng=np.random.default_rng(1)))
    below, above = (spoilt_runs(estimator, n, times * share, error) for times in (0.9, 2.2))
    assert not ((below > 100) & (below < np.inf)).any()
    assert ((above > 100) & (above < np.inf)).sum() >= 4


def said_by(centred, n):
    words = MatrixQuantileCovariance(centred=centred).other_rows(n, 2, BUDGET)
    return float(words.split("up to ")[1].split("%")[0])


def test_half_of_a_share_of_pairs_is_one_of_rows():
    """A far row spoils one pair of two."""
    assert said_by(False, 2400) == pytest.approx(said_by(True, 1200) / 2, abs=0.1)


def test_of_a_subspace_nothing_is_said():
    degenerate, budget = MatrixQuantileCovariance(degenerate=True), ApproxDP(8.0, 1e-6)
    assert degenerate.other_rows(degenerate.fewest(1, budget), 1, budget) == ""
