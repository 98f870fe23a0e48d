"""What can be moved in an explorer, as plain values; `explore` turns them into widgets."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, log10

from workbench.errors import ArgumentError, finite, one_of

ROUND = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 9)  # of a decade
STOPS = 60  # about as many as a track without logarithms has


@dataclass(frozen=True)
class Slider:
    """A number between two ends.

    Parameters
    ----------
    low, high, value
        The ends of the track and where it starts; a start beyond an end becomes that end.
    log
        Whether equal steps multiply; the ends are then above 0.
    label, unit
        What stands beside it: the symbol the plot uses.
    integer
        Whether the view gets whole numbers.
    legal
        The least and the largest number that may be typed, where the slider is that of a `Parameter`; else
        the ends of the track.
    drag
        Whether it is the place on the x axis of the first panel of a point that can be dragged; without log.
    """

    low: float
    high: float
    value: float
    log: bool = True
    label: str = ""
    unit: str = ""
    integer: bool = False
    legal: tuple[float, float] | None = None
    drag: bool = False

    def __post_init__(self) -> None:
        finite(low=self.low, high=self.high, value=self.value)
        if not self.low < self.high or (self.log and self.low <= 0):
            raise ArgumentError("low", self.low, f"below high = {self.high}" + ", above 0" * self.log)
        if self.log and self.value <= 0:
            raise ArgumentError("value", self.value, "a number above 0")
        if self.log and self.drag:
            raise ArgumentError("drag", self.drag, "False on a logarithmic track")
        if self.integer and any(end != round(end) for end in (self.low, self.high, self.value)):
            raise ArgumentError("value", self.value, f"a whole number, like {self.low} and {self.high}")
        object.__setattr__(self, "low", min(self.low, self.value))
        object.__setattr__(self, "high", max(self.high, self.value))

    @property
    def stops(self) -> tuple[float, ...]:
        """The round numbers at which a handle rests; both ends and the start are among them.

        >>> Slider(100, 442, 250, integer=True).stops[-5:], Slider(0.05, 5, 0.123).stops[3:7]
        ((200, 250, 300, 400, 442), (0.09, 0.1, 0.12, 0.123))
        >>> Slider(1, 50, 10, log=False, integer=True).stops[:3], Slider(0, 0.3, 0.1, log=False).stops[19:22]
        ((1, 2, 3), (0.095, 0.1, 0.105))
        """
        numbers = _products(self.low, self.high) if self.log else _multiples(self.low, self.high)
        if self.integer:
            numbers = (number for number in numbers if number == round(number))
        inner = {self.clean(number) for number in numbers if self.low < number < self.high}
        return tuple(sorted(inner | {self.clean(end) for end in (self.low, self.value, self.high)}))

    def clean(self, raw: float) -> float:
        """Return a widget's number as the view gets it: within what is legal, and whole where it counts.

        >>> Slider(1, 1e6, 1000, integer=True).clean(12345.678), Slider(0.01, 10, 1).clean(0.3)
        (12346, 0.3)
        """
        least, most = self.bounds
        within = min(max(raw, least), most)
        return round(within) if self.integer else float(within)

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the largest number that is legal; a track of a start beyond them is longer."""
        least, most = self.legal or (self.low, self.high)
        return min(least, self.low), max(most, self.high)

    def reaching(self, value: float) -> "Slider":
        """Return the slider whose track goes on to a legal value beyond its end.

        >>> Slider(100, 1000, 200, integer=True, legal=(1, 10_000)).reaching(3000).high
        3000
        """
        value = self.clean(value)
        return replace(self, low=min(self.low, value), high=max(self.high, value))

    def says(self, value: float) -> str:
        """Return a position in words.

        >>> Slider(100, 10_000, 2000, label="n", unit="rows", integer=True).says(2000)
        'n = 2000 rows'
        """
        return f"{self.label} = {typed(value)} {self.unit}".strip()


def typed(value: float) -> str:
    """Return a number as one would type it.

    >>> typed(0.05), typed(1234567), typed(1e-6)
    ('0.05', '1234567', '1e-6')
    """
    digits, _, power = f"{value:.12g}".partition("e")
    return f"{digits}e{int(power)}" if power else digits


def _products(low: float, high: float) -> Iterable[float]:
    """Round multiples of the powers of ten from below `low` to above `high`."""
    decades = range(floor(log10(low)), ceil(log10(high)) + 1)
    return (float(f"{number}e{decade}") for decade in decades for number in ROUND)


def _multiples(low: float, high: float) -> Iterable[float]:
    """Multiples of one, two or five units of a decimal place."""
    places = floor(log10((high - low) / STOPS))
    units = next(units for units in (1, 2, 5, 10) if units * 10.0**places >= 0.99 * (high - low) / STOPS)
    first, last = (end / (units * 10.0**places) for end in (low, high))
    return (float(f"{units * count}e{places}") for count in range(floor(first), ceil(last) + 1))


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

    def says(self, value: object) -> str:
        """Return a position in words."""
        return f"{self.label}: {value}"


Control = Slider | Choice
