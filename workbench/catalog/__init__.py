"""CATALOG: the one registry. Tests, sweeps, audits, widgets, notebooks and tables all go through it."""

from types import MappingProxyType

from workbench.errors import one_of

from .covariance import COVARIANCE
from .covariance_robust import COVARIANCE_ROBUST
from .entry import Assumption, Entry, Example, Knob
from .gaussian import GAUSSIAN
from .mean import MEAN
from .mean_exact import MEAN_EXACT
from .mean_robust import MEAN_ROBUST
from .quantile import QUANTILE
from .range import RANGE
from .spectral import SPECTRAL
from .univariate import UNIVARIATE

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
            *COVARIANCE_ROBUST,
            *QUANTILE,
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
