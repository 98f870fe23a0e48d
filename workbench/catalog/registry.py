"""Estimators of other packages: registered by a call, or by the entry point group of an installed one.

    [project.entry-points."workbench.estimators"]
    unit-mean = "their_package:UNIT_MEAN"

The object is an `Entry`, or an `Addition`: an entry with its attacks, proof and mutants. CATALOG,
which figures, claims and tests of the package go through, never changes; commands go through KNOWN, which has
both.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from workbench.catalog.entry import Entry
from workbench.errors import ArgumentError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "workbench.estimators"
WHERE = {
    "pairs": "the neighbours to attack it on, such as [([0, 0, 0], [1, 0, 0])]",
    "mutants": 'lambda: [Mutant("noise halved", weaker("laplace", 0.5), Attack(KEY, "whole"))]',
    "proof": "where it is proved that the estimator is private, in words or as the name of a file",
}


@dataclass(frozen=True, kw_only=True)
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


def register(entry: Entry | Addition, catalog: Mapping[str, Entry], **more: Any) -> Addition:
    """Add an entry to what the commands know, beside a catalog that stays as it is.

    Raises
    ------
    ArgumentError
        If it is no entry, its key is no `family/name` or is taken, or it has no example.
    """
    addition = entry if isinstance(entry, Addition) else _addition(entry, more)
    key = addition.entry.key
    if key.count("/") != 1 or not all(key.split("/")):
        raise ArgumentError("key", key, "family/name")
    if not addition.entry.examples:
        raise ArgumentError("examples", addition.entry.examples, "at least one Example(estimator, budget)")
    taken = _added[key].entry if key in _added else catalog.get(key)
    if taken is not None and taken != addition.entry:
        raise ArgumentError("key", key, "a key that no other entry has")
    _added[key] = addition
    return addition


def _addition(entry: object, more: Mapping[str, Any]) -> Addition:
    if not isinstance(entry, Entry):
        raise ArgumentError("entry", type(entry).__name__, "a workbench.catalog.Entry or Addition")
    return Addition(entry=entry, **more)


def additions(catalog: Mapping[str, Entry]) -> Mapping[str, Addition]:
    """Return what was registered and what installed packages offer.

    Raises
    ------
    ArgumentError
        If an installed package offers what is no entry, naming the package.
    """
    for point in _offered():
        if not any(point.value == known for known in _loaded):
            _load(point, catalog)
    return _added


_loaded: set[str] = set()


@cache
def _offered() -> tuple["EntryPoint", ...]:
    from importlib.metadata import entry_points  # takes as long as a family of the catalog

    return tuple(entry_points(group=GROUP))


def _load(point: "EntryPoint", catalog: Mapping[str, Entry]) -> None:
    try:
        register(point.load(), catalog)
    except Exception as error:  # whatever another package's module does
        owner = point.dist.name if point.dist else "a package"
        allowed = f"an Entry or Addition that can be loaded, of {owner} ({error})"
        raise ArgumentError(f"entry point {point.name}", point.value, allowed) from None
    _loaded.add(point.value)


class Known(Mapping[str, Entry]):
    """The catalog and what is registered beside it, read only; packages are asked when it is gone through."""

    def __init__(self, catalog: Callable[[], Mapping[str, Entry]]) -> None:
        self._catalog = catalog

    def _beside(self) -> dict[str, Entry]:
        return {key: one.entry for key, one in additions(self._catalog()).items()}

    def __getitem__(self, key: str) -> Entry:
        """Return the entry of a key; one of the catalog whatever else is installed."""
        catalog = self._catalog()
        return catalog[key] if key in catalog else self._beside()[key]

    def __iter__(self) -> Iterator[str]:
        """Yield the keys of the catalog, then the others."""
        yield from self._catalog()
        yield from (key for key in self._beside() if key not in self._catalog())

    def __len__(self) -> int:
        """Count both."""
        return len(list(iter(self)))
