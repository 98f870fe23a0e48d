"""Robust means: the table of votes, PRIME, public nets. What they and filters release: the committed bits."""

import json
from collections import Counter
from importlib.resources import files
from itertools import combinations, combinations_with_replacement, product
from math import exp, inf, log
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import expm
from scipy.special import softmax

from tests.estimators.streams import rng
from workbench.bounds import smallest
from workbench.contracts.lone_row import noise_of
from workbench.errors import ArgumentError
from workbench.estimators.base import Abstention
from workbench.estimators.populous_robust import FAR, MIDDLE, TABLE, location_means, rows_for, scatter_factors
from workbench.estimators.prime import Score, exponential, left_after, tail_set, weighed
from workbench.estimators.tukey import MOST, ResilientHeavyMean, ResilientMean, grid_size, trimmed
from workbench.estimators.votes import Groups, Points
from workbench.linalg import norms
from workbench.populations.corruption import COVARIANCE_ATTACKS
from workbench.privacy import ApproxDP

# The public table that robust votes are planned with: how close groups stay when rows are attacked.
#
# For groups of s rows in d dimensions, a share ξ of all rows under each of several attacks and shuffled, it
# holds the distance within which most pairs stay, how much groups differ in that, and what an average errs
# by. It is made by simulation from fixed seeds; nothing in it depends on data, and no privacy on it.
#
# python -m tests.estimators.test_robust        writes the table into the package

GROUPS, PAIRS, SEED = 1200, 12_000, 47
ATTACKS = {  # by name, or to a radius; the first one is none
    "covariance": (
        *("", "planted", "zeros", "far", "very-far", "plane", "top-to-zero", "small-to-quantile"),
        *("moment-far", "diagonal"),
    ),
    "mean": (0.0, 1.5, 2.0, 3.0, 1e3),
}
NEVER = 1e12
LOW, HIGH = 0.5, 0.74  # the weights of a typical vote


def scenario(of, d, size, corruption, attack):
    """Return what votes: groups of standard rows under an attack, or their robust means."""
    words = [round(10 * attack)] if of == "mean" else map(ord, attack)
    source = rng((SEED, d, size, round(1000 * corruption), *words))
    rows = source.standard_normal((GROUPS * size, d))
    if attack and of == "mean":  # the lowest along the first axis go to the other side of it
        rows[np.argsort(rows[:, 0], kind="stable")[: int(corruption * len(rows))], 0] = attack
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
    """Write the table anew: the rows that it has."""
    path = Path(str(files("workbench"))) / "estimators" / TABLE
    with np.errstate(all="ignore"):
        rows = [
            row(one["of"], one["d"], one["size"], one["corruption"])
            for one in json.loads(path.read_text("utf-8"))
        ]
    path.write_text("[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n", "utf-8")


@pytest.mark.daily
@pytest.mark.parametrize(("of", "size"), [("covariance", 24), ("mean", 8)])
def test_the_table_is_what_its_script_makes(of, size):
    fresh = row(of, 1, size, 0.05)
    (kept,) = [one for one in rows_for(1, 0.05, of) if one.size == size]
    for name, numbers in fresh.items():
        assert getattr(kept, name) == (numbers if name == "of" else pytest.approx(numbers, rel=1e-3))


@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.parametrize("kind", [ResilientMean, ResilientHeavyMean])
def test_where_an_error_is_predicted_nearly_all_runs_answer(kind, d):
    estimator, budget, draws = kind(radius=1.0, corruption=0.05, sigma=1.0), ApproxDP(1.0, 1e-6), rng(d)
    least = smallest(lambda n: estimator.predicted_error(n, d, budget) < inf, start=100)
    runs = [estimator(draws.normal(size=(least, d)), budget=budget, rng=draws).value for _ in range(60)]
    assert sum(isinstance(one, Abstention) for one in runs) < 15  # half of them, or most, a few rows before
    assert estimator.predicted_error(least // 2, d, budget) == inf


# PRIME: the exponential, and that neighbours stay neighbours.


@pytest.mark.parametrize("scale", [1.0, 1e4])
def test_the_exponential_is_that_of_a_matrix_and_not_of_its_entries(scale):
    m = scale * np.array([[0.0, 2.0, 1.0], [2.0, -1.0, 0.5], [1.0, 0.5, 3.0]])
    wanted = expm(m - np.linalg.eigvalsh(m)[-1] * np.eye(3))
    assert exponential(m) == pytest.approx(wanted / np.trace(wanted), abs=1e-10)
    values = np.linalg.eigvalsh(m) / scale
    assert weighed(values, np.inf).tolist() == [0, 0, 1]
    assert weighed(values, values[-1]) == pytest.approx(np.exp(values) / np.exp(values).sum())


@pytest.mark.turns(4)
def test_neighbours_stay_neighbours():
    """All pairs of five numbers that differ in one, three passes with other centres: ties between rows."""
    values = (-2.0, -1.0, 0.0, 1.0, 2.0)
    rests = combinations_with_replacement(values, 4)
    for rest, (one, two), k in product(rests, combinations(values, 2), (1, 2)):
        pair = [np.array([value, *rest])[:, None] for value in (one, two)]
        kept = [np.ones(5, bool), np.ones(5, bool)]
        for centre, cut in ((0.0, 4.0), (1.0, 1.0), (-0.5, 0.5)):
            score = Score(np.array([centre]), np.eye(1))
            kept = [
                left_after(tau := score.of(y), mask, tail_set(tau, mask, k, y), cut)
                for y, mask in zip(pair, kept, strict=True)
            ]
            left, other = (Counter(y[mask, 0].tolist()) for y, mask in zip(pair, kept, strict=True))
            assert max((left - other).total(), (other - left).total()) <= 1


# Robust means from public nets: the margin of the test, the law of both steps.

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


def test_a_grid_has_a_public_end():
    with pytest.raises(ArgumentError, match=f"^step = .*{MOST} candidates") as raised:
        grid_size(3, 7.0, 1e-300)
    told = float(raised.value.allowed.split()[2].strip(","))
    assert MOST / 1.25 < grid_size(3, 7.0, told) <= MOST


def law_of_the_choice(estimator, x, budget):
    choice = Mock(return_value=0)
    estimator.estimate(x, budget, noise_of(laplace=lambda *_: np.array(1e6), choice=choice))
    scores, _, scale, *_ = choice.call_args.args
    return softmax(np.array(scores, float) / scale)


@pytest.mark.turns(3)
@settings(max_examples=60, deadline=None)
@given(st.data())
def test_the_margin_has_sensitivity_1_and_trimmed_means_move_by_less_than_the_width(data):
    d = data.draw(st.sampled_from([1, 2, 3]))
    n, k = data.draw(st.sampled_from([(5, 2), (9, 1), (9, 4), (10, 3)]))
    x, y = data.draw(neighbours(n, d))
    (widths, sums), (others, moved) = (trimmed(one, k, UNIT, 8.0) for one in (x, y))
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


if __name__ == "__main__":
    main()
