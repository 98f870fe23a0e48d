"""CATALOG: the one registry. Tests, sweeps, audits, widgets, notebooks and tables all go through it.

It never changes. Estimators of other packages stand beside it, in KNOWN, which the commands go through:
registered by a call, or by the entry point group of an installed package.

    [project.entry-points."workbench.estimators"]
    unit-mean = "their_package:UNIT_MEAN"

The object is an `Entry`, or an `Addition`: an entry with its attacks, proof and mutants.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any

from workbench.catalog.entry import Entry, Example
from workbench.errors import ArgumentError, one_of
from workbench.types import public

FAMILIES = {
    "univariate": ("univariate",),
    "mean": ("range", "mean"),
    "mean_robust": ("mean",),
    "covariance": ("covariance", "spectral", "gaussian"),
}
"""The modules of the entries, in their order, and the families of the keys in each."""
WHERE = {
    "pairs": "the neighbours to attack it on, such as [([0, 0, 0], [1, 0, 0])]",
    "mutants": 'lambda: [Mutant("noise halved", weaker("laplace", 0.5), Attack(KEY, "whole"))]',
    "proof": "where it is proved that the estimator is private, in words or as the name of a file",
}


@cache
def _entries(module: str) -> dict[str, Entry]:
    entries = getattr(import_module(f"workbench.catalog.{module}"), module.upper())
    return {entry.key: entry for entry in entries}


class _Catalog(Mapping[str, Entry]):
    """All entries; a key loads the modules of its family alone, which is all that one command may need."""

    def __getitem__(self, key: str) -> Entry:
        family = str(key).partition("/")[0]
        for module, families in FAMILIES.items():
            if family in families and key in _entries(module):
                return _entries(module)[key]
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        for module in FAMILIES:
            yield from _entries(module)

    def __len__(self) -> int:
        return sum(1 for _ in self)  # not `len` of a list, which would ask for this one


class _Known(_Catalog):
    """The catalog and what is registered beside it; packages are asked when it is gone through."""

    def __getitem__(self, key: str) -> Entry:
        return CATALOG[key] if key in CATALOG else _additions()[key].entry

    def __iter__(self) -> Iterator[str]:
        yield from CATALOG
        yield from (key for key in _additions() if key not in CATALOG)


CATALOG: Mapping[str, Entry] = _Catalog()
KNOWN: Mapping[str, Entry] = _Known()


def lookup(key: str) -> Entry:
    """Return the entry of `key`, or raise naming the keys that are like it."""
    if key not in CATALOG:
        one_of(KNOWN, key=key)
    return KNOWN[key]


@public
class Addition:
    """An entry from outside and what the commands need of it.

    Parameters
    ----------
    entry : Entry
        As in the catalog; its key is `family/name`.
    pairs : list, or callable
        Neighbours, each (first, second) or (name, first, second), on which the whole estimator is attacked;
        or a function that yields a `workbench.study.pairs.Case` for each attack.
    mutants : callable
        Returns the faults that the attacks must find.
    proof : str
        Where its privacy is proved.
    """

    entry: Entry
    pairs: Iterable[Any] | Callable[[], Iterable[Any]] | None = None
    mutants: Callable[[], Iterable[Any]] | None = None
    proof: str = ""

    @property
    def missing(self) -> tuple[str, ...]:
        """What is not given of pairs, mutants and proof."""
        return tuple(name for name in WHERE if not getattr(self, name))

    def require(self, name: str) -> Any:
        """Return what is given under a name, or raise saying what it is and where it goes."""
        if not getattr(self, name):
            allowed = f"{name}: workbench.catalog.register(ENTRY, {name}=...), {WHERE[name]}"
            raise ArgumentError("key", self.entry.key, allowed)
        return getattr(self, name)


_added: dict[str, Addition] = {}


def register(entry: Entry | Addition, **more: Any) -> Addition:
    """Add an entry from outside to what the commands know; see `Addition` for what goes with it.

    Raises
    ------
    ArgumentError
        If it is no entry, its key is no `family/name` or is taken, or it has no example.

    >>> from dataclasses import replace
    >>> register(replace(lookup("univariate/median"), key="univariate/median"), pairs=[]).missing
    ('pairs', 'mutants', 'proof')
    """
    if not isinstance(entry, Entry | Addition):
        raise ArgumentError("entry", type(entry).__name__, "a workbench.catalog.Entry or Addition")
    added = entry if isinstance(entry, Addition) else Addition(entry=entry, **more)
    key = added.entry.key
    if key.count("/") != 1 or not all(key.split("/")):
        raise ArgumentError("key", key, "family/name")
    if not added.entry.examples:
        raise ArgumentError("examples", added.entry.examples, "at least one Example(estimator, budget)")
    taken = _added[key].entry if key in _added else CATALOG.get(key)
    if taken is not None and taken != added.entry:
        raise ArgumentError("key", key, "a key that no other entry has")
    _added[key] = added
    return added


def addition(key: str) -> Addition | None:
    """Return what was registered under a key; None for one of the catalog, or none at all."""
    return None if key in CATALOG else _additions().get(key)


def outside() -> tuple[str, ...]:
    """Return the packages that registered estimators are in."""
    kinds = (type(one.entry.estimator) for one in _additions().values())
    return tuple(sorted({kind.__module__.partition(".")[0] for kind in kinds} - {"workbench"}))


def _additions() -> Mapping[str, Addition]:
    _load_offered()
    return _added


@cache
def _load_offered() -> None:
    from importlib.metadata import entry_points  # takes as long as a family of the catalog

    for point in entry_points(group="workbench.estimators"):
        try:
            register(point.load())
        except Exception as error:  # whatever another package's module does
            owner = point.dist.name if point.dist else "a package"
            allowed = f"an Entry or Addition that can be loaded, of {owner} ({error})"
            raise ArgumentError(f"entry point {point.name}", point.value, allowed) from None


__all__ = ["CATALOG", "KNOWN", "Addition", "Entry", "Example", "addition", "lookup", "outside", "register"]
