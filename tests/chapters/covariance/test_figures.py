"""The pictures of notebook 04 are complete, say what they show, and their explorers get richer."""

import numpy as np
import pytest

from tests.chapters.pictures import require_complete, require_one_look_each, theory_first
from workbench.chapters import covariance as gallery
from workbench.chapters.covariance.claims import net as m21_heavy_net
from workbench.chapters.covariance.figures import net
from workbench.chapters.covariance.figures.condition import spectra_panel
from workbench.chapters.covariance.figures.ellipses import followed, pair, tilted
from workbench.charts.agreement import agreement
from workbench.privacy import ZCDP, ApproxDP
from workbench.study.run import Run

MAKERS = (
    "one_radius",
    "step_by_step",
    "three_layers",
    "rates",
    "long_ellipsoids",
    "votes",
    "side_by_side",
    "any_spectrum",
    "table_one",
    "fewest_rows",
    "pure_net",
    "net_floors",
    "net_ellipses",
)


SKETCH = Run("quick", 3, most=3)


@pytest.mark.daily
@pytest.mark.parametrize("name", MAKERS)
def test_charts_have_words_and_can_be_drawn(name):
    chart = getattr(gallery, name)(SKETCH)
    require_complete(chart, name)
    for panel in chart.panels:
        require_one_look_each(panel)


@pytest.mark.parametrize("name", MAKERS)
def test_without_runs_a_chart_shows_what_is_predicted(name):
    chart = getattr(gallery, name)(Run("quick", 3, simulate=False))
    require_complete(chart, name)
    assert agreement(chart).points == 0


@pytest.mark.daily
@pytest.mark.parametrize(("rho", "d", "degrees"), [(0.05, 5, 4.2), (2.0, 3, 6.2)])
def test_the_layers_are_foreseen_at_other_numbers(rho, d, degrees):
    found = agreement(gallery.three_layers(Run("quick", 3), rho=rho, d=d, degrees=degrees))
    assert found, str(found)
    assert found.points >= 50


def test_the_circles_of_the_steps_are_the_public_bounds():
    chart = gallery.step_by_step(SKETCH)
    for panel in chart.panels:
        seen, upper, lower = (
            [np.hypot(*point) for point in zip(one.x, one.y, strict=True)] for one in panel.series
        )
        assert max(lower) <= min(seen) * (1 + 1e-6)
        assert max(seen) <= max(upper) * (1 + 1e-6)


def test_a_run_is_followed_frame_by_frame():
    law, (_, estimator) = tilted(100.0), pair(100.0)
    rng = np.random.default_rng(4)
    steps = followed(estimator, law.sample(5000, rng=rng), rng, 0.5)
    assert len(steps.maps) == len(steps.lowers) == len(estimator.stages(5000, 2, ZCDP(0.5)))
    assert steps.lowers[0] == pytest.approx(0.01)
    assert law.error(steps.value) < 0.3


def test_chances_are_a_distribution_that_gathers_at_the_truth():
    rng = np.random.default_rng(5)
    offers = m21_heavy_net.UPPER * m21_heavy_net.estimator(0.4).net(1).candidates[:, 0, 0]
    few, many = (net.chances(0.4, np.sqrt(4.0) * rng.standard_normal((n, 1))) for n in (50, 5000))
    assert few.sum() == pytest.approx(1.0)
    near = np.abs(np.log(offers / 4.0)) < 0.25
    assert many[near].sum() > 0.99 > few[near].sum()


@pytest.mark.parametrize(
    ("view", "values"),
    [
        (
            gallery.layers_view,
            {"degrees": 6.2, "n": 2000, "rho": 0.5, "d": 5, "alpha": 0.1, "cut": 5.0},
        ),
        (gallery.steps_view, {"upper": 100.0, "n": 2000, "rho": 0.5, "alpha": 0.1}),
    ],
)
def test_views_yield_theory_first_and_then_more_trials(view, values):
    frames = list(view(SKETCH, **values))
    theory_first(frames)
    assert {panel.xlim for frame in frames for panel in frame.panels if panel.xscale == "log"} <= {
        (2.0, 50.0)
    }
    assert frames[-1] == list(view(SKETCH, **values))[-1]


def test_the_view_of_steps_says_when_no_step_helps():
    first = next(gallery.steps_view(SKETCH, upper=1e5, n=1000, rho=0.01, alpha=0.1))
    assert first.caption.startswith("1 step;")


@pytest.mark.parametrize("epsilon", [0.1, 0.2])
def test_spectra_whose_rows_are_too_much_work_have_a_prediction(epsilon):
    panel = spectra_panel(Run("quick", 3), ApproxDP(epsilon, 1e-6))
    (line,) = (one for one in panel.series if one.x)
    assert line.role == "theory"
    assert panel.ylim[0] < line.y[0] < panel.ylim[1]
    assert "times the usual work" in panel.note
