"""Matrix quantiles: how n grows with every number in their rows, and in those of what lifted rows give.

Of a matrix quantile n is the least that its plan accepts; that so few rows are enough is tried in `rows`. The
shape is ours, and so are these claims: of AL22 stands beside it what its votes ask for. A private
preconditioner from fewer than d² rows was an open question there; d^1.5 was answered since (Brown, Hopkins &
Smith 2023).

Of a mean and of a whole Gaussian half of all runs have to be within α, so that an n stands beside that of a
predicted median. The statements are for a constant error where n is next to the fewest rows (d ln(1/δ)/ε),
and the whole sum, or its sampling term, elsewhere.
"""

from dataclasses import replace
from math import log
from typing import Literal

from workbench.bounds import al22
from workbench.chapters.matrix_quantile import lifted
from workbench.chapters.matrix_quantile.lifted import ALPHA, affine, constant_shape, mean_shape
from workbench.chapters.matrix_quantile.lifted import MEAN_ROWS_BAND as BAND
from workbench.chapters.matrix_quantile.quantiles import STATEMENT
from workbench.chapters.matrix_quantile.rows import BETA
from workbench.chapters.scalings import LINEAR, QUADRATIC, grow, in_alpha, in_delta, in_epsilon, row
from workbench.estimators.matrix_quantile import Mask, fewest_rows
from workbench.privacy import ApproxDP
from workbench.study.rules import Status
from workbench.study.scaling import Statement, bounded

FOURFOLD = log(2)
FLAT = {"√ln": 0.5, "ln": 1.0}
FIXED = {"1/α": -1.0, "1/α³": -3.0}
DELTAS = (1e-2, 1e-4, 1e-8, 1e-12)
Target = Literal["thompson", "frobenius"]


# Matrix quantiles


def shape(d: int, epsilon: float, delta: float) -> float:
    """Return (d^1.5 + d ln(1/δ))/ε."""
    return float((d**1.5 + d * log(1 / delta)) / epsilon)


def near_shape(d: int, alpha: float, epsilon: float, delta: float) -> float:
    """Return the sampling and the noise of Theorem 5.5, and the shape of a condition of 4."""
    return al22.conditioned_shape(d, alpha, epsilon, delta).total + shape(d, epsilon, delta)


def planned(d: int, epsilon: float, delta: float, target: Target, mask: Mask, alpha: float = FOURFOLD) -> int:
    return fewest_rows(d, ApproxDP(epsilon, delta), BETA, target, alpha, mask)


SHORT, NOISE = "(d^1.5 + d ln 1/δ)/ε", "d² √ln(1/δ)/(αε)"
ROWS = Statement(
    STATEMENT,
    "covariance/matrix-quantile (the plan's least n)",
    {"d": 2, "epsilon": 1.0, "delta": 1e-6, "target": "thompson", "mask": "auto"},
    shape,
    (
        row("d", (2, 5, 10, 20), 1, LINEAR, SHORT, mask="wishart"),
        in_epsilon(4.0, SHORT),
        in_delta("d ln(1/δ)/ε", values=DELTAS),
    ),
    None,
    alpha=lambda: FOURFOLD,
    fewest=planned,
    caps={"full": 200},
)
NEARBY = replace(
    ROWS,
    key="covariance/matrix-quantile (the plan's least n, relative Frobenius norm)",
    usual={**ROWS.usual, "alpha": 0.2, "target": "frobenius"},
    alpha=lambda alpha: alpha,
    shape=near_shape,
    moves=(
        row("d", (5, 10, 20), 2, QUADRATIC, NOISE, alpha=0.5),
        in_alpha(0.4, -2, "d²/α²", FIXED, epsilon=16.0),
        in_epsilon(0.8, NOISE, alpha=0.4),
        in_delta(NOISE, 0.5, {"ln² 1/δ": 2.0, "flat": 0.0}, DELTAS, epsilon=0.5),
    ),
)


# A mean and a whole Gaussian from lifted rows


FEW = "d ln(1/δ)/ε"
FEWEST = affine(
    lifted.MEAN,
    "α = .2",
    constant_shape,
    (
        in_epsilon(1.0, FEW),
        in_delta(FEW, values=DELTAS),
        row("condition", (10.0, 1e4, 1e8), 0, FLAT, "flat", logarithm=True),
        row("offset", (10.0, 1e4, 1e9), 0, FLAT, "flat", logarithm=True),
    ),
    d=2,
    caps={"full": 400},
    alpha=0.2,
)
TALL_MEAN = affine(
    lifted.MEAN, "α = .2", constant_shape, (row("d", (2, 5, 10, 20), 1, LINEAR, FEW),), alpha=0.2
)
SAMPLING = affine(  # ε at which sampling decides
    lifted.MEAN, "ε = 32", mean_shape, (in_alpha(0.08, -2, "d/α²", FIXED),), d=2, epsilon=32.0
)
LAWS = affine(
    lifted.LAW,
    "ε = 1",
    near_shape,
    (
        row("d", (4, 6, 10), 2, QUADRATIC, NOISE, alpha=0.04),
        row("alpha", (0.04, 0.02, 0.0125), -1, {"1/α²": -2.0}, NOISE, d=4),
    ),
    caps={"full": 60},
)

CLAIMS = (
    grow(
        "matrix-quantile/fourfold-rows-grow",
        "N61",
        "The plan's least n for a condition of 4, masks of one kind, grows at most as (d^1.5 + d ln(1/δ))/ε"
        " does: in d = 2 .. 20, where d² is excluded, ε = 4 .. 1/2, δ = 1e-2 .. 1e-12.",
        ROWS,
        kind="ours",
        expected=Status.NOT_CONTRADICTED,
        reason="It grows by less: as d^.93, ε^-.88 and ln(1/δ)^.58.",
    ),
    grow(
        "matrix-quantile/near-rows-grow",
        "N63",
        "The plan's least n for a relative Frobenius error α grows at most as d²/α² + d² √ln(1/δ)/(αε) +"
        " (d^1.5 + d ln(1/δ))/ε does: in d = 5 .. 20, α = .4 .. .05, ε = .8 .. .1, δ = 1e-2 .. 1e-12.",
        NEARBY,
        kind="ours",
        expected=Status.NOT_CONTRADICTED,
        reason="In α, ε and δ the rates are seen. In d it grows as d^1.3, less than d².",
    ),
    grow(
        "matrix-quantile/mean-rows-grow",
        "N64",
        "Searched n of a mean from a lifted quantile, d = 2, for a median error of .2, grow at most as"
        " ln(1/δ)/ε does (ε = 1 .. 1/8, δ = 1e-2 .. 1e-12), are the same for condition numbers 10 .. 1e8 and"
        " offsets of 10 .. 1e9 standard deviations, and at most 1.15 times the predicted ones.",
        FEWEST,
        checks=bounded(BAND),
        kind="ours",
        expected=Status.NOT_CONTRADICTED,
        reason="In ε, and in what n does not depend on, the rates are seen. In δ n grows as ln(1/δ)^.84.",
    ),
    grow(
        "matrix-quantile/mean-rows-in-steps",
        "N65",
        "Searched n of a mean from a lifted quantile grow at most as d ln(1/δ)/ε does in d = 2 .. 20, for a"
        " median error of .2; in α at most as d/α² + d √ln(1/δ)/(αε) + d ln(1/δ)/ε does, from .4 to .05 at ε"
        " = 1 and from .08 to .01 at ε = 32, d = 2; they are at most 1.15 times the predicted ones.",
        TALL_MEAN,
        ALPHA,
        SAMPLING,
        checks=bounded(BAND),
        kind="ours",
        expected=Status.UNDECIDED,
        reason="At ε = 32 the rate 1/α² is seen. At ε = 1 n grows as α^-.66 and as d^.79, less than stated."
        " Where α is small, the intervals of n are wider than the band.",
    ),
    grow(
        "matrix-quantile/law-rows-grow",
        "N66",
        "Searched n of a whole Gaussian from lifted rows, for a median total variation of α, grow at most as"
        " d²/α² + d² √ln(1/δ)/(αε) + (d^1.5 + d ln(1/δ))/ε does (d = 4 .. 10, α = .04 .. .0125), and are at"
        " most 1.15 times the predicted ones.",
        LAWS,
        checks=bounded(BAND),
        expected=Status.UNDECIDED,
        reason="In α n grows slower than stated. In d the three n lie on a curve: their exponent is 1.6,"
        " less than the stated 2, but so few values do not exclude the latter.",
        kind="ours",
    ),
)
