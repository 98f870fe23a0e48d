"""What pictures of errors against the spectrum share: a row for each, the worst that was found last."""

from collections.abc import Iterable, Mapping

from workbench.charts.chart import Series
from workbench.populations.spectra import FAMILY, FOUND
from workbench.study.measures import Measure

WORST = "worst found"


def rows_of(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the rows: those of the spectra, without the key and the dimension of the worst."""
    rows = {_row(name) for name in names}
    return tuple(name for name in (*FAMILY, WORST) if name in rows)


def places(names: Iterable[str], rows: tuple[str, ...], shift: float = 0.0) -> list[float]:
    """Return where the markers of spectra stand, moved down by a part of a row."""
    return [rows.index(_row(name)) + 1 + shift for name in names]


def _row(name: str) -> str:
    return WORST if name in FOUND else name


def in_rows(
    label: str, found: Mapping[str, Measure], rows: tuple[str, ...], key: str, shift: float = 0.0
) -> Series:
    """Return measures, one of each spectrum, with their bands."""
    low, high = zip(*(one.interval for one in found.values()), strict=True) if found else ((), ())
    middle = [one.estimate for one in found.values()]
    return Series(label, places(found, rows, shift), middle, low, high, colour_key=key)


def across(label: str, value: float, rows: tuple[str, ...], key: str = "") -> Series:
    """Return one number as a line through all rows."""
    ends = (0.5, len(rows) + 0.5)
    return Series(label, ends, (value, value), role="reference", colour_key=key)
