"""What `workbench audit` prints: the attacks on the catalog, or on its mutants, and whether all is well."""

import json
import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

from workbench.errors import ArgumentError, integer_at_least
from workbench.lab.estimating import spending
from workbench.lab.tables import text
from workbench.privacy import GaussianDP
from workbench.study.audit import AuditReport, audit_function, neighbours
from workbench.study.mutants import attacked, mutants_of
from workbench.study.pairs import attackable, attacks, builder
from workbench.study.parameters import loaded
from workbench.study.profiles import AUDIT_LEVEL, AUDITS, mapped
from workbench.study.store import one_thread

NUMBERS = ("claim", "finding", "ε ≥", "μ ≥", "ρ ≥", "runs", "pair")
FINDINGS = ("none found", "VIOLATION"), ("MISSED", "caught")  # of an estimator, and of a mutant
MUTANTS = mutants_of.__module__.replace(".", "/") + ".py"
Record: TypeAlias = dict[str, Any]
MINIMAL_MUTANT = 'Mutant("Laplace noise halved", weaker("laplace", 0.5), Attack(KEY, STEP))'


def audits(keys: Sequence[str], preset: str, seed: int, *, as_json: bool = False) -> tuple[str, bool]:
    found = [one for some in _computed(_entry, _chosen(keys, seed), preset, seed) for one in some]
    violations = sum(record["violated"] for record in found)
    result = f"{violations} of {len(found)} attacks found a violation" if violations else "no violation found"
    levels = f"{len(found)} attacks, each with false alarms of at most {AUDIT_LEVEL:g}"
    summary = f"{result}; {levels}, {len(found) * AUDIT_LEVEL:.2g} in all; this is no proof of privacy"
    return _told(("key", "variant", "stage"), found, summary, as_json), not violations


def mutants(keys: Sequence[str], preset: str, seed: int, *, as_json: bool = False) -> tuple[str, bool]:
    chosen = _chosen(keys, seed)
    for key in keys:
        if not mutants_of(key):
            raise ArgumentError("key", key, f"mutants: add one to UNIVARIATE in {MUTANTS}: {MINIMAL_MUTANT}")
    places = [(key, number) for key in chosen for number in range(len(mutants_of(key)))]
    found = _computed(_mutant, places, preset, seed)
    caught = sum(record["caught"] for record in found)
    summary = f"{caught} of {len(found)} mutants caught"
    return _told(("mutant", "key", "stage"), found, summary, as_json), caught == len(found)


def _chosen(keys: Sequence[str], seed: int) -> list[str]:
    integer_at_least(0, seed=seed)
    for key in keys:
        builder(key)
    return list(keys or attackable())


def _computed(attack: Callable[..., Any], subjects: Sequence[Any], preset: str, seed: int) -> list[Any]:
    """Return the attacks in order, computed two at a time; each is on one thread and has its own seed."""
    return mapped(partial(attack, preset=preset, seed=seed), subjects, min(2, os.cpu_count() or 1))


def _entry(key: str, preset: str, seed: int) -> list[Record]:
    with one_thread():
        return [
            {"key": case.key, "variant": case.variant, "stage": case.stage} | report.record()
            for case, report in attacks([key], AUDITS[preset], seed)
        ]


def _mutant(place: tuple[str, int], preset: str, seed: int) -> Record:
    key, number = place
    mutant = mutants_of(key)[number]
    with one_thread():
        report = attacked(mutant, AUDITS[preset], seed)
    named = {"mutant": mutant.name, "key": key, "stage": mutant.found_by.stage}
    return named | {"caught": report.violated} | report.record()


def _told(names: Sequence[str], found: Sequence[Record], summary: str, as_json: bool) -> str:
    if as_json:
        return json.dumps(found, indent=1, ensure_ascii=False, allow_nan=False)
    rows = []
    for one in found:
        finding = FINDINGS["caught" in one][one["violated"]]
        bounds = (f"{one[name]:.2f}" for name in ("eps_lower", "mu_lower", "rho_lower"))
        rows.append(
            [*(one[name] for name in names), one["claim"], finding, *bounds, str(one["runs"]), one["pair"]]
        )
    return f"{text((*names, *NUMBERS), rows)}\n{summary}" if found else summary


def own(
    function: str, *, pairs: str | None, mu: float | None, preset: str, seed: int, **budget: float | None
) -> AuditReport:
    integer_at_least(0, seed=seed)
    if mu is not None and set(budget.values()) != {None}:
        raise ArgumentError("mu", mu, "--mu alone, not with --epsilon, --delta or --rho")
    claim: Any = spending(**budget) if mu is None else GaussianDP(mu)
    if pairs is None:
        raise ArgumentError("pairs", None, "--pairs MODULE:OBJECT, a list of (first, second)")
    attacked, listed = loaded("function", function), neighbours("pairs", loaded("pairs", pairs))
    return audit_function(attacked, listed, claim, preset=AUDITS[preset], seed=seed, name=function)


def level(report: AuditReport) -> str:
    false = f"a function that keeps its claim is accused with probability {report.level:g} at most"
    return f"{report.runs} runs; {false}; this is no proof of privacy"
