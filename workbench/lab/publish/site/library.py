"""The cards of statements and of estimators: what the package itself says of them."""

import re
import sys
from collections.abc import Mapping, Sequence
from importlib.resources import files
from inspect import cleandoc, signature
from typing import Any

from workbench.catalog import CATALOG, Entry
from workbench.catalog.entry import documented
from workbench.chapters.registry import CLAIMS
from workbench.lab import listing as trail
from workbench.lab.publish.site.facts import Facts
from workbench.lab.publish.site.records import Estimator, Link, Statement
from workbench.sources import sources

GUARANTEE = re.compile(
    r"Guarantee:\s*(.*?)(?=\n\s*(?:Missing entries|Parameters|Accuracy)\b|\n\s*\n|\Z)", re.DOTALL
)
SYMBOLS = {"PureDP": "ε", "ApproxDP": "(ε, δ)", "ZCDP": "ρ", "GaussianDP": "μ", "NonPrivate": "no privacy"}


def titles() -> dict[str, str]:
    """Return what every source is, in the words at the head of its table."""
    return {
        source: _head((files("workbench") / "sources" / f"{source}.toml").read_text("utf-8"))
        for source in sources()
    }


def _head(text: str) -> str:
    lines = [line for line in text.split("\n\n")[0].splitlines() if line.startswith("#")]
    return " ".join(line.lstrip("# ") for line in lines)


def covering(facts: Facts) -> dict[str, Statement]:
    """Return the statements by id, in the order of their sources."""
    testing: dict[str, list[Link]] = {}
    for name in facts.verdicts.keys() & CLAIMS.keys():
        for source in CLAIMS[name].sources:
            testing.setdefault(source, []).append(facts.link(name))
    return {
        name: Statement(
            name=name,
            source=source,
            kind=one.kind,
            text=one.text,
            reason=one.reason,
            constants=one.constants,
            covers=[_cover(cover, facts) for cover in one.covered_by],
            errata=one.errata,
            claims=sorted(testing.get(name, ())),
        )
        for name, (source, one) in facts.statements.items()
    }


def _cover(name: str, facts: Facts) -> Link:
    """Return what covers a statement: a card, or the file that a function stands in."""
    found = facts.link(name)
    if found.target or name.startswith("claim "):
        return found._replace(label=name.removeprefix("claim "))
    return Link(f"{name} ({', '.join(trail.places(name))})")


def estimators(facts: Facts, covered: Mapping[str, Statement]) -> list[Estimator]:
    """Return the entries of the catalog."""
    return [_estimator(entry, facts, list(covered.values())) for entry in CATALOG.values()]


def _estimator(entry: Entry, facts: Facts, covered: Sequence[Statement]) -> Estimator:
    cls = type(entry.estimator)
    text = documented(cls)
    about = [one for one in covered if entry.key in (link.label for link in one.covers)]
    claims = [
        link for one in about for link in (*one.covers, *one.claims) if link.target.startswith("claim/")
    ]
    kinds = dict.fromkeys(type(example.budget).__name__ for example in entry.examples)
    tried = [f"{kind}: {SYMBOLS[kind]}" for kind in kinds]
    guarantee, _, budgets = _guarantee(text).partition("Budgets: ")
    return Estimator(
        key=entry.key,
        cls=cls.__name__,
        summary=entry.summary,
        estimand=entry.estimand,
        budgets=budgets or ", ".join(tried),
        tried=tried,
        signature=_signature(cls),
        guarantee=guarantee.strip(),
        text=text,
        algorithm=cleandoc(sys.modules[cls.__module__].__doc__ or ""),
        assumptions=[one.statement for one in entry.assumptions],
        statements=[facts.link(name) for name in entry.statements],
        claims=list(dict.fromkeys(claims)),
        module=f"{cls.__module__.replace('.', '/')}.py",
    )


def _guarantee(text: str) -> str:
    """Return what a docstring says of the guarantee, and of the budgets that it is given at."""
    found = GUARANTEE.search(text)
    return " ".join(found[1].split()) if found else ""


def _signature(cls: Any) -> str:
    """Return how an estimator is made, a parameter on each line where there are several."""
    parts = [str(one) for one in signature(cls).parameters.values()]
    if len(parts) < 2:
        return f"{cls.__name__}({', '.join(parts)})"
    lines = "".join(f"    {part},\n" for part in parts)
    return f"{cls.__name__}(\n{lines})"
