"""What neighbours do to a matrix quantile: it stays between two levels of the rows as they were."""

from dataclasses import replace

import numpy as np

from workbench.chapters.covariance.worlds import tilted
from workbench.chapters.matrix_quantile.figures.pictures import OTHER, OURS, known, level_of, rows_of, top
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.ellipses import ellipse, plane
from workbench.study.run import Run
from workbench.types import Array

PAIR_N, PAIR_LEVEL, DRAWN, PAIRS = 24, 0.25, 8, {"quick": 150, "full": 600}


def interlacing(run: Run, *, n: int = PAIR_N, level: float = PAIR_LEVEL) -> Chart:
    """Return quantiles of neighbours between two levels of the rows (then for many sets the margin)."""
    rng, v = rows_of("mq-interlacing", run.seed), level_of(level, n)
    pairs = PAIRS[run.profile] if run.most is None else run.most
    return Chart(
        "interlacing",
        "No replaced row moves the quantile past its neighbouring levels",
        (_between(rng, n, v), _margins(rng, pairs, n, v)),
        alt="Left, thin ellipses of neighbours fill a ring between an inner and an outer ellipse and never"
        " cross them. Right, dots in the unit square, many near its upper and right edge, none beyond.",
        how_to_read="Left, one row became enormous, or 0, or anything. Right, each dot is a pair of data"
        " sets,"
        " flat, heavy-tailed or normal: how far apart two ellipses are in the worst direction. Beyond 1 the"
        " lemma would be wrong.",
    )


def _between(rng: np.random.Generator, n: int, v: float) -> Panel:
    x = tilted(4.0).sample(n, rng=rng)
    others = [known(replaced(x, rng), v) for _ in range(DRAWN)]
    lines = [ellipse("", one, role="release", colour_key=OTHER) for one in others]
    inner, middle, outer = (known(x, v + k) for k in (1, 0, -1))
    ring = [
        replace(ellipse(label, one, colour_key=OURS), label_at=at)
        for label, one, at in (
            ("$P_{v-1}$", outer, _outside(outer)),
            ("$P_v$", middle, None),
            ("$P_{v+1}$", inner, (0.0, 0.0)),
        )
    ]
    ring[1] = replace(ring[1], label="")
    words = Mark(f"$P_v$ after one of {n} rows was replaced", x=1.6, y=-4.1, colour_key=OTHER)
    title = f"{DRAWN} neighbours stay in the ring"
    return plane(title, (*_ring(inner, outer), *lines, *ring), reach=4.6, marks=(words,))


def _outside(shape: Array) -> tuple[float, float]:
    across, up = top(shape)
    return across, up + 0.55


def _ring(inner: Array, outer: Array) -> tuple[Series, Series]:
    """Return what lies between two ellipses, as an upper and a lower area."""
    wide = float(np.sqrt(outer[0, 0]))
    x = wide * np.sin(np.linspace(-np.pi / 2, np.pi / 2, 121))
    (low, high), (below, above) = _sides(outer, x), _sides(inner, x)
    return (
        Series("", x, high, above, high, role="area", colour_key=OURS),
        Series("", x, low, below, low, role="area", colour_key=OURS),
    )


def _sides(shape: Array, x: Array) -> tuple[Array, Array]:
    """Return the lower and the upper end of an ellipse at every x; beyond it, those of its tip."""
    wide = float(np.sqrt(shape[0, 0]))
    inside = np.clip(x, -wide, wide)
    middle = shape[0, 1] / shape[0, 0] * inside
    half = np.sqrt(np.linalg.det(shape) / shape[0, 0] * np.maximum(1 - (inside / wide) ** 2, 0.0))
    return middle - half, middle + half


def replaced(x: Array, rng: np.random.Generator) -> Array:
    """Return the rows with one of them replaced: by a far one, by 0, or by another of their size."""
    other = x.copy()
    size = float(rng.choice([1e6, 0.0, 1.0, 3.0]))
    other[int(rng.integers(len(x)))] = size * rng.standard_normal(x.shape[1])
    return other


def _margins(rng: np.random.Generator, pairs: int, n: int, v: float) -> Panel:
    found = np.array([margins(rng, n, v) for _ in range(pairs)])
    dots = Series("", found[:, 0], found[:, 1], role="rows", colour_key=OURS)
    marks = (
        Mark("proved: at most 1", "horizontal", y=1.0),
        Mark("proved: at most 1", "vertical", x=1.0, y=0.06, side="left"),
        Mark("the lemma would be wrong", x=0.55, y=1.15),
    )
    return Panel(
        f"{pairs} pairs of data sets, none beyond 1", "$P_{v+1}$ over the neighbour's $P_v$",
        "neighbour's $P_v$ over $P_{v-1}$", (dots,), "linear", "linear", xlim=(0.0, 1.2), ylim=(0.0, 1.2),
        marks=marks,
    )  # fmt: skip


def margins(rng: np.random.Generator, n: int = PAIR_N, v: float = PAIR_LEVEL * PAIR_N) -> tuple[float, float]:
    """Return the largest eigenvalues of P_v(X')⁻¹P_{v+1}(X) and of P_{v-1}(X)⁻¹P_v(X') for one pair."""
    tails = 1 / np.abs(rng.standard_normal((n, 1))) ** float(rng.choice([0.0, 0.5, 1.0]))
    x = tails * rng.standard_normal((n, 2)) * [1.0, float(rng.choice([1.0, 0.1]))]
    inner, outer, one = known(x, v + 1), known(x, v - 1), known(replaced(x, rng), v)
    return _over(inner, one), _over(one, outer)


def _over(above: Array, below: Array) -> float:
    return float(np.linalg.eigvals(np.linalg.solve(below, above)).real.max())
