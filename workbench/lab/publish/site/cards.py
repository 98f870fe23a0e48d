"""The cards of figures and claims, from what is committed."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from workbench.chapters.registry import CLAIMS
from workbench.lab import listing as trail
from workbench.lab import tables
from workbench.lab.claims import NOTEBOOK, PROFILE, Record
from workbench.lab.figures import richest
from workbench.lab.publish.site import growing
from workbench.lab.publish.site.facts import Facts
from workbench.lab.publish.site.records import Claim, Figure, Link, Size
from workbench.lab.publish.site.records import Statement as StatementCard
from workbench.lab.runner import growth
from workbench.lab.runner.complexity import sizes_of

AS_BEFORE = "The same"
NUMBERS = ("test", "level", "trials", "n", "estimate", "interval", "bound")


def figures(facts: Facts) -> list[Figure]:
    """Return the figures in the order of the notebooks."""
    return [_figure(key, content, facts) for key, content in facts.figures.items()]


def _figure(key: str, content: Mapping[str, Any], facts: Facts) -> Figure:
    chart, (folder, _, name) = richest(content["charts"]), key.partition("/")
    parameters = {**content["parameters"], "seed": content["seed"]}
    return Figure(
        key=key,
        title=chart["title"],
        question=facts.questions(folder).get(name, ""),
        alt=chart["alt"],
        caption=chart["caption"],
        how_to_read=chart["how_to_read"],
        parameters=[(name, tables.show(value)) for name, value in sorted(parameters.items())],
        claims=[facts.link(claim) for claim in content["verdicts"]],
    )


def claims(facts: Facts, covering: Mapping[str, StatementCard]) -> list[Claim]:
    """Return the claims that have a verdict, in the order of the chapters."""
    known = [name for name in CLAIMS if name in facts.verdicts]
    return [_claim(name, facts, covering) for name in known]


def _claim(name: str, facts: Facts, covering: Mapping[str, StatementCard]) -> Claim:
    claim, verdict = CLAIMS[name], facts.verdicts[name]
    tested = [covering[source] for source in claim.sources if source in covering]
    covers = [*(facts.link(source) for source in claim.sources), *(one for s in tested for one in s.covers)]
    return Claim(
        name=name,
        number=claim.number,
        chapter=verdict[NOTEBOOK],
        statement=str(verdict["statement"]),
        context=_context(name, facts),
        status=str(verdict["status"]),
        reason=claim.reason,
        numbers=[*_numbers(verdict), ("decided by", f"the {verdict[PROFILE]} profile"), ("kind", claim.kind)],
        checks=_checks(verdict),
        sizes=[_size(one) for one in sizes_of(verdict)],
        growths=[growing.grown(one, facts.targets) for one in growth.growths([verdict])],
        figures=[_shown(key, facts) for key in facts.figures if name in facts.figures[key]["verdicts"]],
        statements=tested,
        sources=[facts.link(source) for source in claim.sources],
        estimators=_of_kind(covers, "estimator/"),
        proofs=_of_kind(covers, "proof/"),
        module=trail.home(name),
        tests=list(_tests(name, facts.root)),
    )


def _context(name: str, facts: Facts) -> list[tuple[Link, str]]:
    """Return the claims before one that says "the same" of them, each with what it says, in their order."""
    names, found = list(CLAIMS), []
    while name != names[0] and CLAIMS[name].statement.startswith(AS_BEFORE):
        name = names[names.index(name) - 1]
        found.append((facts.link(name), CLAIMS[name].statement))
    return found[::-1]


def _shown(key: str, facts: Facts) -> Link:
    return Link(richest(facts.figures[key]["charts"])["title"], f"figure/{key}")


def _of_kind(links: Sequence[Link], kind: str) -> list[Link]:
    return list(dict.fromkeys(link for link in links if link.target.startswith(kind)))


def _numbers(verdict: Record) -> Iterator[tuple[str, str]]:
    for name in NUMBERS:
        if verdict.get(name) not in (None, ""):
            yield name, tables.show(verdict[name])


def _checks(verdict: Record) -> list[dict[str, str]]:
    """Return what a verdict was put together from, as cells."""
    parts = (verdict.get("detail") or {}).get("checks", ())
    return [{name: tables.show(part.get(name)) for name in ("id", "status", *NUMBERS)} for part in parts]


def _size(size: Mapping[str, Any]) -> Size:
    low, high = map(float, size["interval"])
    numbers = float(size["predicted"]), float(size["estimate"]), (low, high)
    return Size(str(size["formula"]), str(size["statement"]), str(size["kind"]), *numbers)


@cache
def _tests(claim: str, root: Path) -> tuple[str, ...]:
    return tuple(trail.checked_by(claim, root))
