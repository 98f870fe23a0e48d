import numpy as np
import pytest

from workbench.chapters.robust_and_private import hidden_world
from workbench.chapters.robust_and_private.runs.duel import SHOWN
from workbench.chapters.robust_and_private.runs.prime import limit


def plain(x, trials, rng):
    return np.full(trials, x.mean())


def median(x, trials, rng):
    return np.full(trials, np.median(x))


def test_a_median_stands_and_a_mean_does_not():
    robust, naive = hidden_world(median), hidden_world(plain)
    assert tuple(robust.index) == SHOWN
    assert robust["stands"].all()
    assert not naive.loc[["far", "axis-clusters"], "stands"].any()
    assert naive.loc["far", "error"] == pytest.approx(0.05 * 1e6, rel=1e-3)


def test_whoever_stands_is_within_twice_the_limit():
    found = hidden_world(plain, corruption=0.02)
    assert (found["stands"] == (found["error"] <= 2 * limit(0.02))).all()


def test_the_mean_is_hidden():
    seen = []

    def spying(x, trials, rng):
        seen.append(np.median(x))
        return np.zeros(trials)

    found = hidden_world(spying)
    assert np.ptp(seen) > 4
    assert np.allclose(found["error"], np.abs(seen), atol=0.2)
    assert not hidden_world(spying, seed=3)["error"].equals(found["error"])
