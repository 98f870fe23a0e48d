"""Statistics that noise is added to, on hostile floats: finite, silent, and within their sensitivity."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from workbench import CoinPressMean
from workbench.estimators.files import ChangedError, stream
from workbench.estimators.populous import mean_designer
from workbench.estimators.populous_robust import location_means, scatter_factors
from workbench.estimators.scale import _spread
from workbench.estimators.shared.rows import evened, group_means
from workbench.estimators.votes import NORM_ROUNDING, Points, designed
from workbench.privacy import ZCDP, ApproxDP, SecureNoise


@pytest.mark.parametrize(("n", "d"), [(10**6, 25), (10**7, 400)])
def test_the_rounding_of_an_average_of_far_points_is_within_what_is_added_to_its_sensitivity(n, d):
    """Two data sets of points as far as usable ones are, where floats are coarse, against exact averages."""
    made = designed(mean_designer(d), n, ApproxDP(1.0, 1e-6), 0.05)
    rng = np.random.default_rng(7)
    near = rng.uniform(-0.3, 0.3, (5, d)) * made.limit / np.sqrt(d)
    reach = max(
        far for far in np.geomspace(1.0, 1e8, 400) if Points(far * made.limit + near, made.limit).usable.all()
    )
    points, weights = Points(reach * made.limit + near, made.limit), np.array([1.0, 1.0, 0.5, 1.0, 0.25])
    shares = [Fraction(w) / Fraction(weights.sum()) for w in weights]
    truth = [sum(s * Fraction(y) for s, y in zip(shares, column, strict=True)) for column in points.values.T]
    off = [float(Fraction(y) - z) for y, z in zip(points.average(weights), truth, strict=True)]
    coarse = np.spacing(reach * made.limit) * np.sqrt(d)  # half a unit of each coordinate, twice
    assert coarse / 10 < 2 * np.linalg.norm(off) <= coarse
    assert coarse < made.distance * (1 - 1 / NORM_ROUNDING)


ROWS = np.random.default_rng(1).normal(3.0, 1.0, (5000, 2))
WHOLE = np.random.default_rng(2).integers(0, 3, (5000, 2)).astype(float)
WHOLE[:2] = [[0.0, 1.0], [2.0, 1.0]]


@pytest.mark.parametrize("rows", [ROWS, WHOLE])
@pytest.mark.parametrize("order", [[1, 0], slice(None)])
@pytest.mark.parametrize("columns", [[1, 0], slice(None)])
def test_entries_that_trade_places_between_passes_are_a_change(rows, order, columns):
    """Every pass sees the same numbers, in other rows or columns; only the same places are the same rows."""
    calls, other = [], rows.copy()
    other[:2] = rows[:2][order][:, columns]

    def source():
        calls.append(1)
        return [rows if len(calls) == 1 else other]

    def run():
        mean = CoinPressMean(radius=100.0, steps=2, sigma=1.0)
        return stream(mean, source, n=5000, d=2, budget=ZCDP(0.5), rng=SecureNoise())

    if (other == rows).all():
        assert run().value.shape == (2,)
    else:
        with pytest.raises(ChangedError):
            run()


OF_GROUPS = {
    "group means": group_means,
    "evened groups": lambda groups: evened(groups).sum(axis=1),
    "robust means": location_means,
    "robust factors": scatter_factors,
    "spreads": lambda groups: np.stack([_spread(column) for column in groups.transpose(2, 0, 1)], 1),
}


@pytest.mark.parametrize("name", OF_GROUPS)
@pytest.mark.parametrize(("size", "d"), [(2, 1), (7, 1), (8, 3), (33, 2), (200, 1)])
def test_what_a_group_says_is_the_same_bit_for_bit_whatever_another_holds(name, size, d):
    """Without absent rows shorter ways are taken: all groups would move if these rounded otherwise."""
    groups, summary = np.random.default_rng(size).normal(3.0, 1.0, (40, size, d)), OF_GROUPS[name]
    others = np.arange(40) != 17
    said = summary(groups.copy())[others]
    for value, places in product((np.nan, 0.0, 1e100, -1e100, 1e-160, 1e8), ([size // 2], slice(None))):
        changed = groups.copy()
        changed[17, places] = value
        with np.errstate(all="ignore"):
            assert np.array_equal(said, summary(changed)[others])
