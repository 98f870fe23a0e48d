"""The duel: attacks against estimators, as a table of all and as an explorer of any two."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from workbench.chapters.robust_and_private.figures.rows import BAD, FREE, GOOD, density, taken
from workbench.chapters.robust_and_private.runs import duel as study
from workbench.chapters.robust_and_private.runs.prime import (
    CORRUPTION,
    DELTA,
    PLACES,
    corrupted,
    limit,
)
from workbench.charts.chart import Chart, Heat, Panel, Series
from workbench.privacy import ApproxDP
from workbench.study import measures
from workbench.study.sweeps.streams import Role, stream
from workbench.study.sweeps.sweep import run
from workbench.types import Array

ROUNDS = 6
EDGES = np.linspace(-5.0, 9.0, 57)
VIEW_N = 10_000
SHORT = {
    "shift-ones": "ones",
    "shift-alternating": "alternating",
    "axis-clusters": "axes",
    "five-clusters": "five axes",
    "tail-matched": "matched",
    "under-threshold": "hidden",
}


def scoreboard(profile: str, seed: int) -> Chart:
    """Return the median error of every estimator under every attack, over α √ln(1/α)."""
    frame = run(study.DUEL, profile, seed=seed)
    table = [
        [
            float(measures.at(frame, attack=attack)[name].median()) / limit(CORRUPTION)
            for name in study.FIGHTERS
        ]
        for attack in study.SHOWN
    ]
    heat = Heat(
        table, (0.1, 10.0), scale="log", emphasis="middle", written=True,
        rows=tuple(SHORT.get(name, name) for name in study.SHOWN),
        columns=tuple(name.partition("/")[2].replace("-", "\n") for name in study.FIGHTERS),
    )  # fmt: skip
    panel = Panel("median error / α √ln(1/α)", "estimator", "", (), heat=heat)
    return Chart(
        "scoreboard",
        "The scoreboard: twelve attacks, seven estimators",
        (panel,),
        alt="A table of colours, one row for each attack and one column for each estimator. Means that do"
        " not filter are at 2 to 3 under one planted cluster, and two of them far above that under a far"
        " point mass; the robust ones are below 1 but for a hidden cluster, which two of them miss, and for"
        " rows moved inward and swapped tails, where all columns are above 1.",
        how_to_read="Columns from left: without privacy (empirical, filter-nonprivate), private but not"
        " robust (clipped-box, coinpress), both (filter, prime, robust). Below 1, purple, an estimator errs"
        " by less than α √ln(1/α); above it, brown, by more. Rows: clusters along (1, .., 1), along"
        " alternating signs, on all axes and on five; a far point mass; rows of unsuspicious length; the"
        " farthest rows put at the centre; a cluster just below the filter's level; clusters that cancel;"
        " half a sphere; one tail for the other. What makes the rows narrower (inward) or leaves the"
        " covariance alone (tail-swap) gets past every filter. α = .05, n = 2·10⁴, d = 10, ε = 1, δ = .01.",
    )


def duel_view(seed: int) -> Callable[..., Iterator[Chart]]:
    """Return the view of `explore`: the rows as the adversary made them, then round after round."""

    def view(attack: str, estimator: str, corruption: float, epsilon: float) -> Iterator[Chart]:
        data, noise = (stream(seed, role, "robust-duel", 0, 0) for role in (Role.DATA, Role.NOISE))
        chosen, budget = study.fighters(study.D, corruption), ApproxDP(epsilon, DELTA)
        errors: dict[str, list[float]] = {name: [] for name in study.FIGHTERS}
        shown: Panel | None = None
        for _ in range(ROUNDS):
            x = data.standard_normal((VIEW_N, study.D))
            y = corrupted(x, attack, corruption, data)
            shown = shown or _rows(x, y)
            if not errors[estimator]:
                yield _chart(shown, errors, attack, estimator, corruption)
            theta = data.uniform(-PLACES, PLACES, study.D)
            for name, found in errors.items():
                found.append(study.distance(name, chosen[name], y + theta, theta, budget, noise))
            yield _chart(shown, errors, attack, estimator, corruption)

    return view


def _rows(x: Array, y: Array) -> Panel:
    bad, u = taken(x, y), _direction(x, y)
    series = [density("clean rows", (y @ u)[~bad], EDGES, GOOD)]
    if bad.any():
        series.append(density("corrupted rows", np.clip((y @ u)[bad], EDGES[0], EDGES[-1]), EDGES, BAD))
    series = [replace(one, role="rows") for one in series]
    note = "Along the direction in which the mean is pulled; farther rows stand at the ends."
    return Panel("the rows", "place along that direction", "density", tuple(series), "linear", "linear",
                 xlim=(-5, 9), note=note)  # fmt: skip


def _direction(x: Array, y: Array) -> Array:
    pull = (y - x).mean(axis=0)
    size = float(np.linalg.norm(pull))
    return np.asarray(pull / size if size > 0 else np.eye(len(pull))[0])


def _chart(
    rows: Panel, errors: dict[str, list[float]], attack: str, estimator: str, corruption: float
) -> Chart:
    ends, most = (0.5, len(errors) + 0.5), limit(corruption)
    series = [Series("α √ln(1/α)", ends, (most, most), role="reference", colour_key=FREE)]
    for place, (name, found) in enumerate(errors.items(), start=1):
        if found:
            series.append(
                _bar(place, name + ":" * (name != estimator) + "other" * (name != estimator), found)
            )
    names = tuple(f"» {name} «" if name == estimator else name for name in errors)
    board = Panel(
        "the scoreboard", "estimator", "error (σ)", tuple(series), xscale="linear", xlim=ends,
        ylim=(3e-3, 30.0), names=names,
    )  # fmt: skip
    return Chart(
        "duel_view",
        f"{attack} against {estimator}, α = {corruption:g}",
        (board, rows),
        alt="Left, the error of every estimator in the rounds so far, the chosen one filled. Right, clean and"
        " corrupted rows along the direction of the pull.",
        caption=_caption(errors, attack, estimator, most),
    )


def _bar(place: int, look: str, found: list[float]) -> Series:
    shown = [min(max(one, 3e-3), 30.0) for one in found]
    return Series("", (place,), (float(np.median(shown)),), (min(shown),), (max(shown),), colour_key=look)


def _caption(errors: dict[str, list[float]], attack: str, estimator: str, most: float) -> str:
    if not errors[estimator]:
        return f"The limit is {most:.2g}; no round yet."
    medians: dict[str, Any] = {name: float(np.median(found)) for name, found in errors.items()}
    own, rounds = medians[estimator], len(errors[estimator])
    winner = "the estimator" if own <= most else "the adversary"
    best = min((name for name in medians if name not in study.FREE), key=medians.__getitem__)
    return (
        f"{winner.capitalize()} wins: {estimator} errs by {own:.2g} after {attack}, the limit is {most:.2g};"
        f" median of {rounds} round{'s' * (rounds > 1)}. Best private one: {best}, {medians[best]:.2g}."
    )
