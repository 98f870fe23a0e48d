"""CATALOG: the one registry. Tests, sweeps, audits, widgets, notebooks and tables all go through it.

It never changes. `register` adds an entry from outside to KNOWN, which the commands go through.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any

from workbench.catalog.entry import Assumption, Entry, Example, Knob
from workbench.catalog.registry import Addition, Known, additions
from workbench.catalog.registry import register as _register
from workbench.errors import one_of

FAMILIES = {
    "univariate": ("univariate",),
    "range": ("range",),
    "mean": ("mean",),
    "mean_robust": ("mean",),
    "mean_exact": ("mean",),
    "covariance": ("covariance",),
    "spectral": ("covariance", "spectral"),
    "gaussian": ("gaussian",),
}
"""The modules of the entries, in their order, and the families of the keys in each."""


@cache
def _entries(module: str) -> dict[str, Entry]:
    entries = getattr(import_module(f"workbench.catalog.{module}"), module.upper())
    return {entry.key: entry for entry in entries}


class _Catalog(Mapping[str, Entry]):
    """All entries; a key loads the modules of its family alone, which is all that one command may need."""

    def __getitem__(self, key: str) -> Entry:
        family = key.partition("/")[0]
        for module, families in FAMILIES.items():
            if family in families and key in _entries(module):
                return _entries(module)[key]
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        for module in FAMILIES:
            yield from _entries(module)

    def __len__(self) -> int:
        return sum(map(len, map(_entries, FAMILIES)))


CATALOG: Mapping[str, Entry] = _Catalog()


def lookup(key: str) -> Entry:
    """Return the entry of `key`, or raise naming the keys that are like it."""
    if key not in CATALOG:
        one_of(KNOWN, key=key)
    return KNOWN[key]


KNOWN = Known(lambda: CATALOG)


def register(entry: Entry | Addition, **more: Any) -> Addition:
    """Add an entry from outside to what the commands know; see `registry.Addition` for what goes with it.

    >>> from dataclasses import replace
    >>> register(replace(lookup("univariate/median"), key="univariate/median"), pairs=[]).missing
    ('pairs', 'mutants', 'proof')
    """
    return _register(entry, CATALOG, **more)


def addition(key: str) -> Addition | None:
    """Return what was registered under a key; None for one of the catalog, or none at all."""
    return None if key in CATALOG else additions(CATALOG).get(key)


def outside() -> tuple[str, ...]:
    """Return the packages that registered estimators are in."""
    kinds = (type(one.entry.estimator) for one in additions(CATALOG).values())
    return tuple(sorted({kind.__module__.partition(".")[0] for kind in kinds} - {"workbench"}))


__all__ = [
    "CATALOG",
    "KNOWN",
    "Addition",
    "Assumption",
    "Entry",
    "Example",
    "Knob",
    "addition",
    "lookup",
    "outside",
    "register",
]
