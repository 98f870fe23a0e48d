"""Robust means and filters: PRIME, public nets, the table of votes, and those without privacy."""

import json
from collections import Counter
from dataclasses import replace
from importlib.resources import files
from itertools import combinations, combinations_with_replacement, product
from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import expm

from tests.estimators.streams import rng
from workbench.bounds.limits import mean_unit
from workbench.errors import ArgumentError
from workbench.estimators.populous_robust import FAR, MIDDLE, TABLE, location_means, rows_for, scatter_factors
from workbench.estimators.prime import (
    FilterMean,
    PrimeHeavyMean,
    PrimeMean,
    Score,
    exponential,
    left_after,
    score_counts,
    tail_set,
    threshold,
    weighed,
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
from workbench.estimators.tukey import (
    MOST,
    ResilientHeavyMean,
    ResilientMean,
    depths,
    directions,
    grid,
    grid_size,
    trimmed,
)
from workbench.estimators.votes import Groups, Points
from workbench.linalg import norms
from workbench.populations.corruption import COVARIANCE_ATTACKS
from workbench.privacy import ApproxDP, GaussianDP, SimulatedNoise, UnitNoise
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
    source = rng((SEED, d, size, round(1000 * corruption), *words))
    rows = source.standard_normal((GROUPS * size, d))
    if attack and of == "mean":
        rows = lowered(rows, int(corruption * len(rows)), attack)
    elif attack:
        (adversary,) = (one for one in COVARIANCE_ATTACKS if one.name == attack)
        rows = adversary.corrupt(rows, corruption, rng=source)
    blocks = rows[source.permutation(len(rows))].reshape(GROUPS, size, d)
    return Points(location_means(blocks), 1.0) if of == "mean" else Groups.of(scatter_factors(blocks))


def distances(votes, source):
    """Return how far random pairs are apart; 1 + dist of groups, at most `NEVER`, where one is not usable."""
    first, second = source.integers(0, GROUPS, (2, PAIRS))
    if isinstance(votes, Points):
        return norms(votes.values[first] - votes.values[second])[first != second]
    second = np.where(first == second, (second + 1) % GROUPS, second)
    values = np.linalg.svd(votes.factors[second] @ np.linalg.inv(votes.factors)[first], compute_uv=False) ** 2
    both = votes.usable[first] & votes.usable[second]
    return np.where(both, np.minimum(np.maximum(values[:, 0], 1 / values[:, -1]), NEVER), NEVER)


def row(of, d, size, corruption):
    """Return one row of the table."""
    every = [scenario(of, d, size, corruption, attack) for attack in ATTACKS[of]]
    source = rng((SEED, d, size))
    lengths = [distances(votes, rng((SEED, d, size)) if of == "mean" else source) for votes in every]
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


# The filter of single rows. Sensitivities: the contracts.


def test_the_cut_of_normal_rows_lies_where_the_bad_ones_begin():
    rule = RobustMean(radius=10.0, sigma=1.0).steps(100_000, 10, ApproxDP(10.0, 0.01))
    scores = rng(10).chisquare(2, 100_000)
    for place in (30.0, 15.0, 8.0):
        scores[:5000] = place + rng(11).random(5000)
        cut = rule.cut(2, np.histogram(scores, [*rule.edges(2), np.inf])[0])
        assert cut <= place
        assert (scores[5000:] <= cut).mean() > 0.9, "too many good rows go"


# Filters without privacy: tails of quadratic forms, and each part left out. Attacks: the claims.


SPECTRA = (
    *((1.0,), (0.5**0.5, -(0.5**0.5)), (0.8, 0.6, 0.0), (8**-0.5,) * 8),
    (0.9, -0.2, -0.2, -0.2, -0.2),
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


# PRIME and its family: what the answers are. Draws, hostile and absent rows, neighbours: the contracts.

LOUD = GaussianDP(20.0)
ALL = [
    PrimeMean(radius=10.0, sigma=1.0),
    FilterMean(radius=10.0, sigma=1.0),
    PrimeHeavyMean(radius=10.0, upper=1.0),
]
EACH = pytest.mark.parametrize("estimator", ALL, ids=lambda one: type(one).__name__)


def planted(n, d, distance=6.0):
    """Normal rows of which one in twenty lies elsewhere."""
    x = rng(1).standard_normal((n, d))
    x[: n // 20] += distance / np.sqrt(d)
    return x


def mean(estimator, x, budget=LOUD, seed=2):
    return estimator.estimate(x, budget, SimulatedNoise(rng(seed)))


@EACH
def test_splits_answer_apart_and_the_most_central_answer_wins(estimator):
    x, noise = planted(5000, 2), SimulatedNoise(rng(3))
    answers = np.array([estimator.estimate(np.ascontiguousarray(x[p::5]), LOUD, noise) for p in range(5)])
    apart = np.median(np.linalg.norm(answers[:, None] - answers, axis=2), axis=1)
    assert np.array_equal(mean(replace(estimator, splits=5), x, seed=3), answers[np.argmin(apart)])


@pytest.mark.parametrize("scale", [1.0, 1e4])
def test_the_exponential_is_that_of_a_matrix_and_not_of_its_entries(scale):
    m = scale * np.array([[0.0, 2.0, 1.0], [2.0, -1.0, 0.5], [1.0, 0.5, 3.0]])
    wanted = expm(m - np.linalg.eigvalsh(m)[-1] * np.eye(3))
    assert exponential(m) == pytest.approx(wanted / np.trace(wanted), abs=1e-10)
    values = np.linalg.eigvalsh(m) / scale
    assert weighed(values, np.inf).tolist() == [0, 0, 1]
    assert weighed(values, values[-1]) == pytest.approx(np.exp(values) / np.exp(values).sum())


def right(tau, kept, y, k, cut):
    return left_after(tau, kept, tail_set(tau, kept, k, y), cut)


def tied(tau, kept, y, k, cut):
    """The mistake: every row whose score is at least the k-th largest."""
    left = np.sort(tau[kept])
    return left_after(tau, kept, kept & (tau >= (left[max(0, len(left) - k)] if len(left) else np.inf)), cut)


@pytest.mark.turns(4)
@pytest.mark.parametrize(("rule", "most"), [(right, 1), (tied, 2)])
def test_neighbours_stay_neighbours(rule, most):
    """All pairs of five numbers that differ in one, three passes with other centres: ties between rows."""
    values, worst = (-2.0, -1.0, 0.0, 1.0, 2.0), 0
    rests = combinations_with_replacement(values, 4)
    for rest, (one, two), k in product(rests, combinations(values, 2), (1, 2)):
        pair = [np.array([value, *rest])[:, None] for value in (one, two)]
        kept = [np.ones(5, bool), np.ones(5, bool)]
        for centre, cut in ((0.0, 4.0), (1.0, 1.0), (-0.5, 0.5)):
            score = Score(np.array([centre]), np.eye(1))
            kept = [rule(score.of(y), mask, y, k, cut) for y, mask in zip(pair, kept, strict=True)]
            left, other = (Counter(y[mask, 0].tolist()) for y, mask in zip(pair, kept, strict=True))
            worst = max(worst, (left - other).total(), (other - left).total())
        if worst >= 2:
            break
    assert worst <= 1 if most == 1 else worst >= most


def test_counts_and_threshold_are_those_of_the_definition():
    tau = np.array([0.0, 0.3, 0.5, 0.9, 1.0, 7.9, 8.0, 15.9])
    counts = score_counts(tau, np.ones(8, bool), 15.9)
    assert counts.tolist() == [2, 2, 1, 0, 1, 2]  # from 1/4, 1/2, 1, 2, 4, 8 on
    # largest edge e with Σ_{bins ≥ e} (edge - e) count / n ≥ .31 ψ: at 4 it is (8 - 4) 2/8 = 1, at 2: 1.75
    assert [threshold(counts, 8, psi / 0.31) for psi in (1, 1.1, 1e9)] == [4.0, 2.0, 0.25]


# Robust means from public nets: depths, the margin of the test, the law of both steps, outliers.

UNIT, APPROX = 2.0**-30, ApproxDP(1.0, 1e-6)
coordinates = st.sampled_from([-3.0, -1.0, -0.5, 0.0, 0.25, 0.5, 1.0, 7.0])


@st.composite
def neighbours(draw, n, d):
    """Rows, and the same with one replaced."""
    row = st.tuples(*[coordinates] * d)
    x = np.array(draw(st.lists(row, min_size=n, max_size=n)))
    y = x.copy()
    y[draw(st.integers(0, n - 1))] = draw(row)
    return x, y


def test_a_grid_covers_its_box_and_has_a_public_end():
    for d, reach, step in ((1, 3.0, 0.01), (2, 1.0, 0.1), (3, 2.0, 0.5), (2, 0.05, 0.1)):
        points = grid(d, reach, step)
        assert points.shape == (grid_size(d, reach, step), d)
        assert np.abs(points).max() == reach
        assert np.diff(np.unique(points[:, 0])).max() <= step * (1 + 1e-12)
    with pytest.raises(ArgumentError, match=f"^step = .*{MOST} candidates") as raised:
        grid_size(3, 7.0, 1e-300)
    told = float(raised.value.allowed.split()[2].strip(","))
    assert MOST / 1.25 < grid_size(3, 7.0, told) <= MOST


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_depth_is_that_of_the_definition_and_has_sensitivity_1(data):
    d = data.draw(st.sampled_from([1, 2, 3]))
    x, y = data.draw(neighbours(7, d))
    points = grid(d, 2.0, 1.0)
    found = depths(x, points)
    assert np.abs(found - depths(y, points)).max() <= 1
    for number in (0, len(points) // 3, len(points) - 1):
        sides = [*directions(d), *-directions(d)]
        assert found[number] == min((x @ v >= points[number] @ v).sum() for v in sides)


class Listening(UnitNoise):
    """Passes every test and keeps the exponents of a choice."""

    def __init__(self):
        object.__setattr__(self, "seen", [])

    def laplace(self, value, *_):
        return np.array(1e6)

    def choice(self, scores, sensitivity, scale, weights=None):
        self.seen.append(np.array(scores, float) / scale)
        return 0


def law_of_the_choice(estimator, x, budget):
    noise = Listening()
    estimator.estimate(x, budget, noise)
    weights = np.exp(noise.seen[0] - noise.seen[0].max())
    return weights / weights.sum()


@pytest.mark.turns(3)
@settings(max_examples=60, deadline=None)
@given(st.data())
def test_the_margin_has_sensitivity_1_and_trimmed_means_move_by_less_than_the_width(data):
    d = data.draw(st.sampled_from([1, 2, 3]))
    n, k = data.draw(st.sampled_from([(5, 2), (9, 1), (9, 4), (10, 3)]))
    x, y = data.draw(neighbours(n, d))
    (widths, sums), (others, moved) = (trimmed(one, k, UNIT, 8.0) for one in (x, y))
    lines = np.sort([x @ v for v in directions(d)], axis=1)
    for m in range(k):  # y_{n-k+1+m} - y_{k+1-m} and y_{n-k+m} - y_{k-m}, counted from 1
        inner, outer = lines[:, n - k + m] - lines[:, k - m], lines[:, n - k + m - 1] - lines[:, k - m - 1]
        assert widths[m] * UNIT == pytest.approx(max(inner.max(), outer.max()), abs=1.001 * UNIT)
    assert sums * UNIT / (n - 2 * k) == pytest.approx(lines[:, k : n - k].mean(axis=1), abs=0.501 * UNIT)
    for width in {*widths, *others, 0, 2**30}:
        margins = [np.searchsorted(one, width, side="right") - 1 for one in (widths, others)]
        assert abs(margins[0] - margins[1]) <= 1
    assert np.abs(sums - moved).max() <= min(widths[0], others[0])


def whole_law(estimator, x, budget):
    """Probabilities of no answer and of every candidate."""
    plan, box = estimator.plan(*x.shape, budget), estimator.box
    widths, _ = trimmed(np.clip(x, -box, box), estimator.trim(len(x)), UNIT, 8.0)
    margin = np.searchsorted(widths, estimator.width / UNIT, side="right") - 1
    cost = plan["check"].cost
    need = log(1 / (2 * cost.delta)) / cost.epsilon - 1 - margin  # the noise has to exceed it
    passes = exp(-need * cost.epsilon) / 2 if need > 0 else 1 - exp(need * cost.epsilon) / 2
    return np.append(1 - passes, passes * law_of_the_choice(estimator, x, budget))


@pytest.mark.daily
@settings(max_examples=120, deadline=None)
@given(st.data())
def test_test_and_draw_together_keep_their_budget(data):
    d, corruption = data.draw(st.sampled_from([(1, 0.05), (1, 0.12), (2, 0.12)]))
    pair, budget = data.draw(neighbours(9, d)), ApproxDP(data.draw(st.sampled_from([0.5, 3.0])), 0.1)
    estimator = ResilientMean(radius=2.0, corruption=corruption, step=1.0, sigma=1.0)
    law, other = (whole_law(estimator, one, budget) for one in pair)
    assert law.sum() == pytest.approx(1)
    assert np.maximum(law - exp(budget.epsilon) * other, 0).sum() <= budget.delta * (1 + 1e-9)


def test_wide_tails_are_let_through_by_the_heavy_entry_alone():
    x, given = rng(1).standard_t(1.0, (2000, 2)), {"radius": 1.0, "corruption": 0.05, "sigma": 1.0}
    assert ResilientMean(**given)(x, budget=APPROX, rng=rng(2)).abstained
    assert not ResilientHeavyMean(**given)(x, budget=APPROX, rng=rng(2)).abstained


if __name__ == "__main__":
    main()
