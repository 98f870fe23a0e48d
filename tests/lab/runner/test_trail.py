"""From a statement to the files that cover it; what is generated from committed numbers; shared sweeps."""

from collections import Counter
from pathlib import Path

import pytest

from workbench.chapters.registry import CLAIMS
from workbench.lab import project
from workbench.lab.differences import CLAIMS as MOST
from workbench.lab.listing import home, places
from workbench.lab.runner import complexity, report
from workbench.sources import sources, statements

STATEMENTS = {one.id: one for source in sources() for one in statements(source)}
FIGURES = Path(__file__).parents[3] / "figures"
WHOLE = ("L17/Thm2.5", "AL22/Alg3", "LKKO21/Thm6", "WX19/Alg1")


@pytest.mark.daily
@pytest.mark.parametrize("one", STATEMENTS.values(), ids=STATEMENTS)
def test_what_covers_a_statement_is_a_step_away(one):
    root = project.find(Path(__file__).parent).root
    for name in one.covered_by:
        found = places(name, root)
        assert found
        assert all((root / place.partition(" ")[0]).exists() for place in found)
        assert places(name)[0] == found[0]


@pytest.mark.turns(3)
@pytest.mark.parametrize("identifier", WHOLE)
def test_a_stranger_finds_algorithm_proof_claim_figure_and_test(identifier):
    root = project.find(Path(__file__).parent).root
    found = " ".join(place for name in STATEMENTS[identifier].covered_by for place in places(name, root))
    for folder in (
        "workbench/estimators/", "workbench/proofs/", "workbench/chapters/", "figures/", "tests/chapters/",
        "tests/contracts",
    ):  # fmt: skip
        assert folder in found


def test_every_claim_stands_in_a_module_of_its_chapter():
    for name in CLAIMS:
        chapter = name.partition("/")[0].replace("-", "_")
        folders = f"workbench/chapters/{chapter}/", "workbench/chapters/scalings/"
        assert home(name).startswith(folders)


def test_the_index_of_figures_is_current():
    for path, text in report.pages(FIGURES).items():
        assert path.read_text(encoding="utf-8") == text, path


def test_the_table_of_sample_sizes_is_current():
    assert (FIGURES / complexity.NAME).read_text(encoding="utf-8") == complexity.table(FIGURES)


@pytest.mark.daily
def test_no_sweep_is_read_by_more_claims_than_one_flipped_run_may_move():
    read = [{sweep.name for sweep in claim.sweeps()} for claim in CLAIMS.values()]
    readers = Counter(name for names in read for name in names)
    assert len(readers) > sum(map(bool, read))
    assert max(readers.values()) == MOST
