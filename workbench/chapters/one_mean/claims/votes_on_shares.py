"""What the general reduction promises in l1 is enough, and what is made for the purpose needs fewer rows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from workbench.chapters.one_mean.runs import votes_on_shares as runs
from workbench.study.claim import Claim
from workbench.study.grids import Block
from workbench.study.measures import between, ratio
from workbench.study.rules import Verdict, beside
from workbench.study.scaling import Growth, Least, Move, Public, Scaling, bounded, measure

STATEMENT, COUNTED = "AL22/Rem3.4", "L17/Thm1.1"
THIRD = 1 / 3  # of the rows of the vote
FORMULA = "2/(αε) times the .9-quantile of a Gamma variable of shape k: noise on counts alone"
LOUD = "(ln(1/δ) + k/α)/ε"
INVERSE = {"1/x²": -2.0, "1/√x": -0.5}
CAPS, MORE, CHEAP = {"full": 150}, {"full": 300}, {"full": 400}
MOVES: Mapping[str, Move] = {
    "alpha": Move((0.4, 0.2, 0.1, 0.05), -1, INVERSE, "k/(αε)"),
    "epsilon": Move((4.0, 2.0, 1.0, 0.5), -1, INVERSE, LOUD, {"alpha": 0.2}),
    "bins": Move((2.0, 4.0, 8.0, 16.0), 1, {"k²": 2.0, "√k": 0.5}, "k/(αε)"),
}


def _said(rows: Callable[..., float]) -> Callable[[Public], float]:
    """Return what is said of the n at public numbers."""
    return lambda public: rows(int(public["bins"]), float(public["epsilon"]), float(public["alpha"]))


def _growth(
    statement: str, key: str, block: Block, stated: Any, predicted: Any, caps: Mapping[str, int]
) -> Growth:
    return Growth(
        id=statement,
        key=key,
        block=block,
        usual={"bins": 4, "epsilon": 2.0, "alpha": 0.1},
        alpha=lambda public: float(public["alpha"]),
        shape=_said(stated),
        start=_said(stated),
        predicted=_said(predicted),
        share=runs.SHARE,
        caps=caps,
        moves=MOVES,
    )


VOTED = _growth(STATEMENT, "any oracle [shares in l1]", runs.votes, runs.foreseen, runs.promised, CAPS)
DIRECT = _growth(COUNTED, "counts [shares in l1]", runs.counts, runs.counted, runs.counted, CHEAP)


def voted() -> list[Scaling]:
    """Return the scalings of the vote; the promise is nearest to what is found where there are many bins."""
    return [replace(one, caps=MORE) if one.variable == "bins" else one for one in VOTED.scalings()]


def both() -> list[Scaling]:
    """Return the scalings of the vote, then those of the counts."""
    return [*voted(), *DIRECT.scalings()]


def counts_need_fewer(*growths: tuple[Scaling, Sequence[Least]]) -> list[Verdict]:
    """Return the rows of the counts over those of the vote, at every setting."""
    half = len(growths) // 2
    pairs = zip(growths[:half], growths[half:], strict=True)
    return [
        _fewer(f"{scaling.variable} = {voted.value:g}", counted, voted)
        for (scaling, votes), (_, counts) in pairs
        for voted, counted in zip(votes, counts, strict=True)
    ]


def _fewer(name: str, counted: Least, voted: Least) -> Verdict:
    found = measure(counted)
    check = between(
        f"rows of the counts over those of the vote, {name}", ratio(found, measure(voted)), 0.0, THIRD
    )
    return beside(check, COUNTED, FORMULA, counted.setting.predicted, found)


CLAIMS = (
    Claim(
        id="one-mean/votes-on-shares-suffice",
        number="N91",
        sources=(STATEMENT, "AL22/Lem3.6"),
        statement="Searched n with which the general reduction, its oracle the shares of k bins and its space"
        " l1, is within α of the shares of the rows in 9 of 10 runs are at most the one that its vote and the"
        " Laplace mask promise with all constants, and grow as that: α = .4 .. .05, ε = 4 .. .5, k = 2 .. 16,"
        " δ = 1e-6.",
        scalings=voted,
        checks=bounded(),
        kind="ours",
    ),
    Claim(
        id="one-mean/counts-beat-votes",
        number="N92",
        sources=(STATEMENT, COUNTED),
        statement="At each of these settings Laplace noise on counts, under ε alone, needs at most a third of"
        " the rows that the general reduction needs for the same shares: the price of an oracle of which"
        " nothing is known.",
        scalings=both,
        checks=counts_need_fewer,
        kind="ours",
    ),
)
