"""Sources, catalog, claims and proofs speak of one another by ids that exist."""

import re
from importlib.resources import files

import pytest

from workbench.catalog import CATALOG
from workbench.chapters.registry import CLAIMS
from workbench.sources import sources, statements

STATEMENTS = {statement.id: statement for source in sources() for statement in statements(source)}
LOADED = {identifier.split("/")[0] for identifier in STATEMENTS}


def loaded(identifiers):
    """Those whose source is in the package; others belong to sources that are still to come."""
    return [identifier for identifier in identifiers if identifier.split("/")[0] in LOADED]


@pytest.mark.parametrize("key", CATALOG)
def test_statements_of_an_entry_exist_and_name_it(key):
    for identifier in loaded(CATALOG[key].statements):
        assert key in STATEMENTS[identifier].covered_by, identifier


@pytest.mark.parametrize("identifier", CLAIMS)
def test_statements_of_a_claim_exist(identifier):
    claim = CLAIMS[identifier]
    assert claim.sources
    for source in loaded(claim.sources):
        assert source in STATEMENTS, source


@pytest.mark.parametrize("identifier", STATEMENTS)
def test_what_covers_a_statement_exists(identifier):
    for covering in STATEMENTS[identifier].covered_by:
        if covering.startswith("claim "):
            assert covering.removeprefix("claim ") in CLAIMS
        elif covering.startswith("proofs/"):
            assert files("workbench").joinpath(covering).is_file()
        elif "/" in covering:
            assert covering in CATALOG


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
