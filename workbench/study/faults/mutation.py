"""How the package is broken in one place for as long as an attack looks at it."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any

from workbench.estimators.parts.scale import pivots
from workbench.privacy import SimulatedNoise
from workbench.study.audit.audit import AuditReport
from workbench.study.audit.suite import attack
from workbench.study.pairs import BUILDERS, Case
from workbench.study.profiles import AUDIT_CI, AuditPreset


@dataclass(frozen=True)
class Patch:
    """Something of the package and what stands in for it: an attribute of `owner`, or a function anywhere."""

    owner: Any
    attribute: str
    replacement: Any


@dataclass(frozen=True)
class Mutant:
    """A mistake, and the attack that must find it.

    It is the first one of `key` at `stage` whose variant contains `variant`, with those of its pairs alone
    whose name contains `pair`.
    """

    name: str
    key: str
    stage: str
    patches: tuple[Patch, ...]
    variant: str = ""
    pair: str = ""

    def case(self) -> Case:
        """Return the attack, built with whatever patches are in place."""
        attacks = BUILDERS[self.key]()
        case = next(one for one in attacks if one.stage == self.stage and self.variant in one.variant)
        return replace(case, pairs=tuple(pair for pair in case.pairs if self.pair in pair.name))

    def attacked(self, preset: AuditPreset = AUDIT_CI, seed: int = 0) -> AuditReport:
        """Return the report on the mutant: it should be a violation."""
        with applied(self.patches):
            case = self.case()
            return attack(replace(case, key=f"{case.key} with {self.name}"), preset, seed)


@contextmanager
def applied(patches: tuple[Patch, ...]) -> Iterator[None]:
    """Apply patches, without designs and tables from before, and leave none behind."""
    tables = dict(pivots._TABLES)
    with ExitStack() as stack:
        stack.callback(pivots._TABLES.update, tables)
        stack.callback(_forget)
        for patch in patches:
            stack.enter_context(_applied(patch))
        _forget()
        yield


@contextmanager
def _applied(patch: Patch) -> Iterator[None]:
    """Replace an attribute; where the owner is a module, also wherever the package imported it."""
    original = getattr(patch.owner, patch.attribute)
    owners = [patch.owner] if isinstance(patch.owner, type) else _importers(patch.attribute, original)
    for owner in owners:
        setattr(owner, patch.attribute, patch.replacement)
    try:
        yield
    finally:
        for owner in owners:
            setattr(owner, patch.attribute, original)


def _importers(attribute: str, original: object) -> list[Any]:
    modules = [module for name, module in sys.modules.items() if name.startswith("workbench")]
    return [module for module in modules if vars(module).get(attribute) is original]


def _forget() -> None:
    """Empty every cache of the package: designs depend on sensitivities and noise."""
    for name, module in list(sys.modules.items()):
        if name.startswith("workbench"):
            for value in list(vars(module).values()):
                if callable(getattr(value, "cache_clear", None)):
                    value.cache_clear()
    pivots._TABLES.clear()


def weaker(kind: str, factor: float) -> tuple[Patch, ...]:
    """Return the mistake of a noise whose scale is `factor` times the right one."""
    original: Callable[..., Any] = getattr(SimulatedNoise, kind)

    def drawn(self: SimulatedNoise, value: Any, sensitivity: float, scale: float, *rest: float) -> Any:
        return original(self, value, sensitivity, factor * scale, *rest)

    return (Patch(SimulatedNoise, kind, drawn),)
