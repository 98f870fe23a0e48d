"""What `workbench list` and `workbench claims SOURCE` print: the catalog, and the sources' statements."""

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import MISSING, asdict, fields
from importlib import import_module
from inspect import getsourcefile
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from workbench.errors import ArgumentError, one_of_words
from workbench.lab import tables

SYMBOLS = {"PureDP": "ε", "ApproxDP": "(ε, δ)", "ZCDP": "ρ", "GaussianDP": "μ", "NonPrivate": "no privacy"}
FLAGS = {"PureDP": "--epsilon", "ApproxDP": "--epsilon --delta", "ZCDP": "--rho"}
COVER = 20  # columns for the name of what covers a statement
PACKAGE = Path(__file__).parents[1]


def _json(records: Any) -> str:
    return json.dumps(records, indent=1, ensure_ascii=False, default=str)


# The catalog


def catalog_told(subject: str, *, secure: bool, as_json: bool) -> str:
    """Return one row for every entry, or one entry whole."""
    found = chosen(subject)
    if secure:
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
    if as_json:
        return _json(records)
    if "/" in subject and not secure:
        return whole(*found.values())
    return tables.text(header, rows, tables.page_width())


def chosen(subject: str) -> dict[str, Any]:
    """Return the entry of a key, or those of a family or an estimand, or all of them."""
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
    """Return the names of the budgets that an entry takes."""
    return [type(budget).__name__ for budget in entry.budgets]


def whole(entry: Any) -> str:
    """Return all that the catalog says of an entry, and how to call it."""
    from workbench.catalog import addition

    own = addition(entry.key)
    kind = type(entry.estimator)
    pairs = (
        ("key", entry.key),
        ("class", f"{kind.__module__ if own else 'workbench'}.{kind.__name__}"),
        ("summary", entry.summary),
        ("estimates", entry.estimand),
        ("accepts", "\n".join(f"{SYMBOLS[kind]}: {kind} {_flags(kind)}".rstrip() for kind in kinds(entry))),
        ("parameters", "\n".join(map(_parameter, fields(entry.estimator)))),
        ("assumes", "\n".join(entry.assumptions)),
        ("source", "\n".join(f"{id}    (workbench claims {id})" for id in entry.statements)),
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
    sets = [f"--set {name}={getattr(entry.estimator, name)!r}".replace(", ", ",") for name in needed]
    columns = "--column NAME" if entry.population.d is None else "--columns NAME NAME"
    return " ".join([f"workbench estimate FILE.csv {columns} --key {entry.key}", *sets, *spends])


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
    """Return one row for every statement, or one statement whole."""
    if as_json:
        return _json([{"source": name} | asdict(statement) for name, statement in found])
    if len(found) == 1:
        return _statement(*found[0])
    rows = [[one.id, cover(one), str(len(one.errata) or ""), one.text] for _, one in found]
    return tables.text(("id", "covered by", "slips", "statement"), rows, tables.page_width())


def cover(statement: Any) -> str:
    """Return the first of what stands for a statement, and how many more do."""
    first, *more = statement.covered_by or ("(a reason)",)
    return tables.shortened(first, COVER) + (f" +{len(more)}" if more else "")


def _statement(source: str, statement: Any) -> str:
    """Return all that is known of a statement."""
    from workbench.lab import project

    try:
        root = project.find().root
    except ArgumentError:
        root = None
    root = None if root == project.CARRIED else root
    covered = ("\n  ".join([name, *places(name, root)]) for name in statement.covered_by)
    errata = (f"{slip.location}: {slip.says}\nshould say: {slip.should_say}" for slip in statement.errata)
    pairs = (
        ("id", statement.id),
        ("source", source),
        ("kind", statement.kind),
        ("statement", statement.text),
        ("covered by", "\n".join(covered)),
        ("reason", statement.reason),
        ("constants", statement.constants),
        ("errata", "\n".join(errata)),
    )
    return tables.fields(pairs, tables.page_width())


def places(name: str, root: Path | None = None) -> tuple[str, ...]:
    """Return the files to open for one name of a statement's cover, relative to the checkout.

    Parameters
    ----------
    name : str
        A catalog key, a module or function below the package, `claim ID`, or `proofs/NAME.md`.
    root : Path, optional
        The checkout, for figures and tests; without it only files of the package are named.

    >>> places("proofs/univariate.md"), places("univariate/median")
    (('workbench/proofs/univariate.md',), ('workbench/estimators/quantiles.py',))
    """
    if name.startswith("claim "):
        return tuple(_of_claim(name.removeprefix("claim "), root))
    if name.startswith("proofs/"):
        return (f"workbench/{name}",)
    if "/" in name:
        return tuple(_of_key(name, root))
    return (_module(name),)


def _module(dotted: str) -> str:
    home, found = import_module("workbench"), None
    for name in dotted.split("."):
        if hasattr(home, "__path__") and not hasattr(home, name):
            import_module(f"{home.__name__}.{name}")
        found = getattr(home, name, None)
        home = found if isinstance(found, ModuleType) else home
    return _shown(Path(getsourcefile(found if isinstance(found, FunctionType | type) else home) or ""))


def _shown(path: Path, root: Path = PACKAGE.parent) -> str:
    return str(path.relative_to(root))


def _of_key(key: str, root: Path | None) -> Iterator[str]:
    from workbench.catalog import lookup

    home = type(lookup(key).estimator).__module__
    yield _module(home.removeprefix("workbench.")) if home.startswith("workbench.") else home
    if root is not None:
        yield f'tests/contracts -k "{key}"'


def _of_claim(claim: str, root: Path | None) -> Iterator[str]:
    with suppress(ModuleNotFoundError):  # of the extra `lab`, which claims are computed with
        yield home(claim)
    if root is None:
        return
    from workbench.charts import canonical_json

    for path in sorted((root / "figures").glob("*/*.json")):
        if path.name != "verdicts.json" and claim in canonical_json.read(path).get("verdicts", ()):
            yield _shown(path.with_suffix(".svg"), root)
    yield from checked_by(claim, root)


def home(claim: str) -> str:
    """Return the module that a claim stands in."""
    from pkgutil import walk_packages

    from workbench.chapters.registry import CLAIMS, known

    one = known()[claim]
    if claim not in CLAIMS:
        return str(one.checks.__module__)
    chapter = import_module(f"workbench.chapters.{claim.partition('/')[0].replace('-', '_')}")
    for package in (chapter, import_module("workbench.chapters.scalings")):
        for found in walk_packages(package.__path__, f"{package.__name__}."):
            module = import_module(found.name)
            if not found.ispkg and any(one is other for other in getattr(module, "CLAIMS", ())):
                return _shown(Path(str(module.__file__)))
    return _shown(Path(getsourcefile(one.checks) or ""))


def checked_by(claim: str, root: Path) -> Iterator[str]:
    """Yield the tests of a checkout that name a claim, and the one that asks about all."""
    tests = root / "tests" / "chapters"
    for path in sorted(tests.glob("**/test_*.py")):
        if path.name == "test_claims.py" or f'"{claim}"' in path.read_text(encoding="utf-8"):
            yield _shown(path, root)
