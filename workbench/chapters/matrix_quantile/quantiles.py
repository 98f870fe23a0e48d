"""A quantile of matrices: a soft count of rows and where it crosses a level, and what neighbours do to it.

P_v is the largest P with P ≤ F_v(P), the rows' capped moment in units of P. One replaced row moves the soft
count by at most 1, and P_v not past P_{v+1} and P_{v-1} (`proofs/matrix_quantile.md`, L2).
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from math import log

import numpy as np
from numpy.random import Generator

from workbench.chapters.covariance.one_radius import tilted
from workbench.charts.curves import (
    Chart,
    Film,
    Mark,
    Panel,
    Series,
    ellipse,
    number,
    plane,
    styled,
    text_at,
    theory,
)
from workbench.estimators.matrix_quantile import influence_for
from workbench.estimators.stable_quantile import Scaled, Solver, distance, inflation, normal_level, soft_count
from workbench.study.audit import Mechanism
from workbench.study.sweeps import Role, Run, stream
from workbench.types import Array

STATEMENT = "AL22/matrix-quantile"
PRECISE, STEPS = 1e-6, 2000  # of a level, in pictures
OURS, OTHER = "covariance/matrix-quantile", "idea/second"
LINE_LEVEL = 1.75 * 0.2
NESTED_N = 400  # rows of a film
PAIR_N, PAIR_LEVEL, DRAWN, PAIRS = 24, 0.25, 8, {"quick": 150, "full": 600}


def rows_of(name: str, seed: int) -> Generator:
    return stream(seed, Role.DATA, name)


def solved(x: Array, level: float) -> tuple[Solver, Scaled]:
    n, d = x.shape
    solver = Solver(influence_for(d), inflation(n, d), PRECISE, STEPS)
    return solver, Scaled.of(x, solver.influence, level)


def known(x: Array, level: float) -> Array:
    """Return P_v with the influence of the design, to `PRECISE`; nan if there is none."""
    solver, scaled = solved(x, level)
    factor = solver.descend(scaled, scaled.start(), level)
    if factor is None:
        return np.full((x.shape[1], x.shape[1]), np.nan)
    root = scaled.root(factor)
    return root @ root.T


def level_of(share: float, n: int) -> float:
    """Return v = share n, or enough that v - 1 is a level, too."""
    return max(1.5, float(f"{share * n:.6g}"))


# One column: where the soft count crosses the level


def count_curve(run: Run, *, n: int = 40, level: float = LINE_LEVEL) -> Chart:
    """Return the soft count of one column and its crossing (then the same with one row replaced)."""
    x, v = rows_of("mq-count-curve", run.seed).standard_normal((n, 1)), level_of(level, n)
    return Chart(
        "count_curve",
        "One replaced row moves the soft count by at most 1",
        (_crossing(x, v), _neighbours(x, v)),
        alt="Left, a curve that falls from the number of rows to 0 as p grows, close to its prediction, and"
        " meets the level at one point. Right, the same curve and two more, of neighbours, which are no more"
        " than 1 above or below it; their crossings lie between those of the next levels.",
        how_to_read="A row counts 1 if its square is at least p, and less if it is smaller. The count falls"
        " as p grows; where it passes v is the quantile. Nothing about the size of the rows was used.",
    )


def _crossing(x: Array, v: float) -> Panel:
    n, p = len(x), np.geomspace(0.1, 60.0, 121)
    knee, middle = influence_for(1), known(x, v).item()
    expected = [n * normal_level(knee, 1, one) for one in p.tolist()]
    counts = soft_count(x, p, knee.knee)
    above, below = _where(p, counts, 0.72 * n), _where(p, expected, 0.6 * n)
    series = (
        styled("reference", "predicted", p, expected, label_at=(0.42 * below, 0.6 * n)),
        Series("soft count", p, counts, colour_key=OURS, label_at=(2.6 * above, 0.72 * n)),
        Series("", [middle], [v], colour_key=OURS),
    )
    marks = (
        Mark(f"level v = {v:g}", "horizontal", y=v),
        text_at("quantile $P_v$", 3.2 * middle, v + 0.06 * n, OURS),
    )
    return Panel(
        "The quantile is where the count passes v", "scale p", f"soft count of {n} rows", series,
        yscale="linear", ylim=(0, n), xlim=(0.1, 60.0), marks=marks,
    )  # fmt: skip


def _where(p: Array, falling: Iterable[float], level: float) -> float:
    return float(np.interp(-level, -np.fromiter(falling, float), p))


def _neighbours(x: Array, v: float) -> Panel:
    inner, middle, outer = (known(x, v + k).item() for k in (1, 0, -1))
    ends, knee = (0.72 * middle, 1.4 * middle), influence_for(1).knee
    p = np.linspace(*ends, 61)
    far, gone = x.copy(), x.copy()
    row = int(np.argmin(np.abs(np.abs(x[:, 0]) - np.median(np.abs(x)))))
    far[row], gone[row] = 1e6, 0.0
    wide = ends[1] - ends[0]
    series = [Series("", ends, (v + 1, v + 1), (v - 1, v - 1), (v + 1, v + 1), "area")]
    for rows, label, key, aside, above in (
        (far, "one row enormous", OTHER, 0.24, 1.4),
        (x, "the rows as they were", OURS, 0.0, 0.0),
        (gone, "one row 0", OTHER, -0.14, -1.5),
    ):
        counts = soft_count(rows, p, knee)
        place = (_where(p, counts, v + above) + aside * wide, v + above) if above else None
        series.append(theory(label, p, counts, key, label_at=place))
    series += [
        Series("", [known(rows, v).item()], [v], colour_key=key)
        for rows, key in ((far, OTHER), (x, OURS), (gone, OTHER))
    ]
    marks = (
        Mark("level v", "horizontal", y=v),
        Mark("$P_v$ of every neighbour", "span", inner, x2=outer, y=v - 1.9, colour_key=OTHER),
    )
    return Panel(
        "One row replaced: up or down by 1", "scale p", "soft count", series, "linear", "linear",
        ylim=(v - 2.2, v + 2.2), xlim=ends, marks=marks,
    )  # fmt: skip


# Several columns: neighbours stay between two levels


def interlacing(run: Run, *, n: int = PAIR_N, level: float = PAIR_LEVEL) -> Chart:
    """Return quantiles of neighbours between two levels of the rows (then for many sets the margin)."""
    rng, v = rows_of("mq-interlacing", run.seed), level_of(level, n)
    return Chart(
        "interlacing",
        "No replaced row moves the quantile past its neighbouring levels",
        (_between(rng, n, v), _margins(rng, PAIRS[run.profile] if run.most is None else run.most, n, v)),
        alt="Left, thin ellipses of neighbours fill a ring between an inner and an outer ellipse and never"
        " cross them. Right, dots in the unit square, many near its upper and right edge, none beyond.",
        how_to_read="Left, one row became enormous, or 0, or anything. Right, each dot is a pair of data"
        " sets, flat, heavy-tailed or normal: how far apart two ellipses are in the worst direction. Beyond"
        " 1 the lemma would be wrong.",
    )


def _between(rng: Generator, n: int, v: float) -> Panel:
    x = tilted(4.0).sample(n, rng=rng)
    others = [known(replaced(x, rng), v) for _ in range(DRAWN)]
    lines = [ellipse("", one, role="release", colour_key=OTHER) for one in others]
    inner, middle, outer = (known(x, v + k) for k in (1, 0, -1))
    tall = float(np.sqrt(outer[1, 1]))
    ring = (
        replace(ellipse("$P_{v-1}$", outer, colour_key=OURS), label_at=(outer[0, 1] / tall, tall + 0.55)),
        ellipse("", middle, colour_key=OURS),
        replace(ellipse("$P_{v+1}$", inner, colour_key=OURS), label_at=(0.0, 0.0)),
    )
    x_ = float(np.sqrt(outer[0, 0])) * np.sin(np.linspace(-np.pi / 2, np.pi / 2, 121))
    (low, high), (below, above) = _sides(outer, x_), _sides(inner, x_)
    areas = (Series("", x_, high, above, high, "area", OURS), Series("", x_, low, below, low, "area", OURS))
    words = text_at(f"$P_v$ after one of {n} rows was replaced", 1.6, -4.1, OTHER)
    return plane(f"{DRAWN} neighbours stay in the ring", (*areas, *lines, *ring), reach=4.6, marks=[words])


def _sides(shape: Array, x: Array) -> tuple[Array, Array]:
    wide = float(np.sqrt(shape[0, 0]))
    inside = np.clip(x, -wide, wide)
    middle = shape[0, 1] / shape[0, 0] * inside
    half = np.sqrt(np.linalg.det(shape) / shape[0, 0] * np.maximum(1 - (inside / wide) ** 2, 0.0))
    return middle - half, middle + half


def replaced(x: Array, rng: Generator) -> Array:
    other = x.copy()
    size = float(rng.choice([1e6, 0.0, 1.0, 3.0]))
    other[int(rng.integers(len(x)))] = size * rng.standard_normal(x.shape[1])
    return other


def _margins(rng: Generator, pairs: int, n: int, v: float) -> Panel:
    found = np.array([margins(rng, n, v) for _ in range(pairs)])
    dots = styled("rows", "", found[:, 0], found[:, 1], OURS)
    marks = (
        Mark("proved: at most 1", "horizontal", y=1.0),
        Mark("proved: at most 1", "vertical", 1.0, 0.06, side="left"),
        text_at("the lemma would be wrong", 0.55, 1.15),
    )
    return Panel(
        f"{pairs} pairs of data sets, none beyond 1", "inner level over the neighbour (largest eigenvalue)",
        "neighbour over the outer level (largest eigenvalue)", [dots], "linear", "linear", xlim=(0.0, 1.2),
        ylim=(0.0, 1.2), marks=marks,
    )  # fmt: skip


def margins(rng: Generator, n: int = PAIR_N, v: float = PAIR_LEVEL * PAIR_N) -> tuple[float, float]:
    """Return the largest eigenvalues of P_v(X')⁻¹P_{v+1}(X) and of P_{v-1}(X)⁻¹P_v(X') for one pair."""
    tails = 1 / np.abs(rng.standard_normal((n, 1))) ** float(rng.choice([0.0, 0.5, 1.0]))
    x = tails * rng.standard_normal((n, 2)) * [1.0, float(rng.choice([1.0, 0.1]))]
    inner, outer, one = known(x, v + 1), known(x, v - 1), known(replaced(x, rng), v)
    return _over(inner, one), _over(one, outer)


def _over(above: Array, below: Array) -> float:
    return float(np.linalg.eigvals(np.linalg.solve(below, above)).real.max())


# What judges a reader's own private variance of one column: worlds whose unit it is not told


UNIT = 2.8021  # P_v of standard normal rows at v = 0.3 n and ψ(q) = min(q, 1)
ROWS, SPREAD = 1000, 12.0


def world(rng: Generator) -> tuple[Array, float]:
    """Return normal rows of mean 0, and the logarithm of their variance: between 1e-12 and 1e12."""
    power = log(10.0) * float(rng.uniform(-SPREAD, SPREAD))
    return np.exp(power / 2) * rng.standard_normal(ROWS), power


def in_logs(mine: Mechanism) -> Mechanism:
    """Return what releases the logarithm of a variance: nan, no answer, where that is not above 0."""

    def logarithm(x: Array, trials: int, rng: Generator) -> Array:
        with np.errstate(all="ignore"):
            return np.log(np.asarray(mine(x, trials, rng), np.float64))

    return logarithm


# The matrix quantile frame by frame: from above down to the ellipse that stands still.


FRAMES, LEVEL, LONG, NEAR = 12, 0.4, 9.0, 0.1
START, REACH = 5.6, 6.0


def descent(run: Run, *, frame: int = 1) -> Chart:
    """Return the first steps of Q ← F(Q), from above."""
    return _descent(run.seed).chart(frame)


@cache
def _descent(seed: int) -> Film:
    x, level = tilted(LONG).sample(NESTED_N, rng=rows_of("mq-nested", seed)), level_of(LEVEL, NESTED_N)
    final = known(x, level)
    shapes = iterates(x, level, START**2 * np.eye(2))
    rows = styled("rows", "rows", x[:, 0], x[:, 1], "idea/data")
    return Film(
        "descent",
        "From above, each step shrinks the ellipse until it stands still",
        tuple(_frame(shapes, place, final) for place in range(FRAMES)),
        alt="A circle far larger than the rows shrinks step by step, becomes an ellipse with the tilt of the"
        " rows, and comes to rest on the matrix quantile.",
        how_to_read=(
            "Each row is measured in the current ellipse Q; the sum of the rows, each counted once at most,"
            " gives the next Q. Where both agree, Q is the quantile."
        ),
        shared=(rows, ellipse("matrix quantile", final, role="kept", colour_key=OURS)),
    )


def iterates(x: Array, level: float, start: Array) -> list[Array]:
    solver, scaled = solved(x, level)
    factor = np.linalg.inv(np.linalg.cholesky(start)) * np.ldexp(1.0, scaled.exponents)
    found = [start]
    for _ in range(FRAMES - 1):
        moment = scaled.moment(solver.influence, factor, level)
        factor = solver.step(moment, distance(moment), factor)
        root = scaled.root(factor)
        found.append(root @ root.T)
    return found


def _frame(shapes: list[Array], place: int, final: Array) -> tuple[str, Panel]:
    here = shapes[place]
    over = float(np.sqrt(np.linalg.eigvals(np.linalg.solve(final, here)).real.max()))
    series = [ellipse("Q, before this step", shapes[place - 1], role="release")] if place else []
    series.append(ellipse("Q", here, colour_key=OURS))
    return _words(place, over - 1), plane("", series, reach=REACH, names=("first column", ""))


def _words(place: int, beyond: float) -> str:
    if place == 0:
        return "Q begins as a circle that is surely too large: few rows are far out in units of it."
    size = f"Step {place}. Q is {number(100 * beyond, 2)} % longer than the quantile, in the worst direction."
    if place == 1:
        return size + " Rows hold it up only where they are, so that it takes their tilt."
    if beyond > NEAR:
        return size + " In units of a smaller Q the rows are farther out, and count more."
    return size + " It can only shrink, and never below the quantile."
