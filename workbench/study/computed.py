"""Checks of numbers that are computed and not sampled: they use up no level."""

from collections.abc import Iterable
from math import inf

from workbench.study.rules import compare
from workbench.study.verdict import Verdict


def largest(name: str, values: Iterable[float], bound: float, statement: str) -> Verdict:
    """Decide 'every number of a grid is at most the bound'."""
    found = list(values)
    return Verdict(
        status=compare((max(found), max(found)), -inf, bound),
        test="largest value over a grid",
        level=0.0,
        trials=len(found),
        estimate=max(found),
        interval=(min(found), max(found)),
        bound=bound,
        detail={},
    ).about(name, statement)
