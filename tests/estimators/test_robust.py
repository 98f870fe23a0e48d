"""The filter of single rows and filters without privacy: what they remove, cost and move with."""

import json
from importlib.resources import files
from math import sqrt

import numpy as np
import pytest

from tests.estimators.streams import rng
from workbench.bounds.limits import mean_unit
from workbench.estimators.populous_robust import FAR, MIDDLE, TABLE, location_means, scatter_factors
from workbench.estimators.references import (
    above_mean,
    filter_weights,
    filtered_mean,
    filtered_moment,
    removable,
    simple_mean,
    simple_moment,
    upper_tail,
)
from workbench.estimators.robust import RobustHeavyMean, RobustMean, Rows
from workbench.estimators.shared.rows import of_groups
from workbench.estimators.votes import Groups, Points
from workbench.linalg import norms
from workbench.populations.corruption import COVARIANCE_ATTACKS
from workbench.privacy import ApproxDP, SimulatedNoise
from workbench.privacy.mechanisms import gaussian_mu
from workbench.privacy.noise import uniform_basis

# The public table that robust votes are planned with: how close groups stay when rows are attacked.
#
# For groups of s rows in d dimensions, a share ξ of all rows under each of several attacks and shuffled, it
# holds the distance within which most pairs stay, how much groups differ in that, and what an average errs
# by. It is made by simulation from fixed seeds; nothing in it depends on data, and no privacy on it.
#
# python -m tests.estimators.robust_table        writes the table into the package

GROUPS, PAIRS, SEED = 1200, 12_000, 47
CORRUPTIONS = (0.02, 0.05, 0.1)
SIZES = {1: (24, 32, 48, 64), 2: (32, 48, 64, 96), 3: (64, 96, 144), 4: (96, 144, 192)}
RADII = (0.0, 1.5, 2.0, 3.0, 1e3)
MEAN_D, MEAN_SIZES = (1, 2, 3, 4, 5, 8), (8, 16, 32)
NEVER = 1e12
LOW, HIGH = 0.5, 0.74  # the weights of a typical vote
NAMES = (
    "planted", "zeros", "far", "very-far", "plane", "top-to-zero", "small-to-quantile", "moment-far",
    "diagonal",
)  # fmt: skip


def scenario(d, size, corruption, name):
    """Return groups of standard rows under an attack, or clean ones for no name."""
    rng = np.random.default_rng((SEED, d, size, round(1000 * corruption), *map(ord, name)))
    rows = rng.standard_normal((GROUPS * size, d))
    attack = {adversary.name: adversary for adversary in COVARIANCE_ATTACKS}.get(name)
    rows = rows if attack is None else attack.corrupt(rows, corruption, rng=rng)
    blocks = rows[rng.permutation(len(rows))].reshape(GROUPS, size, d)
    return Groups.of(scatter_factors(blocks))


def distances(groups, rng):
    """Return 1 + dist of random pairs of groups, at most `NEVER`; that where one is not usable."""
    first, second = rng.integers(0, len(groups.factors), (2, PAIRS))
    second = np.where(first == second, (second + 1) % len(groups.factors), second)
    inverses = np.linalg.inv(groups.factors)
    values = np.linalg.svd(groups.factors[second] @ inverses[first], compute_uv=False) ** 2
    both = groups.usable[first] & groups.usable[second]
    return np.where(both, np.minimum(np.maximum(values[:, 0], 1 / values[:, -1]), NEVER), NEVER)


def average(groups, friends):
    """Return the weighted average of a typical vote."""
    weights = np.clip((friends / len(groups.factors) - LOW) / (HIGH - LOW), 0.0, 1.0) * groups.usable
    root = groups.average(weights)
    return np.asarray(root @ root.T)


def row(d, size, corruption):
    """Return one row of the table."""
    clean = scenario(d, size, corruption, "")
    found = {name: scenario(d, size, corruption, name) for name in NAMES}
    rng = np.random.default_rng((SEED, d, size))
    lengths = [distances(groups, rng) for groups in (clean, *found.values())]
    limits = [max(float(np.quantile(one, 1 - far)) for one in lengths) for far in FAR]
    friends = {name: groups.friends(limits[MIDDLE]) for name, groups in found.items()}
    scale = float(np.trace(average(clean, clean.friends(limits[MIDDLE]))) / d)
    errors = [average(groups, friends[name]) / scale - np.eye(d) for name, groups in found.items()]
    deviation = max(float(np.std(counts / GROUPS)) for counts in friends.values())
    return {
        "of": "covariance", "d": d, "size": size, "corruption": corruption,
        "limits": [round(limit, 4) for limit in limits], "deviation": round(deviation, 4),
        "scale": round(scale, 4), "error": round(max(float(np.linalg.norm(error)) for error in errors), 4),
    }  # fmt: skip


def lowered(x, bad, radius):
    """Return rows whose lowest along the first axis went to the other side of it."""
    y = x.copy()
    lowest = np.argsort(x[:, 0], kind="stable")[:bad]
    y[lowest, 0] = radius
    return y


def mean_scenario(d, size, corruption, radius):
    """Return the robust means of groups of standard rows, the lowest moved to a radius; 0: clean ones."""
    rng = np.random.default_rng((SEED, d, size, round(1000 * corruption), round(10 * radius)))
    rows = rng.standard_normal((GROUPS * size, d))
    rows = lowered(rows, int(corruption * len(rows)), radius) if radius else rows
    return of_groups(rows[rng.permutation(len(rows))], size, location_means)


def mean_row(d, size, corruption):
    """Return one row of the table for means; distances are Euclidean, in standard deviations."""
    found = [mean_scenario(d, size, corruption, radius) for radius in RADII]
    rng = np.random.default_rng((SEED, d, size))
    pairs = rng.integers(0, GROUPS, (2, PAIRS))
    lengths = [norms(points[pairs[0]] - points[pairs[1]])[pairs[0] != pairs[1]] for points in found]
    limits = [max(float(np.quantile(one, 1 - far)) for one in lengths) for far in FAR]
    shares = [Points(points, limits[MIDDLE]).friends(limits[MIDDLE]) / GROUPS for points in found]
    weights = [np.clip((share - LOW) / (HIGH - LOW), 0.0, 1.0) for share in shares]
    errors = [np.linalg.norm(w @ points / w.sum()) for w, points in zip(weights, found, strict=True)]
    return {
        "of": "mean", "d": d, "size": size, "corruption": corruption,
        "limits": [round(limit, 4) for limit in limits],
        "deviation": round(max(float(np.std(share)) for share in shares), 4),
        "scale": 1.0, "error": round(max(map(float, errors)), 4),
    }  # fmt: skip


def main():
    """Write the table."""
    with np.errstate(all="ignore"):
        rows = [row(d, size, share) for d, sizes in SIZES.items() for size in sizes for share in CORRUPTIONS]
    rows += [mean_row(d, size, share) for d in MEAN_D for size in MEAN_SIZES for share in CORRUPTIONS]
    path = files("workbench").joinpath("estimators", TABLE)
    with open(str(path), "w", encoding="utf-8") as out:
        out.write("[\n" + ",\n".join(json.dumps(one) for one in rows) + "\n]\n")


if __name__ == "__main__":
    main()


# The filter of single rows: what it removes, costs and moves with. Sensitivities: the contracts.

BUDGET = ApproxDP(10.0, 0.01)
NORMAL, HEAVY = RobustMean(radius=10.0, sigma=1.0), RobustHeavyMean(radius=10.0, upper=1.0)


@pytest.mark.daily
def test_steps_that_are_left_give_the_mean_of_a_refund():
    """P4: on clean rows the noise of the sum is that of one release with all that was not needed."""
    n, d, runs = 3000, 4, 400
    x = rng(3).standard_normal((n, d))
    design, plan, rows = NORMAL.steps(n, d, BUDGET), NORMAL.plan(n, d, BUDGET), Rows(x, 0.0, 1.0)
    charges = [charge for charge in plan.charges() if charge.step not in ("range", "recentre")]
    found = np.array(
        [design.filtered(rows, np.zeros(d), charges, SimulatedNoise(rng(seed))) for seed in range(runs)]
    )
    left = design.mu**2 * (1 - design.shares.range - design.shares.recentre)
    unused = left - gaussian_mu(charges[0].cost) ** 2 * (1 - design.prices.total**2)
    sd = 2 * design.radius / (n * sqrt(unused))
    ratio = float(((found - found.mean(axis=0)) ** 2).sum() / sd**2 / (d * (runs - 1)))
    assert abs(ratio - 1) < 5 * sqrt(2 / (d * runs))  # and not that of the last step alone
    alone = 2 * design.radius / (n * gaussian_mu(charges[-1].cost))
    assert alone > 1.3 * sd


def histogram(scores, edges):
    """Counts of scores from each edge to the next."""
    return np.bincount(np.searchsorted(edges, scores, side="right"), minlength=len(edges) + 1)[1:]


def test_the_cut_of_normal_rows_lies_where_the_bad_ones_begin():
    n = 100_000
    rule = NORMAL.steps(n, 10, BUDGET)
    edges, clean = rule.edges(2), rng(10).chisquare(2, n)
    for place, most in ((30.0, 30.0), (15.0, 15.0), (8.0, 8.0)):
        scores = clean.copy()
        scores[:5000] = place + rng(11).random(5000)
        cut = rule.cut(2, histogram(scores, edges))
        assert cut <= most
        assert (scores[5000:] <= cut).mean() > 0.9, "too many good rows go"
        assert (scores[:5000] > cut).all()
    lighter = histogram(rng(12).uniform(0, 4, n), edges)  # the excess is not the adversary's: at most α n
    excess = (lighter[::-1].cumsum()[::-1] - n * np.array([0.6])) / 0.4
    assert excess.max() > 0.05 * n
    assert rule.cut(2, lighter) >= 2.0


# Filters without privacy: tails of quadratic forms, and each part left out. Attacks: the claims.

SPECTRA = (
    *((1.0,), (0.5**0.5, 0.5**0.5), (0.5**0.5, -(0.5**0.5)), (1.0, 0.0, 0.0), (0.8, 0.6, 0.0)),
    *((0.8, -0.6, 0.0), (8**-0.5,) * 8, (0.9, -0.2, -0.2, -0.2, -0.2)),
)


@pytest.mark.daily
@pytest.mark.parametrize("spectrum", SPECTRA)
def test_tails_and_the_share_above_the_mean_are_those_of_simulated_forms(spectrum):
    g = rng(3).standard_normal((10**6, len(spectrum)))
    values = np.sort((g * g) @ np.array(spectrum))
    assert abs(above_mean(np.array(spectrum)) - (values >= sum(spectrum)).mean()) < 0.003
    for sign in (1.0, -1.0):
        x, tail = upper_tail(sign * np.array(spectrum))
        assert (np.diff(x) > 0).all()
        seen = 1 - np.searchsorted(np.sort(sign * values), x) / len(values)
        known = (tail <= 0.3) & (seen > 2e-3)
        assert known.sum() >= 3
        assert (np.abs(tail[known] / seen[known] - 1) < 0.15).all()


def test_the_filter_is_equivariant():
    x = lowered(rng(9).standard_normal((3000, 3)), 150, 5.0)
    assert filter_weights(x, 0.05).min() < 1
    shape = uniform_basis(3, rng(5)) * [1.0, 30.0, 1e3]
    plain, mapped = filtered_moment(x, 0.05), filtered_moment(x @ shape.T, 0.05)
    assert np.allclose(np.linalg.solve(shape, np.linalg.solve(shape, mapped).T), plain, rtol=0, atol=1e-8)


def test_a_filter_stops_before_it_removes_too_much():
    x = rng().standard_normal((2000, 2))
    x[:900] = 3.0
    assert len(x) - filter_weights(x, 0.05).sum() <= 1.2 * removable(len(x), 0.05)


def test_a_filter_without_corruption_is_the_plain_estimate():
    x = rng().standard_normal((200, 3))
    x[0] = 1e6
    for moment, mean in ((filtered_moment, filtered_mean), (simple_moment, simple_mean)):
        assert np.allclose(moment(x, 0.0), x.T @ x / len(x))
        assert np.allclose(mean(x, 0.0), x.mean(axis=0))


@pytest.mark.parametrize(("d", "n", "corruption"), [(1, 4000, 0.05), (5, 10_000, 0.1)])
@pytest.mark.parametrize("radius", [1.5, 3.0, 1e3])
def test_the_mean_filter_errs_by_the_unit(d, n, corruption, radius):
    x = lowered(rng(4).standard_normal((n, d)), int(corruption * n), radius)
    most = min(2.7 * mean_unit(corruption), 1.1 * np.linalg.norm(x.mean(axis=0)))
    assert np.linalg.norm(filtered_mean(x, corruption)) <= most
    assert np.linalg.norm(simple_mean(x, corruption)) <= 3.5 * mean_unit(corruption)
