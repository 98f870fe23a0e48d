"""The attacks on every entry of the catalog, built when they are needed."""

from collections.abc import Callable, Iterator
from types import MappingProxyType

from workbench.catalog import lookup
from workbench.errors import ArgumentError
from workbench.privacy import NonPrivate
from workbench.study.pairs import any_law, multivariate, univariate
from workbench.study.pairs.base import WHOLE, Case
from workbench.study.siblings import home

BUILDERS: MappingProxyType[str, Callable[[], Iterator[Case]]] = MappingProxyType(
    {**univariate.BUILDERS, **any_law.BUILDERS, **multivariate.BUILDERS}
)


MINIMAL = "lambda: iter([Setting(KEY, ESTIMATOR, PureDP(2), 4).whole(rows.ends(4), 1.0)])"


def builder(key: str) -> Callable[[], Iterator[Case]]:
    """Return the builder of the attacks on `key`, or raise saying where to add one."""
    if key not in BUILDERS:
        if NonPrivate() in lookup(key).budgets:
            raise ArgumentError("key", key, "an estimator that is private")
        raise ArgumentError("key", key, f"pairs: add it to BUILDERS in {home(key, BUILDERS)}: {MINIMAL}")
    return BUILDERS[key]


__all__ = ["BUILDERS", "WHOLE", "Case", "builder"]
