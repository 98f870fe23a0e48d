"""A function is judged by worlds it has not seen, and by chance hardly ever wrongly."""

import numpy as np
import pytest

from workbench.study.hidden import WORLDS, Judged, hidden_worlds


def world(rng):
    mean = rng.uniform(-10, 10)
    return rng.normal(mean, 1.0, size=100), mean


def plane(rng):
    mean = rng.standard_normal(2)
    return mean + rng.standard_normal((100, 2)), mean


@pytest.mark.parametrize(
    ("drawn", "function", "within", "share"),
    [
        (world, lambda x, trials, rng: x.mean(), 0.3, 1.0),
        (world, lambda x, trials, rng: x.mean() + 0.3, 0.3, 0.5),
        (world, lambda x, trials, rng: np.nan, 1e9, 0.0),
        (plane, lambda x, trials, rng: x.mean(axis=0)[None, :], 0.25, 0.956),  # 1 - exp(-.25² 100 / 2)
    ],
)
def test_a_function_is_judged_by_its_euclidean_distance(drawn, function, within, share):
    found = hidden_worlds(function, drawn, within=within)
    assert found.good / WORLDS == pytest.approx(share, abs=0.1 if share == 0.5 else 0.05)
    assert bool(found) == (share > 0.9)


def test_one_seed_one_judgement_and_another_seed_other_worlds():
    seen = []
    keep = lambda x, trials, rng: seen.append(x[0]) or x.mean()  # noqa: E731
    first, again = (hidden_worlds(keep, world, within=0.1, seed=3) for _ in range(2))
    assert first == again
    assert seen[:200] == seen[200:]
    hidden_worlds(keep, world, within=0.1, seed=4)
    assert not set(seen[:200]) & set(seen[400:])


@pytest.mark.parametrize(("good", "passed"), [(180, True), (163, True), (162, False), (100, False)])
def test_as_many_failures_as_chance_explains_are_forgiven(good, passed):
    assert bool(Judged(0.1, good)) == passed
    assert ("PASSED" in str(Judged(0.1, good))) == passed
