"""The claims about CoinPress decide, and each of them can fail: a falsified world is refuted."""

from dataclasses import replace

import numpy as np
import pytest

from tests.chapters.worlds import require_true
from workbench.chapters.many_dimensions.claims import checks, covariance, mean
from workbench.chapters.many_dimensions.runs import coinpress as runs
from workbench.chapters.many_dimensions.runs import steps, theory
from workbench.estimators import coinpress
from workbench.estimators.coinpress import CoinPressMean
from workbench.linalg import second_moment
from workbench.losses import mahalanobis_covariance_error
from workbench.privacy import ZCDP
from workbench.study.grids import resampler
from workbench.study.profiles import claim_level
from workbench.study.rules import Status
from workbench.study.sweeps import run

IDS = (
    "many-dimensions/order-of-steps",
    "many-dimensions/two-steps-or-more",
    "many-dimensions/proved-bounds-hold",
    "many-dimensions/wrong-side-grows",
    "many-dimensions/near-and-flat",
    "many-dimensions/near-sample-mean",
)
RECORDED = dict.fromkeys(IDS, 0) | {"many-dimensions/mean-excess": 8, "many-dimensions/covariance-excess": 8}
FEWER = {
    runs: {"MEAN_N": 8, "MEAN_RHO": 8, "MEAN_D": 8, "MEAN_SIZES": 8}
    | {"COVARIANCE_N": 3, "COVARIANCE_RHO": 3, "COVARIANCE_D": 3, "COVARIANCE_SIZES": 3}
    | {"MEAN_SIZES_FEW": 8, "COVARIANCE_SIZES_FEW": 3},
    steps: {"MEAN_STEPS": 10, "COVARIANCE_STEPS": 3, "ORIENTATIONS": 3, "CONDITIONS": 1, "WHERE": 20}
    | {"FRAMES": 10, "BALLS": 10},
}
SEED = 6
LEVEL = claim_level() / 50


def rng():
    return resampler(SEED, "test")


@pytest.fixture
def _few(world):
    for module, trials in FEWER.items():
        world.few(module, trials)
    for prefix, settings in (("MEAN", ((5, 0.2), (10, 0.5))), ("COVARIANCE", ((4, 0.1), (8, 0.2)))):
        middle = getattr(runs, f"{prefix}_ROWS")
        world.part(runs, f"{prefix}_ROWS", {key: middle[key] for key in settings})
        world.sweep(
            runs, f"{prefix}_SIZES", keep=lambda point, of=settings: (point["d"], point["alpha"]) in of
        )


@pytest.mark.daily
@pytest.mark.usefixtures("_few")
@pytest.mark.parametrize("identifier", RECORDED)
def test_a_true_claim_is_not_refuted_by_few_trials(identifier):
    assert require_true(identifier, sizes=RECORDED[identifier]).level <= claim_level() * (1 + 1e-9)


def small(one, name, trials, **points):
    """A sweep with fewer trials, at the points with these parameters."""
    kept = tuple(p for p in one.points if all(p[key] in values for key, values in points.items()))
    return replace(one, name=f"test-{name}", points=kept, trials=trials)


def statuses(checks):
    return {check.id: check.status for check in checks}


AXES = {
    "mean": (runs.MEAN_N, mean.predicted, {"n": (1000, 2000, 4000)}, 60),
    "covariance": (runs.COVARIANCE_N, covariance.predicted, {"n": (10_000, 20_000)}, 25),
}


@pytest.fixture(scope="module", params=AXES)
def axis(request):
    one, predict, points, trials = AXES[request.param]
    chosen = small(one, f"axis-{request.param}", trials, **points)
    return chosen, predict, run(chosen, "quick", seed=SEED)


def along(axis, frame):
    chosen, predict, _ = axis
    return statuses(mean.along_axis(chosen, "n", frame, predict, LEVEL, rng()))


@pytest.mark.daily
def test_both_parts_and_the_slopes_are_as_predicted(axis):
    found = along(axis, axis[2])
    assert Status.REFUTED not in found.values()
    assert len(found) == 3 * len(axis[0].points) + 2


@pytest.mark.parametrize("mode", runs.MODES)
def test_noise_half_as_large_again_refutes_the_private_part_alone(axis, mode):
    found = along(axis, axis[2].assign(**{f"apart {mode}": 1.5 * axis[2][f"apart {mode}"]}))
    assert found[f"privacy, {mode}, n = {axis[0].points[0]['n']}"] is Status.REFUTED
    assert {status for name, status in found.items() if not name.startswith(f"privacy, {mode}")} <= {
        Status.HOLDS, Status.UNDECIDED,
    }  # fmt: skip


def test_another_order_in_n_refutes_the_slope(axis):
    frame = axis[2]
    found = along(axis, frame.assign(**{"apart practical": frame["apart practical"] * frame["n"]}))
    assert found["slope in n, practical"] is Status.REFUTED


def test_rows_that_sample_worse_refute_the_sampling_part(axis):
    found = along(axis, axis[2].assign(reference=1.6 * axis[2]["reference"]))
    assert found[f"sampling, n = {axis[0].points[-1]['n']}"] is Status.REFUTED


SIZES = {
    "mean": (mean, "MEAN", "MEAN_SIZES", (10, 0.2), 200),
    "covariance": (covariance, "COVARIANCE", "COVARIANCE_SIZES_FEW", (4, 0.1), 60),
}


@pytest.mark.daily
@pytest.mark.parametrize("kind", SIZES)
def test_an_error_almost_twice_as_large_refutes_the_rows_needed(kind, monkeypatch):
    module, prefix, name, (d, alpha), trials = SIZES[kind]
    chosen = small(getattr(runs, name), f"sizes-{kind}", trials, d=(d,), alpha=(alpha,))
    monkeypatch.setattr(runs, f"{prefix}_ROWS", {(d, alpha): getattr(runs, f"{prefix}_ROWS")[d, alpha]})
    frame = run(chosen, "quick", seed=SEED)
    found = module.rows_needed(frame, LEVEL, rng())
    assert Status.REFUTED not in {check.status for check in found}
    for check in found:
        constant, shape = check.detail["sizes"]
        assert constant["predicted"] == check.bound
        assert constant["estimate"] == shape["estimate"] == check.estimate
        assert 0.9 * check.bound < check.estimate < 1.1 * check.bound
        assert shape["predicted"] < constant["predicted"]
    worse = module.rows_needed(frame.assign(error=1.8 * frame["error"]), LEVEL, rng())
    assert {check.status for check in worse} == {Status.REFUTED}


@pytest.mark.daily
def test_the_grids_of_rows_lie_round_the_predictions():
    for middle, predicted in ((runs.MEAN_ROWS, runs.mean_rows), (runs.COVARIANCE_ROWS, runs.covariance_rows)):
        for (d, alpha), both in middle.items():
            for mode, n in zip(runs.MODES, both, strict=True):
                assert predicted(d, alpha, mode) == pytest.approx(n, rel=0.02)


@pytest.fixture(scope="module")
def stepped():
    return run(replace(steps.MEAN_STEPS, trials=150), "quick", seed=SEED)


def step_statuses(frame):
    return statuses(mean.step_checks(frame, LEVEL, rng()))


@pytest.mark.daily
def test_the_order_of_steps_is_not_refuted(stepped):
    assert Status.REFUTED not in step_statuses(stepped).values()


@pytest.mark.parametrize(
    ("changed", "check"),
    [
        ({"error 4": lambda f: 1.4 * f["error 4"]}, "2, 3 and 4 steps, largest over smallest"),
        ({"error 1": lambda f: 1.5 * f["error 2"]}, "one step over two"),
        ({"apart 1": lambda f: 1.4 * f["apart 1"]}, "privacy of one step, R = 100√d"),
        ({"apart 1": lambda f: f["apart 1"] * f["reach"] ** -0.5}, "slope of one step in R"),
    ],
)
def test_another_order_of_steps_is_refuted(stepped, changed, check):
    assert step_statuses(stepped.assign(**changed))[check] is Status.REFUTED


@pytest.mark.daily
def test_rows_on_the_wrong_side_are_detected(world):
    right = coinpress.noisy_moment
    world.part(coinpress, "noisy_moment", lambda rows, a, *rest: right(rows, a.T, *rest))
    frame = run(small(steps.COVARIANCE_STEPS, "wrong", 20), "quick", seed=SEED)
    assert covariance.over_two(frame, "practical", LEVEL, rng())[-1].status is Status.REFUTED


@pytest.mark.daily
def test_a_wrong_side_that_does_no_harm_refutes_the_direction():
    frame = run(small(steps.ORIENTATIONS, "sides", 30), "quick", seed=SEED)
    true = covariance.directions(frame, LEVEL, rng())
    assert Status.REFUTED not in {check.status for check in true}
    assert true[0].status is Status.HOLDS
    swapped = frame.assign(**{f"wrong {t}": frame[f"right {t}"] for t in steps.STEPS})
    assert covariance.directions(swapped, LEVEL, rng())[0].status is Status.REFUTED
    turned = frame.assign(**{f"right {t}": frame[f"wrong {t}"] for t in steps.STEPS})
    assert covariance.directions(turned, LEVEL, rng())[3].status is Status.REFUTED


def test_the_authors_orientation_is_the_estimator_up_to_two_steps_and_not_beyond():
    data = np.random.default_rng(SEED)
    sigma, x = runs.centred_rows(20_000, 4, 1e3, data)
    errors = []
    for t in (1, 2, 4):
        estimator = runs.covariance_of(1e3, steps=t, calibration="paper")
        right = estimator(x, budget=ZCDP(0.5), rng=np.random.default_rng(1)).value
        wrong = steps.authors_orientation(estimator, x, ZCDP(0.5), np.random.default_rng(1))
        errors.append([mahalanobis_covariance_error(one, sigma) for one in (right, wrong)])
        assert np.allclose(right, wrong, rtol=1e-6) == (t == 1 or t == 2)
    assert errors[2][1] > 5 * errors[2][0]


@pytest.mark.daily
def test_more_steps_that_do_harm_are_refuted(world):
    world.part(steps, "CONDITIONS", small(steps.CONDITIONS, "conditions", 8, condition=(1e2,)))
    frame = run(steps.CONDITIONS, "quick", seed=SEED)
    assert Status.REFUTED not in statuses(covariance.condition_checks(frame, LEVEL, rng())).values()
    worse = frame.assign(
        **{"practical +2": 1.3 * frame["practical +2"], "proved +0": 1.5 * frame["proved +0"]}
    )
    found = statuses(covariance.condition_checks(worse, LEVEL, rng()))
    assert found["2 more steps, practical, condition 100"] is Status.REFUTED
    assert found["over the plain estimate, proved, condition 100"] is Status.REFUTED


@pytest.mark.daily
def test_a_mean_that_is_lost_at_the_boundary_is_refuted():
    frame = run(steps.WHERE, "quick", seed=SEED)
    assert {check.status for check in mean.place_checks(frame, LEVEL, rng())} == {Status.HOLDS}
    lost = frame.assign(
        **{"error practical": frame["error practical"] * (1 + 0.3 * (frame["place"] == "boundary"))}
    )
    found = [check.status for check in mean.place_checks(lost, LEVEL, rng())]
    assert found == [Status.HOLDS] * 3 + [Status.REFUTED]


def test_a_frame_without_its_error_refutes_the_bounds(world):
    true = coinpress.preconditioned
    world.part(coinpress, "preconditioned", lambda z, e, lower, a: true(z, 0.0, lower, a))
    frame = run(small(steps.FRAMES, "frames", 40, d=(4,)), "quick", seed=SEED)
    assert covariance.held(frame, "frames", LEVEL).status is Status.REFUTED


def test_a_radius_a_third_as_large_refutes_the_ball(world):
    true = CoinPressMean.error_bound
    world.part(CoinPressMean, "error_bound", lambda self, *rest: true(self, *rest) / 3)
    frame = run(small(steps.BALLS, "balls", 60, d=(10,)), "quick", seed=SEED)
    assert covariance.held(frame, "ball", LEVEL).status is Status.REFUTED


@pytest.mark.parametrize(("d", "clip"), [(1, 2.0), (2, 0.7), (10, 3.0), (64, 8.5)])
def test_what_clipping_takes_is_what_integrals_say(d, clip):
    rows = np.random.default_rng(d).standard_normal((400_000, d))
    sizes = np.linalg.norm(rows, axis=1)
    cut, slope = theory.beyond(d, clip)
    assert cut == pytest.approx(np.mean(np.maximum(sizes - clip, 0) ** 2), rel=0.03)
    kept = np.minimum(1.0, clip / sizes)
    moved = np.mean(kept * (1 - 1 / d) + (sizes <= clip) / d)  # the divergence of the clipped row, over d
    assert 1 - slope == pytest.approx(moved, rel=0.01)


def test_frames_are_where_the_prediction_puts_them():
    point = {"n": 50_000, "d": 5, "condition": 1e3}
    estimator = runs.covariance_of(point["condition"], mode="proved")
    expected = theory.frames(estimator, runs.spectrum(5, 1e3), 50_000, ZCDP(0.5))
    sigma, x = runs.centred_rows(**point, data=np.random.default_rng(SEED))
    trace = coinpress.Trace()
    estimator(x, budget=ZCDP(0.5), rng=np.random.default_rng(2), trace=trace)
    for a, values in zip(trace.records["preconditioner"], expected, strict=True):
        np.testing.assert_allclose(np.linalg.eigvalsh(a @ sigma @ a.T), values, rtol=0.15)


def test_sampling_and_privacy_add_up_in_squares():
    point = runs.MEAN_N.points[0]
    data, noise = np.random.default_rng(SEED).spawn(2)
    columns = runs.means(**point, trials=300, data=data, noise=noise)
    parts = mean.predicted("proved", **point)
    assert checks.rms(columns["error proved"]) == pytest.approx(parts.total, rel=0.1)
    assert np.quantile(columns["error proved"], 0.9) == pytest.approx(parts.quantile(0.1), rel=0.1)


def test_a_mean_is_placed_where_it_is_said_to_be():
    data = np.random.default_rng(1)
    radius, d = 30.0, 9
    found = {place: steps._placed(place, d, radius, data) for place in steps.PLACES}
    assert [round(float(np.linalg.norm(one)), 9) for one in found.values()] == [0.0, 15.0, 15.0, 30.0]
    assert len(set(np.round(found["diagonal"], 12))) == 1
    assert np.count_nonzero(found["axis"]) == 1


def test_without_noise_the_wrong_side_still_returns_the_second_moment():
    """What is lost is accuracy under clipping and noise; the linear algebra alone is undone on both sides."""
    x = np.random.default_rng(3).standard_normal((500, 3)) * (1.0, 1.1, 1.2)
    estimator = runs.covariance_of(2.0, steps=1, mode="proved", calibration="paper")
    found = steps.authors_orientation(estimator, x, ZCDP(1e12), np.random.default_rng(1))
    np.testing.assert_allclose(found, second_moment(x), atol=1e-4)
