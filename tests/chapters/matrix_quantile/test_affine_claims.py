"""The claims about what a lifted quantile gives decide, and a falsified world is refuted."""

from dataclasses import replace

import numpy as np
import pytest

from tests.chapters.cliffs import found
from tests.chapters.worlds import decided, refuted
from workbench.chapters.matrix_quantile.claims import affine_anywhere, affine_scalings, first_rows
from workbench.chapters.matrix_quantile.runs import affine
from workbench.populations.rotated import rotated
from workbench.study import scaling as run
from workbench.study.rules import Status

SEARCHED = (
    pytest.param("matrix-quantile/mean-rows-grow", marks=pytest.mark.slow),
    pytest.param("matrix-quantile/mean-rows-in-steps", marks=pytest.mark.slow),
    "matrix-quantile/law-rows-grow",
)
ANYWHERE = "matrix-quantile/lifted-anywhere"
LIGHT = 700  # n, of any design


@pytest.fixture(autouse=True)
def _no_designs(monkeypatch):
    """Replace what takes seconds, the designs, by a formula of the same numbers."""
    run.forget()
    shapes = {affine.MEAN: affine_scalings.mean_shape, affine.LAW: affine_scalings.near_shape}

    def rows(key, d, alpha, epsilon, delta):
        return round(shapes[key]({"d": d, "alpha": alpha, "epsilon": epsilon, "delta": delta}))

    monkeypatch.setattr(affine, "predicted", rows)
    monkeypatch.setattr(affine, "fewest", lambda *_: 1)
    yield
    run.forget()


@pytest.mark.parametrize("identifier", SEARCHED)
def test_n_that_grows_as_stated_is_seen(identifier):
    assert {status for name, status in found(identifier).items() if name.startswith("n in")} == {Status.HOLDS}


@pytest.mark.parametrize("identifier", SEARCHED)
def test_a_number_that_counts_for_more_is_refuted(identifier):
    statuses = [status for name, status in found(identifier, more=1.0).items() if name.startswith("n in")]
    assert Status.REFUTED in statuses
    assert Status.HOLDS not in statuses


@pytest.mark.parametrize("identifier", SEARCHED)
def test_a_plan_that_is_too_small_is_refuted(identifier):
    checks = found(identifier, times=2.0)
    assert {status for name, status in checks.items() if name.startswith("n over")} == {Status.REFUTED}


def anywhere(monkeypatch, share, times):
    """Let a share of runs, of one spectrum, be so many times as far off as is foreseen."""
    monkeypatch.setattr(affine, "expected", lambda *_: 1.0)
    monkeypatch.setattr(affine, "rows", lambda *_: LIGHT)

    def block(key, d, spectrum, *, trials, data, noise):
        off = (data.random(trials) < share) & (spectrum == "pairs")
        return {"error": np.where(off, times, 1.0), "abstained": np.zeros(trials, bool)}

    sweeps = {at: replace(one, block=block, trials=70) for at, one in affine.ANYWHERE.items()}
    monkeypatch.setattr(affine, "ANYWHERE", sweeps)


@pytest.mark.parametrize(("share", "times", "status"), [(0.05, 9.0, Status.HOLDS), (1.0, 1.2, Status.HOLDS)])
def test_the_same_anywhere_holds_where_few_are_far_off(monkeypatch, share, times, status):
    anywhere(monkeypatch, share, times)
    verdict = decided(ANYWHERE)
    assert verdict.status is status
    sizes = [one for check in verdict.detail["checks"] for one in check["detail"]["sizes"]]
    assert {one["statement"] for one in sizes} == set(affine_anywhere.STATEMENTS.values())


@pytest.mark.parametrize("times", [3.0, np.inf])
def test_one_spectrum_that_fails_four_times_in_ten_refutes_anywhere(monkeypatch, times):
    anywhere(monkeypatch, 0.4, times)
    assert len(refuted(ANYWHERE)) == len(affine.ANYWHERE)


def test_losses_of_the_truth_are_0_whatever_the_offset():
    law = rotated(np.geomspace(1.0, 1e8, 3), np.random.default_rng(2), 1e6)
    assert affine.mean_loss(law, law.mean) == 0
    moved = law.mean + law.basis @ (np.sqrt(law.values) * [0.3, 0.0, 0.4])
    assert affine.mean_loss(law, moved) == pytest.approx(0.5, rel=1e-4)


def test_fewer_first_rows_are_certain(monkeypatch):
    monkeypatch.setattr(affine, "fewest", lambda key, d, budget: 100 * d)
    assert first_rows.fewer_first_rows().status == Status.HOLDS
    monkeypatch.setattr(affine, "fewest", lambda key, d, budget: 3000 * d)
    assert first_rows.fewer_first_rows().status == Status.REFUTED
