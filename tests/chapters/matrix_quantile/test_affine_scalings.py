"""Claims about how n of lifted rows grows hold where it grows as stated, and are refuted elsewhere."""

import pytest

from tests.chapters.cliffs import found
from workbench.chapters.matrix_quantile import lifted as affine
from workbench.chapters.matrix_quantile.claims import affine_scalings
from workbench.study import scaling as run
from workbench.study.rules import Status

SEARCHED = (
    pytest.param("matrix-quantile/mean-rows-grow", marks=pytest.mark.slow),
    pytest.param("matrix-quantile/mean-rows-in-steps", marks=pytest.mark.slow),
    "matrix-quantile/law-rows-grow",
)


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
