"""The finish of unbounded Gaussians: what a row moves, what steps cost, every number by definition."""

from dataclasses import dataclass
from fractions import Fraction
from math import exp, log, pi, sqrt

import numpy as np
import pytest
from scipy.linalg import sqrtm
from scipy.special import logsumexp
from scipy.stats import binom

from tests.oracles.whole_gaps import squared_gap
from workbench.chapters.matrix_quantile.runs.learner import total_variation
from workbench.estimators import Abstention
from workbench.estimators.base import sanitised
from workbench.estimators.parts.gaussians import finish
from workbench.estimators.parts.gaussians.error import SquaredErrors, peaked, squared_error
from workbench.estimators.parts.gaussians.finish import RoundFinish, completed
from workbench.estimators.parts.gaussians.frame import Frame, identity_frame
from workbench.estimators.parts.gaussians.lifted_moment import STEP, LiftedMoment
from workbench.estimators.parts.gaussians.steps import HEIGHT, LOCATOR, NO_PLACE, RoundSteps, slope
from workbench.estimators.parts.gaussians.unbounded_tight import widest
from workbench.estimators.parts.preconditioned.winsorised_covariance import (
    censored_spectrum,
    unwinsorised,
)
from workbench.estimators.shared.window_median import selection_epsilon
from workbench.privacy import ZCDP, SimulatedNoise
from workbench.privacy.grid import UP
from workbench.study.faults import spied

LOUD = ZCDP(20.0, 1e-6)
FALSE_ALARM = 1e-6


class Quiet(SimulatedNoise):
    """Symmetric noise of 0."""

    def symmetric_gaussian(self, value, sensitivity, scale):
        return np.asarray(value, np.float64)


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
        basis = np.linalg.qr(np.random.default_rng(3).standard_normal((d, d)))[0][:, :r]
        return identity_frame(d) if r == d else Frame(basis, np.eye(r))

    def rows(self, seed):
        z = np.random.default_rng((seed, 4)).standard_normal((self.n, len(self.spectrum)))
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
    return SimulatedNoise(np.random.default_rng(seed))


def test_the_cases_have_steps_that_answer_and_steps_that_do_not():
    assert CASES[0].recipe.steps.count == 0
    assert all(case.recipe.steps.count >= 2 for case in CASES[1:])


# What a row moves, and what it is charged


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


# Every number by its definition


def by_the_definition(case, x, events):
    """Steps (1) to (5) of the module from what mechanisms released; compares what each of them saw."""
    steps, frame, spread = case.recipe.steps, case.frame(), np.array(case.spectrum)
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


@pytest.mark.parametrize(("d", "rank"), [(1, 1), (3, 3), (4, 2)])
def test_without_noise_a_lifted_moment_holds_mean_and_moment(d, rank):
    rows = np.random.default_rng(12).uniform(-0.5, 0.5, (50, rank))
    lift = LiftedMoment(50, d, HEIGHT)
    mean, moment = lift.draw(
        lift.of(rows, np.array), lift.charge("", ZCDP(1.0)), Quiet(np.random.default_rng(0))
    )
    assert mean == pytest.approx(rows.mean(axis=0), abs=STEP / 2)
    assert moment == pytest.approx(rows.T @ rows / 50, abs=STEP)


def test_rounding_keeps_axes_within_the_proved_factors():
    """T ≤ I, noise of norm ν, e > 2ν: the i-th axis t becomes t/(t + e ∓ 2ν). And never more than T/e."""
    rng = np.random.default_rng(13)
    for _ in range(300):
        r, norm = int(rng.integers(1, 7)), 10.0 ** rng.uniform(-4, -0.5)
        basis = np.linalg.qr(rng.standard_normal((r, r)))[0]
        t = np.sort(10.0 ** rng.uniform(-6, 0, r))
        matrix, noise = (basis * t) @ basis.T, rng.standard_normal((r, r))
        noise = (noise + noise.T) * norm / np.linalg.norm(noise + noise.T, 2)
        for e in (2.5 * norm, 10 * norm, 0.5 * norm):
            rounder = finish._rounder(matrix + noise, e)
            after = np.linalg.eigvalsh(rounder @ matrix @ rounder)
            assert np.linalg.norm(rounder, 2) ** 2 <= (1 + 1e-9) / e
            assert (after >= t / (t + e + 2 * norm) - 1e-9).all()
            if e > 2 * norm:
                assert (after <= t / (t + e - 2 * norm) + 1e-9).all()


# How many steps, and what a location costs


@pytest.mark.parametrize("d", [2, 3, 5, 10, 20])
@pytest.mark.parametrize("n", [4000, 20_000, 10**6])
def test_the_last_step_is_the_first_that_meets_the_worst_spectrum_round(d, n):
    steps = RoundSteps(n, d, LOUD, widest(d))
    spectra = [np.array(widest(d))]
    for cost in steps.costs:
        spectra.append(spectra[-1] / (spectra[-1] + steps.excess(spectra[-1], cost)))
    least = [spectrum.min() / spectrum.max() for spectrum in spectra]
    assert least[steps.count] >= 0.6
    assert steps.count >= 1
    assert least[steps.count - 1] < 0.6


WIDTHS = [(0.0, sd) for sd in (0.0, 1e-12, 1e-9, 1e-6, 1e-3, 0.1, 1.0, 3.0)] + [
    (0.5, sd) for sd in (0.5, 1.0, 2.0)
]


@pytest.mark.parametrize(("narrowest", "sd"), WIDTHS)
@pytest.mark.parametrize(("d", "n"), [(1, 1000), (2, 3000), (10, 30_000)])
def test_rows_of_any_width_have_a_place(narrowest, sd, d, n):
    """The exact law of the window median at the cost of one coordinate; `narrowest` as promised."""
    location = RoundSteps(n, d, ZCDP(1e3, 1e-6), (1.0,) * d, narrowest=narrowest).location
    cost = location.split(*(1.0,) * d)[0]
    points = 17.0 + sd * np.random.default_rng(14).standard_normal(n)
    pieces, epsilon = LOCATOR.pieces(points), selection_epsilon(cost)
    bottom = LOCATOR.log_bottom(cost) - epsilon * n / 2
    places = logsumexp(pieces.log_length() - epsilon * pieces.penalty / 2)
    assert exp(bottom - np.logaddexp(bottom, places)) <= NO_PLACE / d


def test_a_location_costs_no_more_than_a_fifth():
    for n in (20, 200, 2000):
        assert RoundSteps(n, 3, ZCDP(1.0, 1e-9), widest(3)).location.rho <= 0.2 * (1 + 1e-12)


# What comes out


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
    assert recipe.steps.count >= 4
    for cost in recipe.steps.costs:
        radius = recipe.steps.ball(spectrum)
        foreseen.append(censored_spectrum(spectrum, radius).sum() / radius**2)
        spectrum = spectrum / (spectrum + recipe.steps.excess(spectrum, cost))
    for seed in range(10):
        rows = np.random.default_rng((17, seed)).standard_normal((n, d))
        with spied() as events:
            recipe.estimate(rows, identity_frame(d), np.ones(d), list(recipe.charges()), noise_of(seed))
        seen.append([np.trace(event.statistic[1:, 1:]) for event in events[d:]])
    assert np.median(seen, axis=0) == pytest.approx(foreseen, rel=0.025)


@pytest.mark.daily
@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize("n", [400, 4000])
def test_the_predicted_median_is_within_a_seventh_of_that_of_runs(centred, n):
    """Binomial tests of 1000 runs at a false alarm of 1e-6; a prediction that is off by a half is found."""
    recipe, below = RoundFinish(n, 1, ZCDP(0.05, 1e-6), (1.0,), centred), []
    predicted, charges = squared_error(recipe.steps).covariance_median, list(recipe.charges())
    for seed in range(1000):
        rng = np.random.default_rng((18, seed))
        rows = rng.standard_normal((n, 1))
        found = recipe.estimate(rows, identity_frame(1), np.ones(1), charges, SimulatedNoise(rng))
        below.append(abs(found.covariance[0, 0] - 1) / predicted)
    least, most = binom.ppf([FALSE_ALARM, 1 - FALSE_ALARM], 1000, 0.5)
    assert np.sum(np.array(below) <= 1.15) >= least
    assert np.sum(np.array(below) <= 1 / 1.15) <= most
    assert np.sum(np.array(below) <= 1.5) > most
    assert np.sum(np.array(below) <= 1 / 1.5) < least


def test_where_the_mean_is_known_the_law_is_foreseen_as_well_as_its_covariance():
    for centred in (False, True):
        errors = squared_error(RoundSteps(4000, 2, ZCDP(0.05, 1e-6), widest(2), centred))
        assert (errors.gaussian_median == errors.covariance_median) == centred


@pytest.mark.parametrize("d", [2, 100, 341, 342, 343, 1000, 10_000])
def test_the_slope_is_a_share_in_any_dimension(d):
    """At the median length half of the rows are inside, and the others turn nearly as they did."""
    assert slope(d, sqrt(d)) == pytest.approx(1.0, abs=1 / sqrt(d))
    assert slope(d, sqrt(d)) < slope(d, 1.1 * sqrt(d)) <= 1.0
    assert log(slope(d, 3 * sqrt(d))) == pytest.approx(0.0, abs=1e-3)


@pytest.mark.daily
@pytest.mark.parametrize("d", [1, 2, 5])
def test_a_foreseen_total_variation_is_that_of_normal_errors(d):
    """Errors of a covariance alone, and with a mean: against the mean of max(0, 1 - p/φ) over normal rows."""
    rng, n = np.random.default_rng(31), 400
    for mean in (0.0, 0.02):
        found = []
        for _ in range(n):
            free = rng.standard_normal((d, d)) * 0.02
            law = rng.standard_normal(d) * mean, np.eye(d) + (free + free.T) / sqrt(2)
            found.append(total_variation(*law))
        size = SquaredErrors(d, d * mean**2, d * (d + 1) * 0.02**2)
        assert np.median(found) == pytest.approx(size.total_variation, rel=0.12)


def test_what_a_covariance_error_does_to_a_log_ratio_on_the_line():
    """E|z² - 1| = 4 φ(1), beside √2 √(2/π)."""
    assert peaked(1) == pytest.approx(4 * exp(-0.5) / sqrt(2 * pi) / (2 / sqrt(pi)), rel=0.02)
