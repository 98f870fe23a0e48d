"""Claims are refuted where a part of the world or of the package is false; pictures are true."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ks_2samp

from tests.chapters.conftest import columns, decided, require_refuted, scaled, statuses
from workbench.bounds import wx19 as bounds
from workbench.chapters.sparse_covariance import designs, dimension, entries, figures_1_to_4
from workbench.distributions import Gaussian
from workbench.estimators import sparse
from workbench.estimators.sparse import LocalThresholdedCovariance, ThresholdedCovariance
from workbench.populations import MultivariateGaussian
from workbench.privacy import ApproxDP, GaussianDP, SimulatedNoise
from workbench.study.profiles import CONTRACT_LEVEL
from workbench.study.rules import Status

NAME = "sparse-covariance/{}".format
DEGREE, NORMS, PRICE = NAME("error-in-degree"), NAME("every-norm"), NAME("price-of-privacy")
FLAT, SUPPORT, STATED = NAME("flat-in-block"), NAME("support-found"), NAME("stated-noise-keeps-promise")


@pytest.mark.turns(3)
def test_an_unclipped_row_and_the_sensitivity_of_an_added_one_are_refuted(world):
    assert decided(NAME("sensitivity-root-two")).status is Status.HOLDS
    world.part(sparse, "second_moment_sensitivity", lambda n, radius: radius**2 / n)
    require_refuted(NAME("sensitivity-root-two"), "what is charged")
    world.part(designs, "second_moment_within", lambda x, radius: x.T @ x / len(x))
    require_refuted(NAME("sensitivity-root-two"), "random pairs")


def test_the_stated_noise_breaks_its_promise_and_that_for_replaced_rows_would_not(world):
    verdict = decided(STATED)
    assert verdict.status is Status.REFUTED
    assert verdict.detail["(1, 1e-05)"] == pytest.approx(1.098, abs=5e-4)
    true = sparse.delivered_mu
    world.part(designs, "delivered_mu", lambda budget: GaussianDP(true(budget).mu / np.sqrt(2)))
    assert decided(STATED).status is Status.HOLDS


def bent(axis, power, column, **where):
    """A column is of another order along an axis, at the points with these parameters."""

    def change(found, point):
        there = all(point[name] == value for name, value in where.items())
        return {column: found[column] * ((point[axis] / 50) ** power if there else 1.0)}

    return columns(change)


def exchanged(found, point):
    return {"adaptive-lasso": found["paper"], "paper": found["adaptive-lasso"]}


FALSIFIED = [
    (dimension, PRICE, "RATES", bent("n", 0.2, "error", model="central"), 40, "slope in n, central"),
    (dimension, PRICE, "RATES", bent("p", 0.4, "error"), 40, "error at p = 200 over that at p = 50"),
    (entries, SUPPORT, "SUPPORT", columns(exchanged), 24, "n of the default over that"),
    (entries, DEGREE, "DEGREE", bent("degree", 0.3, "error", signs="aligned"), 12, "slope in s, lost"),
    (entries, NORMS, "NORMS", scaled(**{"w = 1": 30.0}), 15, "runs beyond 4 t (s + 1), w = 1"),
]


@pytest.fixture
def _few(world):
    world.few(dimension, {"PRICE": 3, "RATES": 40, "SOURCE_BLOCK": 15, "BLOCK": 1})
    world.few(entries, {"SUPPORT": 24, "DEGREE": 12, "NORMS": 15})
    world.part(entries, "ENTRY_P", (10,))
    world.sweep(entries, "ENTRIES", trials=1500, keep=lambda point: point["p"] == 10)
    world.part(entries, "LEMMA_P", (5,))
    world.sweep(entries, "LEMMA", trials=2000, keep=lambda point: point["p"] == 5)
    world.part(entries, "SCALES", (1e4,))
    world.sweep(entries, "RADIUS", trials=20, keep=lambda point: point["scale"] == 1e4)


@pytest.mark.daily
@pytest.mark.usefixtures("_few")
@pytest.mark.parametrize("case", FALSIFIED, ids=[case[-1] for case in FALSIFIED])
def test_a_falsified_world_is_refuted(world, case):
    world.refutes(*case)


def louder(moment, charge, source, true=designs.perturbed):
    """Draw noise of 2.5 times the scale that is charged."""
    return moment + 2.5 * (true(moment, charge, source) - moment)


def wider(*given, right=sparse.private_radius):
    return 4 * right(*given)


def diagonal(one, rule, rng):
    return designs.diagonal(one.released)


PARTS = [
    (NAME("entries-concentrate"), designs, "perturbed", louder, ""),
    (NAME("entry-by-entry"), bounds, "LEMMA_3", 0.5, ""),
    (NAME("unknown-radius"), sparse, "private_radius", wider, ""),
    (FLAT, designs.Released, "kept", diagonal, "error over that of the true diagonal, equation (9)"),
]


@pytest.mark.daily
@pytest.mark.usefixtures("_few")
@pytest.mark.parametrize(("identifier", "owner", "name", "other", "check"), PARTS)
def test_a_false_part_is_refuted(world, identifier, owner, name, other, check):
    world.part(owner, name, other)
    require_refuted(identifier, check)


def test_a_rule_that_sees_more_than_the_diagonal_refutes_the_figure(world):
    world.few(figures_1_to_4, {"DEGENERATE": 8})
    world.part(sparse, "PAPER", 0.2)
    assert set(statuses(NAME("figure-shows-diagonal")).values()) == {Status.REFUTED}


def test_a_curve_that_leaves_the_diagonal_refutes_that_all_are_its():
    rng, frames = np.random.default_rng(4), []
    for sweep in figures_1_to_4.ON_DIAGONAL.values():
        columns = [f"{name}, w = {w}" for name in ("algorithm", "oracle diagonal") for w in (1, 2)]
        points = [one for one in sweep.points for _ in range(40)]
        noise = rng.uniform(0.99, 1.01, (len(points), len(columns)))
        frames.append(pd.DataFrame(points).join(pd.DataFrame(noise, columns=columns)))
    assert {check.status for check in figures_1_to_4.on_the_diagonal(*frames)} == {Status.HOLDS}
    frames[0].loc[frames[0]["p"] == 400, "algorithm, w = 1"] *= 0.7
    wrong = {c.id for c in figures_1_to_4.on_the_diagonal(*frames) if c.status is Status.REFUTED}
    assert wrong == {"central, w = 1, p = 400"}


def power_of(exponents):
    """A world in which the n needed is a given power of p: the error is its root at .2."""

    def block(*, trials, data, noise, **point):
        p, n, spread = point["p"], point["n"], np.exp(0.02 * data.standard_normal(trials))
        needed = {name: 16_000 * (p / 50) ** power for name, power in exponents.items()}
        return {name: 0.2 * np.sqrt(rows / n) * spread for name, rows in needed.items()}

    return block


@pytest.mark.turns(4)
@pytest.mark.parametrize(
    ("exponents", "status"),
    [
        ({"default": 0.75, "plain": 1.15}, Status.HOLDS),
        ({"default": 0.45, "plain": 1.05}, Status.REFUTED),
        ({"default": 0.6, "plain": 0.7}, Status.REFUTED),
    ],
)
def test_powers_of_p_are_told_apart(world, exponents, status):
    world.sweep(dimension, "NEEDED", trials=30, block=power_of(exponents))
    assert decided(NAME("power-behind-norm")).status is status


@pytest.mark.turns(3)
@pytest.mark.parametrize("model", ["central", "local"])
def test_a_run_in_distribution_errs_as_one_on_rows_does(model):
    rng, n, runs, budget = np.random.default_rng(7), 400, 400, ApproxDP(1.0, 1e-6)
    covariance = designs.spread(6, 0.3, n, rng)
    law = MultivariateGaussian(Gaussian(np.zeros(6), covariance))
    kind = ThresholdedCovariance if model == "central" else LocalThresholdedCovariance
    x = [law.sample(n, rng=rng) for _ in range(runs)]
    on_rows = [kind(radius=1.0).estimate(sample, budget, SimulatedNoise(rng)).psd for sample in x]
    released = (designs.released(covariance, n, 1.0, rng, rng, model=model) for _ in range(runs))
    drawn = [one.thresholded("adaptive-lasso", rng).psd for one in released]
    errors = [[designs.spectral(one - covariance) for one in found] for found in (on_rows, drawn)]
    assert ks_2samp(*errors).pvalue > CONTRACT_LEVEL
    assert ks_2samp(errors[0], 1.3 * np.array(errors[1])).pvalue < CONTRACT_LEVEL
