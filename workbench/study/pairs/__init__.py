"""The attacks on every entry of the catalog, built when they are needed.

Every attack is one test at `AUDIT_LEVEL`; a suite of k attacks on a sound catalog raises a false alarm with
probability at most k times that.
"""

from collections.abc import Callable, Iterable, Iterator

from workbench.catalog import KNOWN, Addition, addition, lookup
from workbench.errors import ArgumentError
from workbench.privacy import NonPrivate
from workbench.study.audit import AuditReport, audit, neighbours
from workbench.study.pairs import multivariate, univariate
from workbench.study.pairs.replayed import WHOLE, Case, Setting
from workbench.study.profiles import AUDIT_CI, AuditPreset

KEYS = (*univariate.ENTRIES, *multivariate.KEYS)
"""Of the private entries of the catalog."""

MINIMAL = "partial(over, (PureDP(2),), ESTIMATOR, ends(4), 0.4)"


def builder(key: str) -> Callable[[], Iterator[Case]]:
    if own := addition(key):
        own.require("pairs")
        return lambda: _added(own)
    home = univariate if key in univariate.ENTRIES else multivariate
    if key not in KEYS:
        if NonPrivate() in lookup(key).budgets:
            raise ArgumentError("key", key, "an estimator that is private")
        where = univariate.__name__.replace(".", "/") + ".py"
        raise ArgumentError("key", key, f"pairs: add it to ENTRIES in {where}: {MINIMAL}")
    return lambda: home.attacks(key)


def attackable() -> list[str]:
    """Return the keys of the private entries: those of the catalog, and those registered beside it."""
    beside = (key for key, one in KNOWN.items() if addition(key) and NonPrivate() not in one.budgets)
    return [*KEYS, *beside]


def _added(own: Addition) -> Iterator[Case]:
    found = own.pairs() if callable(own.pairs) else own.pairs
    given = list(found or ())
    if given and all(isinstance(one, Case) for one in given):
        yield from given
        return
    pairs = neighbours("pairs", given)
    n, d = len(pairs[0].first), 1 if pairs[0].first.ndim == 1 else pairs[0].first.shape[1]
    for example in own.entry.examples:
        yield Setting(own.entry.key, example.estimator, example.budget, n, d).whole(pairs, 1.0)


def attack(case: Case, preset: AuditPreset = AUDIT_CI, seed: int = 0) -> AuditReport:
    sizes = preset.scaled(case.share).sizes
    return audit(case.mechanism, case.pairs, case.claim, **sizes, seed=seed, name=case.name)


def attacks(
    keys: Iterable[str] = (), preset: AuditPreset = AUDIT_CI, seed: int = 0
) -> Iterator[tuple[Case, AuditReport]]:
    for build in [builder(key) for key in keys or attackable()]:
        for case in build():
            yield case, attack(case, preset, seed)


__all__ = ["KEYS", "WHOLE", "Case", "attack", "attackable", "attacks", "builder"]
