"""The claims about CoinPress are refuted in a falsified world, and its pictures show what they say."""

from dataclasses import replace

import numpy as np
import pytest

from workbench.chapters.many_dimensions import box_and_ball, coinpress, steps
from workbench.estimators import coinpress as estimators
from workbench.privacy import ZCDP, ApproxDP
from workbench.study.grids import resampler
from workbench.study.profiles import claim_level
from workbench.study.rules import Status
from workbench.study.sweeps import run

SEED = 6
LEVEL = claim_level() / 50


def rng():
    return resampler(SEED, "test")


def small(one, name, trials, **points):
    """Run a sweep with fewer trials, at the points with these parameters."""
    kept = tuple(p for p in one.points if all(p[key] in values for key, values in points.items()))
    return run(replace(one, name=f"test-{name}", points=kept, trials=trials), "quick", seed=SEED)


def statuses(checks):
    return {check.id: check.status for check in checks}


def refuted(checks):
    return {name for name, status in statuses(checks).items() if status is Status.REFUTED}


AXES = {
    "mean": (coinpress.MEANS, (1000, 2000, 4000), 60),
    "covariance": (coinpress.COVARIANCES, (10_000, 20_000), 25),
}


@pytest.fixture(scope="module", params=AXES)
def axis(request):
    kind, ns, trials = AXES[request.param]
    whole = kind.axes["n"]
    frame = small(whole, f"axis-{request.param}", trials, n=ns)
    few = replace(whole, points=tuple(point for point in whole.points if point["n"] in ns))
    return kind._replace(axes={"n": few}), frame


def along(axis, frame):
    return coinpress.along_axis(axis[0], "n", frame, LEVEL, rng())


@pytest.mark.daily
@pytest.mark.parametrize("mode", coinpress.MODES)
def test_noise_half_as_large_again_refutes_the_private_part_alone(axis, mode):
    assert not refuted(along(axis, axis[1]))
    found = refuted(along(axis, axis[1].assign(**{f"apart {mode}": 1.5 * axis[1][f"apart {mode}"]})))
    assert f"privacy, {mode}, n = {axis[0].axes['n'].points[0]['n']}" in found
    assert all(name.startswith(f"privacy, {mode}") for name in found)


@pytest.mark.daily
def test_another_order_in_n_refutes_the_slope_and_rows_that_sample_worse_the_sampling(axis):
    frame = axis[1].assign(
        **{"apart practical": axis[1]["apart practical"] * axis[1]["n"]}, reference=1.6 * axis[1]["reference"]
    )
    found = refuted(along(axis, frame))
    assert "slope in n, practical" in found
    assert f"sampling, n = {axis[0].axes['n'].points[-1]['n']}" in found


SIZES = {"mean": (coinpress.MEANS, 0, (10, 0.2), 200), "covariance": (coinpress.COVARIANCES, 1, (4, 0.1), 60)}


@pytest.mark.daily
@pytest.mark.parametrize("name", SIZES)
def test_an_error_almost_twice_as_large_refutes_the_rows_needed(name):
    kind, place, (d, alpha), trials = SIZES[name]
    frame = small(kind.sizes[place], f"sizes-{name}", trials, d=(d,), alpha=(alpha,))
    kind = kind._replace(rows={(d, alpha): kind.rows[d, alpha]})
    found = coinpress.rows_checks(kind, frame, LEVEL, rng())
    assert not refuted(found)
    assert all(0.9 * check.bound < check.estimate < 1.1 * check.bound for check in found)
    worse = coinpress.rows_checks(kind, frame.assign(error=1.8 * frame["error"]), LEVEL, rng())
    assert refuted(worse) == {check.id for check in worse}


@pytest.fixture(scope="module")
def stepped():
    return small(steps.MEAN_STEPS, "steps", 150)


@pytest.mark.daily
@pytest.mark.parametrize(
    ("changed", "check"),
    [
        ({}, None),
        ({"error 4": lambda f: 1.4 * f["error 4"]}, "2, 3 and 4 steps, largest over smallest"),
        ({"error 1": lambda f: 1.5 * f["error 2"]}, "one step over two"),
        ({"apart 1": lambda f: 1.4 * f["apart 1"]}, "privacy of one step, R = 100√d"),
        ({"apart 1": lambda f: f["apart 1"] * f["reach"] ** -0.5}, "slope of one step in R"),
    ],
)
def test_another_order_of_steps_is_refuted(stepped, changed, check):
    found = refuted(steps.step_checks(stepped.assign(**changed), LEVEL, rng()))
    assert check in found if check else not found


@pytest.mark.daily
def test_a_wrong_side_that_does_no_harm_refutes_the_direction():
    frame = small(steps.ORIENTATIONS, "sides", 30)
    true = steps.directions(frame, LEVEL, rng())
    assert not refuted(true)
    assert true[0].status is Status.HOLDS
    swapped = frame.assign(**{f"wrong {t}": frame[f"right {t}"] for t in steps.STEPS})
    assert steps.directions(swapped, LEVEL, rng())[0].status is Status.REFUTED
    turned = frame.assign(**{f"right {t}": frame[f"wrong {t}"] for t in steps.STEPS})
    assert steps.directions(turned, LEVEL, rng())[3].status is Status.REFUTED


@pytest.mark.daily
def test_more_steps_that_do_harm_are_refuted():
    frame = small(steps.CONDITIONS, "conditions", 12, condition=(1e2,))
    assert not refuted(steps.condition_checks(frame, LEVEL, rng()))
    worse = frame.assign(
        **{
            f"error {one}": by * frame[f"error {one}"]
            for one, by in {"practical +2": 1.3, "proved +0": 1.5}.items()
        }
    )
    found = refuted(steps.condition_checks(worse, LEVEL, rng()))
    assert {
        "2 more steps, practical, condition 100",
        "over the plain estimate, proved, condition 100",
    } <= found


@pytest.mark.daily
def test_a_mean_that_is_lost_at_the_boundary_is_refuted():
    frame = run(coinpress.WHERE, "quick", seed=SEED)
    assert {check.status for check in coinpress.place_checks(frame, LEVEL, rng())} == {Status.HOLDS}
    lost = frame["error practical"] * (1 + 0.3 * (frame["place"] == "boundary"))
    found = [
        check.status
        for check in coinpress.place_checks(frame.assign(**{"error practical": lost}), LEVEL, rng())
    ]
    assert found == [Status.HOLDS] * 3 + [Status.REFUTED]


def frames_held(d, n, condition, trials, rho=0.5):
    """How often ℓ I ≤ A Σ Aᵀ ≤ I before every step, mode "proved"."""
    held, estimator = 0, coinpress.Covariances.estimator(d, condition, mode="proved", beta=0.1)
    for seed in range(trials):
        data, noise = np.random.default_rng(seed).spawn(2)
        sigma, x = coinpress.Covariances.rows(n, d, condition, data)
        trace = estimators.Trace()
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


@pytest.mark.parametrize(("d", "clip"), [(1, 2.0), (2, 0.7), (10, 3.0), (64, 8.5)])
def test_what_clipping_takes_is_what_integrals_say(d, clip):
    sizes = np.linalg.norm(np.random.default_rng(d).standard_normal((100_000, d)), axis=1)
    taken, slope = coinpress.beyond(d, clip)
    assert taken == pytest.approx(np.mean(np.maximum(sizes - clip, 0) ** 2), rel=0.05)
    kept = np.minimum(1.0, clip / sizes)
    moved = np.mean(kept * (1 - 1 / d) + (sizes <= clip) / d)  # the divergence of the clipped row, over d
    assert 1 - slope == pytest.approx(moved, rel=0.01)


@pytest.mark.daily
@pytest.mark.parametrize("key", box_and_ball.METHODS)
def test_the_predicted_error_is_the_measured_one(key):
    point = {"n": 2000, "d": 6, "half_width": 20.0, "epsilon": 1.0}
    data, noise = np.random.default_rng(SEED).spawn(2)
    found = box_and_ball.side_by_side(**point, trials=60, data=data, noise=noise)[key]
    one = box_and_ball.estimators(6, 20.0)[key]
    expected = box_and_ball.predicted(key, one, 2000, 6, ApproxDP(1.0, 1e-6))
    assert np.sqrt(np.mean(found**2)) == pytest.approx(expected.total, rel=0.2)
