"""The scores of a filter: their histogram with the private threshold, and the extremes of their matrix."""

from collections.abc import Iterable
from math import inf

import numpy as np

from workbench.chapters.robust_and_private.claims.prime import medians
from workbench.chapters.robust_and_private.figures.rows import BAD, FREE, GOOD, taken
from workbench.chapters.robust_and_private.runs import prime as sweeps
from workbench.charts.bands import measured
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.parameters import short
from workbench.estimators.mean.prime import PrimeMean
from workbench.estimators.parts.filters.removal import (
    SENSITIVITY,
    Score,
    edges,
    score_counts,
    tail_set,
    threshold,
)
from workbench.estimators.parts.filters.run import Filter, coarse_centre, rows_within, weighed
from workbench.estimators.parts.filters.weighted_moments import released
from workbench.populations.corruption.mean import clusters, shifted
from workbench.privacy import ApproxDP
from workbench.privacy.noise import SimulatedNoise
from workbench.study.run import Run
from workbench.study.sweeps.streams import Role, stream
from workbench.study.sweeps.sweep import grid, multiples
from workbench.types import Array

N, D, EPSILON, LEVEL = 20_000, 20, 1.0, 0.05
SHARPNESS = (0.0, 0.5, 1.0, 2.0, 4.0, 6.1, 10.0, 20.0, 50.0, 200.0)
COUNTS = (1, 2, 4, 8, 16)
CLUSTERS, DISTANCES = (1, 4, 16), (4.0, 6.0, 8.0)
TOP, SOFTMAX = "mean/filter", "mean/prime"


def score_histogram(
    run: Run,
    *,
    corruption: float = sweeps.CORRUPTION,
    epsilon: float = EPSILON,
    delta: float = sweeps.DELTA,
    n: int = N,
    d: int = D,
) -> Chart:
    """Return the scores of the first pass of mean/prime, their noisy counts, and the threshold."""
    x = stream(run.seed, Role.DATA, "robust-scores", 0, 0).standard_normal((n, d))
    rng = stream(run.seed, Role.DATA, "robust-scores", 0, 1)
    y = sweeps.ATTACKS["shift-alternating"].corrupt(x, corruption, rng=rng)
    bad = taken(x, y)
    noise = SimulatedNoise(stream(run.seed, Role.NOISE, "robust-scores", 0, 0))
    tau, tail, noisy, cut, largest = first_pass(y, corruption, ApproxDP(epsilon, delta), noise)
    exact = [score_counts(tau, tail & side, largest) for side in (~bad, bad)]
    lower, top = edges(largest), n / 2
    middles = np.sqrt(2) * lower
    series = (
        Series("clean rows of the tail", middles, np.maximum(exact[0], 0.3), colour_key=GOOD, kind="count"),
        Series("corrupted rows", middles, np.maximum(exact[1], 0.3), colour_key=BAD, kind="count"),
        Series(
            "all of them, with noise: released",
            middles,
            np.maximum(noisy, 0.3),
            role="theory",
            colour_key="2",
        ),
        Series(f"private threshold ρ = {cut:g}", (cut, cut), (0.3, top), role="reference", colour_key=FREE),
    )
    gone = tail & (tau >= cut)
    right, wrong = int((gone & bad).sum()), int((gone & ~bad).sum())
    usual = (corruption, epsilon, n, d) == (sweeps.CORRUPTION, EPSILON, N, D)
    hidden = 2 * right < int(bad.sum())
    stands = "beyond most of both" if hidden else "between"
    note = f"Removed: {right} of {int(bad.sum())} corrupted rows, {wrong} others."
    note += " The noise, for so few rows, hides the rest." * hidden
    return Chart(
        "score_histogram",
        "The scores of one pass, and the threshold that a noisy histogram finds",
        (Panel("", "score τ (bins double)", "rows in the bin", series, ylim=(0.3, top), note=note),),
        alt="Counts of scores in doubling bins. Clean rows of the tail have "
        + ("scores up to about 16, corrupted ones above" if usual else "lower scores than corrupted ones")
        + f"; the released noisy counts follow their sum, and the threshold stands {stands}.",
        how_to_read="T holds the 2ξn rows of the highest scores: half of them at least are clean. Only the"
        " dashed counts are released, with noise on every bin of a public list; from them and a noisy mean"
        " score comes ρ, the largest edge above which enough of the score lies. What is to its right goes."
        " Points at the bottom are empty bins, or noise below zero. The markers, and who is corrupted, only"
        " we know."
        f" d = {d}, n = {short(n)}, ξ = {corruption:g}, ε = {epsilon:g}, δ = {short(delta)}, a cluster with"
        " alternating signs.",
    )


def first_pass(
    y: Array, corruption: float, budget: ApproxDP, noise: SimulatedNoise
) -> tuple[Array, np.ndarray, Array, float, float]:
    """Return scores, tail, released counts, ρ and the largest score possible, of a first pass.

    The rows have mean near 0.
    """
    n, d = y.shape
    one = PrimeMean(radius=sweeps.RADIUS, corruption=corruption)
    design, charges = one.recipe.design(n, d), list(one.plan(n, d, budget).charges())
    centre = coarse_centre(y, design, charges[0], noise)
    filtered = Filter(rows_within(y, centre, design.radius), design, noise)
    filtered.look(charges[2])
    tau = filtered.score.of(filtered.y)
    tail = tail_set(tau, filtered.kept, design.tail, filtered.y)
    counts = score_counts(tau, tail, design.largest)
    noisy = released(counts / SENSITIVITY, charges[3], noise, design.sizes[1]) * SENSITIVITY
    return tau, tail, noisy, threshold(noisy, n, filtered.psi), design.largest


def extremes(run: Run, *, corruption: float = sweeps.CORRUPTION, n: int = N, d: int = D) -> Chart:
    """Return how a score separates rows between its two extremes, and what that means for passes."""
    return Chart(
        "extremes",
        "Between the length and one direction: the two extremes of the score",
        (_separation(run.seed, corruption, n, d), _passes(run, corruption, n, d)),
        alt="Left: the share of corrupted rows among the highest scores against the sharpness β. For one"
        " cluster it is best for a sharp score, for sixteen clusters for a blunt one; the default is near"
        " the best for all. Right: the passes against the number of clusters, rising in proportion for the"
        " top eigenvector and hardly for the matrix exponential.",
        how_to_read="The score is (x - m)ᵀU(x - m), U = exp(βF/λ) scaled to trace 1. At the left end β = 0,"
        " U = I/d: the length of a row, which one cluster hardly changes in many dimensions. At the right"
        " end U is the top eigenvector alone, and of many clusters it sees one. Left, higher is better: the"
        " corrupted share of the ξn highest scores. Right, lower is better: passes until all clusters are"
        " gone; each pass costs privacy. The default β = max(4, 2 ln(d + 1)) lies between.",
    )


def _separation(seed: int, corruption: float, n: int, d: int) -> Panel:
    series = []
    shown = zip(_counts(d, CLUSTERS), DISTANCES, strict=False)
    for place, (count, distance) in enumerate(shown):
        x = stream(seed, Role.DATA, "robust-extremes", count, 0).standard_normal((n, d))
        rng = stream(seed, Role.DATA, "robust-extremes", count, 1)
        attack = shifted(lambda taken: 4.0) if count == 1 else clusters(count, distance)
        y = attack(x, int(corruption * n), rng)
        label = f"{count} cluster{'s' * (count > 1)} at {distance:g}"
        found = [caught(y, taken(x, y), beta) for beta in (*SHARPNESS, inf)]
        series.append(
            Series(label, (*(max(b, 0.25) for b in SHARPNESS), 500.0), found, colour_key=str(place))
        )
    default = PrimeMean(radius=1.0).recipe.design(n, d).sharpness
    series.append(Series("default β", (default, default), (0, 1), role="reference", colour_key=FREE))
    return Panel(
        "corrupted rows among the highest scores", "β (left end: 0, right end: ∞)", "share", tuple(series),
        yscale="linear", ylim=(0.0, 1.05), note=f"No noise; d = {d}, ξ = {corruption:g}.",
    )  # fmt: skip


def caught(y: Array, bad: np.ndarray, beta: float) -> float:
    """Return the corrupted share of as many highest scores as there are corrupted rows."""
    mean = y.mean(axis=0)
    values, basis = np.linalg.eigh(np.cov(y.T) - np.eye(y.shape[1]))
    tau = Score(mean, basis * np.sqrt(weighed(values, beta))).of(y)
    return float(bad[np.argsort(tau)[-int(bad.sum()) :]].mean())


def _counts(d: int, usual: Iterable[int]) -> tuple[int, ...]:
    """Return numbers of clusters: each has an axis of its own."""
    return multiples(usual, min(1.0, d / max(COUNTS)))


def _passes(run: Run, corruption: float, n: int, d: int) -> Panel:
    counts = _counts(d, COUNTS)
    frame = run.table(sweeps.PASSES.moved(grid(n=n, d=d, clusters=counts), corruption=corruption))
    series = [
        measured(label, medians(frame, name, "clusters", LEVEL), look)
        for name, label, look in (
            ("top", "top eigenvector (mean/filter)", TOP),
            ("softmax", "matrix exponential (mean/prime)", SOFTMAX),
        )
    ]
    series.append(Series("one pass a cluster", counts, counts, role="theory", colour_key=TOP))
    return Panel("passes until all clusters are gone", "clusters", "passes", tuple(series),
                 note=f"Hardly any noise; clusters at 30, n = {short(n)}, d = {d}.")  # fmt: skip
