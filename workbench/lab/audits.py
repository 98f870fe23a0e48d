"""What `workbench audit` prints: the attacks on the catalog, or on its mutants, and whether all is well."""

import json
import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from workbench.errors import ArgumentError, integer_at_least
from workbench.lab.estimating import spending
from workbench.lab.tables import text
from workbench.privacy import GaussianDP
from workbench.study.audit import AuditReport, audit_function, neighbours
from workbench.study.grids import one_thread
from workbench.study.mutants import attacked, mutants_of
from workbench.study.pairs import attackable, attacks, builder
from workbench.study.parameters import loaded
from workbench.study.profiles import AUDIT_LEVEL, AUDITS, mapped

NUMBERS = ("claim", "finding", "ε ≥", "μ ≥", "ρ ≥", "runs", "pair")
MUTANTS = mutants_of.__module__.replace(".", "/") + ".py"
MINIMAL_MUTANT = 'Mutant("Laplace noise halved", weaker("laplace", 0.5), Attack(KEY, STEP))'

Found = tuple[list[str], dict[str, Any]]
"""The row of a table and the record of one attack."""


def audits(keys: Sequence[str], preset: str, seed: int, *, as_json: bool = False) -> tuple[str, bool]:
    """Return the attacks on all stages of these entries, and whether none finds a violation."""
    integer_at_least(0, seed=seed)
    chosen = list(keys or attackable())
    for key in chosen:
        builder(key)
    found = [attack for entry in _computed(_entry, chosen, preset, seed) for attack in entry]
    violations = sum(record["violated"] for _, record in found)
    result = f"{violations} of {len(found)} attacks found a violation" if violations else "no violation found"
    levels = f"{len(found)} attacks, each with false alarms of at most {AUDIT_LEVEL:g}"
    summary = f"{result}; {levels}, {len(found) * AUDIT_LEVEL:.2g} in all; this is no proof of privacy"
    return _told(("key", "variant", "stage", *NUMBERS), found, summary, as_json), not violations


def mutants(keys: Sequence[str], preset: str, seed: int, *, as_json: bool = False) -> tuple[str, bool]:
    """Return the attacks on the mutants of these entries, and whether every one is found."""
    integer_at_least(0, seed=seed)
    for key in keys:
        builder(key)
    for key in keys:
        if not mutants_of(key):
            raise ArgumentError("key", key, f"mutants: add one to UNIVARIATE in {MUTANTS}: {MINIMAL_MUTANT}")
    chosen = [(key, number) for key in keys or attackable() for number in range(len(mutants_of(key)))]
    found = _computed(_mutant, chosen, preset, seed)
    caught = sum(record["caught"] for _, record in found)
    summary = f"{caught} of {len(found)} mutants caught"
    return _told(("mutant", "key", "stage", *NUMBERS), found, summary, as_json), caught == len(found)


def _told(header: Sequence[str], found: list[Found], summary: str, as_json: bool) -> str:
    if as_json:
        records = [record for _, record in found]
        return json.dumps(records, indent=1, ensure_ascii=False, allow_nan=False)
    return f"{text(header, [row for row, _ in found])}\n{summary}" if found else summary


def _computed(attack: Callable[..., Any], subjects: Sequence[Any], preset: str, seed: int) -> list[Any]:
    """Return the attacks in order, computed two at a time; each is on one thread and has its own seed."""
    return mapped(partial(attack, preset=preset, seed=seed), subjects, min(2, os.cpu_count() or 1))


def _entry(key: str, preset: str, seed: int) -> list[Found]:
    with one_thread():
        return [
            (
                [case.key, case.variant, case.stage, *_numbers(report, "VIOLATION", "none found")],
                {"key": case.key, "stage": case.stage} | report.record(),
            )
            for case, report in attacks([key], AUDITS[preset], seed)
        ]


def _mutant(place: tuple[str, int], preset: str, seed: int) -> Found:
    key, number = place
    mutant = mutants_of(key)[number]
    stage = mutant.found_by.stage
    with one_thread():
        report = attacked(mutant, AUDITS[preset], seed)
    return (
        [mutant.name, key, stage, *_numbers(report, "caught", "MISSED")],
        {"mutant": mutant.name, "key": key, "stage": stage, "caught": report.violated} | report.record(),
    )


def _numbers(report: AuditReport, violated: str, otherwise: str) -> list[str]:
    bounds = (report.eps_lower, report.mu_lower, report.rho_lower)
    finding = violated if report.violated else otherwise
    return [str(report.claim), finding, *(f"{bound:.2f}" for bound in bounds), str(report.runs), report.pair]


def own(
    function: str, *, pairs: str | None, mu: float | None, preset: str, seed: int, **budget: float | None
) -> AuditReport:
    """Return what the attack on a function of one's own found, on neighbours of one's own."""
    integer_at_least(0, seed=seed)
    if mu is not None and set(budget.values()) != {None}:
        raise ArgumentError("mu", mu, "--mu alone, not with --epsilon, --delta or --rho")
    claim: Any = spending(**budget) if mu is None else GaussianDP(mu)
    if pairs is None:
        raise ArgumentError("pairs", None, "--pairs MODULE:OBJECT, a list of (first, second)")
    attacked, listed = loaded("function", function), neighbours("pairs", loaded("pairs", pairs))
    return audit_function(attacked, listed, claim, preset=AUDITS[preset], seed=seed, name=function)


def level(report: AuditReport) -> str:
    """Return what a finding is worth in words."""
    false = f"a function that keeps its claim is accused with probability {report.level:g} at most"
    return f"{report.runs} runs; {false}; this is no proof of privacy"
