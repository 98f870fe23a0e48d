"""Pictures of a vote of groups: who is popular, who has weight 0, and masks of a covariance's own shape."""

from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

from workbench.chapters.any_gaussian.runs.votes import BUDGET, DELTA, EPSILON, rotated
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.ellipses import circle, ellipse, plane
from workbench.estimators.mean.populous import PopulousMean
from workbench.estimators.parts.votes.covariances import design as covariance_design
from workbench.estimators.parts.votes.covariances import fewest_rows as fewest_grouped
from workbench.estimators.parts.votes.means import Points
from workbench.estimators.parts.votes.paper import EVERYBODY, NOBODY, QUORUM
from workbench.estimators.parts.votes.vote import Design
from workbench.estimators.parts.votes.vote import Vote as Thresholds
from workbench.privacy import ApproxDP, SimulatedNoise
from workbench.privacy.masks import masked
from workbench.privacy.mechanisms import truncated_laplace_bound
from workbench.study.least_rows import fewest_rows
from workbench.study.run import Run
from workbench.study.sweeps.streams import Role, stream
from workbench.study.sweeps.sweep import multiples
from workbench.types import Array

POPULAR, UNPOPULAR, PLAIN = "mean/populous", "mean/populous-robust", "non-private"
MASK = "covariance/populous"
VOTE_N, VOTE_EPSILON, VOTE_DELTA, FAR_SHARE = 150, 4.0, 1e-3, 0.02
OURS, THEIRS = "ours", "the source's"  # whose thresholds
AWAY = np.array([8.0, 3.0])  # where the far rows are
MASK_ROWS, MASK_CONDITION, DRAWN = (9000, 18_000), 25.0, 6
MASK_DESIGN = 0.1 / 3, "thompson_laplace"
REACH, CENTRE = 10.0, (4.0, 0.0)


@dataclass(frozen=True)
class Vote:
    """What a vote on points in the plane finds: friends and weights of each."""

    points: Array
    design: Design
    limit: float
    friends: np.ndarray
    weights: Array

    @classmethod
    def of(cls, points: Array, budget: ApproxDP, size: int = 1, thresholds: str = OURS) -> "Vote":
        """Return the vote of points that are means of groups of `size` rows."""
        design = PopulousMean().design(len(points), 2, budget)
        if thresholds == THEIRS:
            design = replace(design, vote=Thresholds.of(len(points), NOBODY, EVERYBODY, QUORUM))
        limit = design.limit / sqrt(size)
        friends = Points(points, limit).friends(limit)
        return cls(points, design, limit, friends, design.vote.weights(friends))

    @property
    def agreed(self) -> float:
        """The share of pairs that are friends."""
        return float(self.friends.sum()) / len(self.points) ** 2

    @property
    def quorum(self) -> float:
        """The share from which on an answer is possible."""
        return self.design.vote.quorum / self.design.vote.k**2


def scattered(n: int, share: float, rng: np.random.Generator, size: int = 1) -> Array:
    """Return means of n groups of rows of N(0, I) in the plane, a share of them far away."""
    points = rng.standard_normal((n, 2)) / sqrt(size)
    far = round(share * n)
    points[:far] = AWAY + 0.5 * points[:far]
    return points


def the_vote(
    run: Run,
    *,
    epsilon: float = VOTE_EPSILON,
    delta: float = VOTE_DELTA,
    n: int = VOTE_N,
    corruption: float = FAR_SHARE,
) -> Chart:
    """Return a vote of points in the plane: the points with their weights, and friends in order.

    Where n groups are too few for a private vote, twice as many as are enough vote.
    """
    rng, budget = stream(run.seed, Role.DATA, "any-gaussian-vote", 0, 0), ApproxDP(epsilon, delta)
    fewest = fewest_rows(PopulousMean(), 2, budget)
    k = n if n >= fewest else 2 * fewest
    found = Vote.of(scattered(k, corruption, rng), budget)
    return Chart(
        "the_vote",
        f"{k} groups vote on each other" + f"; {n} are too few at ε = {epsilon:g}" * (k != n),
        (where(found), popularity(found)),
        alt="Left, a cloud of points and a few far from it. A circle round a point of the cloud holds nearly"
        " all others, one round a far point only the few beside it. Right, friends of every point in order:"
        " the cloud is above the upper threshold, the far points are far below the lower one.",
        how_to_read="Left, each point is what one group of rows says. A circle holds a point's friends."
        " Right, the same points by how many friends they have: below the lower line the weight is 0, above"
        " the upper one it is 1. A far group keeps the company of few, and the lower line is above one"
        " half: two points of positive weight share a friend, so that they cannot be far from each other."
        " What a far row moves is its own group alone.",
    )


def where(found: Vote) -> Panel:
    """Return the points and the circles of friendship of a popular and of a far one."""
    heard = found.weights > 0
    series = [
        _dots("weight above 0", found.points[heard], POPULAR),
        _dots("weight 0", found.points[~heard], UNPOPULAR),
    ]
    popular = found.points[int(np.argmax(found.friends))]
    series.append(circle("friends of a popular one", found.limit, popular, role="theory", colour_key=POPULAR))
    if (~heard).any():
        lonely = found.points[int(np.argmin(found.friends))]
        series.append(
            circle("friends of a lonely one", found.limit, lonely, role="theory", colour_key=UNPOPULAR)
        )
    return plane("groups as points", series, reach=REACH, centre=CENTRE)


def _dots(label: str, points: Array, key: str) -> Series:
    return Series(label, points[:, 0], points[:, 1], role="rows", colour_key=key)


def popularity(found: Vote) -> Panel:
    """Return the share of friends of every point, in order, between the two thresholds."""
    k, vote = len(found.points), found.design.vote
    order = np.argsort(found.friends)
    places, shares, heard = np.arange(1, k + 1), found.friends[order] / k, found.weights[order] > 0
    ends = (1.0, float(k))
    lines = [
        Series("", places[heard], shares[heard], role="rows", colour_key=POPULAR),
        Series("", places[~heard], shares[~heard], role="rows", colour_key=UNPOPULAR),
        Series("weight 1 from here on", ends, (vote.everybody / k,) * 2, role="theory", colour_key=POPULAR),
        Series("weight 0 up to here", ends, (vote.nobody / k,) * 2, role="theory", colour_key=UNPOPULAR),
    ]
    needed = found.quorum + truncated_laplace_bound(found.design.charges[0])
    note = f"Pairs that are friends: {found.agreed:.3f}. With its noise the share has to reach {needed:.3f}."
    return Panel(
        "who is popular", "points, the loneliest first", "share that are friends", tuple(lines),
        "linear", "linear", note=note, ylim=(0.0, 1.05),
    )  # fmt: skip


def masks(
    run: Run, *, epsilon: float = EPSILON, delta: float = DELTA, condition: float = MASK_CONDITION
) -> Chart:
    """Return masked releases of a round and of a long covariance, as ellipses."""
    budget = ApproxDP(epsilon, delta)
    sizes = multiples(MASK_ROWS, _least(budget) / _least(BUDGET))
    panels = [_masked(run.seed, one, n, budget) for one in (1.0, condition) for n in sizes]
    return Chart(
        "masks",
        "Noise of the shape of the covariance (Thompson-Laplace, d = 2)",
        tuple(panels),
        alt="Four panels: a circle and a long ellipse, each with masked releases around it, for few rows and"
        " for many. The releases of the long ellipse are as far from it, in its own units, as those of"
        " the circle.",
        how_to_read="Dashed: the covariance that is masked. The others are releases of it. The mask"
        " multiplies a root of the covariance by a random matrix from both sides, so that a long"
        " axis gets much noise and a short one little. Nothing has to be known about either."
        " With more rows the average moves less when one group is replaced, and the mask is"
        " narrower.",
    )


def _least(budget: ApproxDP) -> int:
    """Return the fewest rows in the plane that have a masked average."""
    return fewest_grouped(2, budget, *MASK_DESIGN)


def _masked(seed: int, condition: float, n: int, budget: ApproxDP) -> Panel:
    rng, noise = (stream(seed, role, "any-gaussian-masks", 0, 0) for role in (Role.DATA, Role.NOISE))
    values = np.array([1.0, condition]) * 4 / condition
    root = rotated(values, rng)
    lines = [
        ellipse("released" if not i else "", one, role="estimate", colour_key=MASK)
        for i, one in enumerate(masked_releases(root, n, budget, DRAWN, noise))
    ]
    truth = ellipse("Σ", root @ root.T, role="theory", colour_key=PLAIN)
    return plane(f"condition {condition:g}, n = {n:,}", (*lines, truth), reach=3.4, panels=4)


def masked_releases(
    root: Array, n: int, budget: ApproxDP, count: int, rng: np.random.Generator
) -> list[Array]:
    """Return masked versions of one covariance, at the width of a design for n rows of mean 0."""
    charge = covariance_design(n, len(root), budget, *MASK_DESIGN).charges[1]
    source = SimulatedNoise(rng)
    return [masked(root, charge, source) for _ in range(count)]
