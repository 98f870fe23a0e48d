"""A whole Gaussian from one lifted release: neighbours of its matrix, its error, its far rows, and its steps.

False alarms: each test of runs about 1 in 2000.
"""

from functools import lru_cache
from math import sqrt

import numpy as np
import pytest

from tests.estimators.parts.affine.neighbours import found_pair
from workbench.distributions import Gaussian
from workbench.errors import ArgumentError
from workbench.estimators.base import Abstention, Trace
from workbench.estimators.parts.affine.gaussian import LiftedLaw
from workbench.estimators.parts.affine.gaussian_design import fewest_rows, frame_spectrum, gaussian_design
from workbench.estimators.parts.affine.stability import LiftedStability
from workbench.estimators.parts.quantile.influence import Influence
from workbench.estimators.parts.quantile.matrix_quantile import quantile
from workbench.losses import mahalanobis_covariance_error, mahalanobis_mean_error
from workbench.privacy import ApproxDP, CountingNoise, SimulatedNoise, compose

BUDGET, BETA, RUNS, PAIRS = ApproxDP(1.0, 1e-6), 0.1, 100, 250
SIZES = {1: 1600, 2: 1700, 5: 2500}


def law(d):
    """Of condition about 10^6, rotated, some 10^7 sds away."""
    rng = np.random.default_rng(d)
    root = np.linalg.qr(rng.normal(size=(d, d)))[0] * np.logspace(-1.5, 1.5, d)
    return root, 1e7 * rng.normal(size=d)


@lru_cache
def runs(d, n):
    made, (root, mean), rng = LiftedLaw(n, d, BUDGET, BETA), law(d), np.random.default_rng((3, d))
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


@pytest.mark.parametrize(("d", "n"), SIZES.items())
def test_errors_are_as_predicted(d, n):
    """Root mean squares within 25 %: 3.5 sds of those of 100 runs for one number, less for more of them."""
    design, errors = runs(d, n)
    mean, covariance = np.sqrt((errors**2).mean(axis=0))
    assert mean == pytest.approx(sqrt(design.squared_error.mean), rel=0.25)
    assert covariance == pytest.approx(sqrt(design.squared_error.covariance), rel=0.25)


@pytest.mark.parametrize(("d", "n"), SIZES.items())
def test_no_answer_is_as_rare_as_asked_for(d, n):
    """At most β; 4 sds of 100 runs are .12."""
    _, errors = runs(d, n)
    assert 1 - len(errors) / RUNS <= BETA + 4 * sqrt(BETA * (1 - BETA) / RUNS)


def far_rows(kind, z, rng):
    """The rows with 5 % of them elsewhere."""
    d, count = z.shape[1], len(z) // 20
    away = {
        "cluster": lambda: 1e3 * np.eye(d)[0] + 0.01 * rng.normal(size=(count, d)),
        "near": lambda: 6 * sqrt(d) * np.eye(d)[0] + 0.1 * rng.normal(size=(count, d)),
        "points": lambda: 1e6 * rng.normal(size=(count, d)),
        "one point": lambda: np.full((count, d), 1e5),
        "line": lambda: np.outer(10 ** rng.uniform(1, 9, count), np.ones(d)),
        "sides": lambda: np.outer(np.where(np.arange(count) % 2, 1, -1), np.full(d, 50.0)),
    }
    return np.concatenate([away[kind](), z[count:]])


@pytest.mark.parametrize("kind", ["cluster", "near", "points", "one point", "line", "sides"])
@pytest.mark.parametrize(("d", "n"), [(2, 1700), (5, 2500), (10, 14_000)])
def test_far_rows_are_not_answered_wrongly(kind, d, n):
    """Of 8 runs 2 may slip through, each at 2 sds of the count, where the lift answers at all."""
    made, rng, root = LiftedLaw(n, d, BUDGET, BETA), np.random.default_rng((d, len(kind))), law(d)[0]
    slipped = 0
    for _ in range(8):
        x = far_rows(kind, rng.normal(size=(n, d)), rng) @ root.T
        slipped += not isinstance(made.draw(x, SimulatedNoise(rng)), Abstention)
    assert slipped <= 2


@pytest.mark.parametrize(("d", "k"), [(1, 60), (3, 40), (5, 20)])
def test_the_matrix_does_not_follow_fewer_rows_than_its_level(d, k):
    """P_u ≤ (u + 1)/G P_(u + 1 - k) of the others, at rows anywhere: to what rounding leaves."""
    rng, n = np.random.default_rng(d), 900
    level, seen = 0.45 * n / (d + 1), 0
    test = LiftedStability(n, d + 1, Influence(0.5), level, 2, 1.5, least=1e-6)
    for far in (0.0, 2.0, 5.0, 30.0, 1e6):
        x = rng.normal(size=(n, d))
        x[:k] = far + rng.normal(size=(k, d)) * rng.choice([0.01, 1.0])
        lift, rows = test.lift(x), np.c_[np.ones(n), x]
        rows[:k] = 0
        if lift.count:
            root, bound = absolute(lift, np.zeros(d)), quantile(rows, level + 1 - k, 0.5)
            ratio = np.linalg.eigvals(np.linalg.solve(bound, root @ root.T)).real.max()
            assert ratio <= (level + 1) / 1.5 * (1 + 1e-3)
            seen += 1
    assert seen >= 2


def test_the_count_is_of_rows_beyond_and_sees_one_in_twenty():
    """Normal rows pass but for .002, 5 % of far ones for .03: of 300 runs 4 and 24 are 4 sds and more."""
    far, rng = gaussian_design(SIZES[2], 2, BUDGET, BETA).far, np.random.default_rng(1)
    noise, n = SimulatedNoise(rng), SIZES[2]
    clean = [far.passes(rng.chisquare(2, n), noise) for _ in range(300)]
    dirty = [
        far.passes(np.r_[rng.chisquare(2, n - n // 20), np.full(n // 20, np.nan)], noise) for _ in range(300)
    ]
    assert sum(clean) >= 296
    assert sum(dirty) <= 24
    assert far.sees


def absolute(lift, centre):
    """The root of P around a centre."""
    root = np.zeros((len(centre) + 1,) * 2)
    root[0, 0], root[1:, 1:] = lift.height, lift.root
    root[1:, 0] = (lift.centre - centre + lift.shift) * lift.height
    return root


def moved(first, second):
    """The sums of ln λ of P⁻¹P', of either sign."""
    here, there = (absolute(one, first.centre) for one in (first, second))
    unit = np.abs(here).max(axis=1)[:, None]
    logs = 2 * np.log(np.linalg.svd(np.linalg.solve(here / unit, there / unit), compute_uv=False))
    return logs[logs > 0].sum(), -logs[logs < 0].sum()


def worst_of(edge, numbers):
    """The largest |h - h'| and sum over g of pairs, and how many were stable, and how many moved h."""
    count = trace = 0.0
    stable = changed = 0
    for number in numbers:
        if (pair := found_pair(edge, number)) is None:
            continue
        x, y, test = pair
        first, second = test.lift(x), test.lift(y)
        count = max(count, abs(first.count - second.count))
        changed += first.count != second.count
        if first.count and second.count:
            trace, stable = max(trace, *(one / test.change for one in moved(first, second))), stable + 1
    return count, trace, stable, changed


@pytest.mark.parametrize("edge", ["slope", "guard"])
def test_neighbours_of_the_whole_matrix_break_no_bound(edge):
    count, trace, stable, changed = worst_of(edge, range(PAIRS))
    assert count <= 1
    assert trace <= 1
    assert stable > PAIRS // 10
    assert changed > PAIRS // 25


@pytest.mark.parametrize("knee", [0.3, 1.0])
@pytest.mark.parametrize(("scale", "sloping"), [(0.25, False), (1.0, False), (4.0, True)])
def test_a_scale_of_one_or_less_has_no_slope(knee, scale, sloping):
    """The least scale of 1 refuses nothing that the slope does not: every row has q ≥ 1/s."""
    x = np.random.default_rng(2).normal(size=(400, 2))
    test = LiftedStability(400, 3, Influence(knee), 100.0, 2, 1.01, least=1e-6)
    scaled = test.scaled(x, 1)
    factor = np.diag([np.ldexp(1 / sqrt(scale), int(scaled.exponents[0])), 0.1, 0.1])
    assert scaled.scale(factor) == pytest.approx(scale)
    assert (test.slope(scaled, factor, factor) > 0) is sloping
    assert gaussian_design(SIZES[2], 2, BUDGET, BETA).test.least == 1.0


@pytest.mark.parametrize("d", [1, 3])
def test_draws_are_those_of_the_plan_whatever_the_rows(d):
    """Those of the mask alone where the test gives no answer."""
    made, kept = LiftedLaw(2500, d, BUDGET, BETA), []
    rng = np.random.default_rng(5)
    for x in (rng.normal(size=(2500, d)), np.zeros((2500, d)), np.full((2500, d), 1e100)):
        noise = CountingNoise(SimulatedNoise(np.random.default_rng(1)))
        made.draw(x, noise)
        kept.append(noise.draws)
    assert kept[0][:1] == kept[1] == kept[2]
    assert len(kept[0]) == len(list(made.design.plan.charges()))
    assert compose(made.design.plan) == BUDGET


def test_moments_are_of_rows_in_a_ball_round_what_was_released(monkeypatch):
    """A far row moves the released moments by no more than their sensitivity, with the same noise."""
    n, d = 1700, 2
    made, rng = LiftedLaw(n, d, BUDGET, BETA), np.random.default_rng(4)
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


def test_the_centre_is_not_that_of_the_rows():
    """What is shown is masked: two runs differ by about √(d/ν) sds."""
    made, x = LiftedLaw(1700, 2, BUDGET, BETA), np.random.default_rng(4).normal(size=(1700, 2))
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
    fewest = fewest_rows(2, BUDGET, BETA)
    design = gaussian_design(fewest, 2, BUDGET, BETA)
    assert fewest <= 1700
    assert design.far.most <= 0.08
    assert design.squared_error.total_variation <= 0.2
    with pytest.raises(ArgumentError, match=rf"^n = .*: expected at least {fewest} for d = 2 at "):
        gaussian_design(int(fewest / 1.02), 2, BUDGET, BETA)


@pytest.mark.parametrize("condition", [1.0, 1e12])
def test_rotated_rows_of_any_condition_are_answered(condition):
    """No answer has chance β at most: none of 6 runs, 1 in 10^6."""
    made, rng, found = LiftedLaw(2600, 5, BUDGET, BETA), np.random.default_rng(8), []
    root = np.linalg.qr(rng.normal(size=(5, 5)))[0] * np.geomspace(1, 1 / sqrt(condition), 5)
    for _ in range(6):
        out = made.draw(rng.normal(size=(2600, 5)) @ root.T, SimulatedNoise(rng))
        found += [] if isinstance(out, Abstention) else [out]
    errors = [mahalanobis_covariance_error(out.covariance, root @ root.T) for out in found]
    assert 0 < max(errors) < 3 * sqrt(made.design.squared_error.covariance)
