"""The filter of single rows and filters without privacy: what they remove, cost and move with."""

import json
from importlib.resources import files

import numpy as np
import pytest

from tests.estimators.streams import rng
from tests.estimators.streams import rng as stream
from workbench.bounds.limits import mean_unit
from workbench.estimators.populous_robust import (
    FAR,
    MIDDLE,
    TABLE,
    location_means,
    rows_for,
    scatter_factors,
)
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
from workbench.estimators.robust import RobustMean
from workbench.estimators.votes import Groups, Points
from workbench.linalg import norms
from workbench.populations.corruption import COVARIANCE_ATTACKS
from workbench.privacy import ApproxDP
from workbench.privacy.noise import uniform_basis

# The public table that robust votes are planned with: how close groups stay when rows are attacked.
#
# For groups of s rows in d dimensions, a share ξ of all rows under each of several attacks and shuffled, it
# holds the distance within which most pairs stay, how much groups differ in that, and what an average errs
# by. It is made by simulation from fixed seeds; nothing in it depends on data, and no privacy on it.
#
# python -m tests.estimators.test_robust        writes the table into the package

GROUPS, PAIRS, SEED = 1200, 12_000, 47
CORRUPTIONS = (0.02, 0.05, 0.1)
SIZES = {
    "covariance": {1: (24, 32, 48, 64), 2: (32, 48, 64, 96), 3: (64, 96, 144), 4: (96, 144, 192)},
    "mean": dict.fromkeys((1, 2, 3, 4, 5, 8), (8, 16, 32)),
}
ATTACKS = {  # by name, or to a radius; the first one is none
    "covariance": (
        *("", "planted", "zeros", "far", "very-far", "plane", "top-to-zero", "small-to-quantile"),
        *("moment-far", "diagonal"),
    ),
    "mean": (0.0, 1.5, 2.0, 3.0, 1e3),
}
NEVER = 1e12
LOW, HIGH = 0.5, 0.74  # the weights of a typical vote


def lowered(x, bad, radius):
    """Return rows whose lowest along the first axis went to the other side of it."""
    y = x.copy()
    y[np.argsort(x[:, 0], kind="stable")[:bad], 0] = radius
    return y


def scenario(of, d, size, corruption, attack):
    """Return what votes: groups of standard rows under an attack, or their robust means."""
    words = [round(10 * attack)] if of == "mean" else map(ord, attack)
    rng = stream((SEED, d, size, round(1000 * corruption), *words))
    rows = rng.standard_normal((GROUPS * size, d))
    if attack and of == "mean":
        rows = lowered(rows, int(corruption * len(rows)), attack)
    elif attack:
        (adversary,) = (one for one in COVARIANCE_ATTACKS if one.name == attack)
        rows = adversary.corrupt(rows, corruption, rng=rng)
    blocks = rows[rng.permutation(len(rows))].reshape(GROUPS, size, d)
    return Points(location_means(blocks), 1.0) if of == "mean" else Groups.of(scatter_factors(blocks))


def distances(votes, rng):
    """Return how far random pairs are apart; 1 + dist of groups, at most `NEVER`, where one is not usable."""
    first, second = rng.integers(0, GROUPS, (2, PAIRS))
    if isinstance(votes, Points):
        return norms(votes.values[first] - votes.values[second])[first != second]
    second = np.where(first == second, (second + 1) % GROUPS, second)
    values = np.linalg.svd(votes.factors[second] @ np.linalg.inv(votes.factors)[first], compute_uv=False) ** 2
    both = votes.usable[first] & votes.usable[second]
    return np.where(both, np.minimum(np.maximum(values[:, 0], 1 / values[:, -1]), NEVER), NEVER)


def row(of, d, size, corruption):
    """Return one row of the table."""
    every = [scenario(of, d, size, corruption, attack) for attack in ATTACKS[of]]
    rng = stream((SEED, d, size))
    lengths = [distances(votes, stream((SEED, d, size)) if of == "mean" else rng) for votes in every]
    limits = [max(float(np.quantile(one, 1 - far)) for one in lengths) for far in FAR]
    shares = [votes.friends(limits[MIDDLE]) / GROUPS for votes in every]
    weights = (np.clip((share - LOW) / (HIGH - LOW), 0.0, 1.0) for share in shares)
    found = [votes.average(weight * votes.usable) for votes, weight in zip(every, weights, strict=True)]
    scale = 1.0 if of == "mean" else float((found[0] ** 2).sum()) / d
    errors = [one if of == "mean" else one @ one.T / scale - np.eye(d) for one in found]
    numbers = {
        "deviation": max(map(np.std, shares)), "scale": scale, "error": max(map(np.linalg.norm, errors))
    }  # fmt: skip
    return {
        "of": of, "d": d, "size": size, "corruption": corruption,
        "limits": [round(limit, 4) for limit in limits],
        **{name: round(float(number), 4) for name, number in numbers.items()},
    }  # fmt: skip


def main():
    """Write the table."""
    with np.errstate(all="ignore"):
        rows = [
            row(of, d, size, share)
            for of, sizes in SIZES.items()
            for d in sizes
            for size in sizes[d]
            for share in CORRUPTIONS
        ]
    path = files("workbench").joinpath("estimators", TABLE)
    with open(str(path), "w", encoding="utf-8") as out:
        out.write("[\n" + ",\n".join(json.dumps(one) for one in rows) + "\n]\n")


@pytest.mark.daily
@pytest.mark.parametrize(("of", "size"), [("covariance", 24), ("mean", 8)])
def test_the_table_is_what_its_script_makes(of, size):
    fresh = row(of, 1, size, 0.05)
    (kept,) = [one for one in rows_for(1, 0.05, of) if one.size == size]
    for name, numbers in fresh.items():
        assert getattr(kept, name) == (numbers if name == "of" else pytest.approx(numbers, rel=1e-3))


# The filter of single rows: what it removes, costs and moves with. Sensitivities: the contracts.


def test_the_cut_of_normal_rows_lies_where_the_bad_ones_begin():
    n = 100_000
    rule = RobustMean(radius=10.0, sigma=1.0).steps(n, 10, ApproxDP(10.0, 0.01))
    scores = rng(10).chisquare(2, n)
    for place in (30.0, 15.0, 8.0):
        scores[:5000] = place + rng(11).random(5000)
        cut = rule.cut(2, np.histogram(scores, [*rule.edges(2), np.inf])[0])
        assert cut <= place
        assert (scores[5000:] <= cut).mean() > 0.9, "too many good rows go"


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


def test_a_filter_stops_before_it_removes_too_much_and_is_the_plain_estimate_without_corruption():
    x = rng().standard_normal((2000, 2))
    x[:900] = 3.0
    assert len(x) - filter_weights(x, 0.05).sum() <= 1.2 * removable(len(x), 0.05)
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


if __name__ == "__main__":
    main()
