"""What happens to one set of rows: the test of stability, the noise on its count, and the mask."""

from functools import lru_cache
from math import log

import numpy as np

from workbench.chapters.covariance.figures.ellipses import tilted
from workbench.chapters.matrix_quantile.figures.pictures import OTHER, OURS, PLAIN
from workbench.chapters.matrix_quantile.runs.beside import spoilt
from workbench.chapters.matrix_quantile.runs.quantile import BETA, DELTA, EPSILON, planned
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.ellipses import circle, ellipse, plane
from workbench.errors import ArgumentError
from workbench.estimators.covariance.matrix_quantile import MatrixQuantileCovariance
from workbench.estimators.parts.budgets import vote_and_mask
from workbench.estimators.parts.quantile.design import MASK, Design
from workbench.estimators.parts.quantile.levels import Scaled
from workbench.estimators.parts.quantile.matrix_quantile import MatrixQuantile
from workbench.estimators.parts.quantile.stability import Stability
from workbench.privacy import ApproxDP, Charge, SimulatedNoise
from workbench.privacy.masks import LARGEST_THOMPSON, masked, masked_identity
from workbench.privacy.mechanisms import truncated_laplace_bound
from workbench.study.passing import passing
from workbench.study.run import Run
from workbench.study.sweeps.streams import Role, stream
from workbench.types import Array

D, UPPER, SHARE = 2, 100.0, 0.1
WIDTHS_D, DRAWS = (1, 2, 3, 4, 5, 10), {"quick": 200, "full": 1000}
MASKED = 6


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
    """Return the chart of slopes and thresholds of the test, and of the chance to pass for every count."""
    budget = ApproxDP(epsilon, delta)
    made = recipe(planned(D, None, budget), D, budget).design
    part = "a tenth" if corruption == SHARE else f"{100 * corruption:.3g} %"
    return Chart(
        "stability",
        f"How many rows would have to change? (n = {made.test.n}, d = {D})",
        (_compared(made, run.seed, corruption), _passing(made)),
        alt="Left, the slope of normal rows falls with t and stays above a rising dashed line up to the"
        " last t;"
        f" that of heavy-tailed rows, and of rows {part} of which are far away, meets the line earlier."
        " Right, the chance of an answer rises from δ at a count of 1 to nearly 1 at the last.",
        how_to_read="Left, Cₜ asks whether the rows hold up Pᵤ so firmly that t of them may be replaced:"
        " marker above the dashed line. Every replaced row takes the line's slope, e, off at most, so that"
        " the count h of what holds moves by 1 at most. The design puts the line as high as normal rows"
        " allow: the higher it begins (G), the less a row can move Pᵤ once C₁ holds, 1/(G - 1). Right, the"
        " count gets truncated Laplace noise. With h = 0 there is never an answer, with h = 1 almost"
        " never (δ),"
        " with the largest h almost always.",
    )


def _compared(made: Design, seed: int, share: float) -> Panel:
    test, law, n = made.test, tilted(UPPER), made.test.n
    rng = stream(seed, Role.DATA, "mq-stability", 0, 0)
    counts = [*range(1, test.most, max(3, test.most // 12)), test.most]
    sets = {
        ("normal rows", OURS): law.sample(n, rng=rng),
        ("t, 3 degrees of freedom", OTHER): tilted(UPPER, 3.0).sample(n, rng=rng),
        (f"{100 * share:.3g} % far away", "2"): spoilt(law, n, share, 0.0, rng),
    }
    series = [
        Series(label, counts, slopes(test, x, counts), colour_key=key) for (label, key), x in sets.items()
    ]
    line = [needed(test, t) for t in counts]
    series.append(Series("needed: G + e t", counts, line, role="theory", colour_key=PLAIN))
    return Panel("the test", "t", "slope in units of Hi", tuple(series), "linear", "linear")


def _passing(made: Design) -> Panel:
    charge = made.charges[0]
    bound, epsilon = truncated_laplace_bound(charge), made.budget.epsilon * made.share
    counts = range(1, made.test.most + 1)
    chances = [passing(epsilon, bound, h) for h in counts]
    return Panel(
        "an answer", "h", "probability", (Series("", counts, chances, role="theory", colour_key=OURS),),
        xscale="linear", ylim=(3e-7, 2.0), note=f"ε = {epsilon:.2g}, A = {bound:.1f}; public.",
    )  # fmt: skip


def mask(run: Run, *, epsilon: float = EPSILON, delta: float = DELTA) -> Chart:
    """Return masked releases round one quantile, and how wide the masks are against d."""
    noise, budget = SimulatedNoise(stream(run.seed, Role.NOISE, "mq-mask", 0, 0)), ApproxDP(epsilon, delta)
    draws = DRAWS[run.profile] if run.most is None else run.most
    return Chart(
        "mask",
        "The mask: noise that multiplies, in the shape of the data",
        (_releases(run.seed, noise, budget), _widths(draws, noise, budget)),
        alt="Left, in units of the covariance, dashed ellipses of releases round a circle, a third smaller or"
        " larger at most. Right, the width of both masks against d, with ln 2 beside them: pure"
        " noise is narrower up to d = 4, and Wishart noise takes over there.",
        how_to_read="Left, in units of Σ, where Σ is the circle: one Pᵤ (line), and releases of it."
        " The mask is"
        " LSLᵀ with f = LLᵀ and random S: it needs no unit, and is as large in a long direction as in a short"
        " one, each in its own scale. Right, its width, the median of max |ln λ(S)|, at the planned rows:"
        " Thompson-Laplace noise spends no δ and is narrower for few columns; its sampler is"
        f" exact and quick up to d = {LARGEST_THOMPSON}. Wishart noise serves all d, because Pᵤ"
        f" changes in trace:"
        " two of its rows pay, not d. The grey line is what is allowed altogether, ln 2.",
    )


def _releases(seed: int, noise: SimulatedNoise, budget: ApproxDP) -> Panel:
    n = planned(D, None, budget)
    made, rng = recipe(n, D, budget).design, stream(seed, Role.DATA, "mq-mask", 0, 0)
    _, root = made.test.measure(rng.standard_normal((n, D)))
    found = [masked(root, made.charges[1], noise) * made.centring for _ in range(MASKED)]
    lines = [
        ellipse("released" if not i else "", one, role="theory", colour_key=OURS)
        for i, one in enumerate(found)
    ]
    centre = ellipse("c Pᵤ", root @ root.T * made.centring, colour_key=OURS)
    return plane(
        f"{MASKED} releases, n = {n}", (*lines, centre, circle("Σ", 1.0, colour_key=PLAIN)), reach=1.5
    )


def _widths(draws: int, noise: SimulatedNoise, budget: ApproxDP) -> Panel:
    found: dict[str, dict[int, float]] = {"thompson_laplace": {}, "wishart_trace": {}}
    for d in WIDTHS_D:
        made = recipe(planned(d, None, budget), d, budget).design
        for kind, place in found.items():
            charge = masking(made, kind)
            if charge is not None:
                place[d] = width(d, charge, draws, noise)
    ends = (WIDTHS_D[0], WIDTHS_D[-1])
    return Panel(
        "its width at the planned rows", "d", "median of max |ln λ|",
        (Series("Thompson-Laplace", found["thompson_laplace"], found["thompson_laplace"].values(),
                colour_key=OURS),
         Series("Wishart", found["wishart_trace"], found["wishart_trace"].values(), colour_key=OTHER),
         Series("ln 2", ends, (log(2), log(2)), role="reference")),
        xscale="linear", yscale="linear", ylim=(0.0, 1.5),
    )  # fmt: skip


def masking(made: Design, kind: str) -> Charge | None:
    """Return the charge of a mask of this kind for the same test, None if there is none."""
    d, own = made.test.d, made.charges[1]
    if kind == own.mechanism:
        return own
    if kind == "thompson_laplace":
        return None  # above d = 4
    cost = vote_and_mask(made.budget, made.share, "wishart")[1]
    charge = Charge(MASK, kind, made.test.change, cost)
    try:
        masked_identity(d, charge, SimulatedNoise(np.random.default_rng(0)))
    except ArgumentError:
        return None
    return charge


def width(d: int, charge: Charge, draws: int, noise: SimulatedNoise) -> float:
    """Return the median of max |ln λ| of a mask."""
    values = np.linalg.eigvalsh([masked_identity(d, charge, noise) for _ in range(draws)])
    return float(np.median(np.abs(np.log(values)).max(axis=1)))
