"""The worst of several adversaries at every value of a number: searches for each, and the largest n.

Every adversary of a family has a scaling of its own, with what distinguishes it in brackets behind the key.
What is decided is about the largest n at every value; the detail says whose it is.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from workbench.study.rules import Verdict
from workbench.study.scaling import Least, Scaling, grows

Growth = tuple[Scaling, Sequence[Least]]


def named(key: str, adversary: str) -> str:
    """Return what a scaling calls an estimator under an adversary."""
    return f"{key} [{adversary}]"


def families(growths: Iterable[Growth]) -> Iterator[list[Growth]]:
    """Return the scalings that differ in the adversary alone."""
    found: dict[tuple[str, str, str], list[Growth]] = {}
    for scaling, leasts in growths:
        name = scaling.statement, scaling.variable, f"{_key(scaling)} {scaling.term}"
        found.setdefault(name, []).append((scaling, leasts))
    yield from found.values()


def worst(family: Sequence[Growth]) -> tuple[Scaling, list[Least], list[str]]:
    """Return one scaling for the family, the largest n at every value, and whose it is.

    A search without an upper end counts where it began to succeed.
    """
    first = family[0][0]
    largest, whose = [], []
    for leasts in zip(*(leasts for _, leasts in family), strict=True):
        place = max(range(len(leasts)), key=lambda one: (leasts[one].n, one))
        largest.append(leasts[place])
        whose.append(family[place][0].key.partition("[")[2].rstrip("]"))
    return replace(first, key=_key(first)), largest, whose


def follow_worst(*growths: Growth) -> list[Verdict]:
    """Return a check for every family: how the largest n grows."""
    return [_grows(family) for family in families(growths)]


def _grows(family: Sequence[Growth]) -> Verdict:
    scaling, largest, whose = worst(family)
    found = grows(scaling, largest)
    name = f"{found.id}, {scaling.term}"
    return replace(found, id=name, detail={**found.detail, "worst": whose})


def _key(scaling: Scaling) -> str:
    return scaling.key.partition(" [")[0]
