"""The attacks on every entry of the catalog, built when they are needed."""

from collections.abc import Callable, Iterator
from types import MappingProxyType

from workbench.errors import one_of

from . import multivariate, univariate
from .base import WHOLE, Case

BUILDERS: MappingProxyType[str, Callable[[], Iterator[Case]]] = MappingProxyType(
    {**univariate.BUILDERS, **multivariate.BUILDERS}
)


def builder(key: str) -> Callable[[], Iterator[Case]]:
    """Return what yields the attacks on `key`, or raise naming all keys."""
    one_of(BUILDERS, key=key)
    return BUILDERS[key]


__all__ = ["BUILDERS", "WHOLE", "Case", "builder"]
