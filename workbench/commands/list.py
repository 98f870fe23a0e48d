"""`workbench list`: the catalog, or one entry of it whole."""

import argparse
from dataclasses import MISSING, fields
from typing import Any

from workbench.commands.base import command, show, words

SYMBOLS = {"PureDP": "ε", "ApproxDP": "(ε, δ)", "ZCDP": "ρ", "GaussianDP": "μ", "NonPrivate": "no privacy"}
FLAGS = {"PureDP": "--epsilon", "ApproxDP": "--epsilon --delta", "ZCDP": "--rho"}


def add(commands: Any) -> None:
    """Add the command."""
    text = "the catalog: every estimator, what it estimates, at which budgets"
    parser = command(commands, "list", run, text)
    parser.add_argument(
        "subject", nargs="?", default="", metavar="KEY", help="one entry whole; or a family, or an estimand"
    )
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.add_argument("--secure", action="store_true", help="which step has no exact noise")


def run(options: argparse.Namespace) -> int:
    """Print one row for every entry, or one entry whole."""
    from workbench.lab.tables import page_width, text

    found = chosen(options.subject)
    if options.secure:
        steps = {key: inexact(entry) for key, entry in found.items() if kinds(entry) != ["NonPrivate"]}
        records = [{"key": key, "exact": not names, "inexact": names} for key, names in steps.items()]
        told = [[key, f"none for {'; '.join(names)}" if names else "exact"] for key, names in steps.items()]
        return show(options, records, lambda: text(("key", "noise for release"), told, page_width()))
    records = [
        {"key": key, "estimates": entry.estimand, "budgets": [str(budget) for budget in entry.budgets]}
        | {"summary": entry.summary}
        for key, entry in found.items()
    ]
    if "/" in options.subject:
        return show(options, records, lambda: whole(*found.values()))
    rows = [
        [key, entry.estimand, words(SYMBOLS[kind] for kind in kinds(entry)), entry.summary]
        for key, entry in found.items()
    ]
    header = ("key", "estimates", "takes", "summary")
    return show(options, records, lambda: text(header, rows, page_width()))


def chosen(subject: str) -> dict[str, Any]:
    """Return the entry of a key, or those of a family or an estimand, or all of them."""
    from workbench.catalog import KNOWN, lookup
    from workbench.errors import ArgumentError, one_of_words

    if "/" in subject:
        return {subject: lookup(subject)}
    groups = {key: (key.partition("/")[0], entry.estimand) for key, entry in KNOWN.items()}
    known = dict.fromkeys(name for names in groups.values() for name in names)
    if subject and subject not in known:
        raise ArgumentError("key", subject, f"a key, or {one_of_words(subject, known, KNOWN)}")
    return {key: KNOWN[key] for key, names in groups.items() if subject in ("", *names)}


def inexact(entry: Any) -> list[str]:
    """Return the steps of its examples that have no exact noise, from their plans alone."""
    from workbench.privacy.secure import inexact_steps
    from workbench.study.least_rows import fewest_rows

    d, steps = entry.population.d or 1, list[str]()
    for estimator, budget in ((one.estimator, one.budget) for one in entry.examples):
        steps += inexact_steps(estimator, estimator.plan(fewest_rows(estimator, d, budget), d, budget))
    return list(dict.fromkeys(steps))


def kinds(entry: Any) -> list[str]:
    """Return the names of the budgets that an entry takes."""
    return [type(budget).__name__ for budget in entry.budgets]


def whole(entry: Any) -> str:
    """Return all that the catalog says of an entry, and how to call it."""
    from workbench.catalog import addition
    from workbench.lab import tables

    own = addition(entry.key)
    kind = type(entry.estimator)
    pairs = (
        ("key", entry.key),
        ("class", f"{kind.__module__ if own else 'workbench'}.{kind.__name__}"),
        ("summary", entry.summary),
        ("estimates", entry.estimand),
        ("takes", "\n".join(f"{SYMBOLS[kind]}: {kind} {_flags(kind)}".rstrip() for kind in kinds(entry))),
        ("parameters", "\n".join(map(_parameter, fields(entry.estimator)))),
        ("assumes", "\n".join(assumption.statement for assumption in entry.assumptions)),
        ("source", "\n".join(f"{id}    (workbench sources {id})" for id in entry.statements)),
        ("module", kind.__module__.replace(".", "/") + ".py"),
        *([("proof", own.proof or "none stated"), ("lacks", ", ".join(own.missing))] if own else []),
        ("example", _example(entry)),
    )
    return tables.fields(pairs, tables.page_width())


def _flags(kind: str) -> str:
    return f"({FLAGS[kind]})" if kind in FLAGS else ""


def _parameter(part: Any) -> str:
    return f"{part.name} (must be set)" if part.default is MISSING else f"{part.name} = {part.default!r}"


def _example(entry: Any) -> str:
    """Return a call from a shell; none for an entry without privacy, or a budget that no flag names."""
    kind, budget = kinds(entry)[0], entry.budgets[0]
    if kind not in FLAGS:
        return ""
    spends = [f"--{part.name} {getattr(budget, part.name):g}" for part in fields(budget)]
    needed = [part.name for part in fields(entry.estimator) if part.default is MISSING]
    sets = [f"--set {name}={getattr(entry.estimator, name)!r}" for name in needed]
    columns = "--column NAME" if entry.population.d is None else "--columns NAME NAME"
    return " ".join([f"workbench estimate FILE.csv {columns} --key {entry.key}", *sets, *spends])
