"""The scores of a filter: their histogram with the private threshold, and the extremes of their matrix."""

from collections.abc import Iterable
from math import inf

import numpy as np

from workbench.chapters.robust_and_private.claims.prime import medians
from workbench.chapters.robust_and_private.figures.rows import BAD, GOOD, taken
from workbench.chapters.robust_and_private.runs import prime as sweeps
from workbench.charts.bands import measured
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.methods import name
from workbench.charts.words import number
from workbench.estimators.prime import PRICES, PrimeMean, Score, edges, score_counts, weighed
from workbench.estimators.shared.rows import present
from workbench.estimators.weighted_moments import counted_sums, release
from workbench.estimators.weighted_moments import grid as grid_of_rows
from workbench.populations.corruption.mean import clusters, shifted
from workbench.privacy import ApproxDP
from workbench.privacy.noise import SimulatedNoise
from workbench.study.grids import Role, grid, multiples, stream
from workbench.study.run import Run
from workbench.types import Array

N, D, EPSILON, LEVEL = 20_000, 20, 1.0, 0.05
SHARPNESS = (0.0, 0.5, 1.0, 2.0, 4.0, 6.1, 10.0, 20.0, 50.0, 200.0)
COUNTS = (1, 2, 4, 8, 16)
BLUNT, SHARP = 0.25, 500.0  # where 0 and infinity stand on the axis
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
    """Return the scores of the first pass of mean/prime, noisy counts and threshold."""
    x = stream(run.seed, Role.DATA, "robust-scores", 0, 0).standard_normal((n, d))
    rng = stream(run.seed, Role.DATA, "robust-scores", 0, 1)
    y = sweeps.ATTACKS["shift-alternating"].corrupt(x, corruption, rng=rng)
    bad = taken(x, y)
    noise = SimulatedNoise(stream(run.seed, Role.NOISE, "robust-scores", 0, 0))
    tau, tail, noisy, cut, largest = first_pass(y, corruption, ApproxDP(epsilon, delta), noise)
    exact = [score_counts(tau, tail & side, largest) for side in (~bad, bad)]
    lower = edges(largest)
    shown = slice(0, 1 + int(np.flatnonzero(np.sum(exact, axis=0) + (noisy > 0))[-1]))
    middles, (clean, wrong) = (np.sqrt(2) * lower)[shown], (one[shown] for one in exact)
    both = clean + wrong
    low, top = min(0.0, 1.1 * noisy[shown].min()), 1.25 * max(both.max(), noisy.max())
    series = (
        Series("clean rows", middles, clean, role="bars", colour_key=GOOD, kind="count"),
        Series("corrupted rows", middles, both, clean, both, role="bars", colour_key=BAD, kind="count"),
        Series("released: all of them, with noise", middles, noisy[shown], colour_key="idea/total",
               kind="count", joined=False),
    )  # fmt: skip
    gone = tail & (tau >= cut)
    right, others = int((gone & bad).sum()), int((gone & ~bad).sum())
    hidden = 2 * right < int(bad.sum())
    end = float(middles[-1] * 2**0.5)
    marks = [Mark(f"threshold {number(cut)}", "vertical", x=cut, side="left")]
    if cut < end:
        marks.append(
            Mark(f"removed: {right} corrupted, {others} clean", "span", x=cut, x2=end, colour_key=BAD)
        )
    return Chart(
        "score_histogram",
        f"One pass removes {number(right)} of {number(int(bad.sum()))} corrupted rows and {others} clean",
        (
            Panel(
                "", "score τ (bins double)", "rows in the bin", series, yscale="linear", ylim=(low, top),
                xlim=(middles[0] / 2**0.5, end), marks=tuple(marks),
            ),
        ),
        alt="Counts of scores in doubling bins. Clean rows have lower scores than corrupted ones; the"
        " released noisy counts follow their sum, and the threshold stands"
        f" {'beyond most of both' if hidden else 'between'}.",
        how_to_read="The highest 2ξn scores of one pass. Only the black dots are released; from them comes"
        " the threshold, the largest edge above which enough of the score lies. Which bars are blue or orange"
        " only we know.",
    )  # fmt: skip


def first_pass(
    y: Array, corruption: float, budget: ApproxDP, noise: SimulatedNoise
) -> tuple[Array, np.ndarray, Array, float, float]:
    """Return scores, tail, released counts, ρ and the largest score possible, of a first pass.

    The rows have mean near 0.
    """
    n, d = y.shape
    one = PrimeMean(radius=sweeps.RADIUS, corruption=corruption, sigma=1.0)
    steps, charges = one.tight(n, d), list(one.plan(n, d, budget).charges())
    rows, kept = steps.rows_within(y, steps.coarse_centre(y, charges[0], noise)), present(y)
    sums = release(
        counted_sums(rows, kept, grid_of_rows(steps.radii[1])), steps.radii[1], PRICES, charges[2], noise
    )
    score, psi, _ = steps.judged(sums)
    return (*steps.removal(rows, kept, score, psi, charges[3], noise), steps.largest)


def extremes(run: Run, *, corruption: float = sweeps.CORRUPTION, n: int = N, d: int = D) -> Chart:
    """Return how a score between two extremes separates rows, and how many passes follow."""
    return Chart(
        "extremes",
        "Length misses one cluster, one direction many; a mix needs few passes",
        (_separation(run.seed, corruption, n, d), _passes(run, corruption, n, d)),
        alt="Left: the share of corrupted rows among the highest scores against the sharpness b. For one"
        " cluster it is best for a sharp score, for sixteen clusters for a blunt one; the default is near"
        " the best for all. Right: the passes against the number of clusters, rising in proportion for the"
        " top eigenvector and hardly for the matrix exponential.",
        how_to_read="Left, higher is better: the corrupted share of the ξn highest scores, when directions"
        " are weighed more or less sharply. Right, lower is better: each pass costs privacy.",
    )


def _separation(seed: int, corruption: float, n: int, d: int) -> Panel:
    series = []
    shown = tuple(zip(_counts(d, CLUSTERS), DISTANCES, strict=False))
    for place, (count, distance) in enumerate(shown):
        x = stream(seed, Role.DATA, "robust-extremes", count, 0).standard_normal((n, d))
        rng = stream(seed, Role.DATA, "robust-extremes", count, 1)
        attack = shifted(lambda taken: 4.0) if count == 1 else clusters(count, distance)
        y = attack(x, int(corruption * n), rng)
        found = [caught(y, taken(x, y), beta) for beta in (*SHARPNESS, inf)]
        at = (*(max(b, BLUNT) for b in SHARPNESS), SHARP)
        label, rank = f"{count} cluster{'s' * (count > 1)}", place / max(1, len(shown) - 1)
        series.append(Series(label, at, found, rank=rank if len(shown) > 1 else None))
    default = PrimeMean(radius=1.0, sigma=1.0).tight(n, d).sharpness
    marks = (
        Mark("default", "vertical", x=default, y=0.06, side="left"),
        Mark("← length", x=3 * BLUNT, y=1.12),
        Mark("one direction →", x=SHARP / 2.6, y=1.12),
    )
    return Panel(
        "who is among the highest scores", "sharpness of the weights",
        "corrupted share",
        tuple(series), yscale="linear", ylim=(0.0, 1.2), marks=marks,
        note=f"No noise; d = {d}, ξ = {number(corruption)}.",
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
        measured(name(look), medians(frame, column, "clusters", LEVEL), look)
        for column, look in (("top", TOP), ("softmax", SOFTMAX))
    ]
    series.append(Series("at most: one a cluster", counts, counts, role="reference"))
    note = f"Hardly any noise; n = {number(n)}, d = {d}."
    return Panel("passes until all clusters are gone", "clusters", "passes", tuple(series), note=note)
