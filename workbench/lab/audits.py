"""What `workbench audit` and `bench` print: attacks on the catalog, its mutants or a function, and costs."""

import json
import os
from argparse import Namespace
from collections.abc import Sequence
from functools import partial
from typing import Any, TypeAlias

from workbench.charts import canonical_json
from workbench.errors import ArgumentError, integer_at_least
from workbench.lab.estimating import spending
from workbench.lab.tables import say, text
from workbench.privacy import GaussianDP
from workbench.study.audit import AuditReport, audit_function, neighbours
from workbench.study.bench import HEADER, cells
from workbench.study.bench import bench as costs
from workbench.study.mutants import attacked, mutants_of
from workbench.study.pairs import attackable, attacks, builder
from workbench.study.parameters import loaded
from workbench.study.profiles import AUDIT_LEVEL, AUDITS, AuditPreset, mapped
from workbench.study.store import one_thread

NUMBERS = ("claim", "finding", "ε ≥", "μ ≥", "ρ ≥", "runs", "pair")
FINDINGS = ("none found", "VIOLATION"), ("MISSED", "caught")  # of an estimator, and of a mutant
MUTANTS = mutants_of.__module__.replace(".", "/") + ".py"
Record: TypeAlias = dict[str, Any]
MINIMAL_MUTANT = 'Mutant("Laplace noise halved", weaker("laplace", 0.5), Attack(KEY, STEP))'


def audit(options: Namespace) -> int:
    """Print what attacks found; return 1 if a guarantee is refuted, or a mutant is not found."""
    integer_at_least(0, seed=options.seed)
    own = {name: getattr(options, name) for name in ("pairs", "epsilon", "delta", "rho", "mu")}
    if options.function is not None:
        if options.key or options.mutants:
            raise ArgumentError("function", options.function, "no key and no --mutants beside it")
        report = _own(options)
        false = f"a function that keeps its claim is accused with probability {report.level:g} at most"
        told = f"{report}\n{report.runs} runs; {false}; this is no proof of privacy"
        say(report.to_json() if options.json else told)
        return 1 if report.violated else 0
    for name, value in own.items():
        if value is not None:
            raise ArgumentError(name, value, "--function MODULE:OBJECT beside it")
    for key in options.key:
        builder(key)
        if options.mutants and not mutants_of(key):
            raise ArgumentError("key", key, f"mutants: add one to UNIVARIATE in {MUTANTS}: {MINIMAL_MUTANT}")
    keys = options.key or attackable()
    places = [(key, number) for key in keys for number in range(len(mutants_of(key)))]
    attack = partial(_mutant if options.mutants else _entry, preset=AUDITS[options.preset], seed=options.seed)
    # two at a time; each is on one thread and has its own seed
    computed = mapped(attack, places if options.mutants else keys, min(2, os.cpu_count() or 1))
    found = [one for some in computed for one in some]
    violated = sum(one["violated"] for one in found)
    if options.mutants:
        names, summary = ("mutant", "key", "stage"), f"{violated} of {len(found)} mutants caught"
    else:
        result = f"{violated} of {len(found)} attacks found a violation" if violated else "no violation found"
        levels = f"{len(found)} attacks, each with false alarms of at most {AUDIT_LEVEL:g}"
        summary = f"{result}; {levels}, {len(found) * AUDIT_LEVEL:.2g} in all; this is no proof of privacy"
        names = ("key", "variant", "stage")
    if options.json:
        say(json.dumps(found, indent=1, ensure_ascii=False, allow_nan=False))
    else:
        say("\n".join([*([text((*names, *NUMBERS), _rows(names, found))] if found else []), summary]))
    return 0 if violated == (len(found) if options.mutants else 0) else 1


def _entry(key: str, preset: AuditPreset, seed: int) -> list[Record]:
    with one_thread():
        return [
            {"key": case.key, "variant": case.variant, "stage": case.stage} | report.record()
            for case, report in attacks([key], preset, seed)
        ]


def _mutant(place: tuple[str, int], preset: AuditPreset, seed: int) -> list[Record]:
    key, number = place
    mutant = mutants_of(key)[number]
    with one_thread():
        report = attacked(mutant, preset, seed)
    named = {"mutant": mutant.name, "key": key, "stage": mutant.found_by.stage}
    return [named | {"caught": report.violated} | report.record()]


def _rows(names: Sequence[str], found: Sequence[Record]) -> list[list[str]]:
    rows = []
    for one in found:
        finding = FINDINGS["caught" in one][one["violated"]]
        bounds = (f"{one[name]:.2f}" for name in ("eps_lower", "mu_lower", "rho_lower"))
        said = one["claim"], finding, *bounds, str(one["runs"]), one["pair"]
        rows.append([*(one[name] for name in names), *said])
    return rows


def _own(options: Namespace) -> AuditReport:
    budget = options.epsilon, options.delta, options.rho
    if options.mu is not None and set(budget) != {None}:
        raise ArgumentError("mu", options.mu, "--mu alone, not with --epsilon, --delta or --rho")
    claim: Any = spending(*budget) if options.mu is None else GaussianDP(options.mu)
    if options.pairs is None:
        raise ArgumentError("pairs", None, "--pairs MODULE:OBJECT, a list of (first, second)")
    function, pairs = loaded("function", options.function), loaded("pairs", options.pairs)
    how = {"preset": AUDITS[options.preset], "seed": options.seed, "name": options.function}
    return audit_function(function, neighbours("pairs", pairs), claim, **how)


def bench(options: Namespace) -> int:
    found = list(costs(options.key, options.n, options.d, options.repeat))
    table = None if options.json else text(HEADER, [cells(measured) for measured in found])
    say(table or canonical_json.dumps(found).rstrip())
    return 0
