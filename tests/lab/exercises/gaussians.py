"""What the solutions of notebooks 04 and 05 say, and what the package finds."""

import json
import re
from functools import cache
from math import sqrt
from pathlib import Path
from textwrap import dedent

import numpy as np

from tests.lab.exercises.solutions import Said
from workbench.chapters import any_gaussian, covariance
from workbench.chapters.any_gaussian.votes import Vote, masked_releases, rotated, scattered
from workbench.chapters.covariance.heavy_tails import CutStudent, D
from workbench.chapters.covariance.one_radius import DEGREES, WITHIN, WORLDS, followed, pair, tilted
from workbench.privacy import ZCDP, ApproxDP
from workbench.study.audit import audit
from workbench.study.grids import Role, stream

SEED, OTHERS = 17, range(1, 13)
LAW, N, RHO = CutStudent(4.2, D), 5000, 0.5


@cache
def naive(seed):
    """Steps at u = 900, and the median errors of twelve runs: with them, without, and of the answer 0."""
    law, (simple, stepped) = tilted(900.0, DEGREES), pair(900.0)
    data, noise = (stream(seed, role, "covariance-steps-view", N, 0) for role in (Role.DATA, Role.NOISE))
    found = []
    for _ in range(12):
        x = law.sample(N, rng=data)
        private = followed(stepped, x, noise, RHO).value
        found.append((law.error(private), law.error(simple(x, budget=ZCDP(RHO), rng=noise).value)))
    return [len(stepped.stages(N, 2, ZCDP(RHO))), *np.median(found, axis=0), law.error(np.zeros((2, 2)))]


def among(values, low, high):
    """Whether both ends read what the least and the largest value are rounded to."""
    return low.rounds(min(values)) and high.rounds(max(values))


def answered(n, far):
    """The chance that a vote of n groups with so many far ones is heard."""
    data = stream(SEED, Role.DATA, "any-gaussian-view", n, 0)
    vote = Vote.of(scattered(n, far / n, data), ApproxDP(4.0, 1e-3))
    assert int((vote.weights == 0).sum()) == far
    return vote.design.chance(vote.friends)


def asked(n):
    """The share of friendly pairs at which an answer is as likely as it is wanted."""
    vote = Vote.of(scattered(n, 0.02, np.random.default_rng(SEED)), ApproxDP(4.0, 1e-3))
    return vote.needed


def agreed(share, n=400):
    return Vote.of(scattered(n, share, np.random.default_rng(SEED)), ApproxDP(4.0, 1e-3)).agreed


@cache
def printed(stem, first):
    """What the code of a solution defines, which begins with these words."""
    text = (Path(__file__).parents[3] / "notebooks" / f"{stem}.ipynb").read_text(encoding="utf-8")
    cells = ["".join(cell["source"]) for cell in json.loads(text)["cells"]]
    (place,) = (place for place, cell in enumerate(cells) if cell.startswith("## Exercises"))
    solutions = cells[place + 1]
    codes = [dedent(code) for code in re.findall(r"```python\n(.*?)```", solutions, re.DOTALL)]
    (code,) = (one for one in codes if one.startswith(first))
    names = {"np": np, "print": lambda *_: None, "ZCDP": ZCDP, "ApproxDP": ApproxDP}
    exec(code, names)
    return names


def secret(sensitivity):
    """The report on the second moment of exercise 4 at a sensitivity."""
    code = printed("04_covariance", "def mine(x, trials")
    return audit(lambda *given: code["mine"](*given, sensitivity), code["pairs"], ZCDP(0.5))


def spread(i, j):
    """The standard deviation of an entry of (z + zᵀ)/2."""
    z = np.random.default_rng(SEED).standard_normal((20_000, 2, 2))
    return ((z + z.swapaxes(1, 2)) / 2)[:, i, j].std()


def by_lead(threshold):
    """The report on the most popular number, released by its lead."""
    code = printed("05_any_gaussian", "def mine(x, trials")
    return audit(lambda *given: code["mine"](*given, threshold), code["pairs"], ApproxDP(1, 1e-3))


def attacked():
    """How far the hidden attacker moves the average of exercise 4, the mean and the median."""
    own = printed("05_any_gaussian", "def mine(points")["mine"]
    return [any_gaussian.attack(one).moved for one in (own, np.mean, np.median)]


def allowed():
    """What the theorem allows in exercise 4 of notebook 05."""
    return any_gaussian.attack(np.mean).allowed


@cache
def judged(steps):
    """How the covariance of exercise 5 does in hidden worlds."""
    mine = printed("04_covariance", "def noisy")["mine"]
    return covariance.judge(lambda *given: mine(*given, steps))


def masked(condition):
    """The median Thompson distance of sixty masked releases, and the factor that it is."""
    data, noise = (stream(SEED, role, "any-gaussian-view", 1, 0) for role in (Role.DATA, Role.NOISE))
    root = rotated(np.array([1.0, condition]) / condition, data)
    back = np.linalg.inv(root)
    found = np.array(masked_releases(root, 20_000, ApproxDP(1.0, 1e-6), 60, noise))
    distance = np.median(np.abs(np.log(np.linalg.eigvalsh(back @ found @ back.T))).max(axis=1))
    return distance, np.exp(distance)


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
            "no better than a half of the $1.41$ that the answer 0 is off",
            lambda blind, _zero: blind.rounds(sqrt(2)) and naive(SEED)[2] >= naive(SEED)[3] / 2,
        ),
        Said(
            "takes 8 steps, with an error of about $0.04$",
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
    ("04_covariance", 4): (
        Said(r"is $\sqrt2/(n\sqrt{2\rho})$", lambda *found: found == (2, 2)),
        Said(r"$M_{12}$ has $1/\sqrt2$ of it", lambda *_: not secret(2**0.5).violated),
        Said("$M_{11}$"),
        Said(
            r"without the $\sqrt2$ it does, and proves that $\rho$ is at least $0.52$",
            lambda _, rho: secret(1.0).violated and rho.rounds(secret(1.0).rho_lower),
        ),
    ),
    ("04_covariance", 5): (
        Said(
            "a radius of 4 and $e$ twice the standard deviation",
            lambda radius: radius == printed("04_covariance", "def noisy")["noisy"].__defaults__[0],
        ),
        Said(
            "With one step its error is $3.2$, with 2 by $0.067$",
            lambda one, two, better: (
                one.rounds(np.median(judged(1).mine)) and better.rounds(np.median(judged(int(two)).mine))
            ),
        ),
        Said(
            "only 11 of the 12 worlds are within $0.2$",
            lambda good, worlds, within: (
                good == judged(2).good and worlds == len(judged(2).mine) and within == WITHIN
            ),
        ),
        Said(
            "with 3 steps all are, and the median error is $0.033$",
            lambda steps, error: (
                judged(int(steps)).good == WORLDS and error.rounds(np.median(judged(int(steps)).mine))
            ),
        ),
        Said(
            r"$(z + z^\top)/2$ has the full standard deviation on the diagonal and $1/\sqrt2$ of it off it",
            lambda half, one, root: (
                half == 2 and np.isclose(spread(0, 1) / spread(0, 0), one / root**0.5, 0.03)
            ),
        ),
    ),
    ("05_any_gaussian", 1): (
        Said(
            "Up to 0.7 %, 1 group of 150; with 2 there is an answer 37 % of the time",
            lambda share, far, n, more, heard: (
                share.rounds(far / n)
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
        Said("the plan asks for 0.976 of all pairs", lambda share: share.rounds(asked(150))),
        Said(
            "0.985 at $n = 400$: there the limit is 3 groups, 0.75 %",
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
    ("05_any_gaussian", 4): (
        Said(
            "moves it by $0.017$, and $0.091$ is allowed",
            lambda moved, most: moved.rounds(attacked()[0]) and most.rounds(allowed()),
        ),
        Said("moves the mean by $10^4$", lambda far: far.rounds(attacked()[1])),
        Said(
            "the median by $0.49$: if one half of the points lies at one end and one half",
            lambda far: far.rounds(attacked()[2]) and far > allowed(),
        ),
    ),
    ("05_any_gaussian", 5): (
        Said(
            r"$1 + \ln\frac1{2\delta} = 7.2$",
            lambda *found: found[-1].rounds(printed("05_any_gaussian", "def mine(x")["mine"].__defaults__[0]),
        ),
        Said("the audit finds nothing", lambda: not by_lead(1 + np.log(500)).violated),
        Said(
            "gives in 70 % of all runs and the second never",
            lambda share: (
                by_lead(0.0).counts[1] == 0
                and share.rounds(1 - np.exp(-0.5) / 2)
                and abs(by_lead(0.0).counts[0] / by_lead(0.0).trials - share) < 0.02
            ),
        ),
    ),
}
