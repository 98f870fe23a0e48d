"""CATALOG: the one registry. Tests, sweeps, audits, widgets, notebooks and tables all go through it.

It never changes. `register` adds an entry from outside to KNOWN, which the commands go through.
"""

from types import MappingProxyType
from typing import Any

from workbench.catalog.covariance import COVARIANCE
from workbench.catalog.entry import Assumption, Entry, Example, Knob
from workbench.catalog.gaussian import GAUSSIAN
from workbench.catalog.mean import MEAN
from workbench.catalog.mean_exact import MEAN_EXACT
from workbench.catalog.mean_robust import MEAN_ROBUST
from workbench.catalog.range import RANGE
from workbench.catalog.registry import Addition, Known, additions
from workbench.catalog.registry import register as _register
from workbench.catalog.spectral import SPECTRAL
from workbench.catalog.univariate import UNIVARIATE
from workbench.errors import one_of

CATALOG = MappingProxyType(
    {
        entry.key: entry
        for entry in (
            *UNIVARIATE,
            *RANGE,
            *MEAN,
            *MEAN_ROBUST,
            *MEAN_EXACT,
            *COVARIANCE,
            *SPECTRAL,
            *GAUSSIAN,
        )
    }
)


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
