"""A vote of groups (AL22 Algorithm 1, Lemma 3.6): one row moves the average of the popular ones by little.

Points are what groups say; friends are at most a limit apart, and weights grow with the number of friends.
One replaced group moves the count of friendly pairs, the weights and the average by no more than is charged.
`attack` judges a reader's own average, in an exercise of the notebook.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import log1p
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import Generator

from workbench.bounds.al22 import frobenius_mask
from workbench.charts.curves import Chart, Mark, Panel, circle, ellipse, number, plane, styled, text_at
from workbench.estimators.populous import PopulousFrame, PopulousMean, covariance_limits, normal_factors
from workbench.estimators.votes import ROUNDING, Groups, Points, PricedDesign
from workbench.estimators.votes import Vote as Thresholds
from workbench.privacy import ApproxDP, SimulatedNoise
from workbench.privacy.stable import masked
from workbench.study import measures
from workbench.study.measures import seldom
from workbench.study.rules import CHECK_LEVEL, Checks, Claim, Status, Verdict
from workbench.study.search import fewest_rows
from workbench.study.sweeps import Role, Run, Sweep, block_columns, multiples, over_grid, stream
from workbench.types import Array, Columns, Mask

EPSILON, DELTA, BETA = 1.0, 1e-6, 0.1  # of the chapter
BUDGET = ApproxDP(EPSILON, DELTA)
POPULAR, UNPOPULAR = "mean/populous", "idea/bad"
VOTE_N = 150
AWAY = np.array([8.0, 3.0])  # where the far rows are


# The picture: who is popular


def the_vote(
    run: Run, *, epsilon: float = 4.0, delta: float = 1e-3, n: int = VOTE_N,
    corruption: float = 0.02,
) -> Chart:  # fmt: skip
    """Return a vote of points in the plane (the points with their weights, and friends in order).

    Where n groups are too few for a private vote, twice as many as are enough vote.
    """
    rng, budget = stream(run.seed, Role.DATA, "any-gaussian-vote"), ApproxDP(epsilon, delta)
    estimator = PopulousMean(sigma=1.0)
    fewest = fewest_rows(estimator, 2, budget)
    k = n if n >= fewest else 2 * fewest
    points, design = rng.standard_normal((k, 2)), estimator.design(k, 2, budget)
    far = round(corruption * k)
    points[:far] = AWAY + 0.5 * points[:far]
    assert isinstance(design, PricedDesign), "vectors are priced with their vote"
    friends = Points(points, design.limit).friends(design.limit)
    heard = design.vote.weights(friends) > 0
    few = f"; {number(n)} are too few" * (k != n)
    said = f"ε = {epsilon:g}, δ = {number(delta)}{few}."
    return Chart(
        "the_vote",
        "A far group has few friends, and therefore no weight",
        (replace(where(points, friends, heard, design.limit), note=said), popularity(friends, heard, design)),
        alt="Left, a cloud of points and a few far from it. A circle round a point of the cloud holds nearly"
        " all others, one round a far point only the few beside it. Right, friends of every point in order:"
        " the cloud is above the upper threshold, the far points are far below the lower one.",
        how_to_read="Each point is what one group says; a circle holds a point's friends. Right, the same"
        " points by their share of friends. The lower threshold is above one half: two points of positive"
        " weight share a friend, so they cannot be far apart.",
    )


def where(points: Array, friends: Any, heard: Mask, limit: float) -> Panel:
    circled = [("friends of a popular group", points[int(np.argmax(friends))], -limit - 1.3, POPULAR)]
    if (~heard).any():
        circled.append(("friends of a far group", points[int(np.argmin(friends))], limit + 0.7, UNPOPULAR))
    dots = [
        styled("rows", "", points[some, 0], points[some, 1], key)
        for some, key in ((heard, POPULAR), (~heard, UNPOPULAR))
    ]
    circles = [circle("", limit, at, colour_key=key) for _, at, _, key in circled]
    marks = [text_at(text, at[0], at[1] + above, key) for text, at, above, key in circled]
    title = f"{number(len(points))} groups, as points"
    return plane(title, (*dots, *circles), reach=10.0, centre=(4.0, 0.0), marks=marks)


def popularity(friends: Any, heard: Mask, design: PricedDesign) -> Panel:
    k, vote = len(friends), design.vote
    order = np.argsort(friends)
    places, shares = np.arange(1, k + 1), friends[order] / k
    lines = [
        styled("rows", "", places[some], shares[some], key)
        for some, key in ((heard[order], POPULAR), (~heard[order], UNPOPULAR))
    ]
    marks = (
        text_at("far groups", 0.17 * k, shares[0] + 0.01, UNPOPULAR),
        Mark("above: weight 1", "horizontal", 0.6 * k, vote.everybody / k, colour_key=POPULAR),
        Mark("below: weight 0", "horizontal", 0.6 * k, vote.nobody / k, side="below",
             colour_key=UNPOPULAR),
    )  # fmt: skip
    agreed = float(friends.sum()) / k**2
    needed = (
        vote.quorum + 1 + (design.usual - 1) * vote.moved
    ) / vote.k**2  # a release is as likely as planned
    note = f"Friendly pairs: {agreed:.3f} of all. From a share of {needed:.3f} a release is nearly sure."
    return Panel(
        "Who is popular", "groups, by number of friends", "share of all groups that are friends",
        lines, "linear", "linear", note, ylim=(0.0, 1.05), marks=marks,
    )  # fmt: skip


# What one replaced group moves


GROUPS = 60


def ratios(first: Array, second: Array) -> Array:
    """Return 1 + dist of the covariances with these roots, shape (..., d, d), one for each pair.

    dist(A, B) = max(λ, 1/λ) - 1 over the eigenvalues λ of A⁻¹B.
    """
    values = np.linalg.svd(np.linalg.inv(first) @ second, compute_uv=False) ** 2
    return np.maximum(values[..., 0], 1 / values[..., -1])


def neighbours(d: int, *, trials: int, data: Generator, noise: Generator) -> Columns:
    """Measure how far one replaced group moves count, shares and average, over what is charged for it."""
    return block_columns(_replaced(d, trial % 2 == 0, data) for trial in range(trials))


def _replaced(d: int, wide: bool, rng: Generator) -> dict[str, float]:
    size, k = d + 4, GROUPS
    limit = 1e6 if wide else covariance_limits(d, size)[3]  # a limit at which all groups are friends
    first = normal_factors(k, size, d, rng)
    second = first.copy()
    second[0] = second[0] * rng.choice([0.0, 1.5, 3.0, 1e9])
    groups = [Groups.of(one) for one in (first, second)]
    friends = [one.friends(limit) for one in groups]
    count = abs(int(friends[0].sum() - friends[1].sum())) / (2 * (k - 1))
    quorum = min(int(friends[0].sum()), int(friends[1].sum()), k * k - 1)
    if quorum < 0.7 * k * k:
        return {"count": count, "shares": 0.0, "distance": 0.0}
    vote = Thresholds(k, k // 2 + 1, min(k // 2 + 10, quorum // k - 1), quorum)
    weights = [vote.weights(one) for one in friends]
    roots = [one.average(weight) for one, weight in zip(groups, weights, strict=True)]
    bound = log1p(vote.change * vote.spread(limit * ROUNDING) / k)
    u, v = (np.append(weight, 0.0) / weight.sum() for weight in weights)
    v[0], v[-1] = 0.0, v[0]  # the replaced group is another point
    shares = k * float(np.maximum(u - v, 0).sum()) / vote.change
    return {"count": count, "shares": shares, "distance": float(np.log(ratios(*roots))) / bound}


NEIGHBOURS = over_grid("al22-neighbours", neighbours, 100, d=[1, 2, 3])


def reached(name: str, values: pd.Series, share: float) -> Verdict:
    top = float(values.max())
    status = Status.HOLDS if top >= share else Status.UNDECIDED
    return Verdict(
        status=status if top <= 1 + 1e-6 else Status.REFUTED,
        test="largest value, at most",
        level=0.0,
        trials=len(values),
        estimate=top,
        interval=(top, top),
        bound=1.0,
        id=name,
        detail={"share": share},
    )


def neighbours_move_little(frame: pd.DataFrame) -> Checks:
    return [
        reached("count of friends over its sensitivity", frame["count"], 1.0),
        reached("weights in total variation over C/k", frame["shares"], 0.9),
        reached("averages in Thompson's metric over ln(1 + CE/k)", frame["distance"], 0.1),
    ]


# What judges a reader's own average of points on a line


VOTERS, LIMIT = 100, 1.0  # points, and ρ: friends are at most that far apart
THRESHOLDS = Thresholds.of(VOTERS, 0.5 + 1 / VOTERS, 0.75, 0.8)
FAR = (-0.5, 0.6, 0.9, 1.1, 2.0, 10.0, 1e6)  # where points go, in units of ρ


@dataclass(frozen=True)
class Attacked:
    """The farthest that one replaced point moved an average, and what the theorem allows: 2ρC/k."""

    moved: float
    allowed: float
    pairs: int

    def __str__(self) -> str:
        word = "within" if self.moved <= self.allowed else "BEYOND"
        return (
            f"one replaced point moved the average by {self.moved:.3g}, {word} 2ρC/k = {self.allowed:.3g}"
            f" ({self.pairs} pairs of neighbours)"
        )


def attack(mine: Callable[[Array], Any], *, seed: int = 17) -> Attacked:
    """Look for neighbours between which `mine(points)` moves far.

    Both have at least the quorum of friendly pairs, as the vote has made sure where something is released.
    """
    moved, pairs = 0.0, 0
    for first, second in _neighbours(stream(seed, Role.DATA, "any-gaussian-exercise")):
        moved = max(moved, abs(float(mine(first.copy())) - float(mine(second.copy()))))
        pairs += 1
    return Attacked(moved, 2 * LIMIT * THRESHOLDS.change / VOTERS, pairs)


def _neighbours(rng: Generator) -> Iterator[tuple[Array, Array]]:
    for attempt in range(200):  # data sets; each is compared with a few neighbours
        cloud = rng.uniform(-0.5, 0.5, VOTERS) * rng.uniform(0.5, 1.5)
        clumps = np.where(np.arange(VOTERS) < VOTERS // 2, -0.49, 0.49) + 0.01 * cloud
        first = clumps if attempt % 2 else cloud
        first[: rng.integers(0, 11)] += rng.choice(FAR)
        for place in FAR:
            second = first.copy()
            second[-1] = place
            if _agree(first) and _agree(second):
                yield first, second


def _agree(points: Array) -> bool:
    return bool(Points(points[:, None], LIMIT).friends(LIMIT).sum() >= THRESHOLDS.quorum)


# A mask has the shape of the covariance that it hides (AL22 Lemmas 5.1 and 5.2, Proposition 6.2).


MASK = "covariance/populous"
DRAWN = 6
MASK_DESIGN = 0.1, "thompson_laplace"


def masks(run: Run, *, epsilon: float = EPSILON, delta: float = DELTA, condition: float = 25.0) -> Chart:
    """Return masked releases of a round and of a long covariance (then noise of one size on the long one)."""
    budget = ApproxDP(epsilon, delta)
    least, usual = (PopulousFrame(0, 2, one, *MASK_DESIGN).fewest for one in (budget, BUDGET))
    few, many = multiples((9000, 18_000), least / usual)
    root = random_root(
        np.array([1.0, condition]) * 4 / condition, stream(run.seed, Role.DATA, "any-gaussian-masks")
    )
    circle = random_root(np.array([4.0, 4.0]), stream(run.seed, Role.DATA, "any-gaussian-masks"))

    def released(of: Array, n: int) -> list[Array]:
        charge = PopulousFrame(n, 2, budget, *MASK_DESIGN).design.charges[1]
        source = SimulatedNoise(stream(run.seed, Role.NOISE, "any-gaussian-masks"))
        return [masked(of, charge, source) for _ in range(DRAWN)]

    shape, round_ = "Round" if condition == 1 else "Long", released(circle, few)
    one_size = [root @ root.T + one - circle @ circle.T for one in round_]  # as added where Σ is round
    panels = (
        _ellipses(f"Round, n = {number(few)}", circle, round_, MASK),
        _ellipses(f"{shape}, n = {number(few)}", root, released(root, few), MASK),
        _ellipses(f"{shape}, n = {number(many)}", root, released(root, many), MASK),
        _ellipses(f"Noise of one size, n = {number(few)}", root, one_size, "idea/noise"),
    )
    return Chart(
        "masks",
        "A mask has the shape of what it hides; additive noise has not",
        (replace(panels[0], marks=(text_at("black: Σ", 0.0, -2.7, "non-private"),)), *panels[1:]),
        alt="Four panels: a circle and a long ellipse with masked releases around them, the ellipse at twice"
        " the rows, and the ellipse with noise of one size, which is far too much across. The masked"
        " releases of the ellipse are as far from it, in its own units, as those of the circle.",
        how_to_read="Black: Σ. Coloured: six releases of it. A mask multiplies a root of Σ by a random"
        " matrix from both sides, so a long axis gets much noise and a short one little, and nobody has to"
        " know either. More rows narrow it.",
    )


def _ellipses(title: str, root: Array, released: list[Array], key: str) -> Panel:
    lines = [ellipse("", one, role="release", colour_key=key) for one in released]
    return plane(
        title, (*lines, ellipse("", root @ root.T, role="truth", colour_key="non-private")), reach=2.9
    )


def random_root(values: Array, rng: Generator) -> Array:
    """Return a root, shape (d, d), of a covariance with these eigenvalues in a random frame."""
    d = len(values)
    return np.linalg.qr(rng.standard_normal((d, d)))[0] * np.sqrt(values)


# What is run


ALPHA = 0.2  # a Frobenius error


def frobenius(d: int, eta: float, *, trials: int, data: Generator, noise: Generator) -> Columns:
    """Measure the Frobenius distance of the source's mask from I."""
    source = SimulatedNoise(noise)
    drawn = np.array([source.square(np.eye(d), 1.0, eta) for _ in range(trials)])
    return {"frobenius": np.linalg.norm(drawn - np.eye(d), axis=(1, 2))}


def _masks(name: str, factor: int, dimensions: tuple[int, ...]) -> Sweep:
    points = tuple({"d": d, "eta": factor * frobenius_mask(ALPHA, d, BETA)} for d in dimensions)
    return Sweep(name, points, frobenius, 200)


FROBENIUS = _masks("al22-frobenius-masks", 1, (1, 2, 5, 10))
TWICE = _masks("al22-twice-frobenius-masks", 2, (5, 10))


# What is claimed


def frobenius_masks_are_concentrated(frame: pd.DataFrame, twice: pd.DataFrame) -> Checks:
    checks = [seldom(f"d = {d}", rows["frobenius"] > ALPHA, BETA) for d, rows in frame.groupby("d")]
    for d, rows in twice.groupby("d"):
        share = measures.share(int((rows["frobenius"] > ALPHA).sum()), len(rows), 2 * CHECK_LEVEL)
        checks.append(measures.between(f"twice as wide, d = {d}", share, BETA, 1.0))
    return checks


CLAIMS = (
    Claim(
        "any-gaussian/neighbours-move-little",
        "C6",
        ("AL22/Lem3.6", "AL22/Alg1", *(f"AL22/ClaimC.{number}" for number in range(2, 7))),
        "one replaced group moves the count of friends by at most 2(k - 1), which is attained, the weights"
        " by at most C/k, and the average by at most ln(1 + CE/k)",
        neighbours_move_little,
        lambda: [NEIGHBOURS],
    ),
    Claim(
        "any-gaussian/frobenius-masks-concentrate",
        "AL22.6",
        ("AL22/Prop6.2",),
        "the source's mask at the η of order α/d moves I by more than α = .2 in Frobenius norm with"
        " probability at most .1 (d = 1 .. 10), at twice that η with a larger one (d = 5, 10)",
        frobenius_masks_are_concentrated,
        lambda: (FROBENIUS, TWICE),
    ),
)
