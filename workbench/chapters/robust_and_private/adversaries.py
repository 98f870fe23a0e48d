"""Rows, and what adversaries do to them: each corrupted row looks innocent, together they move the mean.

Rows are N(θ, I), θ uniform on the cube of side 16 round 0, and public is that θ lies in that of side 20
(LKKO21, Assumption 1). An adversary who has seen them replaces a share ξ.
"""

from collections.abc import Callable
from dataclasses import fields, replace
from math import log, sqrt
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import Generator

from workbench.catalog import lookup
from workbench.charts.curves import Chart, Heat, Mark, Panel, Series, number, styled
from workbench.linalg import norms
from workbench.populations.corruption import MEAN_ATTACKS
from workbench.privacy import ApproxDP
from workbench.study import measures
from workbench.study.sweeps import (
    Role,
    Row,
    Run,
    distance_of,
    each_trial,
    grid,
    over_grid,
    point_id,
    stream,
    streams,
)
from workbench.types import Array, Mask

RADIUS, PLACES = 10.0, 8.0
CORRUPTION, EPSILON, DELTA = 0.05, 10.0, 0.01
N, D = 20_000, 20  # of the pictures here
ATTACKS = {adversary.name: adversary for adversary in MEAN_ATTACKS}
TAIL = 2.5  # degrees of freedom, and index, of heavy tails: finite variances, no third moments
GOOD, BAD, PLANTED = "idea/good", "idea/bad", "idea/public"


def limit(corruption: float) -> float:
    """Return corruption √(ln 1/corruption), what no robust mean can beat by more than a constant."""
    return corruption * sqrt(log(1 / corruption))


def corrupted(x: Array, attack: str, corruption: float, data: Generator) -> Array:
    name = attack.split(" ")[0]
    return x if name == "none" else ATTACKS[name].corrupt(x, corruption, rng=data)


def attacked(seed: int, name: str, n: int, d: int, corruption: float, *attacks: str) -> list[Array]:
    """Return normal rows, and what each of these attacks makes of them."""
    x = stream(seed, Role.DATA, name).standard_normal((n, d))
    rng = stream(seed, Role.DATA, name, 0, 1)
    return [x, *(ATTACKS[one].corrupt(x, corruption, rng=rng) for one in attacks)]


def heavy_rows(law: str, n: int, d: int, data: Generator) -> Array:
    """Return independent coordinates of mean 0 and variance 1: Student's t or, one-sided, Pareto's."""
    if law == "student":
        return data.standard_t(TAIL, (n, d)) * sqrt((TAIL - 2) / TAIL)
    mean, variance = 1 / (TAIL - 1), TAIL / ((TAIL - 1) ** 2 * (TAIL - 2))
    return (data.pareto(TAIL, (n, d)) - mean) / sqrt(variance)


def taken(x: Array, y: Array) -> Mask:
    return (x != y).any(axis=1)


def density(label: str, values: Array, edges: Array, look: str, total: int = 0) -> Series:
    """Return the histogram of values as an area: their share of `total` per unit, at the middles of the bins.

    Without a total it is their own number, so that the area is 1.
    """
    counts, _ = np.histogram(values, edges)
    shares = counts / ((total or len(values)) * np.diff(edges))
    return styled("area", label, (edges[:-1] + edges[1:]) / 2, shares, look)


def collusion(run: Run, *, corruption: float = CORRUPTION, n: int = N, d: int = D) -> Chart:
    """Return rows of unsuspicious length, and what they have in common."""
    x, y = attacked(run.seed, "robust-collusion", n, d, corruption, "tail-matched")
    bad, u = taken(x, y), np.full(d, 1 / sqrt(d))
    further = sqrt(d) - sqrt(D)  # of rows of other lengths, whose spread is the same
    lengths = np.linspace(max(0.0, 2.0 + further), 7.0 + further, 26)
    along = np.linspace(-4.0, 6.0 + max(0.0, further), 41)
    moved, most = (y - x).mean(axis=0) @ u, limit(corruption)
    said = f"mean moved by {number(moved, 2)} σ (limit {number(most, 2)} σ)"
    left = _two("the length of a row betrays nobody", "length of a row (σ)", norms(y), bad, lengths)
    right = _two(
        "together they lean to one side", "part of a row along one direction u (σ)", y @ u, bad, along
    )
    marks = (Mark(said, "region", along[-1] - 2.4, 0.62 * max(tuple(right.series[0].y))),)
    return Chart(
        "collusion",
        "Each bad row looks innocent, together they move the mean",
        (left, replace(right, marks=marks)),
        alt="Left, the lengths of clean and of corrupted rows have histograms of the same shape, one much"
        " lower. Right, along one direction the corrupted rows lie to the right of the clean ones.",
        how_to_read=f"Areas are shares of all rows: {number(100 * corruption)} % are corrupted. Every"
        " corrupted row has the length of the row it replaced. Nearly every clean row leans as far, in a"
        " direction of its own: a test of single rows would have to know u.",
    )


def _two(title: str, name: str, values: Array, bad: Mask, edges: Array) -> Panel:
    clean, wrong = (
        density(label, values[rows], edges, look, len(values))
        for label, rows, look in (("clean rows", ~bad, GOOD), ("corrupted rows", bad, BAD))
    )
    x, (good, few) = np.array(tuple(clean.x)), (np.array(tuple(one.y)) for one in (clean, wrong))
    wide, tall = x[-1] - x[0], good.max()
    rises, top = x[np.argmax(good >= 0.55 * tall)], x[few.argmax()]
    beside, above = (rises - 0.17 * wide, 0.55 * tall), top + 0.08 * wide
    named = (replace(clean, label_at=beside), replace(wrong, label_at=(above, few.max() + 0.09 * tall)))
    return Panel(title, name, "share of all rows per σ", named, "linear", "linear", ylim=(0.0, 1.08 * tall))


def tail_swap(run: Run, *, corruption: float = CORRUPTION, n: int = N, d: int = D) -> Chart:
    """Return the attack that leaves second moments as they are (marginals, spectra, errors)."""
    of = run.seed, "robust-tail-swap", n, d, corruption
    x, swapped, planted = attacked(*of, "tail-swap", "shift-ones")
    u, edges = np.full(d, 1 / sqrt(d)), np.linspace(-4.0, 4.0, 41)
    drawn = (("clean rows", x, GOOD), ("one tail swapped", swapped, BAD))
    clean, other = (density("", rows @ u, edges, look) for _, rows, look in drawn)
    stay = tuple(np.minimum(tuple(clean.y), tuple(other.y)))
    share = number(100 * corruption)
    along = Panel(
        "what the adversary does",
        "part of a row along u (σ)",
        "density",
        (
            replace(clean, label="rows that stay", y=stay, colour_key="idea/data", label_at=(0.0, 0.06)),
            replace(clean, label="taken away", low=stay, label_at=(-2.9, 0.12)),
            replace(other, label="put in", low=stay, label_at=(2.8, 0.15)),
        ),
        "linear",
        "linear",
        ylim=(0.0, 0.52),
        marks=[Mark(f"the lowest {share} % become copies of the highest", "arrow", -2.2, 0.44, 2.2, 0.44)],
    )
    spectra = tuple(
        Series(name, range(1, d + 1), np.linalg.eigvalsh(np.cov(rows.T))[::-1], colour_key=look)
        for name, rows, look in (*drawn, ("planted cluster", planted, PLANTED))
    )
    noise = stream(run.seed, Role.NOISE, "robust-tail-swap")
    one, said = fighter("mean/robust", d, corruption), []
    for name, rows, _ in drawn:
        found = distance_of(one, rows, np.zeros(d), ApproxDP(EPSILON, DELTA), noise)
        said.append(f"{name} {found:.2f} and {np.linalg.norm(rows.mean(axis=0)):.2f}")
    note = f"Errors of the row-by-row filter and of the plain mean (σ): {'; '.join(said)}."
    names = "what a second moment sees", "rank of the eigenvalue", "eigenvalue of the covariance"
    return Chart(
        "tail_swap",
        "A swapped tail moves the mean and leaves the covariance as it is",
        (along, Panel(*names, spectra, "linear", "log", note=note)),
        alt="(a) Along one direction the lower tail is missing and the upper one doubled. (b) The"
        " eigenvalues of the covariance of the swapped rows are those of clean rows; a planted cluster has"
        " one that stands out.",
        how_to_read="Right: a filter looks at variances, and these are the variances of clean rows: it has"
        " nothing to act on. The error is still of the promised order; what tests the whole distribution,"
        " such as depths or third moments, sees more.",
    )


# Attacks against estimators on the same rows: the scoreboard, and a hidden world for a reader's own mean.
#
# A column for each estimator, by its catalog key, is its error.


DUEL_D, DUEL_EPSILON = 10, 1.0
COLUMNS = {
    "mean/empirical": "sample\nmean",
    "mean/filter-nonprivate": "filter",
    "mean/clipped-box": "clipped\nmean",
    "mean/coinpress": "CoinPress",
    "mean/filter": "private\nfilter",
    "mean/prime": "PRIME",
    "mean/robust": "row-by-row\nfilter",
}
FIGHTERS = tuple(COLUMNS)
IN_A_BALL = ("mean/coinpress", "mean/clipped-heavy")  # of radius 10 √d is θ given to lie; else in a cube
FREE, PLAIN, ROBUST = FIGHTERS[:2], FIGHTERS[2:4], FIGHTERS[4:]
GLOSS = {
    "none": "no corrupted rows",
    "shift-ones": "cluster, equal signs",
    "shift-alternating": "cluster, signs alternate",
    "axis-clusters": "clusters on all axes",
    "five-clusters": "clusters on five axes",
    "far": "one point, far away",
    "tail-matched": "lengths of clean rows",
    "inward": "farthest rows moved inward",
    "under-threshold": "cluster just unnoticed",
    "cancelling": "clusters that cancel",
    "half-sphere": "half of a sphere",
    "tail-swap": "one tail for the other",
}
SHOWN = tuple(GLOSS)
BOARD = ("none", "shift-ones", "far", "under-threshold", "inward", "tail-swap")  # of the scoreboard
MOST = 100.0  # over the limit: more is written as this
Mine = Callable[[Array, int, Generator], object]


def fighter(key: str, d: int, corruption: float) -> Any:
    """Return the mean of this key, given what it asks for: where θ lies, and how wide and bad rows are."""
    kind: Any = type(lookup(key).estimator)
    radius = RADIUS * sqrt(d) if key in IN_A_BALL else RADIUS
    known = {"radius": radius, "sigma": 1.0, "upper": 1.0, "corruption": corruption}
    asked = [field.name for field in fields(kind) if field.name in known]
    return kind(**{name: known[name] for name in asked})


@each_trial
def fights(
    attack: str, n: int, corruption: float, epsilon: float, who: str, *, d: int = DUEL_D,
    delta: float = DELTA, data: Generator, noise: Generator,
) -> Row:  # fmt: skip
    names = FIGHTERS if who == "all" else (*PLAIN, *ROBUST[1:])
    budget, theta = ApproxDP(epsilon, delta), data.uniform(-PLACES, PLACES, d)
    x = corrupted(data.standard_normal((n, d)), attack, corruption, data) + theta
    return {
        name: distance_of(fighter(name, d, corruption), x, theta, None if name in FREE else budget, noise)
        for name in names
    }


DUEL = over_grid(
    "lkko21-duel", fights, 3, 6, attack=BOARD, n=N, corruption=CORRUPTION, epsilon=DUEL_EPSILON, who="all"
)


def scoreboard(
    run: Run, *, corruption: float = CORRUPTION, epsilon: float = DUEL_EPSILON, delta: float = DELTA,
    n: int = N, d: int = DUEL_D,
) -> Chart:  # fmt: skip
    """Return the median error of every estimator under six attacks, over ξ √ln(1/ξ)."""
    points = grid(attack=BOARD, n=n, corruption=corruption, epsilon=epsilon, who="all")
    frame = run.table(DUEL.moved(points, d=d, delta=delta))
    tables = [measures.at(frame, attack=attack) for attack in BOARD]
    table = [[min(MOST, rows[name].median() / limit(corruption)) for name in FIGHTERS] for rows in tables]
    heat = Heat(
        table, (0.1, 10.0), "log", "middle", written=True,
        rows=tuple(GLOSS[name] for name in BOARD), columns=tuple(COLUMNS.values()),
    )  # fmt: skip
    marks = [Mark(" ", "vertical", x, 0.0) for x in (1.5, 3.5)]
    groups = "no privacy, then private, then private and robust"
    names, note = (groups, "median error over ξ √ln(1/ξ)", "attack"), "100 stands for 100 and more."
    return Chart(
        "scoreboard",
        "Two attacks defeat every mean, filters withstand most others",
        [Panel(*names, (), heat=heat, marks=marks, note=note)],
        alt="A table of colours, one row for each of six attacks and one column for each estimator. Means"
        " that do not filter are at 2 to 3 under one planted cluster, and two of them far above that under a"
        " far point mass; the robust ones are below 1 but for a hidden cluster, which two of them miss, and"
        " for rows moved inward and swapped tails, where all columns are above 1.",
        how_to_read="Below 1, purple: the error is below ξ √ln(1/ξ). Above 1, brown: the adversary wins. What"
        " makes rows narrower, or leaves their covariance alone, gets past every filter."
        f" ξ = {number(corruption)}, n = {number(n)}, d = {d}, ε = {number(epsilon)}, δ = {number(delta)}.",
    )


def hidden_world(mine: Mine, *, corruption: float = CORRUPTION, seed: int = 17) -> pd.DataFrame:
    """Return the median error of a mean of one column under every attack, and whether it is small enough.

    Parameters
    ----------
    mine
        `mine(x, trials, rng)` returns so many private means of the column x.
    corruption
        Share of the rows that the adversary replaces.
    seed
        Of rows, hidden mean, adversary and noise.

    Returns
    -------
    DataFrame
        A row for each attack: `error`, and `stands`, which says whether it is at most twice ξ √(ln 1/ξ).
    """
    errors, n, trials = {}, 2000, 100
    for attack in SHOWN:
        data, noise = streams(seed, "hidden world", point_id({"attack": attack}))
        hidden = data.uniform(-PLACES, PLACES)
        x = corrupted(data.standard_normal((n, 1)), attack, corruption, data)[:, 0] + hidden
        errors[attack] = float(np.median(np.abs(np.asarray(mine(x, trials, noise)) - hidden)))
    made = pd.DataFrame({"error": pd.Series(errors)})
    return made.assign(stands=made["error"] <= 2 * limit(corruption))
