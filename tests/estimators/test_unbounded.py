"""Unbounded Gaussians: subspaces, any condition number, what ends a run, and every number of the finish."""

from math import exp

import numpy as np
import pytest
from scipy.special import logsumexp

from tests.estimators.streams import rng as stream
from workbench.estimators import Abstention, unbounded
from workbench.estimators.shared.moments import (
    Moments,
    censored_spectrum,
    identity_frame,
)
from workbench.estimators.shared.window_median import selection_epsilon
from workbench.estimators.unbounded import LOCATOR, NO_PLACE, RoundFinish, UnboundedGaussian, widest
from workbench.losses import mahalanobis_covariance_error
from workbench.privacy import ZCDP, ApproxDP, SimulatedNoise, UnitNoise
from workbench.privacy.noise import uniform_basis
from workbench.study.faults import spied
from workbench.study.search import fewest_rows

BUDGET, LOUD = ApproxDP(1.0, 1e-6), ZCDP(20.0, 1e-6)


@pytest.mark.parametrize("calibration", ["tight", "paper"])
@pytest.mark.parametrize("rank", [1, 2])
def test_rows_of_a_subspace_are_measured_in_it(calibration, rank):
    rng, d, estimator = stream(5), 3, UnboundedGaussian(calibration=calibration)
    basis, scales = uniform_basis(d, rng)[:, :rank], np.geomspace(1e3, 1.0, rank)
    n = 4 * fewest_rows(estimator, d, LOUD)
    law = estimator(
        (7.0 + rng.standard_normal((n, rank)) * scales) @ basis.T, budget=LOUD, rng=stream(6)
    ).value
    inside = basis.T @ law.covariance @ basis
    assert mahalanobis_covariance_error(inside, np.diag(scales**2)) < 0.3
    assert np.linalg.norm(law.covariance - basis @ inside @ basis.T) < 1e-7 * scales[0] ** 2
    assert np.abs((basis.T @ law.mean - 7.0) / scales).max() < 0.2
    assert np.linalg.norm(law.mean - basis @ basis.T @ law.mean) < 1e-6 * scales[0]


def test_moments_that_are_no_numbers_are_no_answer(monkeypatch):
    recipe = UnboundedGaussian().recipe(10**4, 2, BUDGET)
    found = Moments(np.zeros(2), np.full((2, 2), np.inf))
    monkeypatch.setattr(type(recipe), "estimate", lambda *_: found)
    value = UnboundedGaussian().estimate(np.zeros((10**4, 2)), BUDGET, UnitNoise())
    assert value == Abstention("covariance")


WHITE, WIDEST = (1.0,) * 4, widest(4)
STEPS = RoundFinish(400, 4, LOUD, WIDEST)


def noise_of(seed):
    return SimulatedNoise(stream(seed))


def normal(seed):
    return stream((seed, 4)).standard_normal((400, 4)) + 30.0


@pytest.mark.parametrize("spectrum", [WHITE, WIDEST])
def test_an_answer_is_that_of_steps_in_round_frames_by_their_costs(monkeypatch, spectrum):
    """Of several steps the first is none; here step k tells the moment k, and frames stay as they are."""
    told, after, used = iter(range(9)), np.array(spectrum), {}
    monkeypatch.setattr(RoundFinish, "_measured", lambda *_: (np.zeros(4), next(told) * np.eye(4)))
    monkeypatch.setattr(unbounded, "rounder", lambda *_: np.eye(4))
    for k, cost in enumerate(STEPS.costs):
        if k and 4 * after.min() >= after.max():
            used[k] = cost.rho
        after = after / (after + STEPS.excess(after, cost))
    found = STEPS.estimate(normal(15), identity_frame(4), np.array(spectrum), [*STEPS.charges()], noise_of(1))
    wanted = np.average([*used], weights=[*used.values()])
    assert found.covariance == pytest.approx(wanted * np.eye(4))


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
        value = STEPS.estimate(normal(15), identity_frame(4), spread, charges, noise_of(16))
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
