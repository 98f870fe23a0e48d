"""What adversaries do to rows: each one looks innocent, together they move the mean, or even the eye."""

from collections.abc import Iterable
from math import sqrt

import numpy as np

from workbench.chapters.robust_and_private.runs.prime import ATTACKS, CORRUPTION, DELTA, EPSILON, limit
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.parameters import short
from workbench.estimators.mean.robust import RobustMean
from workbench.linalg import norms
from workbench.privacy import ApproxDP
from workbench.study.run import Run
from workbench.study.sweeps.streams import Role, stream
from workbench.types import Array

N, D = 20_000, 20
GOOD, BAD, FREE = "0", "1", "non-private"
SHARES = (0.01, 0.02, 0.05, 0.1)
LIMIT = "ξ √ln(1/ξ)"
BUDGET = ApproxDP(EPSILON, DELTA)  # of the errors of (b), which depend on it little


def taken(x: Array, y: Array) -> np.ndarray:
    """Return which rows an adversary changed."""
    return np.asarray((x != y).any(axis=1))


def density(label: str, values: Array, edges: Array, look: str) -> Series:
    """Return the histogram of values as a line: the share of them per unit, at the middles of the bins."""
    counts, _ = np.histogram(values, edges)
    return Series(
        label, (edges[:-1] + edges[1:]) / 2, counts / (len(values) * np.diff(edges)), colour_key=look
    )


def collusion(run: Run, *, corruption: float = CORRUPTION, n: int = N, d: int = D) -> Chart:
    """Return rows of unsuspicious length, what they have in common, and what that does to the mean."""
    x = stream(run.seed, Role.DATA, "robust-collusion", 0, 0).standard_normal((n, d))
    rng = stream(run.seed, Role.DATA, "robust-collusion", 0, 1)
    y = ATTACKS["tail-matched"].corrupt(x, corruption, rng=rng)
    bad, u = taken(x, y), np.full(d, 1 / sqrt(d))
    further = sqrt(d) - sqrt(D)  # of rows of other lengths, whose spread is the same
    lengths = np.linspace(max(0.0, 2.0 + further), 7.0 + further, 26)
    along = np.linspace(-4.0, 6.0 + max(0.0, further), 41)
    shift = _pull(run, x, u, corruption / CORRUPTION)
    panels = (
        _two("(a) length of a row", "length", norms(y), bad, lengths),
        _two("(b) its part along u", "along u", y @ u, bad, along),
        Panel("(c) what they do together", "corrupted share ξ", "shift of the mean (σ)", shift),
    )
    further_than = "twice as far as" if (corruption, d) == (CORRUPTION, D) else "beside"
    return Chart(
        "collusion",
        "Collusion: each bad row looks innocent, together they move the mean",
        panels,
        alt="(a) The lengths of clean and of corrupted rows have the same histogram. (b) Along one direction"
        " the corrupted rows lie to the right of the clean ones. (c) The mean moves in proportion to the"
        f" corrupted share, {further_than} the limit {LIMIT}.",
        how_to_read="(a) No row is conspicuous by its length: every corrupted row has that of the row it"
        f" replaced. (b) They all lean the same way; in {d} dimensions nearly every clean row leans as far in"
        " a direction of its own, so that a test of single rows would have to know u. (c) So little per row"
        " adds up: markers are the shift of the plain mean, the dashed line is what a robust mean may be"
        " moved. A filter sees the group, because the group widens the rows along u.",
    )


def _two(title: str, name: str, values: Array, bad: np.ndarray, edges: Array) -> Panel:
    series = (
        density("clean rows", values[~bad], edges, GOOD),
        density("corrupted rows", values[bad], edges, BAD),
    )
    return Panel(title, name, "density", series, "linear", "linear")


def _pull(run: Run, x: Array, u: Array, factor: float) -> tuple[Series, ...]:
    rng, shares = stream(run.seed, Role.DATA, "robust-collusion", 0, 2), [factor * one for one in SHARES]
    attack = ATTACKS["tail-matched"]
    moved = [float((attack.corrupt(x, one, rng=rng) - x).mean(axis=0) @ u) for one in shares]
    return (
        Series("shift of the plain mean", shares, moved, colour_key=BAD),
        Series(LIMIT, shares, [limit(one) for one in shares], role="theory", colour_key="mean/prime"),
    )


def tail_swap(run: Run, *, corruption: float = CORRUPTION, n: int = N, d: int = D) -> Chart:
    """Return the attack that leaves the second moment as it is: marginals, spectra, and the errors."""
    x = stream(run.seed, Role.DATA, "robust-tail-swap", 0, 0).standard_normal((n, d))
    rng = stream(run.seed, Role.DATA, "robust-tail-swap", 0, 1)
    swapped = ATTACKS["tail-swap"].corrupt(x, corruption, rng=rng)
    planted = ATTACKS["shift-ones"].corrupt(x, corruption, rng=rng)
    u, edges = np.full(d, 1 / sqrt(d)), np.linspace(-4.0, 4.0, 41)
    drawn = (("clean rows", x, GOOD), ("one tail swapped", swapped, BAD))
    along = Panel(
        "(a) rows along u", "along u", "density",
        tuple(density(name, rows @ u, edges, look) for name, rows, look in drawn), "linear", "linear",
    )  # fmt: skip
    spectra = tuple(
        Series(name, range(1, d + 1), np.linalg.eigvalsh(np.cov(rows.T))[::-1], colour_key=look)
        for name, rows, look in (*drawn, ("planted cluster", planted, "2"))
    )
    second = Panel("(b) what a second moment sees", "place", "eigenvalue", spectra, "linear", "log")
    noise = stream(run.seed, Role.NOISE, "robust-tail-swap", 0, 0)
    errors = _errors(corruption, BUDGET, ((name, rows) for name, rows, _ in drawn), noise)
    return Chart(
        "tail_swap",
        "What no second-moment method can see: one tail put in the place of the other",
        (along, second),
        alt="(a) Along one direction the lower tail is missing and the upper one doubled. (b) The"
        " eigenvalues of the covariance of the swapped rows are those of clean rows; a planted cluster has"
        " one that stands out.",
        how_to_read=f"Left, {100 * corruption:g} % of the rows, the farthest on one side, were replaced by"
        " copies of the farthest on the other: the mean moves by 2 ξ √ln(1/ξ) and more. Right, their"
        " covariance is that of clean rows, and a filter that looks at variances has nothing to act on: its"
        f" errors at ε = {EPSILON:g}, δ = {short(DELTA)} are those of the plain mean ({errors})."
        " The loss is still of the promised order; only what tests the whole law, such as depths or third"
        " moments, sees more.",
    )


def _errors(
    corruption: float, budget: ApproxDP, cases: Iterable[tuple[str, Array]], noise: np.random.Generator
) -> str:
    one, said = RobustMean(radius=10.0, corruption=corruption), []
    for name, rows in cases:
        found = np.asarray(one(rows, budget=budget, rng=noise).value, np.float64)
        said.append(
            f"{name}: mean/robust {np.linalg.norm(found):.2f}, plain {np.linalg.norm(rows.mean(axis=0)):.2f}"
        )
    return "; ".join(said)
