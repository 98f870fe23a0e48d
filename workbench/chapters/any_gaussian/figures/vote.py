"""Pictures of a vote of groups: who is popular, who has weight 0, and masks of a covariance's own shape."""

from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

from workbench.chapters.any_gaussian.runs.votes import BUDGET, DELTA, EPSILON, rotated
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.ellipses import circle, ellipse, plane
from workbench.charts.words import number
from workbench.estimators.populous import EVERYBODY, NOBODY, QUORUM, PopulousFrame, PopulousMean
from workbench.estimators.votes import Points, PricedDesign
from workbench.estimators.votes import Vote as Thresholds
from workbench.privacy import ApproxDP, SimulatedNoise
from workbench.privacy.stable import masked
from workbench.study.grids import Role, multiples, stream
from workbench.study.run import Run
from workbench.study.search import fewest_rows
from workbench.types import Array

POPULAR, UNPOPULAR, PLAIN = "mean/populous", "idea/bad", "non-private"
MASK, ONE_SIZE = "covariance/populous", "idea/noise"
VOTE_N, VOTE_EPSILON, VOTE_DELTA, FAR_SHARE = 150, 4.0, 1e-3, 0.02
OURS, THEIRS = "ours", "the source's"  # whose thresholds
AWAY = np.array([8.0, 3.0])  # where the far rows are
MASK_ROWS, MASK_CONDITION, DRAWN = (9000, 18_000), 25.0, 6
MASK_DESIGN = 0.1, "thompson_laplace"
REACH, CENTRE = 10.0, (4.0, 0.0)


@dataclass(frozen=True)
class Vote:
    """What a vote on points in the plane finds: friends and weights of each."""

    points: Array
    design: PricedDesign
    limit: float
    friends: np.ndarray
    weights: Array

    @classmethod
    def of(cls, points: Array, budget: ApproxDP, size: int = 1, thresholds: str = OURS) -> "Vote":
        """Return the vote of points that are means of groups of `size` rows."""
        design = PopulousMean(sigma=1.0).design(len(points), 2, budget)
        assert isinstance(design, PricedDesign), "vectors are priced with their vote"
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
    def needed(self) -> float:
        """The share at which an answer is as likely as it is wanted."""
        vote = self.design.vote
        return (vote.quorum + 1 + (self.design.usual - 1) * vote.moved) / vote.k**2


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
    """Return a vote of points in the plane (the points with their weights, and friends in order).

    Where n groups are too few for a private vote, twice as many as are enough vote.
    """
    rng, budget = stream(run.seed, Role.DATA, "any-gaussian-vote", 0, 0), ApproxDP(epsilon, delta)
    fewest = fewest_rows(PopulousMean(sigma=1.0), 2, budget)
    k = n if n >= fewest else 2 * fewest
    found = Vote.of(scattered(k, corruption, rng), budget)
    few = f"; {number(n)} are too few" * (k != n)
    said = f"ε = {epsilon:g}, δ = {number(delta)}{few}."
    return Chart(
        "the_vote",
        "A far group has few friends, and therefore no weight",
        (replace(where(found), note=said), popularity(found)),
        alt="Left, a cloud of points and a few far from it. A circle round a point of the cloud holds nearly"
        " all others, one round a far point only the few beside it. Right, friends of every point in order:"
        " the cloud is above the upper threshold, the far points are far below the lower one.",
        how_to_read="Each point is what one group says; a circle holds a point's friends. Right, the same"
        " points by their share of friends. The lower threshold is above one half: two points of positive"
        " weight share a friend, so they cannot be far apart.",
    )


def where(found: Vote) -> Panel:
    """Return the points and the circles of friendship of a popular and of a far one."""
    heard = found.weights > 0
    popular = found.points[int(np.argmax(found.friends))]
    reach = found.limit
    series = [
        _dots(found.points[heard], POPULAR),
        _dots(found.points[~heard], UNPOPULAR),
        circle("", reach, popular, colour_key=POPULAR),
    ]
    marks = [_said("friends of a popular group", popular, -reach - 1.3, POPULAR)]
    if (~heard).any():
        lonely = found.points[int(np.argmin(found.friends))]
        series.append(circle("", reach, lonely, colour_key=UNPOPULAR))
        marks.append(_said("friends of a far group", lonely, reach + 0.7, UNPOPULAR))
    title = f"{number(len(found.points))} groups, as points"
    return plane(title, series, reach=REACH, centre=CENTRE, marks=marks)


def _said(text: str, at: Array, above: float, key: str) -> Mark:
    return Mark(text, x=at[0], y=at[1] + above, colour_key=key)


def _dots(points: Array, key: str) -> Series:
    return Series("", points[:, 0], points[:, 1], role="rows", colour_key=key)


def popularity(found: Vote) -> Panel:
    """Return the share of friends of every point, in order, between the two thresholds."""
    k, vote = len(found.points), found.design.vote
    order = np.argsort(found.friends)
    places, shares, heard = np.arange(1, k + 1), found.friends[order] / k, found.weights[order] > 0
    lines = [
        Series("", places[heard], shares[heard], role="rows", colour_key=POPULAR),
        Series("", places[~heard], shares[~heard], role="rows", colour_key=UNPOPULAR),
    ]
    marks = (
        Mark("far groups", x=0.17 * k, y=shares[0] + 0.01, colour_key=UNPOPULAR),
        Mark("above: weight 1", "horizontal", x=0.6 * k, y=vote.everybody / k, colour_key=POPULAR),
        Mark(
            "below: weight 0", "horizontal", x=0.6 * k, y=vote.nobody / k, side="below", colour_key=UNPOPULAR
        ),
    )
    note = f"Friendly pairs: {found.agreed:.3f} of all. An answer is nearly sure from {found.needed:.3f} on."
    return Panel(
        "Who is popular", "groups, the loneliest first", "share of the groups that are friends", tuple(lines),
        "linear", "linear", note=note, ylim=(0.0, 1.05), marks=marks,
    )  # fmt: skip


def masks(
    run: Run, *, epsilon: float = EPSILON, delta: float = DELTA, condition: float = MASK_CONDITION
) -> Chart:
    """Return masked releases of a round and of a long covariance (then noise of one size on the long one)."""
    budget = ApproxDP(epsilon, delta)
    few, many = multiples(MASK_ROWS, _least(budget) / _least(BUDGET))
    places = ((1.0, few), (condition, few), (condition, many))
    panels = [_masked(run.seed, one, n, budget) for one, n in places]
    panels[0] = replace(panels[0], marks=(Mark("black: Σ", x=0.0, y=-2.7, colour_key=PLAIN),))
    return Chart(
        "masks",
        "A mask has the shape of what it hides; additive noise has not",
        (*panels, _one_size(run.seed, condition, few, budget)),
        alt="Four panels: a circle and a long ellipse with masked releases around them, the ellipse at twice"
        " the rows, and the ellipse with noise of one size, which is far too much across. The masked releases"
        " of the ellipse are as far from it, in its own units, as those of the circle.",
        how_to_read="Black: Σ. Coloured: six releases of it. A mask multiplies a root of Σ by a random matrix"
        " from both sides, so a long axis gets much noise and a short one little, and nobody has to know"
        " either. More rows narrow it.",
    )


def _least(budget: ApproxDP) -> int:
    """Return the fewest rows in the plane that have a masked average."""
    return PopulousFrame(0, 2, budget, *MASK_DESIGN).fewest


def _drawn(seed: int, condition: float, n: int, budget: ApproxDP) -> tuple[Array, list[Array]]:
    """Return a root of a covariance whose long axis has length 2, and masked releases of it."""
    rng, noise = (stream(seed, role, "any-gaussian-masks", 0, 0) for role in (Role.DATA, Role.NOISE))
    root = rotated(np.array([1.0, condition]) * 4 / condition, rng)
    return root, masked_releases(root, n, budget, DRAWN, noise)


def _masked(seed: int, condition: float, n: int, budget: ApproxDP) -> Panel:
    root, released = _drawn(seed, condition, n, budget)
    shape = "Round" if condition == 1 else "Long"
    return _ellipses(f"{shape}, n = {number(n)}", root, released, MASK)


def _one_size(seed: int, condition: float, n: int, budget: ApproxDP) -> Panel:
    """Return the noise that the mask adds where Σ is round, added where it is long."""
    round_, released = _drawn(seed, 1.0, n, budget)
    root = rotated(
        np.array([1.0, condition]) * 4 / condition, stream(seed, Role.DATA, "any-gaussian-masks", 0, 0)
    )
    noisy = [root @ root.T + one - round_ @ round_.T for one in released]
    return _ellipses(f"Noise of one size, n = {number(n)}", root, noisy, ONE_SIZE)


def _ellipses(title: str, root: Array, released: list[Array], key: str) -> Panel:
    lines = [ellipse("", one, role="release", colour_key=key) for one in released]
    return plane(title, (*lines, ellipse("", root @ root.T, role="truth", colour_key=PLAIN)), reach=2.9)


def masked_releases(
    root: Array, n: int, budget: ApproxDP, count: int, rng: np.random.Generator
) -> list[Array]:
    """Return masked versions of one covariance, at the width of a design for n rows of mean 0."""
    charge = PopulousFrame(n, len(root), budget, *MASK_DESIGN).design.charges[1]
    source = SimulatedNoise(rng)
    return [masked(root, charge, source) for _ in range(count)]
