"""The explorers of notebook 05: a vote with far groups, and masks of the covariance's shape."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from workbench.chapters.any_gaussian.masking import MASK, PLAIN, masked_releases, rotated
from workbench.chapters.any_gaussian.votes import CENTRE, POPULAR, REACH, Vote, popularity, scattered, where
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.ellipses import ellipse, plane
from workbench.charts.parameters import Parameter
from workbench.charts.words import number
from workbench.errors import ArgumentError
from workbench.privacy import ApproxDP, SimulatedNoise
from workbench.study.grids import Role, stream
from workbench.study.run import Run

NAME = "any-gaussian-view"
EACH, STEPS = 100, 4  # draws of a frame, frames
MASKED, SHOWN = 15, 6  # releases of a frame, ellipses
MASKED_ROWS = Parameter(
    "n", 20_000, 1000, 10_000_000, "of which groups are made", "rows", integer=True, track=(6000, 100_000)
)
"""The rows behind `mask_view`; the notebook's own n counts groups."""


def vote_view(
    run: Run, *, epsilon: float, delta: float, n: int, corruption: float, size: int, thresholds: str
) -> Iterator[Chart]:
    """Yield one vote at once, then how often such votes are heard.

    Parameters
    ----------
    run
        Has the seed.
    epsilon, delta
        Budget.
    n, size
        Groups, and rows of each.
    corruption
        The share of groups that are far away.
    thresholds
        Whose: `OURS` or `THEIRS`.
    """
    rng, noise = (stream(run.seed, role, NAME, n, 0) for role in (Role.DATA, Role.NOISE))
    points, budget = scattered(n, corruption, rng, size), ApproxDP(epsilon, delta)
    try:
        found = Vote.of(points, budget, size, thresholds)
    except ArgumentError:
        refused = "No vote of so few rows is private enough: the plan refuses."
        yield _chart(budget, (_refused(points),), refused)
        return
    said = f"{int((found.weights == 0).sum())} of {n} groups have weight 0;"
    said += f" {100 * found.agreed:.1f} % of pairs are friends."
    popular = popularity(found)

    def after(draws: str) -> Chart:
        note = f"{100 * corruption:g} % far. {popular.note} {draws}"
        return _chart(budget, (where(found), replace(popular, note=note)), f"{said} {draws}")

    yield after("Answered in no draw of the noise yet.")
    heard, source, chance = 0, SimulatedNoise(noise), found.design.chance(found.friends)
    for trials in range(EACH, STEPS * EACH + 1, EACH):
        heard += sum(source.uniform(0.0, 1.0) < chance for _ in range(EACH))
        yield after(f"Answered in {100 * heard / trials:.0f} % of {trials} draws of the noise.")


def _refused(points: np.ndarray) -> Panel:
    dots = Series("", points[:, 0], points[:, 1], role="rows", colour_key=POPULAR)
    return plane("Groups as points", (dots,), reach=REACH, centre=CENTRE)


def _chart(budget: ApproxDP, panels: tuple[Panel, ...], caption: str) -> Chart:
    return Chart(
        "vote_view",
        f"A vote of groups in the plane, ε = {number(budget.epsilon)}, δ = {number(budget.delta)}",
        panels,
        alt="Left, groups as points, with circles of friendship round a popular and a lonely one. Right, the"
        " share of friends of every point between the two thresholds.",
        how_to_read="Dots: this data set. Lines: public thresholds, before a row is read. Groups below the"
        " lower one have weight 0.",
        caption=caption,
    )


def mask_view(run: Run, *, epsilon: float, delta: float, n: int, condition: float) -> Iterator[Chart]:
    """Yield the covariance at once, then more and more masked releases of it.

    Parameters
    ----------
    run
        Has the seed.
    epsilon, delta
        Budget.
    n
        Rows.
    condition
        Condition number of the covariance.
    """
    data, noise = (stream(run.seed, role, NAME, 1, 0) for role in (Role.DATA, Role.NOISE))
    root, budget = rotated(np.array([1.0, condition]) / condition, data), ApproxDP(epsilon, delta)
    try:
        drawn = masked_releases(root, n, budget, 0, noise)
    except ArgumentError:
        yield _masks(root, [], "So few rows have no vote at this ε: the plan refuses.")
        return
    yield _masks(root, drawn, "No release yet.")
    for _ in range(STEPS):
        drawn = [*drawn, *masked_releases(root, n, budget, MASKED, noise)]
        middle = float(np.median(_distances(root, drawn)))
        said = f"{len(drawn)} releases; median Thompson distance {middle:.3f}"
        yield _masks(root, drawn, f"{said}: a factor {np.exp(middle):.2f}.")


def _distances(root: np.ndarray, drawn: list[np.ndarray]) -> np.ndarray:
    back = np.linalg.inv(root)
    logs = np.log(np.linalg.eigvalsh(back @ np.array(drawn) @ back.T))
    return np.asarray(np.abs(logs).max(axis=1))


def _masks(root: np.ndarray, drawn: list[np.ndarray], caption: str) -> Chart:
    back = np.linalg.inv(root)
    panels = []
    for title, map_ in (("as released", np.eye(2)), ("in units of Σ", back)):
        lines = [ellipse("", map_ @ one @ map_.T, role="release", colour_key=MASK) for one in drawn[-SHOWN:]]
        truth = ellipse("", map_ @ root @ root.T @ map_.T, role="truth", colour_key=PLAIN)
        panels.append(plane(title, (*lines, truth), reach=1.9))
    return Chart(
        "mask_view",
        "Masks of the shape of the covariance",
        tuple(panels),
        alt="Left, masked releases of a covariance as ellipses; right, the same in units of the covariance,"
        " round a circle.",
        how_to_read="Black: the covariance. Coloured: releases. Make it longer: the left picture changes, the"
        " right one does not.",
        caption=caption,
    )
