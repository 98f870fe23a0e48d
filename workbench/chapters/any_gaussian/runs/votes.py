"""The sweeps behind the claims on AL22's learners: votes, subspaces, preconditioners, means, laws.

(ε, δ) = (1, 1e-6), β = .1. A run without an answer has an infinite error. Covariances are random frames of a
spectrum, errors relative to them.
"""

from math import inf
from typing import Any

import numpy as np
from numpy.random import Generator

from workbench import losses
from workbench.distributions import Gaussian
from workbench.estimators.base import Abstention
from workbench.estimators.populous import (
    EVERYBODY,
    NOBODY,
    QUORUM,
    PopulousCovariance,
    PopulousGaussian,
    PopulousMean,
    Preconditioner,
)
from workbench.estimators.shared import budgets
from workbench.estimators.shared.rows import in_blocks
from workbench.estimators.subspaces import GRID, SubspaceExact, Tokens
from workbench.estimators.unbounded import UnboundedCovariance
from workbench.estimators.votes import Vote
from workbench.populations.spectra import named, shown
from workbench.privacy import ApproxDP, SimulatedNoise
from workbench.privacy.histograms import mode_charge, release_mode
from workbench.privacy.noise import NoiseSource
from workbench.study.grids import Sweep, grid
from workbench.study.profiles import blocks
from workbench.study.run import Row, answered, block_columns, each_trial, error_of
from workbench.types import Array, Columns

EPSILON, DELTA, BETA = 1.0, 1e-6, 0.1
BUDGET = ApproxDP(EPSILON, DELTA)
FRAME_ROWS = {1: 4928, 2: 11_776, 5: 69_632, 10: 180_224}  # leave a condition of 4: `preconditioned_rows`
MEAN_ROWS = {1: 672, 2: 898, 5: 1387, 10: 2018, 20: 3150}  # bring a mean's bound below .2
LAW_ROWS = {1: 15_300, 2: 31_900, 3: 58_500, 5: 187_300}  # about the fewest that learn a law
KEY = "spectral/preconditioner"
FEW = ("round", "ratio 9", "geometric")  # of the spectra; the worst that was found comes with them
KINDS = ("full", "degenerate", "shifted")
SHIFT = 1e4  # of a law, in its widest standard deviations
ACROSS = 10 * GRID  # off a subspace, in the widest standard deviations
PAPER_COST = budgets.halved(BUDGET)
PAPER_GROUPS = budgets.least_groups(PAPER_COST)


def rotated(values: Array, rng: Generator) -> Array:
    """Return a root, shape (d, d), of a covariance with these eigenvalues in a random frame."""
    d = len(values)
    return np.asarray(np.linalg.qr(rng.standard_normal((d, d)))[0] * np.sqrt(values))


def spectrum(d: int, condition: float) -> Array:
    """Return eigenvalues from 1 to the condition number."""
    return np.geomspace(1.0, condition, d)


def passes(share: float, *, trials: int, data: Generator, noise: Generator) -> Columns:
    """Count votes, by the source's thresholds, of k groups that all are friends."""
    k, source = round(share * PAPER_GROUPS), SimulatedNoise(noise)
    vote = Vote.of(k, NOBODY, EVERYBODY, QUORUM)
    charge, friends = vote.charge("vote", PAPER_COST), np.full(k, k)
    return block_columns({"passed": vote.passes(friends, charge, source)} for _ in range(trials))


def groups(share: float, budget: ApproxDP) -> int:
    """Return how many groups of d rows a share of the planned rows has."""
    return max(2, round(share * SubspaceExact().groups(budget)))


def subspaces(
    d: int, share: float, epsilon: float = EPSILON, delta: float = DELTA, *,
    trials: int, data: Generator, noise: Generator,
) -> Columns:  # fmt: skip
    """Name subspaces of half the dimension from a share of the planned rows, and release the mode."""
    budget, source = ApproxDP(epsilon, delta), SimulatedNoise(noise)
    return block_columns(
        answered(named_by(groups(share, budget), d, budget, data, source)) for _ in range(trials)
    )


def named_by(k: int, d: int, budget: ApproxDP, rng: Generator, noise: NoiseSource) -> float:
    """Return how far off the subspace is that k groups of d rows name, infinite for no answer."""
    rank = max(1, d // 2)
    basis = np.linalg.qr(rng.standard_normal((d, rank)))[0]
    rows = rng.standard_normal((k * d, rank)) * spectrum(rank, 1e3) @ basis.T
    tokens = Tokens.drawn(d, rng)
    name = release_mode(tokens.of(in_blocks(rows, k)), mode_charge("subspace", budget), noise)
    found = tokens.basis(name) if isinstance(name, str) else None
    return inf if found is None else float(np.linalg.norm(found @ found.T - basis @ basis.T, 2))


@each_trial
def preconditioners(
    d: int, spectrum: str, n: int, epsilon: float = EPSILON, delta: float = DELTA, *,
    data: Generator, noise: Generator,
) -> Row:  # fmt: skip
    """Run the preconditioner on rows; `error` is the Thompson distance from the covariance."""
    law, budget = named(spectrum, d).law(data), ApproxDP(epsilon, delta)
    value = Preconditioner(centred=True)(law.sample(n, rng=data), budget=budget, rng=noise).value
    return answered(error_of(value, lambda found: from_round(law.in_units(found))))


def from_round(value: Array) -> float:
    """Return the Thompson distance of a matrix from I."""
    return losses.thompson_error(value, np.eye(len(value)))


@each_trial
def means(d: int, n: int, *, data: Generator, noise: Generator) -> Row:
    """Run the populous mean far from the origin."""
    value = PopulousMean(sigma=1.0)(SHIFT + data.standard_normal((n, d)), budget=BUDGET, rng=noise).value
    return answered(error_of(value, lambda mean: np.linalg.norm(mean - SHIFT)))


@each_trial
def laws(
    d: int, kind: str, n: int, epsilon: float = EPSILON, delta: float = DELTA, *,
    data: Generator, noise: Generator,
) -> Row:  # fmt: skip
    """Learn whole laws; `error` is the upper bound on TV in the truth's subspace, 1 off its grid."""
    return answered(_learned(n, d, kind, ApproxDP(epsilon, delta), data, noise))


def _learned(n: int, d: int, kind: str, budget: ApproxDP, data: Generator, noise: Generator) -> float:
    rank = max(1, d // 2) if kind == "degenerate" else d
    basis = np.linalg.qr(data.standard_normal((d, d)))[0][:, :rank]
    sds = np.geomspace(1.0, 1e3, rank)
    shift = np.full(d, SHIFT * sds[-1] if kind == "shifted" else 0.0)
    x = shift + data.standard_normal((n, rank)) * sds @ basis.T
    value = PopulousGaussian()(x, budget=budget, rng=noise).value
    if isinstance(value, Abstention):
        return inf
    gap = value.mean - shift
    if np.linalg.norm(gap - basis @ (basis.T @ gap)) > ACROSS * sds[-1]:
        return 1.0
    seen = Gaussian(basis.T @ gap, basis.T @ value.covariance @ basis)
    return losses.total_variation_bounds(seen, Gaussian(np.zeros(rank), np.diag(sds**2)))[1]


@each_trial
def covariances(
    d: int, condition: float, n: int, epsilon: float = EPSILON, delta: float = DELTA, *,
    data: Generator, noise: Generator,
) -> Row:  # fmt: skip
    """Run `covariance/populous` and `covariance/unbounded` on the same rows; Frobenius errors."""
    root = rotated(spectrum(d, condition), data)
    x, back = data.standard_normal((n, d)) @ root.T, np.linalg.inv(root)
    budget = ApproxDP(epsilon, delta)
    populous, unbounded = (
        error_of(
            estimator(x, budget=budget, rng=noise).value,
            lambda found: np.linalg.norm(back @ found @ back.T - np.eye(d)),
        )
        for estimator in (PopulousCovariance(), UnboundedCovariance())
    )
    return answered(populous, unbounded=unbounded)


def _settings(rows: dict[int, int], d: tuple[int, ...], **axes: Any) -> tuple[dict[str, Any], ...]:
    return tuple({**point, "n": rows[point["d"]]} for point in grid(d=list(d), **axes))


def _frames(*dimensions: int) -> tuple[dict[str, Any], ...]:
    return tuple(
        point for d in dimensions for point in _settings(FRAME_ROWS, (d,), spectrum=shown(d, KEY, few=FEW))
    )


LAW_KINDS = tuple(
    point
    for d in (1, 2)
    for point in _settings(LAW_ROWS, (d,), kind=list(KINDS))
    if d > 1 or point["kind"] != "degenerate"
)
PASSES = Sweep("al22-passes", grid(share=[0.2, 0.4, 0.5, 0.6, 0.8, 1.0, 1.2]), passes, 1000, blocks(20))
SUBSPACES = Sweep(
    "al22-subspaces", grid(d=[2, 5, 10, 20], share=[0.25, 0.5, 0.7, 0.8, 1.0]), subspaces, 20, blocks(20)
)
FRAMES = Sweep("al22-frames", _frames(1, 2), preconditioners, 20, blocks(20))
MEANS = Sweep("al22-means", _settings(MEAN_ROWS, (1, 2, 5)), means, 10, blocks(30))
LAWS = Sweep("al22-laws", LAW_KINDS, laws, 6, blocks(21))
COVARIANCES = Sweep(
    "al22-covariances", _settings(LAW_ROWS, (1, 2, 3), condition=[1.0, 1e8]), covariances, 6, blocks(4)
)
MORE_COVARIANCES = Sweep(
    "al22-more-covariances", _settings(LAW_ROWS, (1, 2), condition=[1.0, 1e8]), covariances, 6, blocks(21)
)
