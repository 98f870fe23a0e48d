"""The claims of notebook 06 are refuted in falsified worlds, and its pictures show what is so."""

from dataclasses import replace

import numpy as np
import pytest

from tests.chapters.conftest import decided, failing
from workbench.chapters.covariance.one_radius import geometric
from workbench.chapters.matrix_quantile import lifted, outliers, rows
from workbench.losses import total_variation_of_means, univariate_total_variation
from workbench.populations.rotated import rotated
from workbench.study.rules import Status

HOLDS, REFUTED = Status.HOLDS, Status.REFUTED


@pytest.mark.parametrize(
    ("share", "more", "status"), [(0.02, 1.0, HOLDS), (0.3, 1.0, REFUTED), (0.02, 1.3, REFUTED)]
)
@pytest.mark.parametrize("near", [False, True])
@pytest.mark.daily
def test_too_many_failures_or_too_many_rows_are_refuted(world, near, share, more, status):
    name, first = ("NEARBY", rows.NEAR_PLANNED) if near else ("SUCCESS", rows.PLANNED)
    changed = {d: replace(one, block=failing(share, good=0.01)) for d, one in getattr(rows, name).items()}
    world.part(rows, name, changed)
    world.part(rows, "planned", lambda d, alpha, budget=None: int(more * first[d]))
    assert decided(f"matrix-quantile/planned-rows-{'near' if near else 'succeed'}", "full").status is status


def as_measured(share, degrees):
    if degrees:
        return np.inf
    return 2.0 if share <= 0.03 else 1e5 if share >= 0.2 else np.inf


OUTCOMES = {
    "true": (as_measured, 0.0, HOLDS),
    "released": (lambda share, degrees: 2.0, 0.0, REFUTED),
    "silent": (lambda share, degrees: np.inf, 0.0, REFUTED),
    "one release in five": (as_measured, 0.2, REFUTED),
}


@pytest.mark.turns(6)
@pytest.mark.parametrize(("changed", "often", "status"), OUTCOMES.values(), ids=OUTCOMES)
def test_releases_are_right_or_none(world, changed, often, status):
    def block(*, trials, data, noise, **point):
        usual = changed(point["share"], point["degrees"])
        some = often * (point["share"] == 0.05)
        return {"condition": np.where(data.random(trials) < some, 2.0, usual)}

    for name in ("SPOILT", "TAILED"):
        world.sweep(outliers, name, block=block)
    assert decided("matrix-quantile/right-or-none", "full").status is status


@pytest.mark.parametrize(
    ("error", "silent", "later", "status"),
    [(1, 0, 1, HOLDS), (1.4, 0, 1, REFUTED), (1, 0.7, 1, REFUTED), (1, 0, 2, REFUTED)],
)
@pytest.mark.daily
def test_whole_gaussians_that_err_abstain_or_start_later_are_refuted(world, error, silent, later, status):
    true = lifted.start

    def block(*, trials, data, noise, d, condition, share):
        n = int(share * true(d))
        expected = lifted.LEARNER.recipe(n, d, lifted.BUDGET).squared_error.total_variation
        errors = error * expected * data.lognormal(0, 0.35 / np.sqrt(d), trials)
        return {"error": np.where(data.random(trials) < silent, np.inf, errors)}

    learned = {d: replace(one, block=block) for d, one in lifted.LEARNED.items()}
    world.part(lifted, "LEARNED", learned)
    if later > 1:
        world.part(lifted, "start", lambda d: later * true(d))
    assert decided("matrix-quantile/law-from-few-rows", "full").status is status


@pytest.mark.turns(4)
@pytest.mark.parametrize(
    ("share", "times", "status"), [(0.05, 9.0, HOLDS), (1.0, 1.2, HOLDS), (0.4, 3.0, REFUTED)]
)
def test_one_spectrum_that_fails_four_times_in_ten_refutes_anywhere(world, share, times, status):
    def block(key, d, spectrum, *, trials, data, noise):
        off = (data.random(trials) < share) & (spectrum == "pairs")
        return {"error": np.where(off, times, 1.0)}

    world.part(lifted, "expected", lambda *_: 1.0)
    world.part(lifted, "rows", lambda *_: 700)
    sweeps = {key: replace(one, block=block, trials=70) for key, one in lifted.ANYWHERE.items()}
    world.part(lifted, "ANYWHERE", sweeps)
    assert decided("matrix-quantile/lifted-anywhere").status is status


def test_a_total_variation_is_near_the_exact_one():
    """Against closed forms: of a shift, and of a scale on the line."""
    for gap in (0.01, 0.1, 1.0, 5.0):
        found = lifted.total_variation(np.full(5, gap / np.sqrt(5)), np.eye(5))
        assert found == pytest.approx(total_variation_of_means(gap), rel=0.03, abs=1e-3)
    exact = univariate_total_variation(0.0, np.sqrt(1.3), 0.0, 1.0)
    assert lifted.total_variation(np.zeros(1), 1.3 * np.eye(1)) == pytest.approx(exact, rel=0.03)
    assert lifted.total_variation(np.zeros(3), np.zeros((3, 3))) == 1.0


def test_an_eigenvalue_within_rounding_of_0_is_0_and_so_infinitely_far():
    law = rotated(geometric(3, 1e8), np.random.default_rng(1))
    lengths = np.sqrt(law.values)
    for least, far in ((0.0, True), (-1e-12, True), (1e-12, True), (1e-5, False)):
        estimate = (law.basis * lengths) @ np.diag([least, 1.0, 1.0]) @ (law.basis * lengths).T
        values = rows.seen(estimate, law)
        assert (values[0] == 0) == far
        assert np.isinf(rows.distances(values)[0]) == far
    assert rows.distances(np.full(2, np.nan)) == (np.inf, np.inf)
