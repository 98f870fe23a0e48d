"""The picture of all means: searched rows at the usual numbers, predictions elsewhere, rates beside both."""

import numpy as np
import pytest

from tests.chapters.pictures import require_complete
from workbench.chapters.matrix_quantile.claims.affine_scalings import mean_shape
from workbench.chapters.matrix_quantile.figures import means
from workbench.chapters.matrix_quantile.runs import affine
from workbench.lab.pictures.grammar import faults
from workbench.study.run import Run
from workbench.study.scaling import Least

TIMES = {affine.MEAN: 20.0, affine.COINPRESS: 4.0}


@pytest.fixture(autouse=True)
def _no_designs(monkeypatch):
    """Replace designs and searches, which take seconds, by the statement's n."""

    def rows(key, d, alpha, epsilon, delta):
        public = {"d": d, "alpha": alpha, "epsilon": epsilon, "delta": delta}
        return round(TIMES[key] * mean_shape(public))

    def searched(scalings, profile, *, seed):
        (scaling,) = scalings
        settings = [(value, scaling.setting(value)) for value in scaling.values]
        return [
            [
                Least(value, one, 1.1 * one.start, (one.start, 1.2 * one.start), "found", 100, 1.0)
                for value, one in settings
            ]
        ]

    monkeypatch.setattr(affine, "predicted", rows)
    monkeypatch.setattr(affine, "fewest", lambda *_: 1)
    monkeypatch.setattr(means, "measured", searched)


def panels(run, **public):
    """The panels in d, ε, δ and α."""
    return (*means.means_elsewhere(run, **public).panels, *means.means(run, **public).panels)


def curves(panels, label):
    return [next(one for one in panel.series if one.label == label) for panel in panels]


@pytest.mark.parametrize("profile", ["quick", "full"])
@pytest.mark.parametrize("name", ["means", "means_elsewhere"])
def test_the_pictures_have_words_and_one_axis(name, profile):
    chart = getattr(means, name)(Run(profile, 3))
    require_complete(chart, name)
    assert faults(chart) == []
    assert len({panel.ylim for panel in chart.panels}) == 1


def test_searched_rows_stand_at_their_numbers_beside_what_was_planned():
    for lifted in curves(panels(Run("full", 3)), means.NAMES[affine.MEAN]):
        assert len(lifted.y) == 4
        np.testing.assert_allclose(lifted.y, 1.1 * np.array(lifted.expected))
    d, epsilon, delta, alpha = curves(panels(Run("full", 3)), means.NAMES[affine.MEAN])
    assert d.x == (2, 5, 10, 20)
    assert epsilon.x == (1, 2, 4, 8)
    np.testing.assert_allclose(delta.x, np.log([1e2, 1e4, 1e8, 1e12]))
    np.testing.assert_allclose(alpha.x, (2.5, 5, 10, 20))


def test_the_sample_mean_needs_d_over_the_square_of_alpha():
    *_, alpha = curves(panels(Run("quick", 3)), "no privacy")
    np.testing.assert_allclose(np.array(alpha.y) / alpha.y[0], (1, 4, 16, 64))
    x = np.random.default_rng(4).standard_normal((4000, round(alpha.y[0]), 2))
    within = (np.linalg.norm(x.mean(axis=1), axis=1) <= means.CONSTANT).mean()
    assert within == pytest.approx(0.5, abs=0.08)  # .04 for n as a whole number, five standard deviations


def test_stable_subsets_ask_for_dozens_of_times_as_many_rows():
    for subsets, blocks in zip(
        curves(panels(Run("quick", 3)), "stable subsets (formula)"),
        curves(panels(Run("quick", 3)), "votes of blocks"),
        strict=True,
    ):
        assert len(subsets.y) == len(blocks.y) == 4
        assert min(subsets.y) > 2e4


@pytest.mark.parametrize("changed", [{"epsilon": 0.5}, {"delta": 1e-4}, {"alpha": 0.2}])
def test_elsewhere_it_draws_what_is_predicted_there(changed):
    usual, moved = (panels(Run("full", 3), **numbers) for numbers in ({}, changed))
    for one, other in zip(curves(usual, "no privacy"), curves(moved, "no privacy"), strict=True):
        assert (one.y == other.y) == ("alpha" not in changed)
    first = curves(moved, means.NAMES[affine.MEAN])[0]
    assert first.role == "theory"
    public = {"d": means.D, "epsilon": 1.0, "delta": 1e-6, "alpha": means.CONSTANT, **changed}
    assert first.y[0] == round(TIMES[affine.MEAN] * mean_shape(public))
