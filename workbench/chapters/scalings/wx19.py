"""WX19: how n grows with every number in Theorems 2 and 3, in Corollary 1, and for single entries.

The source bounds the squared error by s² ln p (γ²/n + ln(1/δ)/(nε)²), locally by s² ln p (γ² + ln(1/δ)/ε²)/n.
What is searched is the n with which an error is at most α, with the source's noise and rule, on the
covariances that are worst: a circle of correlated coordinates, each with s neighbours, all entries positive
and of one size; the other coordinates do not vary. An entry that is lost costs its size, and s of them in a
row add up: whatever errs by α must lose entries of α/s and more. The entries are 1.1, 1.5 and 2.5 times that,
in the same run, and the run errs by the largest of the three errors. An output without entries errs by 1.1 α,
for any n.

The noise stands out where the variances are small beside √n; sampling where ε is so large that there is no
noise to speak of. Beside the shapes stands the n at which the bound of Lemma 3, 8 t (s + 1), is α.

For single entries, Lemma 1 for the sample and equation (9) with the noise, what is searched is the n with
which all entries of the released matrix are within α of the truth, where some coordinates vary independently,
the others not at all.
"""

from dataclasses import dataclass, replace
from math import log, sqrt
from typing import Any

import numpy as np
from numpy.random import Generator

from workbench.bounds import smallest
from workbench.bounds import wx19 as bounds
from workbench.chapters.scalings import grow, in_alpha, in_delta, in_epsilon, row
from workbench.chapters.sparse_covariance.designs import (
    SIZES,
    UNIT,
    Model,
    circle,
    column_sum,
    largest_variance,
    noise_of,
    run_on,
    source_run,
    spectral_error,
    stated_noise,
)
from workbench.estimators.sparse import perturbed
from workbench.privacy import noise_source
from workbench.study.rules import Claim
from workbench.study.scaling import Move, Public, Setting, Statement, below
from workbench.study.sweeps import Row, each_trial

CAPS, MANY = {"full": 400}, {"full": 800}
SEEN = {"quick": 100, **CAPS}  # what quick searches, too
NO_NOISE = 1e4  # ε
SMALL = 2e-5  # α of the central model: with variances of this order the noise is nearly all of t
BETA, ACTIVE = 0.1, 8
DIMENSIONS, DEGREES = (8, 24, 80, 256), (2, 4, 8, 16, 32)
IN_S, IN_S_SQUARED = {"√s": 0.5, "s²": 2.0}, {"s": 1.0, "s³": 3.0}
ROOTS, LOGS = {"ln p": 1.0, "no p": 0.0}, {"√ln p": 0.5, "ln² p": 2.0}


@dataclass(frozen=True)
class Threshold:
    """The threshold of equation (9) at public numbers, as a function of n."""

    local: bool
    p: int
    epsilon: float
    delta: float
    variance: float

    def rows(self, t: float) -> float:
        noise = stated_noise(self.epsilon, self.delta)
        return bounds.rows_for_threshold(t, self.p, noise, self.variance, local=self.local)

    def only(self, term: str, t: float) -> float:
        """Return the n at which it would be t if it had one of its terms alone."""
        allowed = t / (4 * sqrt(log(self.p)))
        if term == "sampling":
            return (self.variance / allowed) ** 2
        noise = stated_noise(self.epsilon, self.delta) / allowed
        return noise**2 if self.local else noise


@each_trial
def on_circles(
    model: Model, norm: str, p: int, active: int, degree: int, n: int, epsilon: float, delta: float,
    variance: float, alpha: float, *, data: Generator, noise: Generator,
) -> Row:  # fmt: skip
    """Measure the error on circles of all sizes of entries: of step (4), or of step (3) for w = 1."""
    charge = noise_of(model, p, n, epsilon, delta)
    added = perturbed(np.zeros((p, p)), charge, noise_source(noise))
    errors = []
    for size in SIZES:
        one = run_on(circle(active, degree, variance, size * alpha / degree), p, n, charge, added, data)
        kept = one.kept("paper", noise)
        errors.append(spectral_error(kept, one.truth) if norm == "w = 2" else column_sum(kept - one.truth))
    return {"error": max(errors)}


@each_trial
def largest_entry(
    p: int, active: int, n: int, epsilon: float, delta: float, variance: float, *,
    data: Generator, noise: Generator,
) -> Row:  # fmt: skip
    """Measure the largest |T_ij - σ_ij| over all entries, where some coordinates vary independently."""
    one = source_run(variance * np.eye(active), p, n, epsilon, delta, data, noise)
    return {"error": np.abs(one.released - one.truth).max()}


# Algorithms 1 and 2


def block(active: int, degree: int, variance: float | None = None) -> Public:
    """Return a circle and its α: a fixed share of the variance, the largest that the unit ball allows."""
    v = largest_variance(active, degree) if variance is None else variance
    return {"active": active, "degree": degree, "variance": v, "alpha": UNIT * v}


def quiet(active: int, degree: int) -> Public:
    """Return a circle of so small a variance that the noise is nearly all of the threshold."""
    return block(active, degree, SMALL / UNIT)


def stated(
    model: Model, alpha: float, degree: int, d: int, epsilon: float, delta: float, variance: float
) -> float:
    """Return the n of Theorem 2 or 3; of equation (9), for one neighbour."""
    shape = bounds.local_rows if model == "local" else bounds.central_rows
    return shape(alpha, degree, d, epsilon, delta, variance)


def predicted(
    model: Model, alpha: float, degree: int, d: int, epsilon: float, delta: float, variance: float
) -> float:
    """Return the n at which the threshold is the entry α/s."""
    return Threshold(model == "local", d, epsilon, delta, variance).rows(alpha / degree)


def isolated(
    part: str, model: Model, alpha: float, degree: int, d: int, epsilon: float, delta: float, variance: float
) -> float:
    one = Threshold(model == "local", d, epsilon, delta, variance)
    return one.only(part, alpha / degree) / one.rows(alpha / degree)


KNOWN: Public = {"predicted": predicted, "isolated": isolated, "caps": CAPS}


def algorithm(id: str, said: str, model: Model, usual: Public, *moves: Move) -> Statement:
    key = {"central": "covariance/thresholded", "local": "covariance/local-thresholded"}[model]
    usual = {"model": model, "norm": "w = 2", **usual}
    p = lambda d: {"p": d}  # noqa: E731
    return Statement(id, f"{key} [paper, {said}]", usual, stated, moves, on_circles, also=p, **KNOWN)


NOISE_TERM, SAMPLING_TERM = "s √ln p √ln(1/δ)/(αε)", "s² ln p γ²/α²"
USERS_TERM = "s² ln p ln(1/δ)/(αε)²"
ROOT_DELTA = {"ln 1/δ": 1.0, "no δ": 0.0}
SAMPLED: Public = {"part": "sampling"}
NOISE = algorithm(
    "WX19/Thm2",
    "noise",
    "central",
    {"d": 64, "epsilon": 0.5, "delta": 1e-6, **quiet(16, 4)},
    in_epsilon(0.8, NOISE_TERM, caps=SEEN),
    in_delta(NOISE_TERM, 0.5, ROOT_DELTA),
    in_alpha(SMALL, -1, NOISE_TERM),
    row("degree", DEGREES, 1, IN_S, NOISE_TERM, **quiet(64, 4)),
    row("d", DIMENSIONS, 0.5, ROOTS, NOISE_TERM, logarithm=True, **quiet(8, 2)),
)
SAMPLING = algorithm(
    "WX19/Thm2",
    "sampling",
    "central",
    {"d": 64, "epsilon": NO_NOISE, "delta": 1e-6, **block(16, 4)},
    in_alpha(block(16, 4)["alpha"], -2, SAMPLING_TERM, caps=SEEN, **SAMPLED),
    row("degree", DEGREES[1:], 2, IN_S_SQUARED, SAMPLING_TERM, **SAMPLED, **block(64, 4)),
    row("d", DIMENSIONS, 1, LOGS, SAMPLING_TERM, logarithm=True, **SAMPLED, **block(8, 2)),
)
USERS = algorithm(
    "WX19/Thm3",
    "noise",
    "local",
    {"d": 16, "epsilon": 4.0, "delta": 1e-3, **block(8, 2)},
    in_epsilon(8.0, USERS_TERM, -2, {"1/ε": -1.0}, caps=SEEN),
    in_delta(USERS_TERM, 1, {"√ln 1/δ": 0.5, "no δ": 0.0}),
    in_alpha(block(8, 2)["alpha"], -2, USERS_TERM, epsilon=8.0),
    row("degree", DEGREES[1:4], 2, IN_S_SQUARED, USERS_TERM, d=32, epsilon=8.0, **block(32, 4)),
    row("d", DIMENSIONS, 1, LOGS, USERS_TERM, logarithm=True),
)
COLUMNS = replace(
    NOISE,
    id="WX19/Cor1",
    key=NOISE.key.replace("noise", "noise, w = 1"),
    usual={**NOISE.usual, "norm": "w = 1"},
    moves=NOISE.only("epsilon", "degree", "d").moves,
)


def proved(setting: Setting) -> float:
    """Return the n from which 8 t (s + 1) is at most α: Theorem 2 with the constants of Lemma 3."""
    public = setting.point
    numbers = {name: public[name] for name in ("p", "epsilon", "delta", "variance")}
    return Threshold(public["model"] == "local", **numbers).rows(setting.alpha / (8 * (public["degree"] + 1)))


# Single entries: Lemma 1 and equation (9)


VARIANCE = largest_variance(ACTIVE, 2)
ENTRY_NOISE, ENTRY_SAMPLING = "√ln p √ln(1/δ)/(αε)", "ln p σ²/α²"
ENTRY_DIMENSIONS = (4, 16, 64, 256)
ENTRY = {"model": "central", "degree": 1, "d": 64, "delta": 1e-6}


ENTRIES = Statement(  # the largest of p² entries grows a little slower than √ln p: more runs tell
    "WX19/Eq9",
    "covariance/perturbed [paper, noise]",
    {**ENTRY, "epsilon": 0.5, "variance": SMALL / UNIT, "alpha": SMALL},
    stated,
    (
        in_epsilon(0.8, ENTRY_NOISE, caps=SEEN),
        in_delta(ENTRY_NOISE, 0.5, ROOT_DELTA),
        in_alpha(SMALL, -1, ENTRY_NOISE),
        row("d", ENTRY_DIMENSIONS, 0.5, ROOTS, ENTRY_NOISE, logarithm=True, caps=MANY),
    ),
    largest_entry,
    start=lambda predicted: predicted / 4,
    also=lambda d: {"p": d, "active": min(ACTIVE, d)},
    **KNOWN,
)
SAMPLED_ENTRIES = replace(
    ENTRIES,
    id="WX19/Lem1",
    key="covariance/perturbed [paper, sampling]",
    usual={**ENTRY, "epsilon": NO_NOISE, "variance": VARIANCE, "alpha": VARIANCE / 8},
    also=lambda d: {"p": d, "active": d},
    moves=(
        in_alpha(VARIANCE / 4, -2, ENTRY_SAMPLING, **SAMPLED),
        row("d", ENTRY_DIMENSIONS, 1, LOGS, ENTRY_SAMPLING, logarithm=True, caps=MANY, **SAMPLED),
    ),
)


def proved_entry(at: Setting) -> float:
    """Return the least n at which the bound on every entry is at most α, but for β of runs."""
    p, variance = at.point["p"], at.point["variance"]
    truth = np.diag(np.where(np.arange(p) < at.point["active"], variance, 0.0))
    noise = stated_noise(at.point["epsilon"], at.point["delta"])

    def close(n: int) -> bool:
        return bool(bounds.entry_deviation(truth, n, noise / n, noise / n, BETA).max() <= at.alpha)

    return smallest(close)


def claimed(name: str, number: str, table: Statement, said: str, **more: Any) -> Claim:
    said = f"On circles of equal correlations the searched n of {said}, and by no other power nearby;"
    end = " none is above the n at which 8 t (s + 1) is α."
    return grow(f"sparse-covariance/{name}", number, said + end, table, checks=below(proved), **more)


CLAIMS = (
    claimed(
        "rows-grow-with-noise",
        "N51",
        NOISE,
        "Algorithm 1, where noise dominates, grows at most as s √(ln p ln(1/δ))/(αε): in ε = .8 .. .1, δ ="
        " 1e-2 .. 1e-16, α over a factor 8, s = 2 .. 32, p = 8 .. 256",
    ),
    claimed(
        "rows-grow-with-sampling",
        "N52",
        SAMPLING,
        "Algorithm 1, with next to no noise, grows at most as s² ln p γ²/α²: in α over a factor 8, s = 4 .."
        " 32, p = 8 .. 256",
        open="In α and p the rates are seen. In s n grows as (s + 1)², as the bound does before s + 1 is"
        " taken for s: from s = 4 to 32 the slopes from value to value rise from 1.7 to 2.",
    ),
    claimed(
        "users-grow",
        "N53",
        USERS,
        "Algorithm 2 grows at most as s² ln p ln(1/δ)/(αε)²: in ε = 8 .. 1, δ = 1e-2 .. 1e-16, α over a"
        " factor 8, s = 4 .. 16, p = 8 .. 256",
    ),
    claimed(
        "rows-grow-in-column-sums",
        "N54",
        COLUMNS,
        "Algorithm 1 for an error in the norm for w = 1 grows at most as s √(ln p ln(1/δ))/(αε), as that for"
        " w = 2 does: in ε = .8 .. .1, s = 2 .. 32, p = 8 .. 256",
    ),
    grow(
        "sparse-covariance/rows-grow-for-entries",
        "N55",
        "The searched n with which all entries of the release are within α in 90 % of runs grows at most as"
        " √(ln p ln(1/δ))/(αε) where noise dominates, in ε = .8 .. .1, δ = 1e-2 .. 1e-16, α over a factor"
        " 8, p = 4 .. 256, and at most as ln p σ²/α² where sampling does, in α over a factor 8 and p = 4 .."
        " 256; none is above the proved n.",
        ENTRIES,
        SAMPLED_ENTRIES,
        sources=("WX19/Lem1", "WX19/Eq9"),
        checks=below(proved_entry),
        slower="All rates are seen but one: where sampling dominates n grows as (ln p)^.69, as the largest"
        " of p² entries of few variances does.",
    ),
)
