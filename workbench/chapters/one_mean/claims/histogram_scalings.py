"""Claims about how n grows for private histograms: Theorems 1.1 and 1.2, every number in their errors.

An error of at most α n in all counts is one of at most α in all shares: what is searched is the n for it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Any

from workbench.bounds.l17 import histogram_error, stable_histogram_error
from workbench.bounds.search import smallest
from workbench.chapters.one_mean.runs.searched import SHARE, beta_of, finite_shares, stable_shares
from workbench.study.claim import Claim
from workbench.study.rules import Status, Verdict
from workbench.study.scaling import Least, Move, Scaling, Setting, follow, within

CAPS = {"full": 400}
SEEN = {"quick": 100, **CAPS}
REPEATS = {beta_of(repeats): repeats for repeats in (1, 7, 45, 300)}
BETAS = tuple(REPEATS)
EPSILON = {"1/ε²": -2.0, "1/√ε": -0.5}
ALPHA = {"1/α²": -2.0, "1/√α": -0.5}
DROPPED, LOUD = "ln(1/δ)/(αε)", "ln(n/β)/(αε)"
DELTAS = (1e-24, 1e-48, 1e-96, 1e-192)  # so small that ln(1/δ) is most of the bound


@dataclass(frozen=True)
class Histogram:
    """A theorem about the error of a histogram: its public numbers, and how they move."""

    id: str
    key: str
    usual: Mapping[str, Any]
    moves: Mapping[str, Move]
    setting: Callable[[Mapping[str, Any], str], Setting]
    block: Callable[..., Any]
    equal: bool = False

    def scalings(self) -> Iterator[Scaling]:
        """Return a scaling of every number that moves."""
        for variable, move in self.moves.items():
            yield Scaling(
                statement=self.id,
                variable=variable,
                key=self.key,
                term=move.term,
                values=move.values,
                setting=_Settings(self, variable, move),
                block=self.block,
                power=move.power,
                instead=move.instead,
                logarithm=move.logarithm,
                bound="equal" if self.equal else "upper",
                share=SHARE,
                caps=SEEN if variable == "epsilon" else CAPS,
            )


@dataclass(frozen=True)
class _Settings:
    theorem: Histogram
    variable: str
    move: Move

    def __call__(self, value: float) -> Setting:
        public = {**self.theorem.usual, **self.move.beside, self.variable: value}
        return self.theorem.setting(public, self.move.term)


def finite(public: Mapping[str, Any], term: str) -> Setting:
    """Return the setting of Theorem 1.1: its n has all constants."""
    alpha, epsilon, beta, bins = (public[name] for name in ("alpha", "epsilon", "beta", "bins"))
    n = histogram_error(int(bins), epsilon, beta) / alpha
    point = {"bins": int(bins), "repeats": REPEATS[beta], "epsilon": epsilon}
    return Setting(point, alpha, start=round(n), stated=n, predicted=n, share=1.0)


def stable(public: Mapping[str, Any], term: str) -> Setting:
    """Return the setting of Theorem 1.2: its shape, with the β that the source has as .01."""
    alpha, epsilon, beta, delta = (public[name] for name in ("alpha", "epsilon", "beta", "delta"))
    point = {"alpha": alpha, "repeats": REPEATS[beta], "epsilon": epsilon, "delta": delta}
    stated = (log(1 / delta) + log(1 / beta)) / (alpha * epsilon)
    predicted = stable_rows(alpha, epsilon, delta, beta)
    dropped = 2 / epsilon * log(1 / (2 * delta)) / (alpha * predicted)
    share = dropped if term == DROPPED else 1 - dropped
    return Setting(point, alpha, start=predicted, stated=stated, predicted=predicted, share=share)


def stable_rows(alpha: float, epsilon: float, delta: float, beta: float) -> int:
    """Return the n from which the bound of Theorem 1.2 on the error of a count is at most α n."""
    return smallest(lambda n: stable_histogram_error(n, epsilon, delta, beta) <= alpha * n, start=10)


def _proved(setting: Setting) -> float:
    return setting.predicted


def none_above(*growths: tuple[Scaling, Sequence[Least]]) -> list[Verdict]:
    """Return that no n is above the proved one."""
    return [within(*growth, _proved) for growth in growths]


FINITE = Histogram(
    id="L17/Thm1.1",
    key="univariate/histogram-location [all bins, laplace]",
    usual={"bins": 20, "alpha": 0.05, "epsilon": 0.5, "beta": BETAS[0]},
    setting=finite,
    block=finite_shares,
    equal=True,
    moves={
        "epsilon": Move((0.8, 0.4, 0.2, 0.1), -1, EPSILON, "ln(k/β)/(αε)"),
        "alpha": Move((0.1, 0.05, 0.025, 0.0125), -1, ALPHA, "ln(k/β)/(αε)"),
        "bins": Move((4.0, 32.0, 1e3, 1e5), 1, {"√ln k": 0.5, "ln² k": 2.0}, "ln(k/β)/(αε)", logarithm=True),
        "beta": Move(BETAS, 1, {"√ln 1/β": 0.5, "ln² 1/β": 2.0}, "ln(k/β)/(αε)", {"bins": 2}, logarithm=True),
    },
)

STABLE = Histogram(
    id="L17/Thm1.2",
    key="univariate/stable-location [all bins]",
    usual={"alpha": 0.1, "epsilon": 0.5, "delta": DELTAS[0], "beta": BETAS[0]},
    setting=stable,
    block=stable_shares,
    moves={
        "epsilon": Move((0.8, 0.4, 0.2, 0.1), -1, EPSILON, DROPPED),
        "alpha": Move((0.2, 0.1, 0.05, 0.025), -1, ALPHA, DROPPED),
        "delta": Move(DELTAS, 1, {"√ln 1/δ": 0.5, "ln² 1/δ": 2.0}, DROPPED, logarithm=True),
        "beta": Move(BETAS, 1, {"√ln 1/β": 0.5, "ln² 1/β": 2.0}, LOUD, {"delta": 0.2}, logarithm=True),
    },
)

CLAIMS = (
    Claim(
        id="one-mean/finite-histogram-rows-grow",
        number="N4",
        sources=("L17/Thm1.1",),
        statement="The searched n with which all shares of a finite histogram are within α grows as"
        " (2/(αε)) ln(k/β), no faster and no slower: in ε = .8 .. .1, α = .1 .. .0125, k = 4 .. 1e5,"
        " β = .1 .. 3.5e-4.",
        scalings=FINITE.scalings,
        checks=follow,
    ),
    Claim(
        id="one-mean/stable-histogram-rows-grow",
        number="N5",
        sources=("L17/Thm1.2",),
        statement="Over infinitely many bins, each populated one just above α n, the searched n with which"
        " all shares are within α grows at most as ln(1/(δβ))/(αε): in ε = .8 .. .1, α = .2 .. .025,"
        " δ = 1e-24 .. 1e-192, β = .1 .. 3.5e-4.",
        scalings=STABLE.scalings,
        checks=follow,
    ),
    Claim(
        id="one-mean/stable-histogram-rows-proved",
        number="N8",
        sources=("L17/Thm1.2",),
        statement="None of the searched n of stable histograms is above the one at which the bound of Theorem"
        " 1.2 with all constants, 1 + (2/ε)(ln(1/(2δ)) + ln(n/β)), is α n.",
        scalings=STABLE.scalings,
        checks=none_above,
        expected=Status.UNDECIDED,
        reason="at δ = 1e-192 the bound is 2 % above the least n, and a search tells 6 %",
    ),
)
