"""The source's noise for a row that is replaced: what it delivers, and how much less exact noise is."""

from math import sqrt

import numpy as np

from workbench.chapters.sparse_covariance.claims import noise
from workbench.chapters.sparse_covariance.runs.designs import DELTA
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.words import number
from workbench.estimators.sparse import STEP, PerturbedCovariance
from workbench.privacy import ApproxDP, Charge
from workbench.privacy.mechanisms import gaussian_scale
from workbench.study.run import Run

PLAIN = "covariance/perturbed"


def promise(run: Run, *, epsilon: float = 1.0, delta: float = DELTA) -> Chart:
    """Return the chart of the source's delivered over its promised ε, and of our noise over the source's."""
    ends = (0.05 * epsilon, 4 * epsilon)
    epsilons = np.geomspace(*ends, 30)
    deltas = [float(f"{delta / DELTA * one:.6g}") for one in noise.DELTAS]
    ranks = np.linspace(1.0, 0.0, len(deltas))
    usual = (epsilon, delta) == (1.0, DELTA)
    ratios, sizes = (
        tuple(
            Series(f"δ = {number(one)}", epsilons, [found(float(e), one) for e in epsilons], role="theory",
                   colour_key=PLAIN, rank=float(rank))
            for one, rank in zip(deltas, ranks, strict=True)
        )
        for found in (_broken, size)
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


def _broken(epsilon: float, delta: float) -> float:
    """Return the ε that the source's noise delivers, over the promised one."""
    return noise.delivered(epsilon, delta) / epsilon


def size(epsilon: float, delta: float) -> float:
    """Return the sd of our noise off the diagonal over the source's, at the same promise."""
    budget = ApproxDP(epsilon, delta)
    ours, theirs = (_charge(calibration, budget) for calibration in ("tight", "paper"))
    return gaussian_scale(ours) / sqrt(2) / gaussian_scale(theirs)


def _charge(calibration: str, budget: ApproxDP) -> Charge:
    estimator = PerturbedCovariance(calibration="paper" if calibration == "paper" else "tight", radius=1.0)
    return estimator.plan(100, 2, budget)[STEP]
