"""L17: how n grows with every number in its sample sizes, one at a time, and beside its lower bounds.

A term stands out where the other numbers are such that it is the largest: the sampling term at large ε, the
noise at small ε, the location at an accuracy of one standard deviation. Beside the shapes stand the n that
are proved, with all constants: no n that is found may be larger.

For histograms an error of at most α n in all counts is one of at most α in all shares. A failure probability
β is moved by repetition: if of r independent histograms all are within α in 9 of 10 runs, each of them fails
with probability 1 - .9^(1/r).

A lower bound cannot be broken by a private estimator. What can fail is that an n grows as the bound does:
that the bound has the right power of every number, or that the estimator is good. The estimators are those
whose other terms are small, found by trying. At ε = .01 the n of the tight two-step mean (R = 10) goes as
α^-.70 [-.84, -.55] over α = .8 .. .1, where locating costs rows as well, and that of the tight clipped mean
(R = 1) as α^-1.33 [-1.52, -1.15] over α = .4 .. .05. Neither would decide here. Nor does the median in the α
of Theorem 2.6, which no median is told: at R = 1e4, ε = .1 its n is 357 within α = .5, 254 within 5 and 253
within 50, where the bound falls from 121 to 98 and 75.
"""

from collections.abc import Callable
from math import log

import numpy as np
from numpy.random import Generator

from workbench.bounds import l17, smallest
from workbench.chapters.scalings import grow, in_alpha, in_delta, in_epsilon, row, term
from workbench.privacy import ApproxDP, Charge, PureDP, noise_source
from workbench.privacy.histograms import COUNTS_L1, finite_histogram, stability_charge, stability_histogram
from workbench.study.scaling import Public, Setting, Statement, below
from workbench.study.sweeps import Row, each_trial

BETA = 0.1
SEEN, CAPS = {"quick": 100, "full": 400}, {"full": 400}
IN_LOG = {letter: {f"√ln {letter}": 0.5, f"ln² {letter}": 2.0} for letter in ("R", "k", "1/β", "1/δ")}
ACCURATE = in_alpha(0.16, -2, "1/α²", epsilon=10.0)
OF_MEANS: Public = {"caps": {"quick": 100, "full": 500}}

CLIPPED = Statement(
    "L17/Eq1",
    "univariate/clipped-mean",
    {"d": 1, "alpha": 0.1, "epsilon": 0.5, "radius": 100.0, "calibration": "paper"},
    term(l17.clipped_mean_shape),
    (
        row("radius", (50.0, 100.0, 200.0, 400.0), 1, {"√R": 0.5, "ln R": 0.2}, "R/(αε)"),
        in_epsilon(0.8, "R/(αε)"),
        in_alpha(0.4, -1, "R/(αε)"),
    ),
    **OF_MEANS,
)
TWO_STEP = Statement(
    "L17/Eq2",
    "univariate/two-step-mean",
    {"d": 1, "alpha": 1.0, "epsilon": 0.1, "radius": 100.0, "calibration": "paper"},
    term(l17.two_step_shape),
    (
        ACCURATE,
        in_epsilon(0.16, "ln R/ε and the noise", alpha=0.5),
        row("radius", (5.0, 25.0, 1e3, 1e6), 1, IN_LOG["R"], "ln R/ε", logarithm=True),
    ),
    **OF_MEANS,
)
UNBOUNDED = Statement(
    "L17/Eq6",
    "univariate/unbounded-mean",
    {"d": 1, "alpha": 1.0, "epsilon": 0.1, "delta": 1e-6, "calibration": "paper"},
    term(l17.unbounded_shape),
    (ACCURATE, in_epsilon(0.4, "ln(1/δ)/ε"), in_delta("ln(1/δ)/ε", instead={"√ln 1/δ": 0.5})),
    **OF_MEANS,
)
PACKING = Statement(
    "L17/Thm2.6",
    "univariate/median",
    {"d": 1, "alpha": 4.0, "epsilon": 0.1, "radius": 1e4},
    lambda alpha, epsilon, radius: l17.packing_bound(radius, alpha, epsilon, BETA, strict=False),
    (in_epsilon(0.4, "ln(R/α)/ε"),),
    bound="lower",
    caps=SEEN,
)

# Histograms: Theorems 1.1 and 1.2


SHARE = 0.9  # of runs that succeed, all repetitions at once
REPEATS = {1 - SHARE ** (1 / repeats): repeats for repeats in (1, 7, 45, 300)}  # β of one -> repetitions
BETAS = tuple(REPEATS)
TINY = (1e-24, 1e-48, 1e-96, 1e-192)  # so small that ln(1/δ) is most of the bound
FINITE_TERM, DROPPED = "ln(k/β)/(αε)", "ln(1/δ)/(αε)"


@each_trial
def finite_shares(
    bins: int, repeats: int, n: int, epsilon: float, *, data: Generator, noise: Generator
) -> Row:
    """Measure the largest error of a share, over all bins of independent histograms of n rows each."""
    charge = Charge("histogram", "laplace", COUNTS_L1, PureDP(epsilon))
    keys = data.integers(bins, size=(repeats, n)) + bins * np.arange(repeats)[:, None]
    counts = np.bincount(keys.ravel(), minlength=bins * repeats)
    released = finite_histogram(keys.ravel(), bins * repeats, charge, noise_source(noise))
    return {"error": np.abs(released - counts).max() / n}


@each_trial
def stable_shares(
    alpha: float, repeats: int, n: int, epsilon: float, delta: float, *, data: Generator, noise: Generator
) -> Row:
    """Measure the same over all bins of the line, where each populated bin has just above α n rows.

    No rows are harder: a bin with fewer may be dropped, and one with more is dropped less often.
    """
    rows = int(alpha * n) + 1
    keys = np.repeat(np.arange(repeats * max(n // rows, 1)), rows)
    charge = stability_charge("histogram", ApproxDP(epsilon, delta))
    released = stability_histogram(keys, charge, noise_source(noise))
    kept = max((abs(count - rows) for count in released.values()), default=0.0)
    return {"error": (kept if len(released) == len(keys) // rows else rows) / n}


def finite_rows(alpha: float, epsilon: float, beta: float, bins: int) -> float:
    """Return the n of Theorem 1.1, with all constants."""
    return l17.histogram_error(bins, epsilon, beta) / alpha


def stable_rows(alpha: float, epsilon: float, delta: float, beta: float) -> int:
    """Return the n from which the bound of Theorem 1.2 on the error of a count is at most α n."""
    return smallest(lambda n: l17.stable_histogram_error(n, epsilon, delta, beta) <= alpha * n, start=10)


def stable_share(part: str, alpha: float, epsilon: float, delta: float, beta: float) -> float:
    dropped = 2 / epsilon * log(1 / (2 * delta)) / (alpha * stable_rows(alpha, epsilon, delta, beta))
    return dropped if part == "dropped" else 1 - dropped


REPEATED: Public = {"also": lambda beta: {"repeats": REPEATS[beta]}, "caps": CAPS}
FINITE = Statement(
    "L17/Thm1.1",
    "univariate/histogram-location [all bins, laplace]",
    {"bins": 20, "alpha": 0.05, "epsilon": 0.5, "beta": BETAS[0]},
    finite_rows,
    (
        in_epsilon(0.8, FINITE_TERM, caps=SEEN),
        in_alpha(0.1, -1, FINITE_TERM),
        row("bins", (4.0, 32.0, 1e3, 1e5), 1, IN_LOG["k"], FINITE_TERM, logarithm=True),
        row("beta", BETAS, 1, IN_LOG["1/β"], FINITE_TERM, logarithm=True, bins=2),
    ),
    finite_shares,
    predicted=finite_rows,
    isolated=lambda: 1.0,
    bound="equal",
    **REPEATED,
)
STABLE = Statement(  # the source has its β as .01
    "L17/Thm1.2",
    "univariate/stable-location [all bins]",
    {"alpha": 0.1, "epsilon": 0.5, "delta": TINY[0], "beta": BETAS[0]},
    lambda alpha, epsilon, delta, beta: (log(1 / delta) + log(1 / beta)) / (alpha * epsilon),
    (
        in_epsilon(0.8, DROPPED, part="dropped", caps=SEEN),
        in_alpha(0.2, -1, DROPPED, part="dropped"),
        in_delta(DROPPED, 1, IN_LOG["1/δ"], TINY, part="dropped"),
        row("beta", BETAS, 1, IN_LOG["1/β"], "ln(n/β)/(αε)", logarithm=True, delta=0.2),
    ),
    stable_shares,
    predicted=stable_rows,
    isolated=stable_share,
    **REPEATED,
)


# What is claimed


def proved(sample_size: Callable[..., int], *names: str, **split: float) -> Callable[[Setting], float]:
    """Return the n that is proved at a setting, for the split of the budget that the source has."""
    return lambda setting: sample_size(
        setting.alpha, **{name: setting.point[name] for name in names}, beta=BETA, **split
    )


CLAIMS = (
    grow(
        "one-mean/clipped-rows-grow",
        "N1",
        "Searched n of the clipped mean grow as 1/α² + R/(αε) + √ln(1/(αε))/(αε) does, and by no other power"
        " nearby: in R = 50 .. 400, ε = .8 .. .1, α = .4 .. .05; none is larger than the proved one.",
        CLIPPED,
        sources=("L17/Lem2.2", "L17/Eq1"),
        checks=below(proved(l17.clipped_mean_sample_size, "radius", "epsilon")),
    ),
    grow(
        "one-mean/two-step-rows-grow",
        "N2",
        "Searched n of the two-step mean grow at most as 1/α² + ln(R)/ε + √ln(1/(αε))/(αε) does: in α = .16"
        " .. .02 at ε = 10, in ε = .16 .. .02 at α = .5, and in R = 5 .. 1e6 at α = 1; none is larger than"
        " the proved one.",
        TWO_STEP,
        sources=("L17/Thm2.5", "L17/Eq2"),
        checks=below(proved(l17.two_step_sample_size, "radius", "epsilon", split=0.5)),
        slower="In α and ε the rates are seen. In R n grows as √(ln R): less than stated.",
    ),
    grow(
        "one-mean/unbounded-rows-grow",
        "N3",
        "Searched n of the unbounded mean grow at most as 1/α² + ln(1/δ)/ε + √ln(1/(αε))/(αε) does: in α ="
        " .16 .. .02 at ε = 10, in ε = .4 .. .05 and δ = 1e-2 .. 1e-16 at α = 1; none is larger than the"
        " proved one.",
        UNBOUNDED,
        sources=("L17/Thm2.8", "L17/Eq6"),
        checks=below(proved(l17.unbounded_sample_size, "epsilon", "delta", split=0.5)),
    ),
    grow(
        "one-mean/finite-histogram-rows-grow",
        "N4",
        "The searched n with which all shares of a finite histogram are within α grows as (2/(αε)) ln(k/β),"
        " no faster and no slower: in ε = .8 .. .1, α = .1 .. .0125, k = 4 .. 1e5, β = .1 .. 3.5e-4.",
        FINITE,
    ),
    grow(
        "one-mean/stable-histogram-rows-grow",
        "N5",
        "Over infinitely many bins, each populated one just above α n, the searched n with which all shares"
        " are within α grows at most as ln(1/(δβ))/(αε): in ε = .8 .. .1, α = .2 .. .025, δ = 1e-24 .."
        " 1e-192, β = .1 .. 3.5e-4.",
        STABLE,
    ),
    grow(
        "one-mean/stable-histogram-rows-proved",
        "N8",
        "None of the searched n of stable histograms is above the one at which the bound of Theorem 1.2 with"
        " all constants, 1 + (2/ε)(ln(1/(2δ)) + ln(n/β)), is α n.",
        STABLE,
        checks=below(lambda setting: setting.predicted, grow=False),
        open="at δ = 1e-192 the bound is 2 % above the least n, and a search resolves 6 %",
    ),
    grow(
        "one-mean/rows-grow-as-packing",
        "N6",
        "The searched n with which the private median is within 4 standard deviations grows as the packing"
        " bound ln(9 (⌈R/4⌉ - 1))/ε does, or faster: in ε = .4 .. .05 at R = 1e4.",
        PACKING,
    ),
)
