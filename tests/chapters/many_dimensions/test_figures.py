"""The pictures about many dimensions are complete and true, and explorers get richer while they run."""

from dataclasses import replace
from itertools import pairwise
from math import inf, isnan

import numpy as np
import pytest

from tests.chapters.pictures import has_estimates, require_complete
from workbench.chapters import many_dimensions as gallery
from workbench.chapters.many_dimensions.figures import costs, ellipses, means_view, shapes
from workbench.chapters.many_dimensions.figures import steps as figure_steps
from workbench.chapters.many_dimensions.figures.means import METHODS
from workbench.chapters.many_dimensions.runs import coinpress as runs
from workbench.chapters.many_dimensions.runs import means, steps, theory
from workbench.charts.agreement import agreement
from workbench.estimators.coinpress import CoinPressMean
from workbench.lab.pictures.grammar import faults
from workbench.lab.pictures.plots import svg
from workbench.privacy import ApproxDP, compose
from workbench.study.intervals import bootstrap_interval, clopper_pearson
from workbench.study.run import Run

SEED = 3
BUDGET, LONG = {"epsilon": 1.0, "delta": 1e-6}, {"n": 4000, "condition": 100.0}
FILMS = getattr(gallery, "FILMS", ())
CHARTS = [
    made
    for name in gallery.__all__
    if not name.isupper() and not name.endswith("view") and (made := getattr(gallery, name)) not in FILMS
]
SKETCH = Run("quick", SEED, most=4)


@pytest.fixture
def _few(monkeypatch):
    monkeypatch.setattr(costs, "RESAMPLES", 80)


@pytest.mark.daily
@pytest.mark.usefixtures("_few")
@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.__name__)
def test_a_chart_says_what_it_shows_and_can_be_drawn(chart):
    made = chart(SKETCH)
    require_complete(made, chart.__name__)
    assert made.how_to_read.count(".") >= 2
    assert all(panel.title for panel in made.panels)
    assert faults(made) == []


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.__name__)
def test_without_runs_a_chart_shows_what_is_predicted(chart):
    made = chart(Run("quick", SEED, simulate=False))
    require_complete(made, chart.__name__)
    assert agreement(made).points == 0


@pytest.mark.daily
@pytest.mark.parametrize(("rho", "d", "radius"), [(0.05, 10, 100.0), (2.0, 5, 1000.0)])
def test_the_price_of_a_mean_is_foreseen_at_other_numbers(rho, d, radius):
    run, points = Run("quick", SEED, most=16), 0
    for figure in (gallery.price_of_a_mean, gallery.price_of_a_mean_elsewhere):
        found = agreement(figure(run, rho=rho, d=d, radius=radius))
        assert found, str(found)
        points += found.points
    assert points >= 20


@pytest.mark.parametrize(
    ("figure", "numbers"),
    [
        (gallery.skewed_rows, {"epsilon": 0.1}),
        pytest.param(gallery.error_against_steps, {"rho": 0.05}, marks=pytest.mark.slow),
        pytest.param(gallery.steps_on_the_wrong_side, {"rho": 0.05}, marks=pytest.mark.slow),
        (gallery.two_modes, {"rho": 0.05}),
        (gallery.bounds_kept, {"rho": 0.05}),
    ],
    ids=["skewed_rows", "error_against_steps", "steps_on_the_wrong_side", "two_modes", "bounds_kept"],
)
def test_axes_hold_what_is_measured_at_other_numbers(figure, numbers):
    for panel in figure(Run("quick", SEED, most=2), **numbers).panels:
        low, high = panel.ylim or (0.0, inf)
        assert all(low <= y <= high for one in panel.series if one.role == "estimate" for y in one.y)


def test_an_error_is_not_foreseen_where_noise_outweighs_an_eigenvalue():
    point = figure_steps.at_numbers(steps.COVARIANCE_STEPS, 0.05, 10, 1.5, condition=[1000.0]).points[0]
    foreseen = [figure_steps.covariance_error(point, "proved", count) for count in steps.STEPS]
    assert [isnan(one) for one in foreseen] == [True, True, True, False, False, False]


def test_rows_grow_with_the_noise_as_far_as_the_work_allows():
    usual, here = (gallery.skewed_rows(Run("quick", SEED, most=2), epsilon=one) for one in (1.0, 0.1))
    assert [2 * n for n in usual.panels[1].series[0].x] == list(here.panels[1].series[0].x)


def test_errors_of_all_methods_stand_beside_what_needs_no_privacy():
    (whole, near), (rows,) = (
        figure(SKETCH).panels for figure in (gallery.error_against_dimension, gallery.error_against_rows)
    )
    for panel, fewer in ((whole, 0), (near, 1), (rows, 0)):
        (plain,) = (s for s in panel.series if s.role == "reference")
        assert set(plain.y) == {1.0}
        looks = {(s.colour_key, s.rank) for s in panel.series if s.role == "theory"}
        assert len(looks) == len(METHODS) - fewer
    assert not any(s.colour_key == means.BOX for s in near.series)


def test_privacy_is_free_beyond_the_ring():
    for figure in (gallery.price_of_a_mean, gallery.price_of_a_covariance):
        (panel,) = figure(Run("quick", SEED, simulate=False)).panels
        (floor,) = (s for s in panel.series if s.role == "reference")
        proved = next(s for s in panel.series if s.role == "theory")
        (ring,) = (mark for mark in panel.marks if mark.kind == "point")
        for x, noise, sampling in zip(proved.x, proved.y, floor.y, strict=True):
            assert (noise < sampling) == (x > ring.x)


def test_the_shares_of_a_plan_fill_the_bars():
    bars = [s for s in gallery.budget_of_steps(SKETCH).panels[0].series if s.role == "bars"]
    for place in {s.x for s in bars}:
        ends = sorted((s.low[0], s.y[0]) for s in bars if s.x == place)
        assert ends[0][0] == pytest.approx(0, abs=1e-9)
        assert ends[-1][1] == pytest.approx(100)
        assert all(after[0] == pytest.approx(before[1]) for before, after in pairwise(ends))


def test_every_ball_of_the_picture_is_in_the_square_of_the_panel_before():
    panels = gallery.shrinking_balls(SKETCH).panels
    for panel in panels[:-1]:
        ball, square = panel.series[3], panel.series[4]
        assert min(square.x) <= min(ball.x) <= max(ball.x) <= max(square.x)
        assert min(square.y) <= min(ball.y) <= max(ball.y) <= max(square.y)


@pytest.mark.parametrize("key", METHODS)
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
    budget = ApproxDP(1.0, shapes.DELTA)
    run = shapes.mean_run(SEED, 500, budget, 100.0)
    estimator = CoinPressMean(radius=100.0, steps=shapes.STEPS, sigma=1.0)
    assert run.weights == estimator.design(500, 2, budget).weights
    assert len(run.centres) == len(run.radii) == len(run.weights) + 1
    assert compose(estimator.plan(500, 2, budget)) == budget
    for place, centre in enumerate(run.centres):
        assert np.linalg.norm(centre - run.truth) <= run.radii[place]


def test_a_step_makes_round_what_the_picture_shows():
    run = ellipses.covariance_run(SEED, 20_000, ApproxDP(1.0, 1e-6), 100.0, mode="proved")
    for step, (a, after) in enumerate(pairwise(run.frames)):
        upper = ellipses.found(run, step)
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
    value, band, _ = costs.ratio_band(top, bottom)
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
    frames = list(view(SKETCH, **values))
    simulated = [has_estimates(frame) for frame in frames]
    assert simulated == sorted(simulated)  # theory first, and from the first runs on no frame without
    assert not simulated[0]
    assert simulated[-1]
    assert len({(p.xlim, p.ylim) for f in frames for p in f.panels[:1]}) == 1
    assert all(f.caption for f in frames)
    assert b"<svg" in svg(frames[-1])
    return frames


def test_the_view_of_all_methods_predicts_every_one_of_them():
    world = {**BUDGET, "alpha": 0.5, "n": 400, "radius": 30.0}
    frames = frames_of(gallery.means_view, **world)
    first, last = (
        {(s.colour_key, s.rank) for s in f.panels[0].series if s.role == "theory"}
        for f in (frames[0], frames[-1])
    )
    assert first < last
    assert len(last) == len(METHODS)
    assert frames[-1] == list(gallery.means_view(SKETCH, **world))[-1]
    assert "at most α = 0.5 up to d = " in frames[-1].caption


@pytest.mark.daily
def test_the_view_of_the_ball_counts_the_runs_outside():
    frames = frames_of(gallery.ball_view, **BUDGET, alpha=0.2, n=500, d=5, radius=100.0, steps="free")
    assert "outside the last ball in 0 of" in frames[-1].caption
    radii = [s for s in frames[0].panels[0].series if s.role == "theory"]
    assert len(radii) == 2
    assert all(line.y[0] == 100.0 for line in radii)
    needed = theory.rows_needed(
        lambda n: theory.mean_parts(CoinPressMean(radius=100.0, sigma=1.0), n, 5, ApproxDP(1.0, 1e-6)),
        0.2,
        runs.BETA,
    )
    assert f"takes {needed:,} rows" in frames[-1].caption


def test_the_view_of_the_ball_takes_as_many_steps_as_it_is_told():
    first = next(gallery.ball_view(SKETCH, **BUDGET, alpha=0.2, n=500, d=5, radius=100.0, steps=3))
    assert all(len(s.x) == 4 for s in first.panels[0].series if s.role == "theory")


@pytest.mark.parametrize("step", [1, 3, 8])
def test_the_view_of_the_ellipse_shows_the_step_that_was_asked_for_or_the_last(step):
    frames = frames_of(gallery.ellipse_view, **BUDGET, **LONG, step=step, mode="practical", side="x Aᵀ")
    taken = len(next(s for s in frames[0].panels[1].series if s.role == "theory").x)
    assert frames[-1].panels[0].title.startswith(f"A Σ Aᵀ before step {min(step, taken)}")
    assert "root mean squares" in frames[-1].caption


def test_on_the_wrong_side_rows_of_the_third_step_leave_the_public_bounds():
    def longest(side, seed):
        picture = {**BUDGET, "n": 40_000, "condition": 1e4, "step": 3, "mode": "practical", "side": side}
        *_, last = gallery.ellipse_view(replace(SKETCH, seed=seed), **picture)
        return next(s for s in last.panels[1].series if s.label == "longest axis").y[2]

    seeds = (1, 2, 3, 5, 7)
    assert max(longest("x Aᵀ", seed) for seed in seeds) < 1.1
    assert np.median([longest("x A", seed) for seed in seeds]) > 1.5


@pytest.mark.parametrize(("n", "d", "radius"), [(300, 1, 10.0), (10_000, 50, 10_000.0)])
def test_the_ball_fits_the_axes_at_the_ends_of_the_sliders(n, d, radius):
    first = next(
        gallery.ball_view(
            SKETCH, epsilon=4.0, delta=1e-6, alpha=0.2, n=n, d=d, radius=radius, steps="as designed"
        )
    )
    panel = first.panels[0]
    for series in panel.series:
        assert all(panel.xlim[0] <= x <= panel.xlim[1] for x in series.x)
    assert means_view.GRID[means_view.SPOKEN] == 8
