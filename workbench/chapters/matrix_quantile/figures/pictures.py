"""What a quantile of matrices is: a soft count and its crossing, nested ellipses, neighbours."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from workbench.chapters.covariance.worlds import tilted
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.ellipses import ellipse, plane
from workbench.charts.words import number
from workbench.estimators.matrix_quantile import influence_for
from workbench.estimators.stable_quantile import Scaled, Solver, inflation, normal_level, soft_count
from workbench.study.grids import Role, stream
from workbench.study.run import Run
from workbench.types import Array

PRECISE, STEPS = 1e-6, 2000  # of a level, in pictures
OURS, PLAIN, OTHER = "covariance/matrix-quantile", "covariance/empirical", "idea/second"
LINE_N, LINE_LEVEL = 40, 1.75 * 0.2
NESTED_N, NESTED_LEVEL, NESTED_SHARES = 400, 0.2, (0.08, 0.12, 0.2, 0.3, 0.4)
FAR, AWAY, REACH, WIDE = 0.05, (50.0, 0.0), 13.0, 17.0


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
    """Return v = share n, or enough that v - 1 is a level, too."""
    return max(1.5, float(f"{share * n:.6g}"))


def count_curve(run: Run, *, n: int = LINE_N, level: float = LINE_LEVEL) -> Chart:
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
        " as p"
        " grows; where it passes v is the quantile. Nothing about the size of the rows was used.",
    )


def _crossing(x: Array, v: float) -> Panel:
    n, p = len(x), np.geomspace(0.1, 60.0, 121)
    knee, middle = influence_for(1), known(x, v).item()
    expected = [n * normal_level(knee, 1, float(one)) for one in p]
    counts = soft_count(x, p, knee.knee)
    above, below = _where(p, counts, 0.72 * n), _where(p, expected, 0.6 * n)
    series = (
        Series("predicted", p, expected, role="reference", label_at=(0.42 * below, 0.6 * n)),
        Series("soft count", p, counts, colour_key=OURS, label_at=(2.6 * above, 0.72 * n)),
        Series("", [middle], [v], colour_key=OURS),
    )
    marks = (
        Mark(f"level v = {v:g}", "horizontal", y=v),
        Mark("quantile $P_v$", x=3.2 * middle, y=v + 0.06 * n, colour_key=OURS),
    )
    return Panel(
        "the quantile is where the count passes v", "p", f"soft count of {n} rows", series, yscale="linear",
        ylim=(0, n), xlim=(0.1, 60.0), marks=marks,
    )  # fmt: skip


def _where(p: Array, falling: Iterable[float], level: float) -> float:
    """Return where a falling curve meets a level."""
    return float(np.interp(-level, -np.fromiter(falling, float), p))


def _neighbours(x: Array, v: float) -> Panel:
    inner, middle, outer = (known(x, v + k).item() for k in (1, 0, -1))
    ends, knee = (0.72 * middle, 1.4 * middle), influence_for(1).knee
    p = np.linspace(*ends, 61)
    far, gone = x.copy(), x.copy()
    row = int(np.argmin(np.abs(np.abs(x[:, 0]) - np.median(np.abs(x)))))
    far[row], gone[row] = 1e6, 0.0
    sets = ((far, "one row enormous", OTHER), (x, "the rows as they were", OURS), (gone, "one row 0", OTHER))
    series = [Series("", ends, (v + 1, v + 1), (v - 1, v - 1), (v + 1, v + 1), role="area")]
    lines = {label: soft_count(rows, p, knee) for rows, label, _ in sets}
    wide = ends[1] - ends[0]
    places = {
        "one row enormous": (_where(p, lines["one row enormous"], v + 1.4) + 0.24 * wide, v + 1.4),
        "one row 0": (_where(p, lines["one row 0"], v - 1.5) - 0.14 * wide, v - 1.5),
    }
    series += [
        Series(label, p, lines[label], role="theory", colour_key=key, label_at=places.get(label))
        for _, label, key in sets
    ]
    series += [Series("", [known(rows, v).item()], [v], colour_key=key) for rows, _, key in sets]
    marks = (
        Mark("level v", "horizontal", y=v),
        Mark("$P_v$ of every neighbour", "span", x=inner, x2=outer, y=v - 1.9, colour_key=OTHER),
    )
    return Panel(
        "one row replaced: up or down by 1", "p", "soft count", tuple(series), "linear", "linear",
        ylim=(v - 2.2, v + 2.2), xlim=ends, marks=marks,
    )  # fmt: skip


def nested(run: Run, *, n: int = NESTED_N, level: float = NESTED_LEVEL, corruption: float = FAR) -> Chart:
    """Return nested ellipses P_v of rows in the plane (and those of the same rows, some of them far away)."""
    law = tilted(9.0)
    x = law.sample(n, rng=rows_of("mq-nested", run.seed))
    spoilt, far = x.copy(), round(corruption * n)
    spoilt[:far] = AWAY
    shares = [float(f"{level * share / NESTED_LEVEL:.6g}") for share in NESTED_SHARES]
    part = f"{number(100 * corruption)} %"
    return Chart(
        "nested",
        f"{part} of far rows spare the inner quantiles and ruin the sample covariance",
        (
            _ellipses(f"{n} normal rows", x, law.covariance, shares),
            _ellipses(f"{far} of them moved to (50, 0)", spoilt, law.covariance, shares),
        ),
        alt="Left, nested tilted ellipses among rows, all of the same shape, smaller for higher levels, on"
        " their predictions. Right, some rows lie far away; only the outer ellipses lean towards them,"
        " and the sample covariance is long and flat.",
        how_to_read="The level is a share of the rows."
        " The higher it is, the more rows must hold the ellipse up, and the smaller it is. Pale: predicted"
        " for normal rows, all in the shape of Σ.",
    )


def _ellipses(title: str, x: Array, sigma: Array, shares: list[float]) -> Panel:
    ranks = dict(zip(shares, np.linspace(0.0, 1.0, len(shares)), strict=True))
    shapes = {share: known(x, share * len(x)) for share in shares}
    lines = [
        replace(ellipse("", shape, colour_key=OURS), rank=ranks[share]) for share, shape in shapes.items()
    ]
    lines += [
        replace(ellipse("", scale_at(share, 2) * sigma, role="kept", colour_key=OURS), rank=ranks[share])
        for share in shares
    ]
    moment = ellipse("", x.T @ x / len(x), role="truth", colour_key=PLAIN)
    marks = [
        Mark("black: sample covariance", x=8.0, y=-11.0, colour_key=PLAIN),
        Mark("pale: for normal rows", x=11.0, y=-13.5, colour_key=OURS),
        Mark(f"level v/n, from outside: {' '.join(map(number, shares))}", x=-10.0, y=13.0, colour_key=OURS),
    ]
    if np.abs(x).max() > WIDE:
        marks.append(Mark("to the far rows →", x=10.5, y=14.0))
    dots = Series("", x[:, 0], x[:, 1], role="rows")
    return plane(title, (dots, *lines, moment), reach=WIDE, marks=marks)


def top(shape: Array) -> tuple[float, float]:
    """Return the highest point of an ellipse."""
    tall = float(np.sqrt(shape[1, 1]))
    return float(shape[0, 1]) / tall, tall
