"""What pictures of errors against the spectrum share: a row for each, the worst that was found last."""

from collections.abc import Iterable, Mapping

from workbench.charts.bands import measured
from workbench.charts.chart import Series
from workbench.populations.spectra import FAMILY, FOUND
from workbench.study.measures import Measure

WORST = "worst found"
SPELLED = {
    "ratio 9": "equal ratios of 9",
    "geometric": "equal ratios, condition 10⁸",
    "one small": "one small eigenvalue",
    WORST: "worst of a search",
}


def rows_of(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the rows: those of the spectra, without the key and the dimension of the worst."""
    rows = {_row(name) for name in names}
    return tuple(name for name in (*FAMILY, WORST) if name in rows)


def spelled(rows: Iterable[str]) -> tuple[str, ...]:
    """Return what rows are called on a picture.

    >>> spelled(("round", "ratio 9"))
    ('round', 'equal ratios of 9')
    """
    return tuple(SPELLED.get(row, row) for row in rows)


def places(names: Iterable[str], rows: tuple[str, ...], shift: float = 0.0) -> list[float]:
    """Return where the markers of spectra stand, moved down by a part of a row."""
    return [rows.index(_row(name)) + 1 + shift for name in names]


def _row(name: str) -> str:
    return WORST if name in FOUND else name


def in_rows(
    label: str,
    found: Mapping[str, Measure],
    rows: tuple[str, ...],
    key: str,
    shift: float = 0.0,
    expected: float | None = None,
) -> Series:
    """Return measures, one of each spectrum, with their bands, and what is predicted of all of them."""
    placed = dict(zip(places(found, rows, shift), found.values(), strict=True))
    return measured(label, placed, key, None if expected is None else [expected] * len(placed))


def across(label: str, value: float, rows: tuple[str, ...], key: str = "") -> Series:
    """Return one number as a line through all rows."""
    ends = (0.5, len(rows) + 0.5)
    return Series(label, ends, (value, value), role="reference", colour_key=key)
