"""The claims about the matrix quantile decide, and each of them can fail: a falsified world is refuted."""

from dataclasses import replace

import numpy as np
import pytest

from workbench.chapters.matrix_quantile.runs import quantile as sweeps
from workbench.chapters.registry import CLAIMS
from workbench.estimators.parts.quantile.stability import Stability
from workbench.study.sweeps import sweep
from workbench.study.verdict import Status

SEED = 4
WITHIN = 0.01


@pytest.fixture(autouse=True)
def _forget():
    yield
    sweep.forget()


def decided(identifier, profile="quick"):
    return CLAIMS[identifier].decide(profile, SEED, 1)


def pairs(exceptions, used=0.95, apart=1.0):
    """A block of pairs, this share of which break a bound; the others use up so much of it."""

    def block(*, trials, data, noise, **point):
        bad = data.random(trials) < exceptions
        return {"apart": apart + bad, "h": np.ones(trials), "trace": used + bad, "positive": used + bad}

    return block


def errors(failures):
    """A block of errors, this share of which are no answers."""
    return lambda *, trials, data, noise, **point: {
        "error": np.where(data.random(trials) < failures, np.inf, 0.01)
    }


def falsified(monkeypatch, name, block):
    changed = getattr(sweeps, name)
    one = (
        replace(changed, block=block)
        if name == "PAIRS"
        else {d: replace(found, block=block) for d, found in changed.items()}
    )
    monkeypatch.setattr(sweeps, name, one)


def test_exact_neighbours_interlace_and_a_wrong_quantile_is_refuted(monkeypatch):
    few = {"VALUES": (0, 1, 3), "FEW": 4}
    for name, value in few.items():
        monkeypatch.setattr(sweeps, name, value)
    assert decided("matrix-quantile/exact-small-cases").status is Status.HOLDS
    right = sweeps.exact_quantile
    monkeypatch.setattr(sweeps, "exact_quantile", lambda x, level: right(x, level) * (1 + x[-1]))
    assert decided("matrix-quantile/exact-small-cases").status is Status.REFUTED


def test_one_exception_refutes_the_bounds(monkeypatch):
    falsified(monkeypatch, "PAIRS", pairs(0.0))
    assert decided("matrix-quantile/bounds-hold-in-floats", "full").status is Status.HOLDS
    sweep.forget()
    falsified(monkeypatch, "PAIRS", pairs(WITHIN))
    assert decided("matrix-quantile/bounds-hold-in-floats", "full").status is Status.REFUTED


@pytest.mark.parametrize(("used", "apart"), [(0.85, 1.0), (0.95, 0.0)])
def test_a_search_that_would_not_find_a_smaller_bound_is_refuted(monkeypatch, used, apart):
    falsified(monkeypatch, "PAIRS", pairs(0.0, used, apart))
    assert decided("matrix-quantile/bounds-hold-in-floats", "full").status is Status.REFUTED


def test_bounds_a_tenth_smaller_are_refuted_by_few_pairs(monkeypatch):
    assert decided("matrix-quantile/bounds-hold-in-floats").status is not Status.REFUTED
    sweep.forget()
    right = Stability.change.fget
    monkeypatch.setattr(Stability, "change", property(lambda self: 0.9 * right(self)))
    assert decided("matrix-quantile/bounds-hold-in-floats").status is Status.REFUTED


@pytest.mark.parametrize(
    ("identifier", "name"),
    [("matrix-quantile/planned-rows-succeed", "SUCCESS"), ("matrix-quantile/planned-rows-near", "NEARBY")],
)
def test_too_many_failures_or_too_many_rows_are_refuted(monkeypatch, identifier, name):
    first = {**sweeps.NEAR_PLANNED} if name == "NEARBY" else {**sweeps.PLANNED}
    monkeypatch.setattr(sweeps, "planned", lambda d, alpha, budget=None: first[d])
    falsified(monkeypatch, name, errors(0.02))
    assert decided(identifier, "full").status is Status.HOLDS
    sweep.forget()
    falsified(monkeypatch, name, errors(0.4))
    assert decided(identifier, "full").status is Status.REFUTED
    sweep.forget()
    falsified(monkeypatch, name, errors(0.02))
    monkeypatch.setattr(sweeps, "planned", lambda d, alpha, budget=None: int(1.3 * first[d]))
    assert decided(identifier, "full").status is Status.REFUTED


def test_rows_that_grow_faster_are_refuted(monkeypatch):
    shape = 20 * 13.8
    monkeypatch.setattr(
        sweeps, "planned", lambda d, alpha, budget: int(d * (shape + 20 * d**0.5) / budget.epsilon)
    )
    assert decided("matrix-quantile/rows-follow-shape").status is Status.HOLDS
    monkeypatch.setattr(sweeps, "planned", lambda d, alpha, budget: int(d**2 * shape / budget.epsilon))
    assert decided("matrix-quantile/rows-follow-shape").status is Status.REFUTED
