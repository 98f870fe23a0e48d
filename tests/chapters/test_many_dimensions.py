"""The claims about CoinPress are refuted in a falsified world, and its predictions are what is measured."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tests.chapters.conftest import SEED, small
from workbench.chapters.many_dimensions import coinpress, steps
from workbench.study.rules import Status, claim_level
from workbench.study.sweeps import resampler

LEVEL = claim_level() / 50


def refuted(checks):
    return {check.id for check in checks if check.status is Status.REFUTED}


def at(sweep, **kept):
    return replace(sweep, points=tuple(p for p in sweep.points if all(p[key] in kept[key] for key in kept)))


def falsified(frame, changes):
    other = {name: frame[one] if isinstance(one, str) else one(frame) for name, one in changes.items()}
    return frame.assign(**other)


def times(factor, column):
    return {column: lambda frame: factor * frame[column]}


def lost(frame):
    return frame["error practical"] * (1 + 0.3 * (frame["place"] == "boundary"))


STEPPED = steps.step_checks, steps.MEAN_STEPS, 150
FALSE = [  # checks, sweep, trials; columns of another world; a check that is refuted in it
    (*STEPPED, times(1.4, "error 4"), "2, 3 and 4 steps, largest over smallest"),
    (*STEPPED, {"apart 1": lambda f: f["apart 1"] * f["reach"] ** -0.5},
     "slope of one step in R"),
    (steps.directions, steps.ORIENTATIONS, 30, {f"wrong {t}": f"right {t}" for t in steps.STEPS},
     "3 steps over 2, rows on the wrong side"),
    (steps.condition_checks, at(steps.CONDITIONS, condition=(1e2,)), 12, times(1.5, "error proved +0"),
     "over the plain estimate, proved, condition 100"),
    (coinpress.place_checks, coinpress.WHERE, 200, {"error practical": lost},
     "over the sample mean, boundary"),
]  # fmt: skip


@pytest.mark.daily
@pytest.mark.parametrize(("checks", "sweep", "trials", "changes", "wrong"), FALSE)
def test_a_falsified_world_is_refuted_and_the_true_one_is_not(checks, sweep, trials, changes, wrong):
    frame = small(sweep, trials)
    assert not refuted(checks(frame, SEED))
    assert wrong in refuted(checks(falsified(frame, changes), SEED))


@pytest.mark.parametrize(
    ("change", "wrong"), [({}, ""), ({"t": 0.7}, "Figure 3"), ({"default": 1.3}, "default")]
)
def test_errors_are_held_beside_the_published_ones(change, wrong):
    rng, tables = np.random.default_rng(SEED), []
    for shown in coinpress.SHOWN:
        frames = []
        for point, *errors in zip(shown.sweep.points, *shown.errors.values(), strict=True):
            given = zip(shown.errors, errors, strict=True)
            found = {f"error {t}": change.get("t", 1) * error for t, error in given}
            found["error default"] = change.get("default", 0.9) * min(errors)
            noisy = {name: error * rng.uniform(0.99, 1.01, 200) for name, error in found.items()}
            frames.append(pd.DataFrame({"n": point["n"], **noisy}))
        tables.append(pd.concat(frames))
    checks = list(coinpress.published_checks(*tables))
    found = refuted(checks)
    assert all(wrong in check for check in found)
    assert bool(found) == bool(wrong)
    assert wrong or {check.status for check in checks} == {Status.HOLDS}


KINDS = {"mean": coinpress.MEANS, "covariance": coinpress.COVARIANCES}
AXES = {"mean": ((1000, 2000, 4000), 60), "covariance": ((10_000, 20_000), 50)}


@pytest.mark.daily
@pytest.mark.parametrize("name", KINDS)
def test_the_private_part_its_slope_and_the_sampling_error_are_refuted_alone(name):
    """Noise half as large again in either mode; another order in n; rows that sample worse."""
    (ns, trials), whole = AXES[name], KINDS[name]
    few = at(whole.axes["n"], n=ns)
    kind, frame = whole._replace(axes={"n": few}), small(few, trials)

    def found(changes):
        rng = resampler(SEED, "test")
        return refuted(coinpress.along_axis(kind, "n", falsified(frame, changes), LEVEL, rng))

    assert not found({})
    for mode in coinpress.MODES:
        wrong = found(times(1.5, f"apart {mode}"))
        assert f"privacy, {mode}, n = {ns[0]}" in wrong
        assert all(one.startswith(f"privacy, {mode}") for one in wrong)
    assert "slope in n, practical" in found({"apart practical": lambda f: f["apart practical"] * f["n"]})
    assert f"sampling, n = {ns[-1]}" in found(times(1.6, "reference"))


@pytest.mark.daily
@pytest.mark.parametrize(
    ("kind", "place", "size", "trials"),
    [(coinpress.MEANS, 0, (10, 0.2), 200), (coinpress.COVARIANCES, 1, (4, 0.1), 60)],
    ids=KINDS,
)
def test_an_error_almost_twice_as_large_refutes_the_rows_needed(kind, place, size, trials):
    frame = small(at(kind.sizes[place], d=size[:1], alpha=size[1:]), trials)
    kind = kind._replace(rows={size: kind.rows[size]})
    found = list(coinpress.rows_checks(kind, frame, LEVEL, resampler(SEED, "test")))
    assert not refuted(found)
    assert all(0.9 * check.bound < check.estimate < 1.1 * check.bound for check in found)
    worse = falsified(frame, times(1.8, "error"))
    found = list(coinpress.rows_checks(kind, worse, LEVEL, resampler(SEED, "test")))
    assert refuted(found) == {check.id for check in found}
