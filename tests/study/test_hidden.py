"""A function is judged by worlds it has not seen, and by chance hardly ever wrongly."""

import numpy as np
import pytest

from workbench.errors import ArgumentError
from workbench.study.hidden import WORLDS, Judged, hidden_worlds


def world(rng):
    mean = rng.uniform(-10, 10)
    return rng.normal(mean, 1.0, size=100), mean


def plane(rng):
    mean = rng.standard_normal(2)
    return mean + rng.standard_normal((100, 2)), mean


def test_the_sample_mean_passes_and_a_biased_one_fails():
    assert hidden_worlds(lambda x, trials, rng: x.mean(), world, within=0.3)
    assert not hidden_worlds(lambda x, trials, rng: x.mean() + 0.3, world, within=0.3)


def test_the_distance_is_euclidean_and_outputs_may_stand_in_rows():
    near = hidden_worlds(lambda x, trials, rng: x.mean(axis=0)[None, :], plane, within=0.25)
    (chance,) = [1 - np.exp(-(0.25**2) * 100 / 2)]
    assert near.good / WORLDS == pytest.approx(chance, abs=0.05)


def test_what_is_no_number_is_not_near():
    assert hidden_worlds(lambda x, trials, rng: np.nan, world, within=1e9).good == 0


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


def test_a_distance_of_none_is_refused():
    with pytest.raises(ArgumentError):
        hidden_worlds(lambda x, trials, rng: 0.0, world, within=0.0)
