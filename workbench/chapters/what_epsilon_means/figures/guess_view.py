"""The explorer of the attacker: twenty rounds against the bound, with a cut that the reader chooses."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from workbench.chapters.what_epsilon_means.attacks import POSITIVES, curve_of, fewest_misses, most_advantage
from workbench.chapters.what_epsilon_means.densities import (
    FAR,
    GAUSSIAN,
    KEYS,
    NEAR,
    Additive,
    Densities,
    law,
)
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.controls import Slider
from workbench.charts.parameters import brief
from workbench.special import ndtr
from workbench.study.grids import Role, stream
from workbench.study.run import Run
from workbench.types import Array

Truth = NDArray[np.bool_]

CUT = Slider(-8, 8, 2.0, log=False, label="cut")
GAMES = ("first", "second", "third", "fourth", "fifth")
ROUNDS, REACH = 20, 12.0
RIGHT, WRONG, YOURS = "idea/right", "idea/wrong", "idea/public"


@dataclass(frozen=True)
class Game:
    """Twenty rounds: whether it was the second data set, and what was released."""

    second: Truth
    outputs: Array

    @classmethod
    def of(cls, made: Additive, seed: int, place: int) -> "Game":
        """Return the rounds of a game: a coin chooses the row, 1 or -1, and the noise is fresh."""
        name = "what-epsilon-means-game"
        data, noise = (stream(seed, role, name, place, 0) for role in (Role.DATA, Role.NOISE))
        second = data.integers(2, size=ROUNDS).astype(bool)
        return cls(second, made.draw(np.zeros(1), ROUNDS, noise) + np.where(second, FAR[0], NEAR[0]))

    def right(self, cut: float) -> Truth:
        """Return which rounds are guessed right."""
        return np.asarray((self.outputs > cut) == self.second)

    def errors(self, cut: float) -> tuple[float, float]:
        """Return the shares of false positives and false negatives."""
        said, no, yes = self.outputs > cut, max(int((~self.second).sum()), 1), max(int(self.second.sum()), 1)
        return float((said & ~self.second).sum() / no), float((~said & self.second).sum() / yes)


@dataclass(frozen=True)
class Attack:
    """A cut against a mechanism, and the games that were played."""

    mechanism: str
    epsilon: float
    delta: float
    cut: float
    games: tuple[Game, ...] = ()
    chosen: int = 0

    @cached_property
    def made(self) -> Additive:
        """The mechanism, on one row in [-1, 1]."""
        made = law(self.mechanism, 1, self.epsilon, self.delta, bound=1.0)
        assert isinstance(made, Additive)
        return made

    @cached_property
    def allowed(self) -> float:
        """The δ that the mechanism promises."""
        return self.delta if self.mechanism == GAUSSIAN else 0.0

    @cached_property
    def laws(self) -> Densities:
        """The densities for either row."""
        reach = 1 + 20 * self.made.scale
        return Densities.of(self.made, NEAR, FAR, np.linspace(-reach, reach, 8001))

    @cached_property
    def errors(self) -> tuple[float, float]:
        """False positives and false negatives of the cut, in the long run."""
        below = [self._below((self.cut - row[0]) / self.made.scale) for row in (NEAR, FAR)]
        return 1 - below[0], below[1]

    def _below(self, z: float) -> float:
        if self.mechanism == GAUSSIAN:
            return float(ndtr(z))
        half = float(np.exp(-abs(z))) / 2
        return half if z < 0 else 1 - half

    def chart(self) -> Chart:
        """Return the chart."""
        return Chart(
            "guess_view",
            f"Whose data set was it? {self.mechanism}, ε = {brief(self.epsilon)}, δ = {brief(self.delta)}",
            (self._rounds(), self._plane()),
            alt="Left, the numbers of twenty rounds in two lines, one for either data set, and the reader's"
            " cut. Right, both errors of the cut on the curve of all cuts, above a dotted corner.",
            how_to_read="You say X′ of every number above your cut. Right: your errors, in the long run and"
            " in this game.",
            caption=self._caption(),
        )

    @property
    def _shown(self) -> tuple[Game, ...]:
        return self.games[self.chosen : self.chosen + 1]

    def _rounds(self) -> Panel:
        series = [Series("your cut", (0.5, 2.5), (self.cut, self.cut), role="reference", colour_key=YOURS)]
        for game in self._shown:
            right = game.right(self.cut)
            for label, key, some in (("right", RIGHT, right), ("wrong", WRONG, ~right)):
                series.append(Series(label, 1.0 + game.second[some], game.outputs[some], colour_key=key))
        return Panel(
            "twenty rounds", "", "released number", tuple(series), yscale="linear", ylim=(-REACH, REACH),
            names=("it was X", "it was X′"),
        )  # fmt: skip

    def _plane(self) -> Panel:
        bound = fewest_misses(self.epsilon, self.allowed, POSITIVES)
        x, y = self.errors
        series = [
            Series("nobody gets below", POSITIVES, bound, role="bound", colour_key="non-private"),
            Series("all cuts", *curve_of(self.laws), role="theory", colour_key=KEYS[self.mechanism]),
            Series("", (0.0, x, x), (y, y, 0.0), role="reference", colour_key=YOURS),
        ]
        for game in self._shown:
            positives, negatives = game.errors(self.cut)
            series.append(Series("this game", (positives,), (negatives,), colour_key=YOURS))
        return Panel(
            "both errors", "false positives", "false negatives", tuple(series), "linear", "linear",
            xlim=(0.0, 1.0), ylim=(0.0, 1.0),
        )  # fmt: skip

    def _caption(self) -> str:
        yours = 10 * (2 - sum(self.errors))
        best, most = (
            10 + 10 * one for one in (self.laws.advantage, most_advantage(self.epsilon, self.allowed))
        )
        said = (
            f"In the long run your cut wins {yours:.1f} of 20 rounds, the best one {best:.1f}, and nobody"
            f" more than {most:.1f} against a release that keeps this promise."
        )
        won = [int(game.right(self.cut).sum()) for game in self.games]
        here = f"This game: you win {won[self.chosen]} of 20; all five: {sum(won)} of 100. " if won else ""
        return here + said


def guess_view(
    run: Run, *, cut: float, epsilon: float, delta: float, mechanism: str, game: str
) -> Iterator[Chart]:
    """Yield what the cut wins in the long run, then the rounds of a game.

    Parameters
    ----------
    run
        Has the seed.
    cut
        The reader says "X′" of every number above it.
    epsilon, delta
        Budget; δ is that of Gaussian noise alone.
    mechanism
        Laplace or Gaussian.
    game
        One of `GAMES`: other rounds.
    """
    attack = Attack(mechanism, epsilon, delta, cut)
    yield attack.chart()
    games = tuple(Game.of(attack.made, run.seed, place) for place in range(len(GAMES)))
    yield Attack(mechanism, epsilon, delta, cut, games, GAMES.index(game)).chart()
