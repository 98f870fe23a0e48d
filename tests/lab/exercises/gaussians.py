"""What the solutions of notebooks 03 and 04 say, and what the package finds."""

import re
from functools import cache
from math import sqrt

import numpy as np

from tests.lab.exercises.solutions import Said
from workbench.chapters import any_gaussian, covariance
from workbench.chapters.any_gaussian.figures.vote import Vote, scattered
from workbench.chapters.covariance.runs.heavy import D
from workbench.chapters.covariance.runs.heavy_theory import CutStudent
from workbench.privacy import ApproxDP
from workbench.privacy.mechanisms import truncated_laplace_bound
from workbench.study.run import Run

SEED, OTHERS = 17, range(1, 13)
LAW, N, RHO = CutStudent(4.2, D), 5000, 0.5


@cache
def sentence(view, **values):
    """The last words of an explorer at a position."""
    *_, last = view(Run("quick", SEED), **values)
    return last.caption


@cache
def naive(seed):
    """The sentence of the explorer of steps at u = 900, read as steps and errors."""
    *_, last = covariance.steps_view(Run("quick", seed), rho=RHO, alpha=0.1, n=N, upper=900.0)
    pattern = r"(\d+) steps;.* preconditioned ([\d.]+), naive ([\d.]+); .*; the answer 0 .* by (\d\.\d+)"
    return [float(number) for number in re.search(pattern, last.caption).groups()]


def among(values, low, high):
    """Whether both ends read what the least and the largest value are rounded to."""
    return low.rounds(min(values)) and high.rounds(max(values))


def answered(n, far):
    """The share of votes that are heard, of n groups with so many far ones."""
    public = {"epsilon": 4.0, "delta": 1e-3, "size": 1, "thresholds": "ours"}
    words = sentence(any_gaussian.vote_view, n=n, corruption=far / n, **public)
    assert f"{far} of {n} groups have weight 0" in words
    return float(re.search(r"Answered in (\d+) %", words)[1]) / 100


def asked(n):
    """The share of friendly pairs that an answer takes, with its noise."""
    vote = Vote.of(scattered(n, 0.02, np.random.default_rng(SEED)), ApproxDP(4.0, 1e-3))
    return vote.quorum + truncated_laplace_bound(vote.design.charges[0])


def agreed(share, n=400):
    return Vote.of(scattered(n, share, np.random.default_rng(SEED)), ApproxDP(4.0, 1e-3)).agreed


def masked(condition):
    """The Thompson distance of releases, and the factor that it is."""
    words = sentence(any_gaussian.mask_view, n=20_000, condition=condition, epsilon=1.0, delta=1e-6)
    return [float(number) for number in re.search(r"distance ([\d.]+): a factor (\d\.\d+)", words).groups()]


GAUSSIANS = {
    ("04_covariance", 1): (
        Said("$u = 30^2 = 900$", lambda side, power, u: u == side**power),
        Said(
            "median naive error of $0.77$ (other seeds: $0.4$ to $1.0$)",
            lambda error, low, high: (
                error.rounds(naive(SEED)[2]) and among([naive(seed)[2] for seed in OTHERS], low, high)
            ),
        ),
        Said(
            "no better than a half of the $1.41$ that the answer 0 errs by",
            lambda blind, _zero: blind.rounds(sqrt(2)) and naive(SEED)[2] >= naive(SEED)[3] / 2,
        ),
        Said(
            "takes 8 steps and errs by about $0.04$",
            lambda steps, error: steps == naive(SEED)[0] and error.rounds(naive(SEED)[1]),
        ),
    ),
    ("04_covariance", 2): (
        Said(
            r"in $d = 5$ a row has length $\sqrt5$ already in quadratic mean",
            lambda d, square: d == square == D,
        ),
        Said(
            r"At $\gamma = 5$ the bias is $0.25$ and the noise $0.03$",
            lambda radius, bias, noise: (
                bias.rounds(LAW.bias(radius)) and noise.rounds(LAW.noise(radius, N, RHO))
            ),
        ),
        Said(
            "the best radius is $8.7$, where they are $0.08$ each",
            lambda radius, each: (
                radius.rounds(LAW.best_radius(N, RHO))
                and each.rounds(LAW.bias(LAW.best_radius(N, RHO)))
                and each.rounds(LAW.noise(LAW.best_radius(N, RHO), N, RHO))
            ),
        ),
        Said(
            "the sampling error is $0.12$",
            lambda error: error.rounds(LAW.sampling(LAW.best_radius(N, RHO), N)),
        ),
    ),
    ("05_any_gaussian", 1): (
        Said(
            "Up to 2 %, 3 groups of 150; with 4 there is an answer 35 % of the time",
            lambda share, far, n, more, heard: (
                far == share * n
                and answered(int(n), int(far)) > 0.5
                and abs(answered(int(n), int(more)) - heard) <= 0.05
            ),
        ),
        Said(
            "about $(1-f)^2$ for a share $f$ of far groups",
            lambda one, power: all(
                abs(agreed(share) - (one - share) ** power) < 0.02 for share in (0.02, 0.05, 0.1)
            ),
        ),
        Said("the plan asks for 0.95 of all pairs", lambda share: share.rounds(asked(150))),
        Said(
            "0.97 at $n = 400$: there the limit is 5 groups, 1.25 %",
            lambda share, n, far, limit: (
                share.rounds(asked(int(n)))
                and limit == far / n
                and answered(int(n), int(far)) > 0.5 > answered(int(n), int(far) + 1)
            ),
        ),
    ),
    ("05_any_gaussian", 2): (
        Said(
            "A Thompson distance of about 0.1, a factor of 1.1, in both cases",
            lambda distance, factor: all(
                distance.rounds(found) and factor.rounds(by) for found, by in map(masked, (1.0, 1e4))
            ),
        ),
    ),
}
