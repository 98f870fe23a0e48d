"""Unbounded Gaussians: subspaces, any condition number, what ends a run, and every number of the finish."""

from dataclasses import dataclass
from math import exp, sqrt

import numpy as np
import pytest
from scipy.linalg import sqrtm
from scipy.special import logsumexp

from tests.estimators.streams import rng as stream
from workbench.estimators import Abstention, unbounded
from workbench.estimators.base import sanitised
from workbench.estimators.shared.moments import (
    STEP,
    Frame,
    Moments,
    censored_spectrum,
    completed,
    identity_frame,
    slope,
    unwinsorised,
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
    basis = uniform_basis(d, rng)[:, :rank]
    n, scales = 4 * fewest_rows(estimator, d, LOUD), np.geomspace(1e3, 1.0, rank)
    centre = basis @ np.full(rank, 7.0)
    x = centre + rng.standard_normal((n, rank)) * scales @ basis.T
    law = estimator(x, budget=LOUD, rng=stream(6)).value
    inside = basis.T @ law.covariance @ basis
    assert mahalanobis_covariance_error(inside, np.diag(scales**2)) < 0.3
    assert np.linalg.norm(law.covariance - basis @ inside @ basis.T) < 1e-7 * scales[0] ** 2
    assert np.linalg.matrix_rank(law.covariance, tol=1e-9 * scales[0] ** 2) == rank
    assert np.abs((basis.T @ (law.mean - centre)) / scales).max() < 0.2
    assert np.linalg.norm((np.eye(d) - basis @ basis.T) @ law.mean) < 1e-6 * scales[0]


def test_moments_that_are_no_numbers_are_no_answer(monkeypatch):
    recipe = UnboundedGaussian().recipe(10**4, 2, BUDGET)
    found = Moments(np.zeros(2), np.full((2, 2), np.inf))
    monkeypatch.setattr(type(recipe), "estimate", lambda *_: found)
    value = UnboundedGaussian().estimate(np.zeros((10**4, 2)), BUDGET, UnitNoise())
    assert value == Abstention("covariance")


@dataclass(frozen=True)
class Case:
    """Normal rows of a spectrum, in a subspace where they have fewer axes than dimensions."""

    name: str
    n: int
    spectrum: tuple[float, ...]
    worst: tuple[float, ...]
    centred: bool = False
    d: int = 0

    @property
    def recipe(self):
        d = self.d or len(self.spectrum)
        return RoundFinish(self.n, d, LOUD, self.worst, self.centred)

    def frame(self):
        """The rows as they are, or an orthonormal basis of their subspace."""
        d, r = self.recipe.d, len(self.spectrum)
        basis = uniform_basis(d, stream(3))[:, :r]
        return identity_frame(d) if r == d else Frame(basis, np.eye(r))

    def rows(self, seed):
        z = stream((seed, 4)).standard_normal((self.n, len(self.spectrum)))
        rows = (z * np.sqrt(self.spectrum) + (0.0 if self.centred else 30.0)) @ self.frame().basis.T
        return sanitised(rows)

    def run(self, x, noise, spread=None):
        spread = np.array(self.spectrum) if spread is None else spread
        with np.errstate(all="ignore"):
            return self.recipe.estimate(x, self.frame(), spread, list(self.recipe.charges()), noise)


CASES = (
    Case("line", 60, (2.0,), (1.0,)),
    Case("white", 400, (1.0,) * 4, widest(4)),
    Case("gaps", 400, (5.0, 1.0, 0.2, 0.05), widest(4)),
    Case("widest", 400, widest(4), widest(4)),
    Case("centred", 200, (3.0, 0.1, 0.01), widest(3), centred=True),
    Case("plane", 300, (1.0, 0.04), widest(3), d=3),
)
each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


def noise_of(seed):
    return SimulatedNoise(stream(seed))


def by_the_definition(case, x, events):
    """Steps (1) to (5) of the module from what mechanisms released; compares what each of them saw."""
    steps, frame, spread = case.recipe, case.frame(), np.array(case.spectrum)
    costs, basis, s = steps.costs, frame.basis, spread / spread[0]
    frame = Frame(basis, frame.shape / sqrt(spread[0]))
    places = [event.output for event in events[: -len(costs)]]
    c = np.zeros(case.recipe.d) if case.centred else np.linalg.solve(completed(frame), places)
    a, rank, answers, weights = frame.shape, len(s), [], []
    height = STEP * int(steps.lift.height / STEP)
    for number, (cost, event) in enumerate(zip(costs, events[-len(costs) :], strict=True)):
        radius, answering = steps.ball(s), 4 * s.min() >= s.max()
        w = (x - c) @ basis @ a.T
        w /= np.maximum(np.linalg.norm(w, axis=1), radius)[:, None]
        v = np.hstack([np.full((case.n, 1), height), w])
        rounding = 2 * STEP  # numbers of at most 1, each off by a step at most, or by half of it
        assert event.statistic[: rank + 1, : rank + 1] == pytest.approx(v.T @ v / case.n, abs=rounding)
        assert (event.statistic[rank + 1 :] == 0).all()
        m = np.zeros(rank) if case.centred else event.output[0, 1 : rank + 1] * radius / height
        z = event.output[1 : rank + 1, 1 : rank + 1] * radius**2 - np.outer(m, m)
        if answering:
            m, z = m / slope(rank, radius), unwinsorised(z, radius)
        inverse = np.linalg.inv(a)
        c = c + basis @ inverse @ m
        values, axes = np.linalg.eigh(z)
        positive = (axes * np.maximum(values, 0)) @ axes.T
        if answering and number >= min(1, len(costs) - 1):
            answers.append((c, basis @ inverse @ positive @ inverse.T @ basis.T))
            weights.append(cost.rho / sum(cost.rho for cost in costs))
        e = steps.excess(s, cost)
        a, s = np.linalg.inv(sqrtm(positive + e * np.eye(rank)).real) @ a, s / (s + e)
    total = sum(weights)
    return [sum(w * answer[i] for w, answer in zip(weights, answers, strict=True)) / total for i in (0, 1)]


@each_case
def test_every_number_is_that_of_the_definition(case):
    x = case.rows(10)
    with spied() as events:
        found = case.run(x, noise_of(11))
    mean, covariance = by_the_definition(case, x, events)
    assert found.covariance == pytest.approx(covariance, rel=1e-6, abs=1e-9 * np.abs(covariance).max())
    assert (found.mean is None) == case.centred
    if not case.centred:
        assert found.mean == pytest.approx(mean, rel=1e-9)


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
    case = CASES[1]
    value = case.run(case.rows(15), noise_of(16), np.array([1.0, 1.0, 1.0, least]))
    assert value == Abstention(list(case.recipe.charges())[-1].step)


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
