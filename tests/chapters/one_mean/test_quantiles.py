"""What is said of many quantiles is noticed where it is false; pictures are complete, explorers go on."""

import numpy as np
import pandas as pd
import pytest

from tests.chapters.cliffs import found
from tests.chapters.pictures import has_estimates, require_complete, require_one_look_each
from workbench.chapters.one_mean.claims import quantiles as claims
from workbench.chapters.one_mean.figures import quantiles as gallery
from workbench.chapters.one_mean.figures.quantiles_view import AT_ONCE, ROUNDS, quantiles_view
from workbench.chapters.one_mean.runs import quantiles as runs
from workbench.lab.pictures.grammar import faults
from workbench.study import scaling as run
from workbench.study.rules import Status
from workbench.study.run import Run

GROWTH = "one-mean/quantile-rows-grow"


def frames(times=1.0, trials=400):
    """Tables of full's size in which errors have the predicted medians, those one by one so many times."""
    rng, tables = np.random.default_rng(1), []
    for m in runs.COUNTS:
        together, apart = runs.largest(m, runs.N, runs.EPSILON)
        spread = np.exp(0.3 * rng.standard_normal((2, trials)))
        tables.append(
            pd.DataFrame({"m": m, "together": together * spread[0], "apart": times * apart * spread[1]})
        )
    return pd.concat(tables[:2]), pd.concat(tables[2:])


@pytest.mark.parametrize(
    ("times", "expected"), [(1.0, Status.HOLDS), (2.5, Status.REFUTED), (0.4, Status.REFUTED)]
)
def test_a_gain_is_as_predicted_or_refuted(times, expected):
    assert {check.status for check in claims.gain(*frames(times), seed=3)} == {expected}


def measured(m, n, epsilon, trials):
    streams = (np.random.default_rng(seed) for seed in (1, 2))
    return runs.both(m=m, n=n, epsilon=epsilon, trials=trials, data=next(streams), noise=next(streams))


def near(values, predicted):
    return 1 / 1.5 < np.median(values) / predicted < 1.5


def test_errors_are_as_predicted_and_half_the_budget_would_be_seen():
    """Medians of 60 runs are off by .1 in the logarithm: 1.5 is four deviations, 2 three beyond it."""
    together, apart = runs.largest(9, 2000, 1.0)
    found = measured(9, 2000, 1.0, 60)
    assert near(found["together"], together)
    assert near(found["apart"], apart)
    assert not near(found["together"], together / 2)
    assert not near(found["apart"], apart / 2)


def test_what_single_medians_lose_beyond_the_data_is_predicted():
    """At m = 33 and 2000 rows the last medians leave the data: a Laplace law of ranks says too little."""
    together, apart = runs.largest(33, 2000, 1.0)
    assert apart > 1.15 * runs.ranks_apart(33, 0.5) / 2000
    assert near(measured(33, 2000, 1.0, 12)["apart"], apart)
    assert apart > 3 * together


def test_one_quantile_is_the_same_in_both_ways():
    x = runs.sample(500, np.random.default_rng(1))
    one, other = (way(x, 1, 0.5, np.random.default_rng(2)) for way in runs.WAYS.values())
    assert one.tolist() == other.tolist()


def test_the_normal_law_of_ranks_is_nearly_that_of_one_median():
    assert runs.ranks_together(1, 0.9) == pytest.approx(runs.ranks_apart(1, 0.9), rel=0.05)


def test_rank_errors_of_ties_are_distances_from_their_ranks():
    x = np.repeat([0.0, 1.0], [60, 40])
    assert runs.rank_errors(x, np.array([0.0, 0.0, 1.0]), 3).tolist() == [0.0, 0.0, 0.0]
    assert runs.rank_errors(x, np.array([0.5, 0.5, 0.5]), 3) == pytest.approx([0.35, 0.1, 0.15])


@pytest.fixture(autouse=True)
def nothing_remembered():
    run.forget()
    yield
    run.forget()


def test_the_growth_holds():
    assert set(found(GROWTH).values()) == {Status.HOLDS}


def test_another_power_is_refuted():
    assert set(found(GROWTH, more=1.0).values()) == {Status.REFUTED}


@pytest.fixture
def _small(world):
    world.few(runs, {"FEW": 10, "MANY": 2})
    world.set(gallery, "RELEASES", 4)


@pytest.mark.usefixtures("_small")
def test_the_picture_is_complete():
    chart = gallery.many_quantiles(Run("quick", 3), n=1000)
    require_complete(chart, "many_quantiles")
    assert faults(chart) == []
    for panel in chart.panels:
        require_one_look_each(panel)
    assert {one.role for one in chart.panels[1].series} == {"reference", "theory", "estimate"}


@pytest.mark.parametrize(("m", "parts"), [(9, 1), (99, 3)])
def test_the_view_shows_what_is_predicted_first_and_draws_many_medians_in_parts(m, parts):
    made = list(quantiles_view(Run("quick", 1), epsilon=1.0, m=m, n=150))
    assert len(made) == 1 + parts * ROUNDS
    assert parts == -(-m // AT_ONCE)
    assert [has_estimates(frame) for frame in made] == [False] + [True] * (len(made) - 1)
    assert f"Measured in {ROUNDS} runs" in made[-1].caption
    assert len({tuple(panel.ylim for panel in frame.panels) for frame in made}) == 1
    assert (f"Drawn: {AT_ONCE} of {m}" in made[1].caption) == (parts > 1)
