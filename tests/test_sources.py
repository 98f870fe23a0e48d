"""The tables of statements, and that sources, catalog, claims and proofs speak of ids that exist."""

import re
from importlib import import_module
from importlib.resources import files
from pkgutil import resolve_name

import pytest

from workbench.catalog import CATALOG
from workbench.chapters.registry import CLAIMS
from workbench.errors import ArgumentError
from workbench.sources import Erratum, Statement, sources, statements

# The tables of statements: complete, unique, and every reference to this package leads somewhere.

REFERENCE = re.compile(
    r"(?P<key>[a-z]+/[a-z0-9-]+)|claim (?P<claim>[a-z-]+/[a-z0-9-]+)|(?P<proof>proofs/[a-z0-9_]+\.md)"
    r"|(?P<python>[a-z_]+(\.[A-Za-z0-9_]+)*)"
)
NUMBERED = {  # what each source numbers, read off its text: Thm1-3 are three
    "lkko21": """
        Thm1-13 Alg1-17 LemD.1-6 LemE.1-3 LemF.1-7 LemG.1 LemG.3-14 LemH.1-14 LemJ.1-3 LemK.1-8 LemK.10-11
        Def1.1-2 Def4.1-3 DefC.1 DefG.2 DefK.9 Asm1-2 Prop2.1 PropI.2 CorI.1 Lem2.2 Rem1 Eq1 Eq19 Table1-2
        Fig1-2""",
    "al22": """
        Thm1.1-4 Thm2.12 Thm4.1 Thm5.4-7 Thm6.1 Thm6.3 Thm7.3-4 Lem2.2-4 Lem2.10 Lem3.2 Lem3.6 Lem5.1-3 Lem7.2
        Def2.5 Def2.7 Def2.9 Def3.1 Def3.3 Def3.5 Fact2.1 Claim2.11 Eq5.1 Rem2.6 Rem2.8 Rem3.4 Rem3.7-8
        Rem7.6-7 Prop6.2 Prop7.1 Cor7.5 Alg1-5 ClaimA.1-2 LemA.3-4 ThmA.5 LemA.6 ClaimA.7 ClaimB.1-3 LemB.4
        FactB.5 ClaimC.1-6 LemD.1-2 ClaimD.3-5""",
    "l17": "Thm1.1-2 Fact2.1 Lem2.2-3 Cor2.4 Thm2.5-6 Lem2.7 Thm2.8 Eq1-6 naive packing free",
    "wx19": """
        Def1-3 Eq1-2 Eq7-9 Alg1-2 Lem1-3 Thm1-3 Cor1 psd data settings figures finding1-3 open1-2""",
}


def numbered(source):
    """The names of what a source numbers."""
    for word in NUMBERED[source].split():
        stem, first, last = re.fullmatch(r"(.*?)(\d*)(?:-(\d+))?", word).groups()
        numbers = range(int(first), int(last or first) + 1) if first else [""]
        yield from (f"{stem}{number}" for number in numbers)


STATEMENTS = {one.id: one for source in sources() for one in statements(source)}


@pytest.mark.parametrize("source", sources())
def test_ids_are_unique_and_nothing_covers_a_statement_twice(source):
    table = statements(source)
    assert len({statement.id for statement in table}) == len(table)
    for statement in table:
        assert statement.text
        assert len(set(statement.covered_by)) == len(statement.covered_by), statement.id


@pytest.mark.parametrize("identifier", STATEMENTS)
def test_what_covers_a_statement_is_in_this_package(identifier):
    for reference in STATEMENTS[identifier].covered_by:
        match = REFERENCE.fullmatch(reference)
        assert match, reference
        if match["claim"]:
            assert match["claim"] in CLAIMS
        elif match["key"]:
            assert reference in CATALOG
        elif match["proof"]:
            assert files("workbench").joinpath(reference).is_file()
        else:
            assert resolve_name(f"workbench.{reference}") is not None


@pytest.mark.parametrize("source", NUMBERED)
def test_everything_that_a_source_numbers_has_a_row_and_nothing_else_looks_like_it(source):
    names = {one.id.removeprefix(f"{source.upper()}/") for one in statements(source)}
    assert {*numbered(source)} <= names
    others = {name for name in names - {*numbered(source)} if name[:3] in ("Thm", "Lem", "Alg", "Cor", "Def")}
    assert others <= {"Lem-F3-F7"}


@pytest.mark.parametrize(
    ("source", "module"), [*((source, source) for source in NUMBERED), ("lkko21", "resilience")]
)
def test_every_bound_of_a_source_stands_for_a_statement(source, module) -> None:
    used = {name for statement in statements(source) for name in statement.covered_by}
    bounds = import_module(f"workbench.bounds.{module}")
    own = [name for name in vars(bounds) if getattr(vars(bounds)[name], "__module__", "") == bounds.__name__]
    assert {f"bounds.{module}.{name}" for name in own if name[0].islower()} <= used


def test_slips_say_where_and_what() -> None:
    slips = [slip for statement in STATEMENTS.values() for slip in statement.errata]
    assert len(slips) >= 38
    for slip in slips:
        assert all((slip.location, slip.says, slip.should_say))
        assert slip.says != slip.should_say


def test_a_statement_that_nothing_covers_needs_a_reason() -> None:
    slip = Erratum("here", "a", "b")
    assert Statement("X/1", "lemma", "text", reason="why", errata=(slip,)).errata == (slip,)
    for words, given, more in (
        ("covered_by", "theorem", {}),
        ("kind", "theorum", {"reason": "why"}),
        ("constants", "theorem", {"reason": "why", "constants": "guessed"}),
    ):
        with pytest.raises(ArgumentError, match=words):
            Statement("X/1", given, "text", **more)
    with pytest.raises(ArgumentError, match="source"):
        statements("../l17")


@pytest.mark.parametrize("key", CATALOG)
def test_statements_of_an_entry_exist_and_name_it(key):
    assert all(key in STATEMENTS[name].covered_by for name in CATALOG[key].statements)


@pytest.mark.parametrize("identifier", CLAIMS)
def test_statements_of_a_claim_exist(identifier):
    """Those of our sources; a claim may cite a proof, or a paper that is none of them."""
    cited = CLAIMS[identifier].sources
    assert cited
    assert {name for name in cited if name.partition("/")[0].lower() in sources()} <= {*STATEMENTS}


def test_sections_of_proofs_that_the_code_cites_exist():
    package = files("workbench")
    text = package.joinpath("proofs/univariate.md").read_text(encoding="utf-8")
    sections = set(re.findall(r"^## (\d+) ", text, flags=re.MULTILINE))
    cited = set()
    for folder in ("estimators", "privacy"):
        for module in package.joinpath(folder).rglob("*.py"):
            code = " ".join(module.read_text(encoding="utf-8").split())
            cited |= set(re.findall(r"proofs/univariate\.md`, section (\d+)", code))
    assert cited
    assert cited <= sections
