"""What the solutions of notebook 09 say, and what the package finds."""

from math import inf

from tests.lab.exercises.solutions import Said
from workbench.chapters.which_one import choice
from workbench.chapters.which_one.choice import judged
from workbench.study.trade_off import TradeOff

BOX, BALL, COLUMNWISE = "mean/clipped-box", "mean/coinpress", "mean/coordinatewise"
VOTE = "mean/populous"
KNOWN = {"centre": 35, "radius": 25, "sigma": 5}


def rows(key, radius=10.0):
    return choice.trade(key, 3, radius).rows(0.2, 1.0, 1e-6)


def growth():
    """The factor of the box's rows."""
    return rows(BOX, 1000.0) / rows(BOX)


def epsilon(n):
    return TradeOff("univariate/two-step-mean", settings=KNOWN).epsilon(0.5, n, 1e-6)


def worst(least, wide=300):
    """How much worse than the best the rule of the solution is, in the worst of the hidden settings."""

    def rule(n, d, epsilon, radius):
        return COLUMNWISE if n * epsilon / d >= least else VOTE if radius >= wide else BALL

    found = judged(rule, seed=17)
    assert len(found) == 20
    return found["over"].max()


WHICH = {
    ("09_which_one", 1): (
        Said(
            "Column by column, 281 rows",
            lambda n: choice.fewest(0.2, 3, 1.0, 1e-6, 10.0) == (n, COLUMNWISE),
        ),
        Said(
            "CoinPress needs 322, which is 15 % more",
            lambda n, more: n == rows(BALL) and more.rounds(n / rows(COLUMNWISE) - 1),
        ),
    ),
    ("09_which_one", 2): (
        Said(
            "By a factor of 66, not 100", lambda by, range_by: by.rounds(growth()) and range_by == 1000 / 10
        ),
        Said("at R = 1000, where", lambda radius: choice.error(BOX, 10**5, 3, 1.0, 1e-6, radius) > 0.2),
        Said("at R = 10 the tails"),
    ),
    ("09_which_one", 3): (
        Said(
            "ε = 0.0946 for all rows and ε = 0.857 for 100 of them",
            lambda whole, part, n: whole == epsilon(442) and part == epsilon(int(n)),
        ),
    ),
    ("09_which_one", 4): (
        Said("is at most 7.3 % worse than the best", lambda more: more.rounds(worst(50) - 1)),
        Said(
            "With 80 in the place of 50 it is 5.4 times worse",
            lambda other, least, by: by.rounds(worst(other)) and worst(least) < 1.1,
        ),
        Said("4.5 times", lambda by: by.rounds(worst(50, inf))),
    ),
}
