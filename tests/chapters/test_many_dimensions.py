"""The claims about CoinPress are refuted in a falsified world, and its predictions are what is measured."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from workbench.chapters.many_dimensions import box_and_ball, coinpress, steps
from workbench.estimators import coinpress as estimators
from workbench.estimators.base import Trace
from workbench.privacy import ZCDP, ApproxDP
from workbench.study.rules import Status, claim_level
from workbench.study.sweeps import resampler, run

SEED, LEVEL = 6, claim_level() / 50


def refuted(checks):
    return {check.id for check in checks if check.status is Status.REFUTED}


def at(sweep, **kept):
    """A sweep at those of its points that have one of these values."""
    return replace(sweep, points=tuple(p for p in sweep.points if all(p[key] in kept[key] for key in kept)))


def small(sweep, trials):
    return run(replace(sweep, name=f"test-{sweep.name}", trials=trials), "quick", seed=SEED)


def falsified(frame, changes):
    """A frame with columns that are those of another world."""
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
    ("change", "wrong"),
    [({}, ""), ({"t": 0.7}, "Figure 3"), ({"default": 1.3}, "default")],
)
def test_errors_are_held_beside_the_published_ones(change, wrong):
    rng, frames = np.random.default_rng(SEED), []
    for shown in coinpress.SHOWN:
        for place, point in enumerate(shown.sweep.points):
            found = {f"error {t}": change.get("t", 1) * errors[place] for t, errors in shown.errors.items()}
            best = min(errors[place] for errors in shown.errors.values())
            found |= {"error default": change.get("default", 0.9) * best, "n": point["n"]}
            noise = rng.uniform(0.99, 1.01, 200)
            frames.append((shown, pd.DataFrame({k: v if k == "n" else v * noise for k, v in found.items()})))
    tables = (pd.concat([frame for one, frame in frames if one is shown]) for shown in coinpress.SHOWN)
    checks = list(coinpress.published_checks(*tables))
    assert all((wrong in check.id) == bool(wrong) for check in checks if check.status is Status.REFUTED)
    assert bool(wrong) == any(check.status is Status.REFUTED for check in checks)
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
    worse = list(
        coinpress.rows_checks(kind, falsified(frame, times(1.8, "error")), LEVEL, resampler(SEED, "test"))
    )
    assert refuted(worse) == {check.id for check in worse}


def frames_held(d, n, condition, trials, rho=0.5):
    """How often ℓ I ≤ A Σ Aᵀ ≤ I before every step, mode "proved"."""
    held, estimator = 0, coinpress.Covariances.estimator(d, condition, mode="proved", beta=0.1)
    for seed in range(trials):
        data, noise = np.random.default_rng(seed).spawn(2)
        sigma, x = coinpress.Covariances.rows(n, d, condition, data)
        trace = Trace()
        estimator(x, budget=ZCDP(rho), rng=noise, trace=trace)
        values = [np.linalg.eigvalsh(a @ sigma @ a.T) for a in trace.records["preconditioner"]]
        held += all(
            lower * (1 - 1e-9) <= one[0] and one[-1] <= 1 + 1e-9
            for one, lower in zip(values, trace.records["lower"], strict=True)
        )
    return held / trials


@pytest.mark.turns(3)
def test_proved_frames_stay_between_their_bounds_and_without_their_error_do_not(monkeypatch):
    assert frames_held(4, 20_000, 1e4, 20) >= 0.9
    true = estimators.preconditioned
    monkeypatch.setattr(estimators, "preconditioned", lambda z, e, lower, a: true(z, 0.0, lower, a))
    assert frames_held(4, 20_000, 1e4, 20) < 0.5


@pytest.mark.daily
@pytest.mark.parametrize("key", box_and_ball.METHODS)
def test_the_predicted_error_is_the_measured_one(key):
    point = {"n": 2000, "d": 6, "half_width": 20.0, "epsilon": 1.0}
    data, noise = np.random.default_rng(SEED).spawn(2)
    found = box_and_ball.side_by_side(**point, trials=60, data=data, noise=noise)[key]
    one = box_and_ball.estimators(6, 20.0)[key]
    expected = box_and_ball.predicted(key, one, 2000, 6, ApproxDP(1.0, 1e-6))
    assert np.sqrt(np.mean(found**2)) == pytest.approx(expected.total, rel=0.2)
