"""What a quantile of matrices is: a soft count and its crossing, nested ellipses, neighbours."""

import numpy as np

from workbench.chapters.covariance.figures.ellipses import tilted
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.ellipses import ellipse, plane
from workbench.estimators.parts.quantile.cells import influence_for
from workbench.estimators.parts.quantile.influence import normal_level
from workbench.estimators.parts.quantile.levels import Scaled, Solver, inflation
from workbench.estimators.parts.quantile.matrix_quantile import soft_count
from workbench.study.run import Run
from workbench.study.sweeps.streams import Role, stream
from workbench.types import Array

PRECISE, STEPS = 1e-6, 2000  # of a level, in pictures
OURS, PLAIN, OTHER = "covariance/matrix-quantile", "covariance/empirical", "1"
LINE_N, LINE_LEVEL = 40, 0.35
NESTED_N, NESTED_LEVEL, NESTED_SHARES = 400, 0.2, (0.08, 0.12, 0.2, 0.3, 0.4)
FAR, AWAY = 0.05, (50.0, 0.0)
PAIR_N, PAIR_LEVEL, DRAWN, PAIRS = 24, 0.25, 8, {"quick": 150, "full": 600}


def rows_of(name: str, seed: int) -> np.random.Generator:
    """Return the stream of a picture's rows."""
    return stream(seed, Role.DATA, name, 0, 0)


def known(x: Array, level: float) -> Array:
    """Return P_v with the influence of the design, to `PRECISE`; nan if there is none."""
    n, d = x.shape
    solver = Solver(influence_for(d), inflation(n, d), PRECISE, STEPS)
    scaled = Scaled.of(x, solver.influence, level)
    factor = solver.descend(scaled, scaled.start(), level)
    if factor is None:
        return np.full((d, d), np.nan)
    root = scaled.root(factor)
    return np.asarray(root @ root.T)


def scale_at(share: float, d: int) -> float:
    """Return p such that normal rows of covariance Σ have P_v = p Σ at v = share n, in law."""
    scales = np.geomspace(0.02, 200.0, 161) * d
    levels = [normal_level(influence_for(d), d, float(scale)) for scale in scales]
    return float(np.exp(np.interp(-share, -np.array(levels), np.log(scales))))


def level_of(share: float, n: int) -> float:
    """Return v = share n."""
    return float(f"{share * n:.6g}")


def count_curve(run: Run, *, n: int = LINE_N, level: float = LINE_LEVEL) -> Chart:
    """Return the soft count of one column and its crossing, then the same with one row replaced."""
    x, v = rows_of("mq-count-curve", run.seed).standard_normal((n, 1)), level_of(level, n)
    return Chart(
        "count_curve",
        f"One column: how many of {n} rows are about as large as p?",
        (_crossing(x, v), _neighbours(x, v)),
        alt="Left, a curve that falls from the number of rows to 0 as p grows, close to its prediction, and"
        " meets the level at one point. Right, the same curve and two more, of neighbours, which are no more"
        " than 1 above or below it; their crossings lie between those of the next levels.",
        how_to_read="The curve is Σψ(x²/p): a row with x² ≥ p counts 1, a smaller one less, down to 0."
        " It falls"
        " as p grows, and Pᵥ is where it passes v (marker): a quantile of the x² that no single row can move"
        " far. Dashed: predicted for normal rows. Right, one row becomes enormous, or 0: the whole"
        " curve moves"
        " up or down by 1 at most, because a row counts between 0 and 1. So it passes v between the places"
        " where the old curve passes v + 1 and v - 1. That is the whole idea; nothing about the size of x was"
        " used.",
    )


def _crossing(x: Array, v: float) -> Panel:
    n, p = len(x), np.geomspace(0.1, 60.0, 121)
    knee = influence_for(1)
    expected = [n * normal_level(knee, 1, float(one)) for one in p]
    series = (
        Series("Σψ(x²/p)", p, soft_count(x, p, knee.knee), role="reference", colour_key=OURS),
        Series("predicted", p, expected, role="theory", colour_key=OURS),
        Series("level v", (0.1, 60.0), (v, v), role="reference"),
        Series("Pᵥ", [known(x, v).item()], [v], colour_key=OURS),
    )
    return Panel("", "p", "soft count", series, yscale="linear", ylim=(0, n), xlim=(0.1, 60.0))


def _neighbours(x: Array, v: float) -> Panel:
    middle = known(x, v).item()
    ends, knee = (0.72 * middle, 1.4 * middle), influence_for(1).knee
    p = np.linspace(*ends, 61)
    far, gone = x.copy(), x.copy()
    row = int(np.argmin(np.abs(np.abs(x[:, 0]) - np.median(np.abs(x)))))
    far[row], gone[row] = 1e6, 0.0
    series = [
        Series("", p, soft_count(x, p, knee), role="reference", colour_key=OURS),
        Series("one row enormous", p, soft_count(far, p, knee), role="reference", colour_key=OTHER),
        Series("one row 0", p, soft_count(gone, p, knee), role="reference", colour_key="2"),
    ]
    series += [Series("", ends, (v + k, v + k), role="reference") for k in (-1, 0, 1)]
    marks = ((x, -1, OURS), (x, 0, OURS), (x, 1, OURS), (far, 0, OTHER), (gone, 0, "2"))
    series += [Series("", [known(rows, v + k).item()], [v + k], colour_key=key) for rows, k, key in marks]
    return Panel(
        "replace one row", "p", "soft count", tuple(series), "linear", "linear",
        note="Grey: v - 1, v, v + 1.", ylim=(v - 2.2, v + 2.2), xlim=ends,
    )  # fmt: skip


def nested(run: Run, *, n: int = NESTED_N, level: float = NESTED_LEVEL, corruption: float = FAR) -> Chart:
    """Return nested ellipses P_v of rows in the plane, and those of the same rows, some of them far away."""
    law = tilted(9.0)
    x = law.sample(n, rng=rows_of("mq-nested", run.seed))
    spoilt, far = x.copy(), round(corruption * n)
    spoilt[:far] = AWAY
    shares = [float(f"{level * share / NESTED_LEVEL:.6g}") for share in NESTED_SHARES]
    return Chart(
        "nested",
        f"Two columns: {n} rows and their matrix quantiles",
        (
            _ellipses("normal rows", x, law.covariance, shares),
            _ellipses(
                f"{100 * corruption:.3g} % of the rows far to the right", spoilt, law.covariance, shares
            ),
        ),
        alt="Left, nested tilted ellipses among rows, all of the same shape, smaller for higher levels, on"
        " their dashed predictions. Right, some rows lie far away; only the outer ellipses lean towards them,"
        " and the sample covariance is long and flat.",
        how_to_read="Pᵥ is the largest ellipse P with P ≤ (1/v) Σ ω(xᵀP⁻¹x) xxᵀ: the rows, each"
        " counted once at"
        " most and in proportion to its length in units of P itself, hold it up in every direction. The"
        " higher v, the more rows are asked for, and the smaller the ellipse (v/n ="
        f" {shares[0]:g} outside to {shares[-1]:g} inside). For normal rows all are multiples of Σ;"
        " dashed: which ones. P is its own unit of length,"
        " so that stretching the rows stretches the ellipses: no bound on Σ is used. Right,"
        f" {far} rows at (50, 0):"
        " the lowest levels lean, where few rows are enough to hold an ellipse up, the others hardly;"
        " the sample"
        " covariance (black) believes all of them.",
    )


def _ellipses(title: str, x: Array, sigma: Array, shares: list[float]) -> Panel:
    lines = [
        ellipse("Pᵥ" if not i else "", known(x, share * len(x)), colour_key=OURS)
        for i, share in enumerate(shares)
    ]
    lines += [
        ellipse("predicted" if not i else "", scale_at(share, 2) * sigma, role="theory", colour_key=OURS)
        for i, share in enumerate(shares)
    ]
    moment = ellipse("sample covariance", x.T @ x / len(x), colour_key=PLAIN)
    first, second = x.T
    return plane(title, (Series("rows", first, second, role="rows"), *lines, moment), reach=16.0)


def interlacing(run: Run, *, n: int = PAIR_N, level: float = PAIR_LEVEL) -> Chart:
    """Return P_v of many neighbours between two levels of one set of rows, then for many sets the margin."""
    rng, v = rows_of("mq-interlacing", run.seed), level_of(level, n)
    pairs = PAIRS[run.profile] if run.most is None else run.most
    return Chart(
        "interlacing",
        f"Replace any row of {n}: Pᵥ stays between two levels",
        (_between(rng, n, v), _margins(rng, pairs, n, v)),
        alt="Left, dashed ellipses of neighbours fill a ring between an inner and an outer ellipse and never"
        " cross them. Right, dots in the unit square, many near its upper and right edge, none beyond.",
        how_to_read="Left, every dashed ellipse is Pᵥ after one row was replaced, by something"
        " enormous, by 0,"
        " or by anything: none of them leaves the ring between Pᵥ₊₁ and Pᵥ₋₁ of the rows as they were."
        " Right, for many data sets, flat, heavy-tailed and normal ones: the most by which Pᵥ₊₁"
        " exceeds the neighbour's Pᵥ in any direction (across), and the neighbour's exceeds Pᵥ₋₁"
        " (up). Above"
        " 1 the lemma would be wrong. It is proved for all rows, and the claim"
        " matrix-quantile/bounds-hold-in-floats tries to break what is computed.",
    )


def _between(rng: np.random.Generator, n: int, v: float) -> Panel:
    x = tilted(4.0).sample(n, rng=rng)
    others = [known(replaced(x, rng), v) for _ in range(DRAWN)]
    lines = [
        ellipse("Pᵥ of a neighbour" if not i else "", one, role="theory", colour_key=OTHER)
        for i, one in enumerate(others)
    ]
    ring = [
        ellipse(label, known(x, v + k), colour_key=key)
        for label, k, key in (("Pᵥ₋₁, Pᵥ, Pᵥ₊₁", -1, OURS), ("", 0, OURS), ("", 1, OURS))
    ]
    return plane(f"v = {v:g}", (*lines, *ring), reach=4.2)


def replaced(x: Array, rng: np.random.Generator) -> Array:
    """Return the rows with one of them replaced: by a far one, by 0, or by another of their size."""
    other = x.copy()
    size = float(rng.choice([1e6, 0.0, 1.0, 3.0]))
    other[int(rng.integers(len(x)))] = size * rng.standard_normal(x.shape[1])
    return other


def _margins(rng: np.random.Generator, pairs: int, n: int, v: float) -> Panel:
    found = np.array([margins(rng, n, v) for _ in range(pairs)])
    edges = (Series("proved", (0, 1, 1), (1, 1, 0), role="reference", colour_key=PLAIN),)
    dots = Series("pairs of neighbours", found[:, 0], found[:, 1], role="rows", colour_key=OURS)
    return Panel(
        f"{pairs} pairs of data sets", "Pᵥ₊₁ over the neighbour's Pᵥ", "neighbour's Pᵥ over Pᵥ₋₁",
        (dots, *edges), "linear", "linear", xlim=(0.0, 1.1), ylim=(0.0, 1.1),
    )  # fmt: skip


def margins(rng: np.random.Generator, n: int = PAIR_N, v: float = PAIR_LEVEL * PAIR_N) -> tuple[float, float]:
    """Return the largest eigenvalues of P_v(X')⁻¹P_{v+1}(X) and of P_{v-1}(X)⁻¹P_v(X') for one pair."""
    tails = 1 / np.abs(rng.standard_normal((n, 1))) ** float(rng.choice([0.0, 0.5, 1.0]))
    x = tails * rng.standard_normal((n, 2)) * [1.0, float(rng.choice([1.0, 0.1]))]
    inner, outer, one = known(x, v + 1), known(x, v - 1), known(replaced(x, rng), v)
    return _over(inner, one), _over(one, outer)


def _over(above: Array, below: Array) -> float:
    return float(np.linalg.eigvals(np.linalg.solve(below, above)).real.max())
