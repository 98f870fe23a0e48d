"""What happens to one set of rows: the test of stability, the chance of an answer, and the mask."""

from functools import lru_cache
from math import log

import numpy as np

from workbench.chapters.covariance.worlds import tilted
from workbench.chapters.matrix_quantile.figures.pictures import OURS, PLAIN
from workbench.chapters.matrix_quantile.runs.beside import spoilt
from workbench.chapters.matrix_quantile.runs.quantile import BETA, DELTA, EPSILON, planned
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.ellipses import ellipse, plane
from workbench.charts.words import number
from workbench.estimators.matrix_quantile import (
    Design,
    MatrixQuantile,
    MatrixQuantileCovariance,
    masked,
    stable_charge,
)
from workbench.estimators.stable_quantile import Scaled, Stability
from workbench.privacy import ApproxDP, SimulatedNoise
from workbench.privacy.stable import LAPLACE, LARGEST_THOMPSON, WISHART, StableCharge, stable_identity
from workbench.privacy.stable import chances as stable_chances
from workbench.study.grids import Role, stream
from workbench.study.run import Run
from workbench.types import Array

D, UPPER, SHARE = 2, 100.0, 0.1
WIDTHS_D, DRAWS = (1, 2, 3, 4, 5, 10), {"quick": 200, "full": 1000}
MASKED, LONG = 6, 25.0  # releases shown, and the condition number there
PLACES = ((1.2, 0.05), (1.6, 0.05), (0.0, -0.045))  # of the names of crossings, beside them


@lru_cache(maxsize=64)
def recipe(n: int, d: int, budget: ApproxDP) -> MatrixQuantile:
    """Return the recipe for n rows of mean 0: public."""
    return MatrixQuantileCovariance(centred=True, beta=BETA).recipe(n, d, budget)[1]


def slopes(test: Stability, x: Array, counts: list[int]) -> list[float]:
    """Return the slopes that C_t compares with its threshold; nan where a level is not found."""
    return [_slope(test, x, t) for t in counts]


def _slope(test: Stability, x: Array, t: int) -> float:
    scaled = Scaled.of(x, test.influence, test.low(t))
    high = test.solver.descend(scaled, scaled.start(), test.low(t))
    low = None if high is None else test.solver.descend(scaled, high, test.high(t))
    return float("nan") if high is None or low is None else test.slope(scaled, low, high)


def needed(test: Stability, t: int) -> float:
    """Return the threshold of C_t."""
    return test.strength + (test.influence.most + test.margin) * t


def stability(
    run: Run, *, epsilon: float = EPSILON, delta: float = DELTA, corruption: float = SHARE
) -> Chart:
    """Return the chart of the counts of three sets of rows, and of the chance of an answer at each."""
    made = planned_design(epsilon, delta)
    counts = {name: made.test.measure(x)[0] for name, x in _sets(made, run.seed, corruption).items()}
    return Chart(
        "stability",
        "A count says how many rows must change before the answer does",
        (_counts(made, counts), _passing(made, counts)),
        alt="Left, bars of how many rows may change: many for normal rows, fewer for heavy tails and for rows"
        " some of which are far away. Right, the chance of an answer rises from δ at a count of 1 to nearly 1"
        " at the last.",
        how_to_read=f"Rows in {D} columns, as many as the plan asks for: {number(made.test.n)}. A count is"
        " answered with the chance on the right: never at 0, almost never at 1, almost always at T.",
    )


def planned_design(epsilon: float, delta: float) -> Design:
    """Return the design at the planned rows in the plane."""
    budget = ApproxDP(epsilon, delta)
    return recipe(planned(D, None, budget), D, budget).design


def even(made: Design) -> float:
    """Return the count at which half of the runs answer, between whole numbers."""
    chances = stable_chances(made.charge)
    return float(np.interp(0.5, chances, range(len(chances))))


def _sets(made: Design, seed: int, share: float) -> dict[str, Array]:
    """Return three sets of rows, by what they are called."""
    law, n = tilted(UPPER), made.test.n
    rng = stream(seed, Role.DATA, "mq-stability", 0, 0)
    return {
        "normal rows": law.sample(n, rng=rng),
        "heavy tails": tilted(UPPER, 3.0).sample(n, rng=rng),
        f"{number(100 * share)} % far away": spoilt(law, n, share, 0.0, rng),
    }


def _counts(made: Design, counts: dict[str, int]) -> Panel:
    bars = Series("", range(1, len(counts) + 1), counts.values(), role="bars", colour_key=OURS, kind="count")
    half = Mark("half the runs answer", "vertical", x=even(made), y=2.5, side="right")
    return Panel(
        "rows that may change", "three sets of rows", "count h", (bars,), "linear", "linear",
        names=tuple(counts), ylim=(0.0, 1.85 * made.test.most), marks=(half,),
    )  # fmt: skip


def _passing(made: Design, found: dict[str, int]) -> Panel:
    ramp, half = stable_chances(made.charge), even(made)
    counts, chances = range(1, made.test.most + 1), ramp[1:]
    marks = [
        Mark(name if h < half else "", "point", x=h, y=max(ramp[h], 4e-7), side="left", colour_key=OURS)
        for name, h in found.items()
    ]
    likely = {name: h for name, h in found.items() if h >= half}
    marks += [Mark(name, x=h + 1.0, y=0.12 * ramp[h], colour_key=OURS) for name, h in likely.items()]
    marks.append(Mark("the chance is δ", "point", x=1, y=chances[0], side="right"))
    return Panel(
        "the chance of an answer", "count h",
        "probability", (Series("", counts, chances, role="theory", colour_key=OURS),), xscale="linear",
        ylim=(3e-7, 3.0), xlim=(0.0, 1.25 * made.test.most), marks=tuple(marks),
    )  # fmt: skip


def strength(run: Run, *, epsilon: float = EPSILON, delta: float = DELTA, corruption: float = SHARE) -> Chart:
    """Return the chart of the slopes that C_t compares with its threshold, for every t."""
    made = planned_design(epsilon, delta)
    return Chart(
        "strength",
        "The count ends where the rows are no longer firm enough",
        (_compared(made, run.seed, corruption),),
        alt="The slope of normal rows falls with t and stays above a rising line up to the last t; that of"
        " heavy-tailed rows, and of rows some of which are far away, meets the line earlier.",
        how_to_read="Each t asks whether the rows would stay firm if t of them were replaced. One row takes"
        " off"
        " no more than the line rises per t, so the crossing moves by at most 1.",
    )


def _compared(made: Design, seed: int, share: float) -> Panel:
    test = made.test
    counts = [*range(1, test.most, max(3, test.most // 12)), test.most]
    sets = _sets(made, seed, share)
    curves = {name: slopes(test, x, counts) for name, x in sets.items()}
    series = [
        Series(name, counts, curves[name], colour_key=key)
        for name, key in zip(curves, (OURS, "idea/public", "idea/bad"), strict=True)
    ]
    line = [needed(test, t) for t in counts]
    series.append(Series("firmness asked for", counts, line, role="truth"))
    values = [*line, *(y for one in series for y in one.y)]
    low, high = 0.85 * min(values), 1.04 * max(values)
    ends = {name: test.measure(x)[0] for name, x in sets.items()}
    met = [h for h in ends.values() if 0 < h < test.most]
    marks = [Mark("", "point", x=h, y=needed(test, h)) for h in met]
    marks += [
        Mark(f"h = {h}", x=h + right, y=needed(test, h) + up * (high - low))
        for h, (right, up) in zip(ends.values(), PLACES, strict=True)
        if h in met
    ]
    marks.append(Mark("count to here: half of the runs answer", "vertical", x=even(made), y=0.9 * high))
    return Panel(
        f"n = {test.n}, d = {D}", "replaced rows t that are asked about",
        "firmness of the rows (smallest slope)", tuple(series), "linear", "linear",
        ylim=(low, high), marks=tuple(marks),
    )  # fmt: skip


def mask(run: Run, *, epsilon: float = EPSILON, delta: float = DELTA) -> Chart:
    """Return masked releases round one quantile, and how wide the masks are against d."""
    noise, budget = SimulatedNoise(stream(run.seed, Role.NOISE, "mq-mask", 0, 0)), ApproxDP(epsilon, delta)
    draws = DRAWS[run.profile] if run.most is None else run.most
    return Chart(
        "mask",
        "Noise that multiplies keeps the shape of the data",
        (_releases(run.seed, noise, budget), _widths(draws, noise, budget)),
        alt="Left, thin ellipses of releases along a long and narrow one, that of the covariance, a third"
        " smaller or larger at most in every direction. Right, the width of both masks against d, with ln 2"
        " beside them: Thompson-Laplace"
        " noise is narrower up to d = 4, and Wishart noise takes over there.",
        how_to_read="Left, the releases err by the same share in all directions, though one axis is five"
        " times"
        " the other. Right, the mask is chosen by d; its median width leaves room for the error of sampling"
        " below what is allowed.",
    )


def _releases(seed: int, noise: SimulatedNoise, budget: ApproxDP) -> Panel:
    n = planned(D, None, budget)
    made, rng = recipe(n, D, budget).design, stream(seed, Role.DATA, "mq-mask", 0, 0)
    _, root = made.test.measure(rng.standard_normal((n, D)))
    masks = [stable_identity(made.charge, noise) for _ in range(MASKED)]
    found = [root @ one @ root.T * made.centring for one in masks]
    law = tilted(LONG)
    stretch = law.basis * np.sqrt(law.values)  # the estimator is equivariant: these are releases of Σ
    lines = [ellipse("", stretch @ one @ stretch.T, role="release", colour_key=OURS) for one in found]
    truth = ellipse("", law.covariance, role="truth", colour_key=PLAIN)
    words = (
        Mark("black: Σ", x=3.6, y=-4.2, colour_key=PLAIN),
        Mark("as near on the short axis as on the long one", x=-2.7, y=4.1, colour_key=OURS),
    )
    title = f"{MASKED} releases of {number(n)} rows, condition {LONG:g}"
    return plane(title, (*lines, truth), reach=5.2, marks=words)


def _widths(draws: int, noise: SimulatedNoise, budget: ApproxDP) -> Panel:
    found: dict[str, dict[int, float]] = {LAPLACE: {}, WISHART: {}}
    for d in WIDTHS_D:
        made = recipe(planned(d, None, budget), d, budget).design
        for kind, place in found.items():
            charge = masking(made, kind)
            if charge is not None:
                place[d] = width(d, charge, draws, noise)
    laplace, wishart = found.values()
    top = 1.1 * max([1.0, *laplace.values(), *wishart.values()])
    marks = (
        Mark("allowed altogether: ln 2", "horizontal", y=log(2), x=7.6),
        Mark(f"Laplace: d ≤ {LARGEST_THOMPSON}", "span", x=0.5, x2=LARGEST_THOMPSON + 0.5),
    )
    return Panel(
        "width at the planned rows", "columns d", "largest |ln λ| of a mask, median",
        (Series("Thompson-Laplace", laplace, laplace.values(), colour_key=OURS, joined=False,
                label_at=(2.75, 0.19)),
         Series("Wishart", wishart, wishart.values(), colour_key="idea/noise", joined=False,
                label_at=(8.6, 0.5))),
        xscale="linear", ylim=(0.1, 1.4 * top), xlim=(0.5, 10.5), marks=marks,
    )  # fmt: skip


def masking(made: Design, kind: str) -> StableCharge | None:
    """Return the charge of a mask of this kind for the same test, None if there is none."""
    if kind == made.charge.mechanism:
        return made.charge
    if kind == LAPLACE:
        return None  # above d = 4
    charge = stable_charge(made.test, made.budget, made.silent, "wishart")
    return charge if masked(charge) else None


def width(d: int, charge: StableCharge, draws: int, noise: SimulatedNoise) -> float:
    """Return the median of max |ln λ| of a mask."""
    values = np.linalg.eigvalsh([stable_identity(charge, noise) for _ in range(draws)])
    return float(np.median(np.abs(np.log(values)).max(axis=1)))
