"""What `workbench list` and `workbench claims SOURCE` print: the catalog, and the sources' statements."""

import json
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import MISSING, asdict, fields
from typing import Any

from workbench.errors import ArgumentError, one_of_words
from workbench.lab import tables

SYMBOLS = {"PureDP": "ε", "ApproxDP": "(ε, δ)", "ZCDP": "ρ", "GaussianDP": "μ", "NonPrivate": "no privacy"}
FLAGS = {"PureDP": "--epsilon", "ApproxDP": "--epsilon --delta", "ZCDP": "--rho"}
COVER = 20  # columns for the name of what covers a statement


# The catalog


def catalog(options: Namespace) -> int:
    found = chosen(options.subject)
    if options.secure:
        steps = {key: inexact(entry) for key, entry in found.items() if kinds(entry) != ["NonPrivate"]}
        records: list[Any] = [
            {"key": key, "exact": not names, "inexact": names} for key, names in steps.items()
        ]
        header: Sequence[str] = ("key", "noise for release")
        rows = [[key, f"none for {'; '.join(names)}" if names else "exact"] for key, names in steps.items()]
    else:
        records = [
            {"key": key, "estimates": entry.estimand, "budgets": [str(budget) for budget in entry.budgets]}
            | {"summary": entry.summary}
            for key, entry in found.items()
        ]
        header = ("key", "estimates", "accepts", "summary")
        rows = [
            [key, entry.estimand, ", ".join(SYMBOLS[kind] for kind in kinds(entry)), entry.summary]
            for key, entry in found.items()
        ]
    if options.json:
        tables.say(json.dumps(records, indent=1, ensure_ascii=False, default=str))
    elif "/" in options.subject and not options.secure:
        tables.say(whole(*found.values()))
    else:
        tables.say(tables.text(header, rows, tables.page_width()))
    return 0


def chosen(subject: str) -> dict[str, Any]:
    from workbench.catalog import KNOWN, lookup

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
    from workbench.study.search import fewest_rows

    d, steps = entry.population.d or 1, list[str]()
    for estimator, budget in ((one.estimator, one.budget) for one in entry.examples):
        steps += inexact_steps(estimator, estimator.plan(fewest_rows(estimator, d, budget), d, budget))
    return list(dict.fromkeys(steps))


def kinds(entry: Any) -> list[str]:
    return [type(budget).__name__ for budget in entry.budgets]


def whole(entry: Any) -> str:
    from workbench.catalog import addition

    own, kind = addition(entry.key), type(entry.estimator)
    budgets = (f"{SYMBOLS[one]}: {one} {f'({FLAGS[one]})' if one in FLAGS else ''}" for one in kinds(entry))
    needed = [part.name for part in fields(kind) if part.default is MISSING]
    defaults = (
        f"{one.name} (must be set)" if one.name in needed else f"{one.name} = {one.default!r}"
        for one in fields(kind)
    )
    pairs = {
        "key": entry.key,
        "class": f"{kind.__module__ if own else 'workbench'}.{kind.__name__}",
        "summary": entry.summary,
        "estimates": entry.estimand,
        "accepts": "\n".join(map(str.rstrip, budgets)),
        "parameters": "\n".join(defaults),
        "assumes": "\n".join(entry.assumptions),
        "source": "\n".join(f"{id}    (workbench claims {id})" for id in entry.statements),
        "module": kind.__module__.replace(".", "/") + ".py",
    }
    pairs |= {"proof": own.proof or "none stated", "lacks": ", ".join(own.missing)} if own else {}
    if kinds(entry)[0] in FLAGS:  # an entry without privacy, or under another budget, has no call
        budget = entry.budgets[0]
        spends = [f"--{part.name} {getattr(budget, part.name):g}" for part in fields(budget)]
        sets = [f"--set {name}={getattr(entry.estimator, name)!r}".replace(", ", ",") for name in needed]
        columns = "--column NAME" if entry.population.d is None else "--columns NAME NAME"
        call = f"workbench estimate FILE.csv {columns} --key {entry.key}"
        pairs["example"] = " ".join([call, *sets, *spends])
    return tables.fields(pairs.items(), tables.page_width())


# The statements of the sources


def sourced(names: Sequence[str]) -> list[tuple[str, Any]] | None:
    """Return the statements of a source, or one of them, each with its source; None for other names."""
    from workbench.sources import sources, statements

    if len(names) != 1 or names[0].partition("/")[0].casefold() not in {one.casefold() for one in sources()}:
        return None
    name = names[0].casefold()
    found = [(source, one) for source in sources() for one in statements(source)]
    wanted = [pair for pair in found if name in (pair[0].casefold(), pair[1].id.casefold())]
    if not wanted:
        ids = {one.id.casefold(): one.id for _, one in found}
        raise ArgumentError("claim", names[0], one_of_words(names[0], sources(), ids.values()))
    return wanted


def statements_told(found: Sequence[tuple[str, Any]], *, as_json: bool) -> str:
    if as_json:
        records = [{"source": name} | asdict(statement) for name, statement in found]
        return json.dumps(records, indent=1, ensure_ascii=False)
    if len(found) == 1:
        ((source, one),) = found
        slips = (f"{slip.location}: {slip.says}\nshould say: {slip.should_say}" for slip in one.errata)
        pairs = {
            "id": one.id,
            "source": source,
            "kind": one.kind,
            "statement": one.text,
            "covered by": "\n".join(one.covered_by),
            "reason": one.reason,
            "constants": one.constants,
            "errata": "\n".join(slips),
        }
        return tables.fields(pairs.items(), tables.page_width())
    rows = []
    for _, one in found:
        first, *more = one.covered_by or ("(a reason)",)
        cover = tables.shortened(first, COVER) + (f" +{len(more)}" if more else "")
        rows.append([one.id, cover, str(len(one.errata) or ""), one.text])
    return tables.text(("id", "covered by", "slips", "statement"), rows, tables.page_width())
