"""Gaussians of any mean and covariance: lifted rows, rounds of frames; what is charged, what ends a run."""

from functools import partial
from itertools import product
from math import exp, sqrt

import numpy as np
import pytest
from scipy.special import logsumexp

from tests.estimators.streams import rng as stream
from workbench.catalog import Example
from workbench.contracts.draws import expected_draw
from workbench.contracts.kit import answer
from workbench.errors import ArgumentError
from workbench.estimators import Abstention, affine, unbounded
from workbench.estimators.affine import (
    AffineMean,
    LiftedGaussian,
    gaussian_design,
)
from workbench.estimators.base import Trace
from workbench.estimators.matrix_quantile import MatrixQuantileCovariance
from workbench.estimators.shared.moments import censored_spectrum, identity_frame
from workbench.estimators.shared.window_median import selection_epsilon
from workbench.estimators.unbounded import LOCATOR, NO_PLACE, RoundFinish, widest
from workbench.privacy import ZCDP, ApproxDP, SimulatedNoise, compose
from workbench.privacy.noise import uniform_basis
from workbench.privacy.stable import LOCATED, WISHART, located_scale, stable_scale
from workbench.study.faults import spied

BUDGET, D = ApproxDP(8.0, 1e-6), 3
USUAL, BETA = ApproxDP(1.0, 1e-6), 0.1


SCALES = [
    (BUDGET, D, 250, LOCATED),
    (ApproxDP(4.0, 1e-4), 1, 300, LOCATED),
    (USUAL, 2, 3000, LOCATED),
    (USUAL, 2, 900, WISHART),
]


@pytest.mark.turns(4)
@pytest.mark.parametrize(("budget", "d", "n", "kind"), SCALES)
def test_the_charge_is_that_of_the_proof_and_its_scale_the_least(budget, d, n, kind):
    tried = product((affine.GUARDS[-1],), (kind,), affine._tried(budget))
    made = [one for each in tried if (one := affine._nearer(1.0, n, d, budget, BETA, *each))][-1]
    assert made.charge.most == made.test.most
    if kind == LOCATED:
        assert (made.charge.sensitivity, made.charge.spread) == (2 * made.test.shift, made.test.change)
        found = located_scale(made.charge)
    else:
        assert (made.charge.sensitivity, made.charge.d) == (made.test.change, d + 1)
        found = stable_scale(made.charge)
    _, _, least = expected_draw(made.charge)
    assert (1 - 1e-6) * least <= found <= 1.003 * least


@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_location_and_scatter_follow_an_affine_map(offset):
    """Of skew rows, whose median is no image of a median."""
    x, axes = stream(3).gamma(20.0, 1.0, (600, D)), uniform_basis(D, stream(1)) * [1.0, 0.1, 0.01]
    (plain, moved), back = (Trace(), Trace()), np.linalg.inv(axes)
    for rows, trace in ((x, plain), (x @ axes.T + offset, moved)):
        AffineMean()(rows, budget=BUDGET, rng=stream(1), trace=trace)
    (h, scatter, location), (k, turned, far) = (
        [trace.records[name][0] for name in ("h", "scatter", "location")] for trace in (plain, moved)
    )
    assert h == k > 0
    assert back @ turned @ back.T == pytest.approx(scatter, rel=1e-5, abs=1e-5)
    assert back @ (far - offset) == pytest.approx(location, abs=1e-6)


@pytest.mark.parametrize("delta", [0.0, 1e-14])
@pytest.mark.parametrize("ask", [partial(affine.location_design, 4000, 2), partial(affine.fewest_located, 2)])
def test_a_delta_that_no_ramp_has_is_refused_by_its_name(ask, delta):
    with pytest.raises(ArgumentError, match=r"^delta = .*: expected at least 1e-13"):
        ask(ApproxDP(1.0, delta), BETA)


def spoilt_runs(estimator, n, share, error):
    """Errors of eight runs with a share of the rows far away in one place; no answer is an infinite one."""
    found = []
    for seed in range(8):
        rng = stream((12, seed))
        x = rng.normal(size=(n, 2))
        x[: round(share * n)] += 1e4
        value = estimator(x, budget=USUAL, rng=rng).value
        found.append(np.inf if isinstance(value, Abstention) else error(value))
    return np.array(found)


ENTRIES = [
    (AffineMean(), 1500, np.linalg.norm, "14%"),
    (MatrixQuantileCovariance(centred=True), 1200, lambda value: np.linalg.norm(value) ** 0.5, ""),
]


@pytest.mark.daily
@pytest.mark.parametrize(("estimator", "n", "error", "said"), ENTRIES, ids=["mean", "covariance"])
def test_more_rows_than_it_says_in_one_place_carry_an_answer_away(estimator, n, error, said):
    words = estimator.other_rows(n, 2, USUAL)
    share = float(words.split("up to ")[1].split("%")[0]) / 100
    assert said in words
    assert words in str(estimator(np.zeros((n, 2)), budget=USUAL, rng=stream(1)))
    below, above = (spoilt_runs(estimator, n, times * share, error) for times in (0.9, 2.2))
    assert not ((below > 100) & (below < np.inf)).any()
    assert ((above > 100) & (above < np.inf)).sum() >= 4


# A whole Gaussian

ROWS = 1600
PRICED = [(BUDGET, 2, ROWS), (ApproxDP(4.0, 1e-4), 1, 1600), (ApproxDP(1.0, 1e-6), 3, 2500)]


def normal(seed):
    return stream((4, seed)).standard_normal((ROWS, 2))


FAILURES = [
    (np.zeros((ROWS, 2)), "lift"),
    (np.full((ROWS, 2), np.nan), "lift"),
    (normal(1), "linear algebra"),
]


@pytest.mark.parametrize(("x", "step"), FAILURES)
def test_a_failure_after_the_test_tells_nothing_of_rows_that_failed_it(monkeypatch, x, step):
    """Within the steps that follow, which see the same rows at no price: a silent run has none."""
    calls = []

    def failing(*_):
        calls.append(1)
        raise np.linalg.LinAlgError("singular")

    monkeypatch.setattr(RoundFinish, "round", failing)
    example = Example(LiftedGaussian(), BUDGET)
    assert {answer(example, x, seed) for seed in range(3)} == {Abstention(step)}
    assert bool(calls) == (step == "linear algebra")


def test_rows_so_many_that_rounding_counts_are_refused_with_how_many_may_be():
    with pytest.raises(ArgumentError, match=r"^n = ") as refused:
        LiftedGaussian().plan(10**9, 2, BUDGET)
    most = int(refused.value.allowed.split()[2])
    assert compose(LiftedGaussian().plan(most, 2, BUDGET)) == BUDGET


@pytest.mark.turns(3)
@pytest.mark.parametrize(("budget", "d", "n"), PRICED)
def test_the_charge_is_that_of_the_test_that_it_prices(budget, d, n):
    made = LiftedGaussian().design(n, d, budget)
    assert made.plan.sensitivity == made.charge.sensitivity == made.test.change
    assert (made.plan.most, made.plan.d) == (made.test.most, made.test.d) == (made.test.most, d + 1)
    assert (made.plan.degrees, made.plan.room) == (made.charge.degrees, made.charge.room)


def test_the_count_is_of_rows_beyond_and_sees_one_in_twenty():
    """Normal rows pass but for .002, 5 % of far ones for .03: of 300 runs 4 and 24 are 4 sds and more."""
    far, rng = gaussian_design(1700, 2, USUAL, BETA).far, stream(1)
    noise, n = SimulatedNoise(rng), 1700
    clean = [far.passes(rng.chisquare(2, n), noise) for _ in range(300)]
    dirty = [
        far.passes(np.r_[rng.chisquare(2, n - n // 20), np.full(n // 20, np.nan)], noise) for _ in range(300)
    ]
    assert sum(clean) >= 296
    assert sum(dirty) <= 24
    assert far.most <= 0.08


def test_moments_are_of_rows_in_a_ball_round_what_was_released(monkeypatch):
    """A far row moves the released moments by no more than their sensitivity, with the same noise."""
    n, d = 1700, 2
    made, rng = LiftedGaussian().design(n, d, USUAL), stream(4)
    x = rng.normal(size=(n, d))
    y = x.copy()
    y[7] = [300.0, -4000.0]
    lift, found = made.test.lift(x), []
    monkeypatch.setattr(type(made.test), "lift", lambda self, rows: lift)
    for rows in (x, y):
        with spied() as events:
            LiftedGaussian().estimate(rows, USUAL, SimulatedNoise(stream(2)))
        found.append(next(one for one in events if one.mechanism == "symmetric_gaussian"))
    first, second = found
    moved = np.linalg.norm(first.statistic - second.statistic) / first.charge.sensitivity
    assert 0.1 < moved <= 1 + 1e-9


@pytest.mark.daily
def test_the_centre_is_not_that_of_the_rows():
    """What is shown is masked: two runs differ by about √(d/ν) sds."""
    estimator, x = LiftedGaussian(), stream(4).normal(size=(1700, 2))
    centres = []
    for seed in range(40):
        trace = Trace()
        estimator(x, budget=USUAL, rng=stream(seed), trace=trace)
        centres.append(trace.records["centre"][0])
    spread = np.array(centres).std(axis=0)
    assert (spread > 0.3 / sqrt(estimator.design(*x.shape, USUAL).charge.degrees)).all()


@pytest.mark.parametrize("d", [2, 8, 40, 100])
def test_a_row_that_goes_leaves_the_lengths_of_others_as_they_are(d):
    """To the last bit, wherever it stood: a row at the edge must not follow it over."""
    rng = stream(d)
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


# Unbounded Gaussians: rounds of frames, what ends a run.

LOUD = ZCDP(20.0, 1e-6)


WHITE, WIDEST = (1.0,) * 4, widest(4)
STEPS = RoundFinish(400, 4, LOUD, WIDEST)


def noise_of(seed):
    return SimulatedNoise(stream(seed))


def far_normal(seed):
    return stream((seed, 4)).standard_normal((400, 4)) + 30.0


@pytest.mark.parametrize("spectrum", [WHITE, WIDEST])
def test_an_answer_is_that_of_steps_in_round_frames_by_their_costs(monkeypatch, spectrum):
    """Of several steps the first is none; here step k tells the moment k, and frames stay as they are."""
    told, seen, wanted, used = iter(range(9)), [], [], {}
    monkeypatch.setattr(RoundFinish, "_measured", lambda *_: (np.zeros(4), next(told) * np.eye(4)))
    monkeypatch.setattr(unbounded, "rounder", lambda _, excess: seen.append(excess) or np.eye(4))
    after, charges = np.array(spectrum), [*STEPS.charges()]
    found = STEPS.estimate(far_normal(15), identity_frame(4), 4 * after, charges, noise_of(1))
    for k, cost in enumerate(STEPS.costs):
        if k and 4 * after.min() >= after.max():
            used[k] = cost.rho
        wanted.append(STEPS.excess(after, cost))
        after = after / (after + wanted[-1])
    assert seen == pytest.approx(wanted)
    moment = np.average([*used], weights=[*used.values()])
    assert found.covariance == pytest.approx(4 * moment * np.eye(4))


def test_rounding_keeps_axes_within_the_proved_factors():
    """T ≤ I, noise of norm ν, e > 2ν: the i-th axis t becomes t/(t + e ∓ 2ν). And never more than T/e."""
    rng = stream(13)
    for _ in range(100):
        r, norm = int(rng.integers(1, 7)), 10.0 ** rng.uniform(-4, -0.5)
        basis = uniform_basis(r, rng)
        t = np.sort(10.0 ** rng.uniform(-6, 0, r))
        matrix, noise = (basis * t) @ basis.T, rng.standard_normal((r, r))
        noise = (noise + noise.T) * norm / np.linalg.norm(noise + noise.T, 2)
        for e in (2.5 * norm, 10 * norm, 0.5 * norm):
            rounder = unbounded.rounder(matrix + noise, e)
            after = np.linalg.eigvalsh(rounder @ matrix @ rounder)
            assert np.linalg.norm(rounder, 2) ** 2 <= (1 + 1e-9) / e
            assert (after >= t / (t + e + 2 * norm) - 1e-9).all()
            if e > 2 * norm:
                assert (after <= t / (t + e - 2 * norm) + 1e-9).all()


@pytest.mark.parametrize(("d", "n"), [(2, 4000), (3, 20_000), (5, 4000), (10, 10**6), (20, 20_000)])
def test_the_last_step_is_the_first_that_meets_the_worst_spectrum_round(d, n):
    steps = RoundFinish(n, d, LOUD, widest(d))
    spectra = [np.array(widest(d))]
    for cost in steps.costs:
        spectra.append(spectra[-1] / (spectra[-1] + steps.excess(spectra[-1], cost)))
    least = [spectrum.min() / spectrum.max() for spectrum in spectra]
    assert least[steps.count] >= 0.6
    assert steps.count >= 1
    assert least[steps.count - 1] < 0.6


WIDTHS = [*((0.0, sd) for sd in (0.0, 1e-12, 1e-6, 0.1, 3.0)), (0.5, 0.5), (0.5, 2.0)]


@pytest.mark.parametrize(("narrowest", "sd"), WIDTHS)
@pytest.mark.parametrize(("d", "n"), [(1, 1000), (2, 3000), (10, 30_000)])
def test_rows_of_any_width_have_a_place(narrowest, sd, d, n):
    """The exact law of the window median at the cost of one coordinate; `narrowest` as promised."""
    location = RoundFinish(n, d, ZCDP(1e3, 1e-6), (1.0,) * d, narrowest=narrowest).location
    cost = location.split(*(1.0,) * d)[0]
    points = 17.0 + sd * stream(14).standard_normal(n)
    pieces, epsilon = LOCATOR.pieces(points), selection_epsilon(cost)
    bottom = LOCATOR.log_measure(cost) - epsilon * n / 2
    places = logsumexp(pieces.log_length() - epsilon * pieces.penalty / 2)
    assert exp(bottom - np.logaddexp(bottom, places)) <= NO_PLACE / d


@pytest.mark.parametrize("least", [0.0, 1e-60, 1e-30])
def test_a_spectrum_that_does_not_become_round_is_no_answer(least):
    spread, charges = np.array([1.0, 1.0, 1.0, least]), [*STEPS.charges()]
    with np.errstate(all="ignore"):
        value = STEPS.estimate(far_normal(15), identity_frame(4), spread, charges, noise_of(16))
    assert value == Abstention(charges[-1].step)


@pytest.mark.daily
def test_rows_are_as_long_in_every_frame_as_its_steps_foresee():
    """White rows and a small ball: 2.5 % of ten runs' median; a frame of winsorised moments is 5 % off."""
    n, d, seen, foreseen = 1500, 5, [], []
    recipe, spectrum = RoundFinish(n, d, ZCDP(0.5, 1e-6), widest(d)), np.ones(d)
    assert recipe.count >= 4
    for cost in recipe.costs:
        radius = recipe.ball(spectrum)
        foreseen.append(censored_spectrum(spectrum, radius).sum() / radius**2)
        spectrum = spectrum / (spectrum + recipe.excess(spectrum, cost))
    for seed in range(10):
        rows = stream((17, seed)).standard_normal((n, d))
        with spied() as events:
            recipe.estimate(rows, identity_frame(d), np.ones(d), list(recipe.charges()), noise_of(seed))
        seen.append([np.trace(event.statistic[1:, 1:]) for event in events[d:]])
    assert np.median(seen, axis=0) == pytest.approx(foreseen, rel=0.025)
