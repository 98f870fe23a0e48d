"""The attacks on the catalog: every stage of every entry.

Every attack is one test at `AUDIT_LEVEL`; a suite of k attacks on a sound catalog raises a false alarm with
probability at most k times that.
"""

from collections.abc import Iterable, Iterator

from workbench.study.audit.audit import AuditReport, audit
from workbench.study.pairs import Case, attackable, builder
from workbench.study.profiles import AUDIT_CI, AuditPreset


def attack(case: Case, preset: AuditPreset = AUDIT_CI, seed: int = 0) -> AuditReport:
    """Return the report on one case."""
    size = preset.scaled(case.share)
    return audit(
        case.mechanism,
        case.pairs,
        case.claim,
        n_screen=size.n_screen,
        n_train=size.n_train,
        n_test=size.n_test,
        seed=seed,
        name=case.name,
    )


def attacks(
    keys: Iterable[str] = (), preset: AuditPreset = AUDIT_CI, seed: int = 0
) -> Iterator[tuple[Case, AuditReport]]:
    """Yield the report on every stage of these entries, of all of them by default."""
    for build in [builder(key) for key in keys or attackable()]:
        for case in build():
            yield case, attack(case, preset, seed)
