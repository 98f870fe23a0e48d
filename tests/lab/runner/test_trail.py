"""Where claims stand; what is generated from committed numbers; shared sweeps."""

from collections import Counter
from pathlib import Path

import pytest

from workbench.chapters.registry import CLAIMS
from workbench.lab.differences import CLAIMS as MOST
from workbench.lab.listing import home
from workbench.lab.runner import complexity, report

FIGURES = Path(__file__).parents[3] / "figures"


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
