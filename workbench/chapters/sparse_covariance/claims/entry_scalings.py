"""The claim about how n grows for single entries: Lemma 1 for the sample, equation (9) with the noise.

What is searched is the n with which all entries of the released matrix are within α of the truth, where some
coordinates vary independently, the others not at all. Beside the shape √ln p (σ/√n + √ln(1/δ)/(nε)) stands
the n at which the bound with all constants is α.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.bounds import wx19 as bounds
from workbench.bounds.search import smallest
from workbench.chapters.sparse_covariance.claims.scalings import (
    DELTAS,
    NO_NOISE,
    SINGLE,
    SMALL,
    SQUARED,
)
from workbench.chapters.sparse_covariance.claims.searches import CAPS, SEEN
from workbench.chapters.sparse_covariance.runs.searched import (
    UNIT,
    Threshold,
    largest_entry,
    largest_variance,
    stated_noise,
)
from workbench.study.claim import Claim
from workbench.study.rules import Verdict
from workbench.study.scaling import Least, Move, Scaling, Setting, follow, within

BETA, ACTIVE = 0.1, 8
DIMENSIONS = (4, 16, 64, 256)
MANY = {"full": 800}  # the largest of p² entries grows a little slower than √ln p: runs tell
VARIANCE = largest_variance(ACTIVE, 2)
TERMS = {"noise": "√ln p √ln(1/δ)/(αε)", "sampling": "ln p σ²/α²"}
USUAL = {
    "noise": {"d": 64, "epsilon": 0.5, "delta": 1e-6, "variance": SMALL / UNIT, "alpha": SMALL},
    "sampling": {
        "d": 64,
        "epsilon": NO_NOISE,
        "delta": 1e-6,
        "variance": VARIANCE,
        "alpha": VARIANCE / 8,
    },
}
NOISE, SAMPLING = TERMS.values()
MOVES = {
    "noise": {
        "epsilon": Move((0.8, 0.4, 0.2, 0.1), -1, SINGLE[1], NOISE),
        "delta": Move(DELTAS, 0.5, {"ln 1/δ": 1.0, "no δ": 0.0}, NOISE, logarithm=True),
        "alpha": Move((2e-5, 1e-5, 5e-6, 2.5e-6), -1, SINGLE[0], NOISE),
        "d": Move(DIMENSIONS, 0.5, {"ln p": 1.0, "no p": 0.0}, NOISE, logarithm=True),
    },
    "sampling": {
        "alpha": Move(tuple(VARIANCE / over for over in (4, 8, 16, 32)), -2, SQUARED[0], SAMPLING),
        "d": Move(DIMENSIONS, 1, {"√ln p": 0.5, "ln² p": 2.0}, SAMPLING, logarithm=True),
    },
}


@dataclass(frozen=True)
class Entries:
    """The settings of one term as a number moves."""

    term: str
    variable: str

    def __call__(self, value: float) -> Setting:
        """Return the setting at a value."""
        return setting({**USUAL[self.term], self.variable: value}, self.term)


def setting(public: Mapping[str, Any], term: str) -> Setting:
    """Return the setting at public numbers; the prediction is the n at which equation (9) is α."""
    p, alpha = int(public["d"]), public["alpha"]
    others = {name: public[name] for name in ("epsilon", "delta", "variance")}
    threshold = Threshold(local=False, p=p, **others)
    predicted = threshold.rows(alpha)
    return Setting(
        point={**others, "p": p, "active": p if term == "sampling" else min(ACTIVE, p)},
        alpha=alpha,
        start=round(predicted / 4),
        stated=bounds.central_rows(alpha, 1, p, **others),
        predicted=predicted,
        share=threshold.only(term, alpha) / predicted,
    )


def scalings() -> Iterator[Scaling]:
    """Return a scaling of every number in either term."""
    for term, moves in MOVES.items():
        for variable, move in moves.items():
            yield Scaling(
                statement="WX19/Eq9" if term == "noise" else "WX19/Lem1",
                variable=variable,
                key=f"covariance/perturbed [paper, {term}]",
                term=move.term,
                values=move.values,
                setting=Entries(term, variable),
                block=largest_entry,
                power=move.power,
                instead=move.instead,
                logarithm=move.logarithm,
                share=1 - BETA,
                caps=SEEN if variable == "epsilon" else MANY if variable == "d" else CAPS,
            )


def proved(at: Setting) -> float:
    """Return the least n at which the bound on every entry is at most α, but for β of runs."""
    p, variance = at.point["p"], at.point["variance"]
    truth = np.diag(np.where(np.arange(p) < at.point["active"], variance, 0.0))
    noise = stated_noise(at.point["epsilon"], at.point["delta"])

    def close(n: int) -> bool:
        return bool(bounds.entry_deviation(truth, n, noise / n, noise / n, BETA).max() <= at.alpha)

    return smallest(close)


def checks(*growths: tuple[Scaling, Sequence[Least]]) -> list[Verdict]:
    """Return what the growth of every number is, and that no n is above the proved one."""
    return follow(*growths) + [within(*growth, proved) for growth in growths]


CLAIMS = (
    Claim(
        id="sparse-covariance/rows-grow-for-entries",
        number="N55",
        sources=("WX19/Lem1", "WX19/Eq9"),
        statement="The searched n with which all entries of the release are within α in 9 of 10 runs grows at"
        " most as √(ln p ln(1/δ))/(αε) where noise dominates, in ε = .8 .. .1, δ = 1e-2 .. 1e-16, α over a"
        " factor 8, p = 4 .. 256, and at most as ln p σ²/α² where sampling does, in α over a factor 8 and p ="
        " 4 .. 256; none is above the proved n.",
        scalings=scalings,
        checks=checks,
    ),
)
