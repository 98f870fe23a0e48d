"""The pictures about many dimensions are complete and true, and explorers get richer while they run."""

from itertools import pairwise

import numpy as np
import pytest

from tests.chapters.pictures import has_estimates, require_complete
from workbench.chapters import many_dimensions as gallery
from workbench.chapters.many_dimensions.figures import costs, means, shapes, views
from workbench.chapters.many_dimensions.figures import steps as pictured
from workbench.chapters.many_dimensions.runs import coinpress as runs
from workbench.chapters.many_dimensions.runs import steps
from workbench.estimators.mean.coinpress import CoinPressMean
from workbench.lab.pictures.plots import svg
from workbench.privacy import ApproxDP, compose
from workbench.study.intervals import bootstrap_interval, clopper_pearson

SEED = 3
CHARTS = [
    getattr(gallery, name) for name in gallery.__all__ if name != "CLAIMS" and not name.endswith("view")
]
FEWER = {
    runs: [
        *("MEAN_N", "MEAN_RHO", "MEAN_D", "MEAN_SIZES"),
        *("COVARIANCE_N", "COVARIANCE_RHO", "COVARIANCE_D", "COVARIANCE_SIZES"),
        "MEAN_SIZES_FEW",
        "COVARIANCE_SIZES_FEW",
    ],
    steps: ("MEAN_STEPS", "COVARIANCE_STEPS", "ORIENTATIONS", "CONDITIONS"),
    pictured: ("BOUNDS",),
    means: ("AGAINST_D", "AGAINST_N", "SKEWED"),
}


@pytest.fixture
def _few(world, monkeypatch):
    for module, names in FEWER.items():
        world.few(module, dict.fromkeys(names, 2))
    monkeypatch.setattr(costs, "RESAMPLES", 80)


@pytest.mark.usefixtures("_few")
@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.__name__)
def test_a_chart_says_what_it_shows_and_can_be_drawn(chart):
    made = chart("quick", SEED)
    require_complete(made, chart.__name__)
    assert made.how_to_read.count(".") >= 2
    assert all(panel.title for panel in made.panels)


@pytest.mark.usefixtures("_few")
def test_errors_stand_beside_what_needs_no_privacy_and_what_needs_no_rows():
    for panel in gallery.error_against_dimension("quick", SEED).panels:
        plain, blind = (s for s in reversed(panel.series) if s.role == "reference")
        assert set(plain.y) == {1.0}
        assert min(blind.y) > 100
        assert {s.colour_key for s in panel.series if s.role == "theory"} == means.METHODS.keys()


@pytest.mark.parametrize("key", means.METHODS)
def test_the_predicted_error_is_the_measured_one(key):
    point = {"n": 2000, "d": 6, "half_width": 20.0, "epsilon": 1.0}
    data, noise = np.random.default_rng(SEED).spawn(2)
    columns = means.side_by_side(**point, trials=60, data=data, noise=noise)
    estimator = means.estimators(6, 20.0)[key]
    expected = means.predicted(key, estimator, 2000, 6, ApproxDP(1.0, means.DELTA))
    found = np.sqrt(np.mean(columns[key] ** 2))
    assert found == pytest.approx(expected.total, rel=0.2)


@pytest.mark.parametrize("law", means.LAWS)
def test_rows_have_mean_0_covariance_1_and_the_stated_fourth_moment(law):
    rows = means.rows_of(law, 400_000, 2, np.random.default_rng(SEED))
    np.testing.assert_allclose(rows.mean(axis=0), 0.0, atol=0.01)
    np.testing.assert_allclose(np.cov(rows.T), np.eye(2), atol=0.03)
    np.testing.assert_allclose((rows**4).mean(axis=0), means.LAWS[law], rtol=0.1)


def test_the_run_in_the_picture_is_a_run_of_the_estimator():
    run = shapes.mean_run(SEED, 500, 1.0, 100.0)
    budget = ApproxDP(1.0, shapes.DELTA)
    estimator = CoinPressMean(radius=100.0, steps=shapes.STEPS)
    assert run.weights == estimator.design(500, 2, budget).weights
    assert len(run.centres) == len(run.radii) == len(run.weights) + 1
    assert compose(estimator.plan(500, 2, budget)) == budget
    for place, centre in enumerate(run.centres):
        assert np.linalg.norm(centre - run.truth) <= run.radii[place]


def test_a_step_makes_round_what_the_picture_shows():
    run = shapes.covariance_run(SEED, 20_000, 1.0, 100.0, mode="proved")
    for step, (a, after) in enumerate(pairwise(run.frames)):
        upper = shapes.found(run, step)
        change = after @ np.linalg.inv(a)
        np.testing.assert_allclose(change @ upper @ change.T, np.eye(2), atol=1e-9)
        assert np.linalg.eigvalsh(upper - a @ run.sigma @ a.T)[0] > 0  # the orange ellipse holds the truth
    assert len(run.frames) > 2


def test_bands_are_those_of_the_bootstrap():
    rng = np.random.default_rng(SEED)
    bottom = np.abs(rng.standard_normal(400))
    top = 1.3 * bottom + 0.1 * rng.standard_normal(400)
    ends = costs.rms_band(bottom)
    squares = bootstrap_interval(lambda v: float(v.mean()), bottom**2, 0.05, rng)
    np.testing.assert_allclose(ends, np.sqrt(squares), rtol=0.02)
    value, band = costs.ratio_band(top, bottom)
    share = bootstrap_interval(
        lambda v: float((v[:, 0] ** 2).mean() / (v[:, 1] ** 2).mean()),
        np.column_stack([top, bottom]),
        0.05,
        rng,
    )
    np.testing.assert_allclose(band, np.sqrt(share), rtol=0.01)
    assert band[0] < value < band[1]


def test_a_band_of_a_root_mean_square_covers():
    rng = np.random.default_rng(SEED)
    ends = np.array([costs.rms_band(rng.standard_normal(200)) for _ in range(1000)])
    held = int(((ends[:, 0] <= 1) & (ends[:, 1] >= 1)).sum())
    low, high = clopper_pearson(held, 1000, 1e-6)
    assert low <= 0.95
    assert high >= 0.92


def frames_of(view, **values):
    frames = list(view(**values))
    simulated = [has_estimates(frame) for frame in frames]
    assert simulated == sorted(simulated)  # theory first, and from the first runs on no frame without
    assert not simulated[0]
    assert simulated[-1]
    assert len({(p.xlim, p.ylim) for f in frames for p in f.panels[:1]}) == 1
    assert all(f.caption for f in frames)
    assert b"<svg" in svg(frames[-1])
    return frames


def test_the_view_of_all_methods_predicts_every_one_of_them():
    frames = frames_of(gallery.means_view(SEED), epsilon=1.0, n=400, half_width=30.0)
    first, last = (
        {s.colour_key for s in f.panels[0].series if s.role == "theory"} for f in (frames[0], frames[-1])
    )
    assert first == {means.BOX}
    assert last == means.METHODS.keys()
    assert frames[-1] == list(gallery.means_view(SEED)(epsilon=1.0, n=400, half_width=30.0))[-1]


def test_the_view_of_the_ball_counts_the_runs_outside():
    frames = frames_of(gallery.ball_view(SEED), epsilon=1.0, n=500, d=5, radius=100.0)
    assert "outside the last ball in 0 of" in frames[-1].caption
    radii = [s for s in frames[0].panels[0].series if s.role == "theory"]
    assert len(radii) == 2
    assert all(line.y[0] == 100.0 for line in radii)


@pytest.mark.parametrize("step", [1, 3, 8])
def test_the_view_of_the_ellipse_shows_the_step_that_was_asked_for_or_the_last(step):
    frames = frames_of(gallery.ellipse_view(SEED), epsilon=1.0, n=4000, condition=100.0, step=step)
    taken = len(next(s for s in frames[0].panels[1].series if s.role == "theory").x)
    assert frames[-1].panels[0].title.startswith(f"A Σ Aᵀ before step {min(step, taken)}")
    assert "root mean squares" in frames[-1].caption


@pytest.mark.parametrize(("n", "d", "radius"), [(300, 1, 10.0), (10_000, 50, 10_000.0)])
def test_the_ball_fits_the_axes_at_the_ends_of_the_sliders(n, d, radius):
    first = next(gallery.ball_view(SEED)(epsilon=4.0, n=n, d=d, radius=radius))
    panel = first.panels[0]
    for series in panel.series:
        assert all(panel.xlim[0] <= x <= panel.xlim[1] for x in series.x)
    assert views.GRID[views.SPOKEN] == 8
