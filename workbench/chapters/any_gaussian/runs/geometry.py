"""The sweeps behind the claims on the geometry of AL22: triangles, mixtures, neighbours, masks.

dist(A, B) = max(λ, 1/λ) - 1 over the eigenvalues λ of A⁻¹B. A covariance is given by a root. `triangles` and
`mixtures` draw covariances in frames of condition 10⁶, half of them where the inequalities are tight;
`neighbours` votes on two data sets that differ in one group; `masks` draws the source's mask.
"""

from math import log, log1p

import numpy as np
from numpy.random import Generator

from workbench.bounds.al22 import frobenius_mask
from workbench.estimators.populous import covariance_limits as limits
from workbench.estimators.populous import normal_factors as factors
from workbench.estimators.votes import ROUNDING, Groups, Vote
from workbench.privacy import SimulatedNoise
from workbench.study.grids import Sweep, grid
from workbench.study.profiles import blocks
from workbench.study.run import block_columns
from workbench.types import Array, Columns

FAMILY = 5  # covariances that are mixed
GROUPS, LEAST_QUORUM = 60, 0.7
EVERYONE = 1e6  # a limit at which all groups are friends
MASK_WIDTHS = (0.05, 0.15)  # η √d
BETA, ALPHA = 0.1, 0.2


def ratios(first: Array, second: Array) -> Array:
    """Return 1 + dist of the covariances with these roots, shape (..., d, d), one for each pair."""
    values = np.linalg.svd(np.linalg.inv(first) @ second, compute_uv=False) ** 2
    return np.asarray(np.maximum(values[..., 0], 1 / values[..., -1]))


def rotations(count: int, d: int, rng: Generator) -> Array:
    """Return orthogonal matrices."""
    return np.asarray(np.linalg.qr(rng.standard_normal((count, d, d)))[0])


def frames(count: int, d: int, rng: Generator) -> Array:
    """Return roots of covariances of condition up to 10⁶."""
    return rotations(count, d, rng) * 10.0 ** rng.uniform(-1.5, 1.5, (count, 1, d))


def triangles(d: int, *, trials: int, data: Generator, noise: Generator) -> Columns:
    """Measure dist(A, C) against both triangle inequalities where A and C are within 1 of B."""
    base, turn, other = frames(trials, d, data), rotations(trials, d, data), rotations(trials, d, data)
    logs = data.uniform(-log(2), log(2), (2, trials, 1, d))
    tight = np.arange(trials) % 2 == 0  # the same axes, opposite ways, nearly as far as allowed
    other[tight], logs[1, tight] = turn[tight], -logs[0, tight]
    logs[:, tight, 0, 0] = log(2) * np.array([[1.0], [-1.0]]) * data.uniform(0.9, 1.0, int(tight.sum()))
    a, c = base @ turn * np.exp(logs[0] / 2), base @ other * np.exp(logs[1] / 2)
    ab, bc, ac = ratios(a, base), ratios(base, c), ratios(a, c)
    return {"source": (ac - 1) / (ab + bc - 2), "sharp": ac / (ab * bc)}


def mixtures(d: int, *, trials: int, data: Generator, noise: Generator) -> Columns:
    """Measure dist of two mixtures of one family against |a - a'|₁ (1 + D) and against D times their TV."""
    base, shape = frames(trials, d, data)[:, None], (trials, FAMILY, d, d)
    roots = base @ (np.eye(d) + data.uniform(0.05, 1.0, (trials, 1, 1, 1)) * data.standard_normal(shape))
    family = roots @ np.swapaxes(roots, 2, 3)
    shares = data.dirichlet(np.full(FAMILY, 0.1), (2, trials))
    first, second = (np.linalg.cholesky(np.einsum("tf,tfij->tij", one, family)) for one in shares)
    pairs = [ratios(roots[:, i], roots[:, j]) for i in range(FAMILY) for j in range(i)]
    diameter, tv = np.max(pairs, axis=0) - 1, np.abs(shares[0] - shares[1]).sum(axis=1) / 2
    moved = ratios(first, second) - 1
    return {"source": moved / (2 * tv * (1 + diameter)), "sharp": moved / (tv * diameter)}


def neighbours(d: int, *, trials: int, data: Generator, noise: Generator) -> Columns:
    """Measure how far one replaced group moves count, shares and average, over what is charged for it."""
    return block_columns(_replaced(d, trial % 2 == 0, data) for trial in range(trials))


def _replaced(d: int, wide: bool, rng: Generator) -> dict[str, float]:
    size, k = d + 4, GROUPS
    limit = EVERYONE if wide else limits(d, size)[3]
    first = factors(k, size, d, rng)
    second = first.copy()
    second[0] = second[0] * rng.choice([0.0, 1.5, 3.0, 1e9])
    groups = [Groups.of(one) for one in (first, second)]
    friends = [one.friends(limit) for one in groups]
    count = abs(int(friends[0].sum() - friends[1].sum())) / (2 * (k - 1))
    quorum = min(int(friends[0].sum()), int(friends[1].sum()), k * k - 1)
    if quorum < LEAST_QUORUM * k * k:
        return {"count": count, "shares": 0.0, "distance": 0.0}
    vote = Vote(k, k // 2 + 1, min(k // 2 + 10, quorum // k - 1), quorum)
    weights = [vote.weights(one) for one in friends]
    roots = [one.average(weight) for one, weight in zip(groups, weights, strict=True)]
    bound = log1p(vote.change * vote.spread(limit * ROUNDING) / k)
    moved = float(np.log(ratios(*roots)))
    return {"count": count, "shares": k * moved_shares(*weights) / vote.change, "distance": moved / bound}


def moved_shares(first: Array, second: Array) -> float:
    """Return the total variation of the normalised weights of neighbours that differ in group 0."""
    u, v = np.append(first, 0.0) / first.sum(), np.append(second, 0.0) / second.sum()
    v[0], v[-1] = 0.0, v[0]  # the replaced group is another point
    return float(np.maximum(u - v, 0).sum())


def masks(
    d: int, eta: float, width: float = 1.0, *, trials: int, data: Generator, noise: Generator
) -> Columns:
    """Measure dist and Frobenius distance of the source's mask from I."""
    source = SimulatedNoise(noise)
    drawn = np.array([source.square(np.eye(d), 1.0, eta) for _ in range(trials)])
    values = np.linalg.eigvalsh(drawn)
    smallest = np.maximum(values[:, 0], 1e-300)
    return {
        "dist": np.maximum(values[:, -1], 1 / smallest) - 1,
        "frobenius": np.linalg.norm(drawn - np.eye(d), axis=(1, 2)),
    }


TRIANGLES = Sweep("al22-triangles", grid(d=[1, 2, 5, 10]), triangles, 2000, blocks(5))
MIXTURES = Sweep("al22-mixtures", grid(d=[1, 2, 5]), mixtures, 2000, blocks(5))
NEIGHBOURS = Sweep("al22-neighbours", grid(d=[1, 2, 3]), neighbours, 100, blocks(10))
MASKS = Sweep(
    "al22-masks",
    tuple({"d": d, "width": width, "eta": width / d**0.5} for d in (2, 5, 10, 20) for width in MASK_WIDTHS),
    masks,
    200,
    blocks(10),
)
FROBENIUS = Sweep(
    "al22-frobenius-masks",
    tuple({"d": d, "eta": frobenius_mask(ALPHA, d, BETA)} for d in (1, 2, 5, 10)),
    masks,
    200,
    blocks(10),
)
TWICE = Sweep(
    "al22-twice-frobenius-masks",
    tuple({"d": d, "eta": 2 * frobenius_mask(ALPHA, d, BETA)} for d in (5, 10)),
    masks,
    200,
    blocks(10),
)
