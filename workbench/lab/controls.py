"""What can be moved in an explorer, as plain values; `explore` turns them into widgets."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10

from workbench.errors import ArgumentError, finite, one_of


@dataclass(frozen=True)
class Slider:
    """A number between two ends.

    Parameters
    ----------
    low, high, value
        The ends and where it starts.
    log
        Whether equal steps multiply; the ends are then above 0.
    label, unit
        What stands beside it: the symbol the plot uses.
    integer
        Whether the view gets whole numbers.
    """

    low: float
    high: float
    value: float
    log: bool = True
    label: str = ""
    unit: str = ""
    integer: bool = False

    def __post_init__(self) -> None:
        finite(low=self.low, high=self.high, value=self.value)
        if not self.low < self.high or (self.log and self.low <= 0):
            raise ArgumentError("low", self.low, f"below high = {self.high}" + ", above 0" * self.log)
        if not self.low <= self.value <= self.high:
            raise ArgumentError("value", self.value, f"between {self.low} and {self.high}")

    def clean(self, raw: float) -> float:
        """Return a widget's number as the view gets it: within the ends, in three digits.

        >>> Slider(1, 1e6, 1000, integer=True).clean(12345.678), Slider(0.01, 10, 1).clean(0.30000000004)
        (12300, 0.3)
        """
        short = min(max(float(f"{raw:.3g}"), self.low), self.high)
        return round(short) if self.integer else short

    @property
    def exponents(self) -> tuple[float, float]:
        """The ends as powers of ten."""
        return log10(self.low), log10(self.high)


@dataclass(frozen=True)
class Choice:
    """One of several words or numbers."""

    options: Sequence[object]
    value: object
    label: str = ""

    def __post_init__(self) -> None:
        one_of(self.options, value=self.value)

    def clean(self, raw: object) -> object:
        """Return the chosen option as the view gets it."""
        return raw


Control = Slider | Choice
