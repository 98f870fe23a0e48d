"""A statement's cells: its n searched while one public number moves, every other one held.

The numbers beside it are chosen so that one term of the n stands out; its share of the statement's n, with
constants 1, is written down at every value.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import signature
from math import ceil
from typing import Any, Literal

from workbench.bounds.shape import Shape
from workbench.study.claim import Claim
from workbench.study.grids import Block
from workbench.study.scaling import Scaling, Setting, follow

FULL = {"full": 160, "deep": 400}  # runs are dear

Named = Callable[..., Any]


@dataclass(frozen=True)
class Cells:
    """A statement about the n of a block.

    Parameters
    ----------
    statement : str
        Id of the numbered statement.
    key : str
        What is run.
    block : callable
        As of a `Scaling`; it takes those public numbers that it names.
    usual : mapping
        The public numbers.
    shape : callable
        Those numbers that it names -> the `Shape` of n, constants 1.
    alpha : callable
        Likewise -> the error that counts as a success.
    first : float
        Where searches begin, over the shape; not below `fewest`.
    fewest : callable
        Likewise -> the fewest rows that are not refused.
    bound, share, caps
        As of a `Scaling`.
    """

    statement: str
    key: str
    block: Block
    usual: Mapping[str, Any]
    shape: Callable[..., Shape]
    alpha: Named
    first: float = 1.0
    fewest: Named = lambda: 1
    bound: Literal["upper", "lower", "equal"] = "upper"
    share: float = 0.9
    caps: Mapping[str, int] = field(default_factory=lambda: FULL)

    def over(
        self,
        variable: str,
        values: tuple[float, ...],
        power: float,
        instead: Mapping[str, float],
        part: str,
        term: str,
        *,
        name: str = "",
        logarithm: bool = False,
        caps: Mapping[str, int] | None = None,
        **beside: Any,
    ) -> Scaling:
        """Return the cell of one number; `part` is the field of the shape that is looked at.

        `beside` are the numbers that differ from the usual ones; `name` tells cells of one variable apart.
        """
        return Scaling(
            statement=self.statement,
            variable=variable,
            key=f"{self.key} ({name})" if name else self.key,
            term=term,
            values=values,
            setting=_Settings(self, variable, part, {**self.usual, **beside}),
            block=self.block,
            power=power,
            instead=instead,
            logarithm=logarithm,
            bound=self.bound,
            share=self.share,
            caps=self.caps if caps is None else caps,
        )


@dataclass(frozen=True)
class _Settings:
    """The setting at every value of a number that moves."""

    cells: Cells
    variable: str
    part: str
    public: Mapping[str, Any]

    def __call__(self, value: float) -> Setting:
        public, cells = {**self.public, self.variable: value}, self.cells
        shape: Shape = named(cells.shape, public)
        fewest = int(named(cells.fewest, public))
        taken = signature(cells.block).parameters
        return Setting(
            point={name: one for name, one in public.items() if name in taken},
            alpha=float(named(cells.alpha, public)),
            start=max(fewest, ceil(cells.first * shape.total)),
            fewest=fewest,
            stated=shape.total,
            share=getattr(shape, self.part) / shape.total,
        )


def claimed(
    name: str,
    number: str,
    sources: tuple[str, ...],
    cells: Callable[[], tuple[Scaling, ...]],
    said: str,
    **more: Any,
) -> Claim:
    """Return the claim that the n of cells grow as their statements say."""
    return Claim(
        id=f"covariance/{name}-rows-grow",
        number=number,
        sources=sources,
        statement=f"Searched n of {said}.",
        checks=follow,
        scalings=cells,
        **more,
    )


def named(call: Named, public: Mapping[str, Any]) -> Any:
    """Return what a function says of those numbers that it names."""
    taken = signature(call).parameters
    return call(**{name: one for name, one in public.items() if name in taken})
