"""What adversaries do to rows: each one looks innocent, together they move the mean, or even the eye."""

from collections.abc import Iterable
from dataclasses import replace
from math import sqrt

import numpy as np

from workbench.chapters.robust_and_private.runs.prime import ATTACKS, CORRUPTION, DELTA, EPSILON, limit
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.words import number
from workbench.estimators.robust import RobustMean
from workbench.linalg import norms
from workbench.privacy import ApproxDP
from workbench.study.grids import Role, stream
from workbench.study.run import Run
from workbench.types import Array

N, D = 20_000, 20
GOOD, BAD, PLANTED = "idea/good", "idea/bad", "idea/public"
SHARES = (0.01, 0.02, 0.05, 0.1)
LIMIT = "ξ √ln(1/ξ)"
BUDGET = ApproxDP(EPSILON, DELTA)  # of the errors of (b), which depend on it little


def taken(x: Array, y: Array) -> np.ndarray:
    """Return which rows an adversary changed."""
    return np.asarray((x != y).any(axis=1))


def density(label: str, values: Array, edges: Array, look: str, total: int = 0) -> Series:
    """Return the histogram of values as an area: their share of `total` per unit, at the middles of the bins.

    Without a total it is their own number, so that the area is 1.
    """
    counts, _ = np.histogram(values, edges)
    shares = counts / ((total or len(values)) * np.diff(edges))
    return Series(label, (edges[:-1] + edges[1:]) / 2, shares, role="area", colour_key=look)


def collusion(run: Run, *, corruption: float = CORRUPTION, n: int = N, d: int = D) -> Chart:
    """Return rows of unsuspicious length, and what they have in common."""
    x, y = _colluding(run, corruption, n, d)
    bad, u = taken(x, y), np.full(d, 1 / sqrt(d))
    further = sqrt(d) - sqrt(D)  # of rows of other lengths, whose spread is the same
    lengths = np.linspace(max(0.0, 2.0 + further), 7.0 + further, 26)
    along = np.linspace(-4.0, 6.0 + max(0.0, further), 41)
    moved, most = float((y - x).mean(axis=0) @ u), limit(corruption)
    said = f"mean moved by {number(moved, 2)} σ (limit {number(most, 2)} σ)"
    left = _two("the length of a row betrays nobody", "length of a row (σ)", norms(y), bad, lengths)
    right = _two(
        "together they lean to one side", "part of a row along one direction u (σ)", y @ u, bad, along
    )
    tall = max(tuple(right.series[0].y))
    marks = (Mark(said, "region", x=along[-1] - 2.4, y=0.62 * tall),)
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


def _colluding(run: Run, corruption: float, n: int, d: int) -> tuple[Array, Array]:
    x = stream(run.seed, Role.DATA, "robust-collusion", 0, 0).standard_normal((n, d))
    rng = stream(run.seed, Role.DATA, "robust-collusion", 0, 1)
    return x, ATTACKS["tail-matched"].corrupt(x, corruption, rng=rng)


def _two(title: str, name: str, values: Array, bad: np.ndarray, edges: Array) -> Panel:
    clean = density("", values[~bad], edges, GOOD, len(values))
    wrong = density("", values[bad], edges, BAD, len(values))
    tall = max(tuple(clean.y))
    named = (
        replace(clean, label="clean rows", label_at=_beside(clean, 0.55)),
        replace(wrong, label="corrupted rows", label_at=_above(wrong, 0.09 * tall)),
    )
    return Panel(title, name, "share of all rows per σ", named, "linear", "linear", ylim=(0.0, 1.08 * tall))


def _above(area: Series, by: float) -> tuple[float, float]:
    """Return the place above the highest point of an area, a little to the right."""
    x, y = np.array(tuple(area.x)), np.array(tuple(area.y))
    return float(x[y.argmax()] + 0.08 * (x[-1] - x[0])), float(y.max() + by)


def _beside(area: Series, height: float) -> tuple[float, float]:
    """Return the place left of an area at a share of its height."""
    x, y = np.array(tuple(area.x)), np.array(tuple(area.y))
    rises = x[np.argmax(y >= height * y.max())]
    return float(rises - 0.17 * (x[-1] - x[0])), float(height * y.max())


def few_together(run: Run, *, corruption: float = CORRUPTION, n: int = N, d: int = D) -> Chart:
    """Return how far colluding rows move the mean, by their share."""
    x, u = _colluding(run, corruption, n, d)[0], np.full(d, 1 / sqrt(d))
    rng = stream(run.seed, Role.DATA, "robust-collusion", 0, 2)
    shares, attack = [corruption / CORRUPTION * one for one in SHARES], ATTACKS["tail-matched"]
    moved = [float((attack.corrupt(x, one, rng=rng) - x).mean(axis=0) @ u) for one in shares]
    series = (
        Series("plain mean", shares, moved, colour_key="mean/empirical"),
        Series(f"limit {LIMIT}", shares, [limit(one) for one in shares], role="reference"),
    )
    return Chart(
        "few_together",
        "The colluding rows move the mean in proportion to their share",
        (Panel("", "corrupted share ξ", "shift of the mean (σ)", series),),
        alt="The shift of the plain mean against the corrupted share, both logarithmic: a line of slope one,"
        f" beside the limit {LIMIT} of a robust mean.",
        how_to_read="Markers: the plain mean. Grey: what a robust mean may be moved, up to a constant.",
    )


def tail_swap(run: Run, *, corruption: float = CORRUPTION, n: int = N, d: int = D) -> Chart:
    """Return the attack that leaves second moments as they are (marginals, spectra, errors)."""
    x = stream(run.seed, Role.DATA, "robust-tail-swap", 0, 0).standard_normal((n, d))
    rng = stream(run.seed, Role.DATA, "robust-tail-swap", 0, 1)
    swapped = ATTACKS["tail-swap"].corrupt(x, corruption, rng=rng)
    planted = ATTACKS["shift-ones"].corrupt(x, corruption, rng=rng)
    u, edges = np.full(d, 1 / sqrt(d)), np.linspace(-4.0, 4.0, 41)
    drawn = (("clean rows", x, GOOD), ("one tail swapped", swapped, BAD))
    clean, other = (density("", rows @ u, edges, look) for _, rows, look in drawn)
    stay = tuple(np.minimum(tuple(clean.y), tuple(other.y)))
    share = number(100 * corruption)
    along = Panel(
        "what the adversary does", "part of a row along u (σ)", "density",
        (
            replace(clean, label="rows that stay", y=stay, colour_key="idea/data", label_at=(0.0, 0.06)),
            replace(clean, label="taken away", low=stay, label_at=(-2.9, 0.12)),
            replace(other, label="put in", low=stay, label_at=(2.8, 0.15)),
        ),
        "linear", "linear", ylim=(0.0, 0.52),
        marks=(Mark(f"the lowest {share} % become copies of the highest", "arrow", -2.2, 0.44, 2.2, 0.44),),
    )  # fmt: skip
    spectra = tuple(
        Series(name, range(1, d + 1), np.linalg.eigvalsh(np.cov(rows.T))[::-1], colour_key=look)
        for name, rows, look in (*drawn, ("planted cluster", planted, PLANTED))
    )
    noise = stream(run.seed, Role.NOISE, "robust-tail-swap", 0, 0)
    second = Panel(
        "what a second moment sees", "place of the eigenvalue", "eigenvalue of the covariance", spectra,
        "linear", "log", note=_errors(corruption, BUDGET, ((name, rows) for name, rows, _ in drawn), noise),
    )  # fmt: skip
    return Chart(
        "tail_swap",
        "A swapped tail moves the mean and leaves the covariance as it is",
        (along, second),
        alt="(a) Along one direction the lower tail is missing and the upper one doubled. (b) The"
        " eigenvalues of the covariance of the swapped rows are those of clean rows; a planted cluster has"
        " one that stands out.",
        how_to_read="Right: a filter looks at variances, and these are the variances of clean rows: it has"
        " nothing to act on. The error is still of the promised order; what tests the whole law, such as"
        " depths or third moments, sees more.",
    )


def _errors(
    corruption: float, budget: ApproxDP, cases: Iterable[tuple[str, Array]], noise: np.random.Generator
) -> str:
    one, said = RobustMean(radius=10.0, corruption=corruption, sigma=1.0), []
    for name, rows in cases:
        found = np.asarray(one(rows, budget=budget, rng=noise).value, np.float64)
        plain = np.linalg.norm(rows.mean(axis=0))
        said.append(f"{name} {np.linalg.norm(found):.2f} and {plain:.2f}")
    return f"Errors of the row-by-row filter and of the plain mean (σ): {'; '.join(said)}."
