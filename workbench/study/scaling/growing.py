"""Scalings of what is no catalog entry on its hardest law: a block of the chapter's own, one number moves."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import nan
from typing import Any, Literal

from workbench.study.scaling.catalogued import Move
from workbench.study.scaling.checks import follow, within
from workbench.study.scaling.scaling import CAPS, Least, Scaling, Setting
from workbench.study.sweeps.grids import Block
from workbench.study.verdict import Verdict

Public = Mapping[str, Any]


@dataclass(frozen=True)
class Growth:
    """A statement about the n of a block.

    Parameters
    ----------
    id : str
        Of the numbered statement.
    key : str
        What is run.
    block : callable
        As of a `Scaling`: it takes the numbers of `usual`, but for `alpha`, and n.
    usual : mapping
        The public numbers. All but `alpha`, if it is among them, go to the block.
    alpha : callable
        These numbers -> the error that is wanted.
    shape : callable
        These numbers -> the statement's n.
    moves : mapping
        Number -> how it moves.
    start, fewest : callable
        These numbers -> where the search begins, and the fewest rows that a run takes.
    predicted : callable, optional
        These numbers -> an n with all constants.
    bound, share, caps
        As of a `Scaling`.
    """

    id: str
    key: str
    block: Block
    usual: Public
    alpha: Callable[[Public], float]
    shape: Callable[[Public], float]
    moves: Mapping[str, Move]
    start: Callable[[Public], float]
    fewest: Callable[[Public], int] = lambda public: 1
    predicted: Callable[[Public], float] = lambda public: nan
    bound: Literal["upper", "lower", "equal"] = "upper"
    share: float = 0.9
    caps: Mapping[str, int] = field(default_factory=lambda: CAPS)

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
                bound=self.bound,
                share=self.share,
                caps=self.caps,
            )


def bounded(times: float = 1.0) -> Callable[..., list[Verdict]]:
    """Return the checks of growths whose n are at most so many times the prediction, too."""

    def checks(*growths: tuple[Scaling, Sequence[Least]]) -> list[Verdict]:
        return follow(*growths) + [within(*one, lambda setting: times * setting.predicted) for one in growths]

    return checks


@dataclass(frozen=True)
class _Settings:
    growth: Growth
    variable: str
    move: Move

    def __call__(self, value: float) -> Setting:
        exact = int(value) if self.variable == "d" else value
        public = {**self.growth.usual, **self.move.beside, self.variable: exact}
        return Setting(
            point={name: value for name, value in public.items() if name != "alpha"},
            alpha=self.growth.alpha(public),
            start=round(self.growth.start(public)),
            stated=self.growth.shape(public),
            predicted=self.growth.predicted(public),
            fewest=self.growth.fewest(public),
        )
