"""The sweeps behind the claims on robust oracles (AL22 Theorems 6.1, 6.3, 7.3 and 7.4).

Unit of a covariance: u = ξ ln 1/ξ, in Frobenius norm relative to Σ; of a mean: ξ √(ln 1/ξ). The truth is I;
rows reach an oracle in a frame of condition 10⁶, rotated, so that nothing can hang on the axes.

`oracles` runs the tail filter, the source's filter and the plain second moment on the same attacked rows,
and measures how far what an attack plants cancels what it takes away; `clean` counts how often clean rows
are touched; `searches` climbs from random attacks to the worst that 150 evaluations find; `votes` runs the
private keys end to end.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import Generator

from workbench.bounds.corruption import mean_unit, unit
from workbench.estimators.populous_robust import (
    PopulousRobustCovariance,
    PopulousRobustGaussian,
    PopulousRobustMean,
)
from workbench.estimators.references import filter_weights, filtered_moment, simple_moment
from workbench.populations.corruption import COVARIANCE_ATTACKS, HELD_OUT_ATTACKS, Adversary
from workbench.populations.corruption.covariance import directions
from workbench.populations.corruption.family import CHOSEN, Recipe, drawn
from workbench.privacy import ApproxDP
from workbench.study.grids import Sweep, grid
from workbench.study.profiles import blocks
from workbench.study.run import Row, answered, each_trial, error_of
from workbench.types import Array

D, CORRUPTIONS = (1, 2, 5), (0.02, 0.05, 0.1)
MOST_ROWS = 12_800  # of d²/ξ²: the larger cells would take minutes
ATTACKS = {adversary.name: adversary for adversary in (*COVARIANCE_ATTACKS, *HELD_OUT_ATTACKS)}
HELD_OUT = tuple(adversary.name for adversary in HELD_OUT_ATTACKS)
HARD_D = (1, 2)
HARDEST = ("flipped", "copied", "small-to-quantile", "shoulder")  # of a survey of all
EVALUATIONS, FRESH = 150, 24  # of a search; data sets on which what it found runs again
SEARCHED = 3.0  # units: what is claimed of attacks that are found
CONDITION = 1e3  # of the frame
BUDGET = ApproxDP(1.0, 1e-6)
VOTED = ("", "planted", "zeros", "far", "top-to-zero", "small-to-quantile")
VOTE_ROWS = {1: 45_000, 2: 140_000}


def size(d: int, corruption: float) -> int:
    """Return the rows of a cell: d²/ξ², 400 at least."""
    return min(max(400, round((d / corruption) ** 2)), MOST_ROWS)


def frame(d: int, rng: Generator) -> Array:
    """Return a matrix of this condition, rotated."""
    return np.asarray(directions(d, rng) * np.geomspace(1.0, CONDITION, d))


def error(moment: Array, corruption: float) -> float:
    """Return |M - I| in units of u."""
    return float(np.linalg.norm(moment - np.eye(len(moment)))) / unit(corruption)


def moment(rows: Array) -> Array:
    """Return the plain second moment."""
    return np.asarray(rows.T @ rows / len(rows))


@each_trial
def oracles(d: int, corruption: float, attack: str, n: int, *, data: Generator, noise: Generator) -> Row:
    """Measure the errors of tail filter, source's filter and plain moment, and the share that cancels."""
    clean = data.standard_normal((n, d))
    x = ATTACKS[attack].corrupt(clean, corruption, rng=data)
    shape = frame(d, data)
    back, rows = np.linalg.inv(shape), x @ shape.T
    return {
        "error": error(back @ filtered_moment(rows, corruption) @ back.T, corruption),
        "paper": error(back @ simple_moment(rows, corruption) @ back.T, corruption),
        "plain": error(moment(x), corruption),
        "remains": remains(clean, x),
    }


def remains(clean: Array, x: Array) -> float:
    """Return |P - T|/(|P| + |T|), P and T the moments of what is planted and of what is taken away."""
    changed = (clean != x).any(axis=1)
    taken, put = (rows[changed].T @ rows[changed] for rows in (clean, x))
    return float(np.linalg.norm(put - taken) / (np.linalg.norm(put) + np.linalg.norm(taken)))


@each_trial
def clean(d: int, corruption: float, n: int, *, data: Generator, noise: Generator) -> Row:
    """Count the clean samples that the filter touches."""
    return {"changed": filter_weights(data.standard_normal((n, d)), corruption).min() < 1}


@each_trial
def searches(d: int, corruption: float, n: int, *, data: Generator, noise: Generator) -> Row:
    """Search for the worst attack, and run what was found on fresh rows."""
    found, worst = searched(n, d, corruption, data)
    fresh = [attacked(worst.adversary, n, d, corruption, data) for _ in range(FRESH)]
    middle = dict(zip(("error", "plain"), np.mean(fresh, axis=0), strict=True))
    return {"found": found, **middle, "above": sum(error > SEARCHED for error, _ in fresh)}


def searched(n: int, d: int, corruption: float, rng: Generator) -> tuple[float, Recipe]:
    """Return the worst error and attack of three climbs, one for each way to choose rows."""
    best: tuple[float, Recipe] = (-1.0, Recipe())
    for chosen in CHOSEN:
        top: tuple[float, Recipe] = (-1.0, Recipe())
        for step in range(EVALUATIONS // len(CHOSEN)):
            started = step < EVALUATIONS // (3 * len(CHOSEN))
            recipe = replace(drawn(rng) if started else top[1].mutated(rng), chosen=chosen)
            reached, _ = attacked(recipe.adversary, n, d, corruption, rng)
            top = max(top, (reached, recipe), key=lambda one: one[0])
        best = max(best, top, key=lambda one: one[0])
    return best


def attacked(adversary: Adversary, n: int, d: int, corruption: float, rng: Generator) -> tuple[float, float]:
    """Return the errors of the filter and of the plain moment under one attack."""
    x = adversary.corrupt(rng.standard_normal((n, d)), corruption, rng=rng)
    return error(filtered_moment(x, corruption), corruption), error(moment(x), corruption)


@each_trial
def votes(d: int, n: int, corruption: float, attack: str, *, data: Generator, noise: Generator) -> Row:
    """Run the robust vote on a covariance end to end."""
    x = data.standard_normal((n, d))
    x = ATTACKS[attack].corrupt(x, corruption, rng=data) if attack else x
    shape, estimator = frame(d, data), PopulousRobustCovariance(corruption=corruption, centred=True)
    back, value = np.linalg.inv(shape), estimator(x @ shape.T, budget=BUDGET, rng=noise).value
    return answered(error_of(value, lambda found: error(back @ found @ back.T, corruption)))


@each_trial
def mean_votes(d: int, n: int, corruption: float, radius: float, *, data: Generator, noise: Generator) -> Row:
    """Run the robust vote on a mean end to end; the lowest rows along an axis go to `radius`."""
    x = data.standard_normal((n, d))
    x[np.argsort(x[:, 0])[: int(corruption * n)], 0] = radius
    value = PopulousRobustMean(corruption=corruption, sigma=1.0)(x + 1e4, budget=BUDGET, rng=noise).value
    return answered(error_of(value, lambda mean: np.linalg.norm(mean - 1e4) / mean_unit(corruption)))


@each_trial
def laws(d: int, n: int, corruption: float, attack: str, *, data: Generator, noise: Generator) -> Row:
    """Run the robust Gaussian end to end: its two errors, in units of pairs and of rows."""
    x = data.standard_normal((n, d))
    x = ATTACKS[attack].corrupt(x, corruption, rng=data)
    shape, estimator = frame(d, data), PopulousRobustGaussian(corruption=corruption)
    back, value = np.linalg.inv(shape), estimator(1e4 + x @ shape.T, budget=BUDGET, rng=noise).value
    return answered(
        error_of(value, lambda law: error(back @ law.covariance @ back.T, 2 * corruption)),
        mean=error_of(value, lambda law: np.linalg.norm(back @ (law.mean - 1e4)) / mean_unit(corruption)),
    )


def cells(**more: Any) -> tuple[dict[str, Any], ...]:
    """Return every d and ξ with the rows of its cell, times other axes."""
    return tuple(
        {**one, "n": size(one["d"], one["corruption"])} for one in grid(d=D, corruption=CORRUPTIONS, **more)
    )


ORACLES = Sweep("al22-oracles", cells(attack=list(ATTACKS)), oracles, 1, blocks(3))
HARD = Sweep(
    "al22-hard-attacks",
    tuple(
        {**one, "n": size(one["d"], one["corruption"])}
        for one in grid(d=list(HARD_D), corruption=CORRUPTIONS, attack=list(HARDEST))
    ),
    oracles,
    4,
    blocks(21),
)
CLEAN = Sweep(
    "al22-clean",
    tuple(
        {"d": d, "corruption": share, "n": min(size(d, share), 1600)} for d in (1, 2) for share in (0.05, 0.1)
    ),
    clean,
    150,
    blocks(12),
)
SEARCHES = Sweep(
    "al22-searches",
    tuple({"d": d, "corruption": share, "n": round(400 / share)} for d in (1, 2) for share in CORRUPTIONS),
    searches,
    1,
    blocks(2),
)
VOTES = Sweep(
    "al22-robust-votes",
    tuple(
        {"d": d, "n": n, "corruption": 0.05, "attack": name} for d, n in VOTE_ROWS.items() for name in VOTED
    ),
    votes,
    4,
    blocks(5),
)
MEAN_VOTES = Sweep(
    "al22-robust-mean-votes",
    tuple(
        {"d": d, "n": n, "corruption": 0.05, "radius": radius}
        for d, n in ((1, 8000), (2, 12_000), (5, 30_000))
        for radius in (1.5, 3.0, 1e3)
    ),
    mean_votes,
    4,
    blocks(7),
)
LAWS = Sweep(
    "al22-robust-laws",
    tuple(
        {"d": d, "n": n, "corruption": 0.02, "attack": name}
        for d, n in ((1, 120_000), (2, 300_000))
        for name in ("planted", "far", "top-to-zero")
    ),
    laws,
    4,
    blocks(11),
)
