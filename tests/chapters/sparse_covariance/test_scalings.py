"""The claims about how n grows hold with few runs, and are refuted where a number enters by another power."""

from dataclasses import replace

import numpy as np
import pytest

from tests.chapters.worlds import decided
from workbench.bounds import wx19 as bounds
from workbench.chapters.sparse_covariance import designs
from workbench.chapters.sparse_covariance import dimension as source_rule
from workbench.chapters.sparse_covariance.claims import entry_scalings, scalings
from workbench.chapters.sparse_covariance.runs import searched
from workbench.estimators import sparse
from workbench.linalg import psd_part
from workbench.study import scaling as run
from workbench.study.rules import Status
from workbench.study.scaling import grows, within

ALGORITHMS = {"rows": scalings.NOISE, "sampled": scalings.SAMPLING, "users": scalings.USERS}


@pytest.fixture(autouse=True)
def nothing_remembered():
    run.forget()
    searched.noise_of.cache_clear()
    yield
    run.forget()
    searched.noise_of.cache_clear()


def found(some, variable, cap=60):
    (one,) = (scaling for scaling in some() if scaling.variable == variable)
    few = replace(one, caps={"full": cap})
    (least,) = run.measured([few], "full", seed=4, jobs=1)
    return few, least


@pytest.mark.daily
@pytest.mark.parametrize("claim", [*scalings.CLAIMS, *entry_scalings.CLAIMS], ids=lambda claim: claim.number)
def test_nothing_is_refuted_with_few_runs(claim):
    assert decided(claim.id).status is Status.HOLDS


@pytest.mark.daily
@pytest.mark.parametrize(("name", "power"), [("rows", 1.5), ("users", 0.75)])
def test_a_dimension_that_counts_twice_is_refuted(monkeypatch, name, power):
    true = searched.noise_of

    def louder(model, p, n, epsilon, delta):
        return true(model, p, n, epsilon / np.log(p) ** power, delta)

    monkeypatch.setattr(searched, "noise_of", louder)
    assert grows(*found(ALGORITHMS[name].scalings, "d")).status is Status.REFUTED


@pytest.mark.daily
@pytest.mark.parametrize("name", ["rows", "users"])
def test_a_release_without_threshold_does_not_grow_as_the_logarithm_of_p(monkeypatch, name):
    monkeypatch.setattr(sparse, "PAPER", 1e-9)
    assert grows(*found(ALGORITHMS[name].scalings, "d")).status is not Status.HOLDS


@pytest.mark.daily
@pytest.mark.parametrize(("name", "loud"), [("rows", 2), ("users", 2)])
def test_an_epsilon_that_counts_twice_is_refuted(monkeypatch, name, loud):
    true = searched.noise_of
    monkeypatch.setattr(
        searched, "noise_of", lambda model, p, n, epsilon, delta: true(model, p, n, epsilon**loud, delta)
    )
    assert grows(*found(ALGORITHMS[name].scalings, "epsilon")).status is Status.REFUTED


@pytest.mark.daily
def test_a_delta_that_counts_without_its_root_is_refuted(monkeypatch):
    true = searched.noise_of

    def squared(model, p, n, epsilon, delta):
        return true(model, p, n, epsilon / np.sqrt(np.log(1 / delta)), delta)

    monkeypatch.setattr(searched, "noise_of", squared)
    assert grows(*found(scalings.NOISE.scalings, "delta")).status is Status.REFUTED


@pytest.mark.daily
def test_an_output_of_the_diagonal_is_never_enough(monkeypatch):
    monkeypatch.setattr(sparse, "PAPER", 1e9)
    scaling, least = found(scalings.NOISE.scalings, "epsilon")
    assert {one.kind for one in least} == {"never"}
    assert grows(scaling, least).status is not Status.HOLDS
    assert within(scaling, least, scalings.proved).status is not Status.HOLDS


@pytest.mark.daily
def test_a_threshold_that_is_much_too_large_is_refuted(monkeypatch):
    monkeypatch.setattr(sparse, "PAPER", 100.0)
    scaling, least = found(scalings.NOISE.scalings, "alpha")
    assert within(scaling, least, scalings.proved).status is Status.REFUTED


@pytest.mark.daily
def test_entries_that_are_louder_than_proved_are_refuted(monkeypatch):
    true = searched.noise_of
    monkeypatch.setattr(
        searched, "noise_of", lambda model, p, n, epsilon, delta: true(model, p, n, epsilon / 2, delta)
    )
    scaling, least = found(entry_scalings.scalings, "delta")
    assert within(scaling, least, entry_scalings.proved).status is Status.REFUTED


def test_the_term_that_is_looked_at_is_nearly_all_of_n():
    for algorithm in (*ALGORITHMS.values(), scalings.COLUMNS):
        for scaling in algorithm.scalings():
            assert min(scaling.setting(value).share for value in scaling.values) > 0.9


@pytest.mark.daily
def test_on_a_spread_support_a_logarithm_of_p_is_no_answer(monkeypatch):
    scaling, least = found(source_rule.scalings, "d", 40)
    assert grows(scaling, least).status is not Status.REFUTED
    flat = replace(scaling, setting=lambda p: scaling.setting(p)._replace(stated=np.log(p) ** 0.5))
    assert (
        grows(flat, [one._replace(setting=flat.setting(one.value)) for one in least]).status is Status.REFUTED
    )


def test_rows_of_a_threshold_and_of_the_shapes_solve_their_equations():
    noise = searched.stated_noise(0.5, 1e-6)
    for local in (False, True):
        n = bounds.rows_for_threshold(1e-3, 40, noise, 0.02, local=local)
        sd = noise / (np.sqrt(n) if local else n)
        assert bounds.threshold(40, round(n), sd, 0.02) == pytest.approx(1e-3, rel=1e-4)
    n = bounds.central_rows(0.1, 3, 40, 0.5, 1e-6, 1.0)
    assert bounds.central_shape(3, 40, round(n), 0.5, 1e-6) == pytest.approx(0.01, rel=1e-3)
    n = bounds.local_rows(0.1, 3, 40, 0.5, 1e-6, 0.0)
    assert bounds.local_shape(3, 40, round(n), 0.5, 1e-6) == pytest.approx(0.01, rel=1e-3)


def test_the_error_block_by_block_is_that_of_the_whole():
    rng = np.random.default_rng(3)
    truth = searched.padded(searched.circle(6, 2, 1.0, 0.3), 9)
    kept = truth + np.diag(rng.standard_normal(9))
    kept[7, 8] = kept[8, 7] = 0.8
    assert searched.spectral_error(kept, truth) == pytest.approx(designs.spectral(psd_part(kept) - truth))


@pytest.mark.parametrize(("active", "degree"), [(8, 2), (16, 4), (64, 32), (32, 16)])
def test_circles_are_covariances_of_rows_in_the_unit_ball(active, degree):
    variance = searched.largest_variance(active, degree)
    entry = searched.SIZES[-1] * searched.UNIT * variance / degree
    law = searched.circle(active, degree, variance, entry)
    assert np.linalg.eigvalsh(law)[0] > 0
    assert searched.unit_ball_scale(law, searched.LARGEST_N, searched.CLIPPED) <= 1 + 1e-12
    assert (searched.neighbours(active, degree).sum(axis=0) == degree).all()
