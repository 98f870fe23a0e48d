"""What is generated from committed numbers is that of the numbers that are committed."""

from pathlib import Path

from workbench.lab.runner import complexity, report

FIGURES = Path(__file__).parents[3] / "figures"


def test_the_index_of_figures_is_current():
    for path, text in report.pages(FIGURES).items():
        assert path.read_text(encoding="utf-8") == text, path


def test_the_table_of_sample_sizes_is_current():
    assert (FIGURES / complexity.NAME).read_text(encoding="utf-8") == complexity.table(FIGURES)
