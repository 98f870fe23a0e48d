"""`workbench sources`: the numbered statements, or one of them whole."""

import argparse
from dataclasses import asdict
from typing import Any

from workbench.commands.base import command, show

HEADER = ("id", "covered by", "slips", "statement")
COVER = 20  # columns for the name of what covers a statement


def add(commands: Any) -> None:
    """Add the command."""
    parser = command(commands, "sources", run, "every numbered statement of a source and what covers it")
    parser.add_argument(
        "name", nargs="?", default="", metavar="ID", help="a source, or a statement to be shown whole"
    )
    parser.add_argument("--json", action="store_true", help="as JSON")


def run(options: argparse.Namespace) -> int:
    """Print one row for every statement, or one statement whole."""
    from workbench.lab.tables import page_width, text

    found = chosen(options.name)
    records = [{"source": name} | asdict(statement) for name, statement in found]
    if options.name.casefold() == found[0][1].id.casefold():
        return show(options, records, lambda: whole(*found[0]))
    rows = [
        [statement.id, cover(statement), str(len(statement.errata) or ""), statement.text]
        for _, statement in found
    ]
    cut = () if options.name else HEADER[-1:]
    return show(options, records, lambda: text(HEADER, rows, page_width(), cut))


def chosen(name: str) -> list[tuple[str, Any]]:
    """Return the statement of an id, those of a source, or all of them, each with its source."""
    from workbench.errors import ArgumentError, one_of_words
    from workbench.sources import sources, statements

    found = [(source, statement) for source in sources() for statement in statements(source)]
    ids = {statement.id.casefold(): statement.id for _, statement in found}
    wanted = [pair for pair in found if name.casefold() in ("", pair[0], pair[1].id.casefold())]
    if not wanted:
        raise ArgumentError("source", name, "an id, or " + one_of_words(name, sources(), ids.values()))
    return wanted


def cover(statement: Any) -> str:
    """Return the first of what stands for a statement, and how many more do."""
    from workbench.lab.tables import shortened

    first, *more = statement.covered_by or ("(a reason)",)
    return shortened(first, COVER) + (f" +{len(more)}" if more else "")


def opened(name: str) -> tuple[str, ...]:
    """Return the files to open for what covers a statement: of the checkout, where there is one."""
    from workbench.errors import ArgumentError
    from workbench.lab import project
    from workbench.lab.terminal.trail import places

    try:
        root = project.find().root
    except ArgumentError:
        root = None
    return places(name, root)


def whole(source: str, statement: Any) -> str:
    """Return all that is known of a statement."""
    from workbench.lab import tables

    covered = ("\n  ".join([name, *opened(name)]) for name in statement.covered_by)
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
