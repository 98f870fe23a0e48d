"""Words beside curves: near their own, on none, apart from one another."""

import numpy as np
import pytest

from workbench.charts.chart import Series
from workbench.charts.free_places import Axes as Limits
from workbench.charts.free_places import _dense, _distance, _half, beside

X = np.geomspace(1e3, 1e7, 9)
NAMES = ("zeros", "true diagonal", "plain release", "no privacy")


def curves(rng):
    """Return two level lines, two falling ones, and three curves that leave one of them."""
    slopes = rng.uniform(0.4, 0.6, 2) * [2, 1]
    named = [np.ones(9), np.full(9, 0.45), 3 * (X / X[0]) ** -slopes[0], 0.3 * (X / X[0]) ** -slopes[1]]
    others = [np.minimum(0.46, 0.4 * (X / x) ** -0.9) for x in rng.uniform(3e4, 1e6, 3)]
    return [Series(name, X, y) for name, y in zip(NAMES, named, strict=True)], [
        Series("", X, y) for y in others
    ]


@pytest.mark.daily
@pytest.mark.parametrize("seed", range(6))
def test_words_cover_no_curve_and_no_other_words(seed):
    own, others = curves(np.random.default_rng(seed))
    every = [*own, *others]
    axes = Limits.around(every)
    places = [axes.shares(np.log(place)) for place in beside([(one.label, (one,)) for one in own], every)]
    halves = [_half(one.label) for one in own]
    for place, half, mine in zip(places, halves, own, strict=True):
        apart = [_distance(place[None], axes.shares(_dense(one)), half)[0] for one in every]
        assert min(apart) > 0.01
        assert apart[own.index(mine)] < 1 / 6
    for first in range(len(own)):
        for second in range(first):
            room = halves[first] + halves[second]
            assert (np.abs(places[first] - places[second]) > room).any()


@pytest.mark.daily
def test_words_stay_within_the_limits():
    own, others = curves(np.random.default_rng(1))
    limits = (0.02, 2.0)
    for _, y in beside([(one.label, (one,)) for one in own], [*own, *others], limits):
        assert limits[0] < y < limits[1]
