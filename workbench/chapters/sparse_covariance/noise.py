"""The noise itself: its sensitivity, its spectrum, and what the source's delivers.

WX19 equations (7) and (8) and Theorem 1.
"""

from math import inf, sqrt

import numpy as np
import pandas as pd
from numpy.random import Generator

from workbench.chapters.sparse_covariance.designs import DELTA, computed, geometric, spectral, trials
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.style import number
from workbench.estimators.shared.rows import second_moment_within
from workbench.estimators.sparse import STEP, PerturbedCovariance, delivered_mu, perturbed
from workbench.privacy import ApproxDP, Charge, GaussianDP, SimulatedNoise
from workbench.privacy.budgets import approx_from_gdp
from workbench.privacy.mechanisms import gaussian_scale
from workbench.study import measures
from workbench.study.claim import Claim
from workbench.study.grids import Role, Sweep, grid, stream
from workbench.study.profiles import blocks, claim_level
from workbench.study.rules import Status, Verdict
from workbench.study.run import Row, Run, each_trial

ROOT_2 = sqrt(2)
EXACT = 1e-6
GRID = 2e-5  # rows are whole numbers of 2^-18: two entries that are cut by as much lose 2√2 times that
PAIRS, DIMENSIONS = 2000, (2, 3, 10, 50)
FAR = 100.0
SIZES = (50, 100, 200, 400, 800)
EPSILONS, DELTAS = (0.1, 0.5, 1.0, 2.0, 4.0), (1e-3, 1e-5, 1e-6)
PLAIN = "covariance/perturbed"


def promise(run: Run, *, epsilon: float = 1.0, delta: float = DELTA) -> Chart:
    """Return the chart of the source's delivered over its promised ε, and of our noise over the source's."""
    ends = (0.05 * epsilon, 4 * epsilon)
    epsilons = np.geomspace(*ends, 30)
    deltas = [float(f"{delta / DELTA * one:.6g}") for one in DELTAS]
    ranks = np.linspace(1.0, 0.0, len(deltas))
    usual = (epsilon, delta) == (1.0, DELTA)
    ratios, sizes = (
        tuple(
            Series(f"δ = {number(one)}", epsilons, [found(float(e), one) for e in epsilons], role="theory",
                   colour_key=PLAIN, rank=float(rank))
            for one, rank in zip(deltas, ranks, strict=True)
        )
        for found in (lambda e, one: delivered(e, one) / e, size)
    )  # fmt: skip
    top = max(max(one.y) for one in ratios)
    return Chart(
        "promise",
        "Noise made for an added row breaks its promise for larger ε",
        (
            Panel("delivered ε over promised ε", "promised ε", "ratio", ratios, yscale="linear",
                  marks=(Mark("as promised", "horizontal", y=1.0),
                         Mark("promise broken", x=2.2 * ends[0], y=(1 + top) / 2))),
            Panel("exact symmetric noise over the source's", "promised ε", "ratio of sds", sizes,
                  yscale="linear", ylim=(0.4, 1.1) if usual else None,
                  marks=(Mark("equal noise", "horizontal", y=1.0),)),
        ),
        alt="Left: the true ε over the promised one rises with ε"
        " and passes 1 between 0.15 and 1.3, earlier for small δ. Right: the sd of our noise"
        " over that of the source, at a promise that is kept"
        ", between 0.4 and 0.9.",
        how_to_read="One replaced row moves the matrix √2 times as far as an added one. The classic formula"
        " is so"
        " generous that for small ε nobody notices. Exact noise keeps the promise at every ε, and is the"
        " smaller one below the line.",
    )  # fmt: skip


def size(epsilon: float, delta: float) -> float:
    """Return the sd of our noise off the diagonal over the source's, at the same promise."""
    ours, theirs = (
        PerturbedCovariance(calibration=calibration, radius=1.0).plan(100, 2, ApproxDP(epsilon, delta))[STEP]
        for calibration in ("tight", "paper")
    )
    return gaussian_scale(ours) / sqrt(2) / gaussian_scale(theirs)


def delivered(epsilon: float, delta: float) -> float:
    """Return the true ε' at δ of the noise that the source states for (ε, δ), replace-one."""
    return approx_from_gdp(delivered_mu(ApproxDP(epsilon, delta)), delta).epsilon


def stated_noise_keeps_its_promise() -> Verdict:
    table = {f"({e:g}, {d:g})": delivered(e, d) for e in EPSILONS for d in DELTAS}
    ratios = [delivered(e, d) / e for e in EPSILONS for d in DELTAS]
    return computed("true ε over promised ε", ratios, (-inf, 1.0), detail=table)


def gaps(seed: int) -> np.ndarray:
    """Return |S - S'| in Frobenius norm for single rows in the unit ball or far outside: random pairs."""
    rng = stream(seed, Role.SCREEN, "wx19-sensitivity", 0, 0)
    found = []
    for d in DIMENSIONS:
        for scale in (1.0, FAR):
            rows = scale * rng.standard_normal((PAIRS // (2 * len(DIMENSIONS)), 2, 1, d))
            found += [gap(*pair) for pair in rows]
    return np.array(found)


def gap(first: np.ndarray, second: np.ndarray) -> float:
    """Return n |S - S'| for n = 1 row of either data set."""
    moment, other = (np.asarray(second_moment_within(x, 1.0)) for x in (first, second))
    return float(np.linalg.norm(moment - other))


def worst_gaps() -> list[float]:
    """Return the gaps of the two orthogonal pairs, of norm 1 and of norm 100."""
    first, second = np.eye(2)[:1], np.eye(2)[1:]
    plus, minus = (first + second) / ROOT_2, (first - second) / ROOT_2
    pairs = ((first, second), (plus, minus))
    return [gap(reach * one, reach * other) for one, other in pairs for reach in (1.0, FAR)]


def sensitivity_is_root_2(seed: int) -> list[Verdict]:
    random, worst = gaps(seed), worst_gaps()
    declared = 50 * PerturbedCovariance(radius=1.0).plan(50, 2, GaussianDP(1.0))[STEP].sensitivity
    return [
        computed("random pairs", random, (0.0, ROOT_2 * (1 + EXACT))),
        computed("orthogonal pairs", worst, (ROOT_2 * (1 - GRID), ROOT_2 * (1 + EXACT))),
        computed("what is charged", [declared], (ROOT_2 * (1 - EXACT), ROOT_2 * (1 + EXACT))),
    ]


@each_trial
def spectra(p: int, *, data: Generator, noise: Generator) -> Row:
    """Measure |N|₂ over 2 √p times the sd off the diagonal."""
    charge = Charge("", "symmetric_gaussian", ROOT_2, GaussianDP(1.0))
    zeros, source = np.zeros((p, p)), SimulatedNoise(noise)
    return {"norm": spectral(perturbed(zeros, charge, source))}


SPECTRA = Sweep("wx19-noise-spectra", grid(p=SIZES), spectra, trials=12, blocks=blocks(10))


def spectrum_checks(frame: pd.DataFrame) -> list[Verdict]:
    level = claim_level(parts=2 * len(SIZES))
    norms = dict(zip(SIZES, trials(frame, "p", "norm").T, strict=True))
    ratios = {p: geometric(found / (2 * sqrt(p)), level) for p, found in norms.items()}
    limits = 0.95, 1.05
    checks = [measures.between(f"|N|₂ / (2 sd √p), p = {p}", ratio, *limits) for p, ratio in ratios.items()]
    logs = [measures.logarithm(geometric(found, level)) for found in norms.values()]
    slope = measures.slope(np.log(SIZES), logs)
    return [*checks, measures.between("slope in p", slope, 0.45, 0.55, bound=0.5)]


CLAIMS = (
    Claim(
        "sparse-covariance/sensitivity-root-two",
        "S1",
        ("WX19/Eq7", "WX19/Thm1"),
        "One replaced row of norm at most 1, clipped from anywhere, moves the second moment by at most √2/n"
        " in Frobenius norm; (e1, e2) and (1, ±1)/√2 attain it, to 2e-5.",
        checks=sensitivity_is_root_2,
    ),
    Claim(
        "sparse-covariance/noise-as-root-p",
        "S3",
        ("WX19/Eq8",),
        "The noise of the plain release has |N|₂ = 2 sd √p within 5 % for p = 50 .. 800, sd off the diagonal:"
        " a slope of .5 in p, within .05.",
        sweeps=lambda: (SPECTRA,),
        checks=spectrum_checks,
    ),
    Claim(
        "sparse-covariance/stated-noise-keeps-promise",
        "S13",
        ("WX19/Thm1", "WX19/Def2"),
        "The noise of equation (7), sd √(2 ln(1.25/δ))/(nε) on every entry of the upper triangle (recalled:"
        " the display is lost in the text), is (ε, δ)-DP for neighbours that differ in one replaced row, for"
        " ε = .1 .. 4 and δ = 1e-3 .. 1e-6.",
        checks=stated_noise_keeps_its_promise,
        expected=Status.REFUTED,
        reason="with this sd, which is recalled, its sensitivity is that of an added row, 1/n for √2/n: at"
        " (1, 1e-5) it delivers ε = 1.098, at (4, 1e-5) 5.243; at ε = .1 it keeps its promise, since the"
        " slack of the classic formula is larger",
    ),
)
