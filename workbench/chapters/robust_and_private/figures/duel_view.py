"""The duel: an explorer of one attack on one estimator, beside all others on the same rows."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from workbench.chapters.robust_and_private import duel as study
from workbench.chapters.robust_and_private.adversaries import (
    BAD,
    GOOD,
    PLACES,
    corrupted,
    density,
    limit,
    taken,
)
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.methods import name
from workbench.charts.words import number
from workbench.privacy import ApproxDP
from workbench.study.grids import Role, stream
from workbench.study.run import Run
from workbench.types import Array

ROUNDS = 6
EDGES = np.linspace(-5.0, 9.0, 57)
DRAWN = 10_000  # rows of the picture at most
ENDS = (3e-3, 30.0)  # of the errors that are shown


@dataclass
class Duel:
    """One position of the controls, and the errors of all estimators so far."""

    corruption: float
    budget: ApproxDP
    alpha: float
    n: int
    d: int
    attack: str
    estimator: str
    errors: dict[str, list[float]] = field(default_factory=dict)

    @property
    def limit(self) -> float:
        """ξ √ln(1/ξ)."""
        return limit(self.corruption)

    def rows(self, data: np.random.Generator) -> Panel:
        """Return the rows as the adversary leaves them, along the direction of the pull."""
        x = data.standard_normal((min(self.n, DRAWN), self.d))
        y = corrupted(x, self.attack, self.corruption, data)
        bad, u = taken(x, y), _direction(x, y)
        series = [density("clean rows", (y @ u)[~bad], EDGES, GOOD, len(y))]
        if bad.any():
            reached = np.clip((y @ u)[bad], EDGES[0], EDGES[-1])
            series.append(density("corrupted rows", reached, EDGES, BAD, len(y)))
        placed = [replace(one, label_at=(6.3, 0.2 - 0.03 * k)) for k, one in enumerate(series)]
        note = "Along the direction in which the mean is pulled; farther rows stand at the ends."
        return Panel("the rows", "place along that direction", "share of all rows per σ", tuple(placed),
                     "linear", "linear", xlim=(-5, 9), note=note)  # fmt: skip

    def round(self, data: np.random.Generator, noise: np.random.Generator) -> Iterator[str]:
        """Fight one round, the chosen estimator first; yield the name of each that has answered."""
        x = data.standard_normal((self.n, self.d))
        theta = data.uniform(-PLACES, PLACES, self.d)
        y = corrupted(x, self.attack, self.corruption, data) + theta
        chosen = study.fighters(self.d, self.corruption)
        for key in sorted(chosen, key=lambda one: one != self.estimator):
            found = study.distance(key, chosen[key], y, theta, self.budget, noise)
            self.errors.setdefault(key, []).append(found)
            yield key

    def chart(self, rows: Panel) -> Chart:
        """Return the picture."""
        ends = (0.5, len(study.FIGHTERS) + 0.5)
        series = [
            Series("ξ √ln(1/ξ)", ends, (self.limit, self.limit), role="reference"),
            Series("target accuracy α", ends, (self.alpha,) * 2, role="reference", colour_key="idea/public"),
            *(self._bar(place, key) for place, key in enumerate(study.FIGHTERS, 1) if key in self.errors),
        ]
        names = tuple(f"» {name(key)} «" if key == self.estimator else name(key) for key in study.FIGHTERS)
        board = Panel("the scoreboard", "estimator", "error (σ)", tuple(series), xscale="linear", xlim=ends,
                      ylim=ENDS, names=names, note="Bars: from the least to the largest error.")  # fmt: skip
        public = f"ξ = {number(self.corruption)}, ε = {number(self.budget.epsilon)}, n = {number(self.n)}"
        return Chart(
            "duel_view",
            f"{study.GLOSS[self.attack].capitalize()}, against {name(self.estimator)}: {public}",
            (board, rows),
            alt="Left, the error of every estimator in the rounds so far, the chosen one in colour. Right,"
            " clean and corrupted rows along the direction of the pull.",
            caption=self.sentence(),
        )

    def _bar(self, place: int, key: str) -> Series:
        shown = np.clip(self.errors[key], *ENDS)
        look = key if key == self.estimator else "idea/silent"
        return Series("", (place,), (np.median(shown),), (shown.min(),), (shown.max(),), colour_key=look)

    def sentence(self) -> str:
        """Return who wins so far."""
        if self.estimator not in self.errors:
            return f"The limit is {self.limit:.2g}; no round yet."
        medians = {key: float(np.median(found)) for key, found in self.errors.items()}
        own, rounds = medians[self.estimator], len(self.errors[self.estimator])
        within = sum(error <= self.alpha for error in self.errors[self.estimator])
        winner = "the estimator" if own <= self.limit else "the adversary"
        said = (
            f"{winner.capitalize()} wins: {name(self.estimator)} is off by {own:.2g}, the limit"
            f" is {self.limit:.2g}; median of {rounds} round{'s' * (rounds > 1)}, at most α = {self.alpha:g}"
            f" in {within}."
        )
        if len(medians) < len(study.FIGHTERS):
            return said
        best = min((key for key in medians if key not in study.FREE), key=medians.__getitem__)
        return f"{said} Best private one: {name(best)}, {medians[best]:.2g}."


def duel_view(
    run: Run,
    *,
    corruption: float,
    epsilon: float,
    delta: float,
    alpha: float,
    n: int,
    d: int,
    attack: str,
    estimator: str,
) -> Iterator[Chart]:
    """Yield the rows as the adversary made them, the chosen estimator's answer, then round after round."""
    duel = Duel(corruption, ApproxDP(epsilon, delta), alpha, n, d, attack, estimator)
    data, noise = (stream(run.seed, role, "robust-duel", 0, 0) for role in (Role.DATA, Role.NOISE))
    rows = duel.rows(data)
    yield duel.chart(rows)
    for first in (True, *(False,) * (ROUNDS - 1)):
        for key in duel.round(data, noise):
            if first and key == estimator:
                yield duel.chart(rows)
        yield duel.chart(rows)


def _direction(x: Array, y: Array) -> Array:
    pull = (y - x).mean(axis=0)
    size = float(np.linalg.norm(pull))
    return np.asarray(pull / size if size > 0 else np.eye(len(pull))[0])
