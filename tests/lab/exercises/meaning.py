"""What the solutions of notebook 01, and of the code of notebook 00, say, and what the package finds."""

from functools import cache
from math import exp

import numpy as np

from tests.lab.exercises.solutions import Said
from workbench.chapters.what_epsilon_means.attacks import most_advantage
from workbench.chapters.what_epsilon_means.densities import LAPLACE, Densities, law
from workbench.estimators.two_step import sensitivity
from workbench.privacy import Charge, PureDP
from workbench.privacy.mechanisms import laplace_scale
from workbench.study.audit import Pair, audit

NEAR, FAR, LINE = np.array([-1.0]), np.array([1.0]), np.linspace(-60, 60, 240_001)


def won(epsilon):
    """Of 20 rounds, by the best attacker of Laplace noise."""
    return 10 + 10 * Densities.of(law(LAPLACE, 1, epsilon, 0.0, bound=1.0), NEAR, FAR, LINE).advantage


def share(epsilon):
    """Of cases, by the best attacker of any pure mechanism."""
    return (1 + most_advantage(epsilon, 0.0)) / 2


def salaries():
    """Sensitivity and scale of the mean salary."""
    charge = Charge("mean", "laplace", sensitivity(500, 50.0), PureDP(0.5))
    return charge.sensitivity, laplace_scale(charge)


@cache
def audited(numerator):
    """The report on the solution's function, with a number in the place of the first 2."""

    def mine(x, trials, rng):
        return np.clip(x, -1, 1).mean() + rng.laplace(scale=numerator / len(x) / 2, size=trials)

    pairs = [Pair("ends", [1.0] * 4, [1.0] * 3 + [-1.0])]
    return audit(mine, pairs, PureDP(2))


def dropped():
    """The report on dropping what is outside of [-1, 1], where one row is left."""

    def careless(x, trials, rng):
        return x[np.abs(x) <= 1].mean() + rng.laplace(scale=2 / len(x), size=trials)

    return audit(careless, [Pair("one is left", [1, 9, 9, 9], [-1, 9, 9, 9])], PureDP(1), seed=17)


def repaired():
    """The report on the repaired function, at the same rows."""

    def clipped(x, trials, rng):
        return np.clip(x, -1, 1).mean() + rng.laplace(scale=2 / len(x), size=trials)

    return audit(clipped, [Pair("one is left", [1, 9, 9, 9], [-1, 9, 9, 9])], PureDP(1), seed=17)


MEANING = {
    ("00_start_here", 4): (
        Said(
            "moves by 2, not by $2/4$, and the audit proves that ε is at least 3.53",
            lambda by, two, four, proved: (
                by == two == 2
                and four == 4
                and dropped().violated
                and not repaired().violated
                and proved.rounds(dropped().eps_lower)
            ),
        ),
    ),
    ("01_what_epsilon_means", 1): (
        Said("wins 13.9 of 20 rounds", lambda wins, rounds: wins.rounds(won(1.0)) and rounds == 20),
        Said(
            "The most is 14.6: the share $e/(1 + e) = 0.731$ of them",
            lambda most, _one, part: most.rounds(20 * share(1.0)) and part.rounds(share(1.0)),
        ),
    ),
    ("01_what_epsilon_means", 2): (
        Said(
            "$100/500 = 0.2$ (the interval has length 100), the scale $0.2/0.5 = 0.4$",
            lambda *found: (
                np.allclose((found[2], found[6]), salaries())
                and found[0] / found[1] == found[2]
                and np.isclose(found[4] / found[5], found[6])
            ),
        ),
        Said(
            "larger than 1 with probability $e^{-2.5} = 0.082$",
            lambda size, power, chance: (
                power == size / salaries()[1] and chance.rounds(exp(-size / salaries()[1]))
            ),
        ),
        Said(
            r"$4 \cdot 0.5 = 2$, and an attacker is right in at most a share $e^2/(1 + e^2) = 0.881$",
            lambda family, each, all_, *rest: (
                family * each == all_ == rest[0] and rest[-1].rounds(share(all_))
            ),
        ),
    ),
    ("01_what_epsilon_means", 3): (
        Said(r"It has $(0, \delta)$", lambda epsilon: epsilon == 0),
        Said("With $\\delta = 1/n$ a mechanism may release one row"),
        Said("each person's risk is $1/n$ only"),
        Said("far below $1/n$"),
    ),
    ("01_what_epsilon_means", 4): (
        Said(
            "With 1 for the first 2 it does: it proves that $\\varepsilon$ is at least 3.58",
            lambda wrong, right, proved: (
                audited(wrong).violated
                and not audited(right).violated
                and proved.rounds(audited(wrong).eps_lower)
            ),
        ),
    ),
}
