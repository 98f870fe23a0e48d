"""CATALOG: the one registry. Tests, sweeps, audits, widgets, notebooks and tables all go through it."""

from types import MappingProxyType

from workbench.catalog.covariance import COVARIANCE
from workbench.catalog.entry import Assumption, Entry, Example, Knob
from workbench.catalog.gaussian import GAUSSIAN
from workbench.catalog.mean import MEAN
from workbench.catalog.mean_exact import MEAN_EXACT
from workbench.catalog.mean_robust import MEAN_ROBUST
from workbench.catalog.range import RANGE
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
    one_of(CATALOG, key=key)
    return CATALOG[key]


__all__ = ["CATALOG", "Assumption", "Entry", "Example", "Knob", "lookup"]
