"""The tables of statements: complete, unique, and every reference to this package leads somewhere."""

import re
from importlib import import_module
from importlib.util import find_spec

import pytest

from workbench.chapters.registry import CLAIMS, claim_id
from workbench.errors import ArgumentError
from workbench.sources import Erratum, Statement, sources, statements

REFERENCE = re.compile(
    r"(?P<key>[a-z]+/[a-z0-9-]+)|claim (?P<claim>[a-z-]+/[a-z0-9-]+)|(?P<proof>proofs/[a-z0-9_]+\.md)"
    r"|(?P<python>[a-z_]+(\.[A-Za-z0-9_]+)*)"
)
# What the lecture numbers, read off its text.
NUMBERED = {
    *("Thm1.1", "Thm1.2", "Fact2.1", "Lem2.2", "Lem2.3", "Cor2.4", "Thm2.5", "Thm2.6", "Lem2.7", "Thm2.8"),
    *(f"Eq{number}" for number in range(1, 7)),
}


def resolve(reference: str) -> object:
    """Return the module or attribute workbench.<reference>."""
    parts = reference.split(".")
    for split in range(len(parts), 0, -1):
        name = ".".join(["workbench", *parts[:split]])
        try:
            found = import_module(name)
        except ModuleNotFoundError as error:
            if error.name is None or not name.startswith(error.name):
                raise
            continue
        for attribute in parts[split:]:
            found = getattr(found, attribute)
        return found
    raise LookupError(reference)


@pytest.mark.parametrize("source", sources())
def test_ids_are_unique_and_every_statement_is_covered_or_excused(source: str) -> None:
    table = statements(source)
    assert len({statement.id for statement in table}) == len(table)
    for statement in table:
        assert statement.text
        assert statement.covered_by or statement.reason
        assert len(set(statement.covered_by)) == len(statement.covered_by), statement.id


@pytest.mark.parametrize("source", sources())
def test_references_are_well_formed_and_lead_to_this_package(source: str) -> None:
    """References into a package that is present resolve; keys and claims are checked by their owners."""
    resolved = 0
    for statement in statements(source):
        for reference in statement.covered_by:
            match = REFERENCE.fullmatch(reference)
            assert match, (statement.id, reference)
            python = match["python"]
            if python and find_spec("workbench." + python.partition(".")[0]):
                resolve(python)
                resolved += 1
    assert resolved


def test_everything_that_the_lecture_numbers_has_a_row() -> None:
    ids = {statement.id for statement in statements("l17")}
    assert {f"L17/{number}" for number in NUMBERED} <= ids
    assert {"L17/naive", "L17/packing", "L17/free"} <= ids
    assert all(name.startswith(("L17/", "KV18/")) for name in ids)


def test_every_bound_of_the_lecture_stands_for_a_statement() -> None:
    """Nothing in bounds.l17 is without a source, apart from the types of its results."""
    module = import_module("workbench.bounds.l17")
    used = {name for statement in statements("l17") for name in statement.covered_by}
    own = {
        name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__
    }
    assert {f"bounds.l17.{name}" for name in own if name[0].islower()} <= used


def test_every_estimator_and_claim_of_the_lecture_is_named() -> None:
    used = {name for statement in statements("l17") for name in statement.covered_by}
    for key in (
        *("clipped-mean", "two-step-mean", "unbounded-mean", "histogram-location", "stable-location"),
        *("scale", "interval", "interval-unknown-variance"),
    ):
        assert f"univariate/{key}" in used
    for name in ("G1", "G2", "G3", "G4", "G5", "G6", "L1.1", "L1.2", "L2.3"):
        assert f"claim {claim_id(name)}" in used


def test_known_slips_are_recorded() -> None:
    slips = {statement.id: len(statement.errata) for statement in statements("l17") if statement.errata}
    assert slips["L17/Eq1"] == 1  # (6) for (1)
    assert slips["L17/histogram"] == 1  # 2R - 2 bins
    assert slips["L17/Thm2.6"] >= 2  # base of the power, E_0 for E_j
    assert slips["L17/Lem2.7"] >= 3  # .7 for .9, base of the power, R for two things
    for statement in statements("l17"):
        for slip in statement.errata:
            assert all((slip.location, slip.says, slip.should_say))
            assert slip.says != slip.should_say


def test_the_resolver_notices_what_is_missing() -> None:
    with pytest.raises(AttributeError):
        resolve("bounds.l17.no_such_bound")
    with pytest.raises(LookupError):
        resolve("no_such_module")


def test_a_statement_that_nothing_covers_needs_a_reason() -> None:
    with pytest.raises(ArgumentError, match="covered_by"):
        Statement("X/1", "theorem", "text")
    with pytest.raises(ArgumentError, match="kind"):
        Statement("X/1", "theorum", "text", reason="why")
    with pytest.raises(ArgumentError, match="constants"):
        Statement("X/1", "theorem", "text", reason="why", constants="guessed")
    with pytest.raises(ArgumentError, match="source"):
        statements("../l17")
    slip = Erratum("here", "a", "b")
    assert Statement("X/1", "lemma", "text", reason="why", errata=(slip,)).errata == (slip,)


def test_everything_that_the_sparse_source_numbers_has_a_row() -> None:
    ids = {statement.id.removeprefix("WX19/") for statement in statements("wx19")}
    numbered = {
        *("Def1", "Def2", "Def3", "Eq1", "Eq2", "Eq7", "Eq8", "Eq9", "Alg1", "Alg2"),
        *("Lem1", "Lem2", "Lem3", "Thm1", "Thm2", "Thm3", "Cor1"),
    }
    named = {"psd", "data", "settings", "figures", "finding1", "finding2", "finding3", "open1", "open2"}
    assert ids == numbered | named
    used = {name for statement in statements("wx19") for name in statement.covered_by}
    assert {f"claim {id}" for id in CLAIMS if id.startswith("sparse-covariance/")} <= used
    assert {f"covariance/{name}" for name in ("perturbed", "thresholded", "local-thresholded")} <= used
    bounds = import_module("workbench.bounds.wx19")
    public = {
        name for name, value in vars(bounds).items() if getattr(value, "__module__", "") == bounds.__name__
    }
    assert {f"bounds.wx19.{name}" for name in public} <= used


def test_known_slips_of_the_sparse_source_are_recorded() -> None:
    slips = {statement.id.removeprefix("WX19/") for statement in statements("wx19") if statement.errata}
    assert slips == {"Eq7", "Thm1", "Alg2", "data", "finding3"}


LKKO21_NUMBERED = {
    *(f"Thm{number}" for number in range(1, 14)),
    *(f"Alg{number}" for number in range(1, 18)),
    *(f"LemD.{number}" for number in range(1, 7)),
    *(f"LemE.{number}" for number in range(1, 4)),
    *(f"LemF.{number}" for number in range(1, 8)),
    *(f"LemG.{number}" for number in (1, *range(3, 15))),
    *(f"LemH.{number}" for number in range(1, 15)),
    *(f"LemJ.{number}" for number in range(1, 4)),
    *(f"LemK.{number}" for number in (*range(1, 9), 10, 11)),
    *("Def1.1", "Def1.2", "Def4.1", "Def4.2", "Def4.3", "DefC.1", "DefG.2", "DefK.9", "Asm1", "Asm2"),
    *("Prop2.1", "PropI.2", "CorI.1", "Lem2.2", "Rem1", "Eq1", "Eq19", "Table1", "Table2", "Fig1", "Fig2"),
}
AL22_NUMBERED = {
    *(f"Thm1.{number}" for number in range(1, 5)),
    *("Thm2.12", "Thm4.1", "Thm5.4", "Thm5.5", "Thm5.6", "Thm5.7", "Thm6.1", "Thm6.3", "Thm7.3", "Thm7.4"),
    *("Lem2.2", "Lem2.3", "Lem2.4", "Lem2.10", "Lem3.2", "Lem3.6", "Lem5.1", "Lem5.2", "Lem5.3", "Lem7.2"),
    *("Def2.5", "Def2.7", "Def2.9", "Def3.1", "Def3.3", "Def3.5", "Fact2.1", "Claim2.11", "Eq5.1"),
    *("Rem2.6", "Rem2.8", "Rem3.4", "Rem3.7", "Rem3.8", "Rem7.6", "Rem7.7", "Prop6.2", "Prop7.1", "Cor7.5"),
    *(f"Alg{number}" for number in range(1, 6)),
    *("ClaimA.1", "ClaimA.2", "LemA.3", "LemA.4", "ThmA.5", "LemA.6", "ClaimA.7"),
    *("ClaimB.1", "ClaimB.2", "ClaimB.3", "LemB.4", "FactB.5", *(f"ClaimC.{n}" for n in range(1, 7))),
    *("LemD.1", "LemD.2", "ClaimD.3", "ClaimD.4", "ClaimD.5"),
}


@pytest.mark.parametrize(("source", "numbered"), [("lkko21", LKKO21_NUMBERED), ("al22", AL22_NUMBERED)])
def test_everything_that_the_robust_sources_number_has_a_row(source: str, numbered: set[str]) -> None:
    names = {statement.id.removeprefix(f"{source.upper()}/") for statement in statements(source)}
    assert numbered <= names
    assert {name for name in names - numbered if name[:3] in ("Thm", "Lem", "Alg", "Cor", "Def")} <= {
        "Lem-F3-F7"
    }
    used = {name for statement in statements(source) for name in statement.covered_by}
    bounds = import_module(f"workbench.bounds.{source}")
    public = {
        name
        for name, value in vars(bounds).items()
        if callable(value) and value.__module__ == bounds.__name__ and name[0].islower() and name[0] != "_"
    }
    assert {f"bounds.{source}.{name}" for name in public} <= used


def test_what_robust_means_do_on_the_line_stands_for_a_statement() -> None:
    module = import_module("workbench.bounds.resilience")
    used = {name for statement in statements("lkko21") for name in statement.covered_by}
    own = {
        name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__
    }
    assert {f"bounds.resilience.{name}" for name in own if name[0] != "_"} <= used


def test_known_slips_of_the_robust_sources_are_recorded() -> None:
    slips = {statement.id for tag in ("lkko21", "al22") for statement in statements(tag) if statement.errata}
    assert {f"LKKO21/{name}" for name in ("Def1.1", "Alg2", "Alg10", "LemH.6")} <= slips
    assert "AL22/Thm5.4" in slips
