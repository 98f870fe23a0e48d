"""What `workbench audit` prints: the attacks on the catalog, or on its mutants, and whether all is well."""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from threadpoolctl import threadpool_limits

from workbench.errors import ArgumentError, integer_at_least
from workbench.lab.estimating import spending
from workbench.lab.tables import text
from workbench.privacy import GaussianDP
from workbench.study.audit import AuditReport, audit_function, neighbours
from workbench.study.mutants import attacked, mutants_of
from workbench.study.pairs import attackable, attacks, builder
from workbench.study.profiles import AUDIT_LEVEL, AUDITS, mapped
from workbench.study.references import loaded

NUMBERS = ("claim", "finding", "ε ≥", "μ ≥", "ρ ≥", "runs", "pair")
HEADER, MUTANT_HEADER = ("key", "variant", "stage", *NUMBERS), ("mutant", "key", "stage", *NUMBERS)
MUTANTS = mutants_of.__module__.replace(".", "/") + ".py"
MINIMAL_MUTANT = 'Mutant("Laplace noise halved", weaker("laplace", 0.5), Attack(KEY, STEP))'

Found = tuple[list[str], dict[str, Any]]
"""The row of a table and the record of one attack."""


@dataclass(frozen=True)
class Findings:
    """A table with its records for JSON, one line that sums it up, and whether all is as it should be."""

    header: Sequence[str]
    attacks: list[Found]
    summary: str
    good: bool

    def text(self, *, as_json: bool) -> str:
        """Return the records as JSON, or the table and its summary."""
        if as_json:
            records = [record for _, record in self.attacks]
            return json.dumps(records, indent=1, ensure_ascii=False, allow_nan=False)
        if not self.attacks:
            return self.summary
        return f"{text(self.header, [row for row, _ in self.attacks])}\n{self.summary}"


def audits(keys: Sequence[str], preset: str, seed: int) -> Findings:
    """Return the attacks on all stages of these entries; good if none finds a violation."""
    integer_at_least(0, seed=seed)
    chosen = list(keys or attackable())
    for key in chosen:
        builder(key)
    found = [attack for entry in _computed(_entry, chosen, preset, seed) for attack in entry]
    violations = sum(record["violated"] for _, record in found)
    result = f"{violations} of {len(found)} attacks found a violation" if violations else "no violation found"
    return Findings(HEADER, found, f"{result}; {_levels(len(found))}", not violations)


def mutants(keys: Sequence[str], preset: str, seed: int) -> Findings:
    """Return the attacks on the mutants of these entries; good if every one is found."""
    integer_at_least(0, seed=seed)
    for key in keys:
        builder(key)
    for key in keys:
        if not mutants_of(key):
            raise ArgumentError("key", key, f"mutants: add one to UNIVARIATE in {MUTANTS}: {MINIMAL_MUTANT}")
    chosen = [(key, number) for key in keys or attackable() for number in range(len(mutants_of(key)))]
    found = _computed(_mutant, chosen, preset, seed)
    caught = sum(record["caught"] for _, record in found)
    return Findings(MUTANT_HEADER, found, f"{caught} of {len(found)} mutants caught", caught == len(found))


def _computed(attack: Callable[..., Any], subjects: Sequence[Any], preset: str, seed: int) -> list[Any]:
    """Return the attacks in order, computed two at a time; each is on one thread and has its own seed."""
    return mapped(partial(attack, preset=preset, seed=seed), subjects, min(2, os.cpu_count() or 1))


def _entry(key: str, preset: str, seed: int) -> list[Found]:
    with threadpool_limits(1):
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
    with threadpool_limits(1):
        report = attacked(mutant, AUDITS[preset], seed)
    return (
        [mutant.name, key, stage, *_numbers(report, "caught", "MISSED")],
        {"mutant": mutant.name, "key": key, "stage": stage, "caught": report.violated} | report.record(),
    )


def _numbers(report: AuditReport, violated: str, otherwise: str) -> list[str]:
    bounds = (report.eps_lower, report.mu_lower, report.rho_lower)
    finding = violated if report.violated else otherwise
    return [str(report.claim), finding, *(f"{bound:.2f}" for bound in bounds), str(report.runs), report.pair]


def _levels(attacks: int) -> str:
    return (
        f"{attacks} attacks, each with false alarms of at most {AUDIT_LEVEL:g}, "
        f"{attacks * AUDIT_LEVEL:.2g} in all; this is no proof of privacy"
    )


def own(
    function: str,
    *,
    pairs: str | None,
    epsilon: float | None,
    delta: float | None,
    rho: float | None,
    mu: float | None,
    preset: str,
    seed: int,
) -> AuditReport:
    """Return what the attack on a function of one's own found, on neighbours of one's own."""
    integer_at_least(0, seed=seed)
    claim = claimed(epsilon, delta, rho, mu)
    if pairs is None:
        raise ArgumentError("pairs", None, "--pairs MODULE:OBJECT, a list of (first, second)")
    attacked, listed = loaded("function", function), neighbours("pairs", loaded("pairs", pairs))
    return audit_function(attacked, listed, claim, preset=AUDITS[preset], seed=seed, name=function)


def claimed(epsilon: float | None, delta: float | None, rho: float | None, mu: float | None) -> Any:
    """Return the budget of a claim, which may be Gaussian DP."""
    if mu is None:
        return spending(epsilon, delta, rho)
    if (epsilon, delta, rho) != (None, None, None):
        raise ArgumentError("mu", mu, "--mu alone, not with --epsilon, --delta or --rho")
    return GaussianDP(mu)


def level(report: AuditReport) -> str:
    """Return what a finding is worth in words."""
    false = f"a function that keeps its claim is accused with probability {report.level:g} at most"
    return f"{report.runs} runs; {false}; this is no proof of privacy"
