"""What a reader may give: a public number of a notebook, what an explorer moves, an object by its name."""

import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from math import ceil, floor, log10
from numbers import Integral
from pathlib import Path
from typing import Any

from workbench.errors import ArgumentError, finite, one_of, real
from workbench.types import frozen

ROUND = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 9)  # of a decade
STOPS = 60  # about as many as a track without logarithms has
_INTEGRAL: Any = Integral


@frozen
class Slider:
    """A number between two ends."""

    low: float  # the ends of the track and where it starts; a start beyond an end becomes that end
    high: float
    value: float
    log: bool = True  # whether equal steps multiply; the ends are then above 0
    label: str = ""  # what stands beside it: the symbol the plot uses
    unit: str = ""
    integer: bool = False  # whether the view gets whole numbers
    # the least and the largest number that may be typed, where the slider is that of a `Parameter`; else the
    # ends of the track
    legal: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        finite(low=self.low, high=self.high, value=self.value)
        if not self.low < self.high or (self.log and self.low <= 0):
            raise ArgumentError("low", self.low, f"below high = {self.high}" + ", above 0" * self.log)
        if self.log and self.value <= 0:
            raise ArgumentError("value", self.value, "a number above 0")
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
        if self.log:
            decades = range(floor(log10(self.low)), ceil(log10(self.high)) + 1)
            rounded = (float(f"{one}e{decade}") for decade in decades for one in ROUND)
        else:
            apart = (self.high - self.low) / STOPS
            places = floor(log10(apart))
            units = next(units for units in (1, 2, 5, 10) if units * 10.0**places >= 0.99 * apart)
            first, last = (end / (units * 10.0**places) for end in (self.low, self.high))
            counts = range(floor(first), ceil(last) + 1)
            rounded = (float(f"{units * count}e{places}") for count in counts)
        inner = {one for one in rounded if self.low < one < self.high and not (self.integer and one % 1)}
        return tuple(sorted(map(round if self.integer else float, inner | {self.low, self.value, self.high})))

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the largest number that is legal; a track of a start beyond them is longer."""
        least, most = self.legal or (self.low, self.high)
        return min(least, self.low), max(most, self.high)


@frozen
class Choice:
    """One of several words or numbers."""

    options: Sequence[object]
    value: object
    label: str = ""

    def __post_init__(self) -> None:
        one_of(self.options, value=self.value)


@frozen
class Parameter:
    """A public number that a reader may set.

    A notebook's cell of parameters, its figures and explorers, the command line and every refusal read it.

    >>> Parameter("ε", 0.5, 0.01, 20, "budget of one release").require("epsilon", -1)
    Traceback (most recent call last):
        ...
    workbench.errors.ArgumentError: epsilon = -1: expected a number, 0.01 to 20
    """

    symbol: str  # as figures write it
    default: float  # where the notebook starts, and what its committed figures show
    low: float  # the least and the largest value that is allowed
    high: float
    meaning: str = ""  # in words, for a reader who meets it first
    unit: str = ""  # of the number, and whether it counts
    integer: bool = False
    log: bool = True  # whether equal steps of a slider multiply
    # the ends of a slider, where the allowed range is too wide for one
    track: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        self.require("default", self.default)
        for end in self.track or ():
            self.require("track", end)

    @property
    def words(self) -> str:
        return f"a {'whole ' * self.integer}number, {brief(self.low)} to {brief(self.high)}"

    def admits(self, value: object) -> bool:
        kind = real(value) and (isinstance(value, _INTEGRAL) or not self.integer)
        return kind and self.low <= value <= self.high  # type: ignore[operator]

    def require(self, name: str, value: object) -> None:
        if not self.admits(value):
            raise ArgumentError(name, value, self.words)

    def nearest(self, value: float) -> float:
        """Return the allowed value nearest to a number.

        >>> Parameter("n", 10, 2, 442, integer=True).nearest(0.4), Parameter("ε", 1, 0.01, 20).nearest(0.002)
        (2, 0.01)
        """
        within = min(max(value, self.low), self.high)
        return round(within) if self.integer else within

    def slider(self, value: float | None = None) -> Slider:
        start, ends = self.default if value is None else value, (self.low, self.high)
        return Slider(*(self.track or ends), start, self.log, self.symbol, self.unit, self.integer, ends)


def brief(value: float, digits: int = 6) -> str:
    """Return a number in few characters, as one would type it.

    >>> brief(0.05), brief(442), brief(1e7), brief(1e-9), brief(1234567, 12)
    ('0.05', '442', '1e7', '1e-9', '1234567')
    """
    mantissa, _, power = f"{value:.{digits}g}".partition("e")
    return f"{mantissa}e{int(power)}" if power else mantissa


def typed(value: float) -> str:
    return brief(value, 12)


Declared = Mapping[str, Parameter]
"""Name -> parameter: what a notebook declares."""


# Objects of a reader's own, named as module:object; modules of the working folder are found.


def loaded(argument: str, reference: str) -> Any:
    module, _, name = reference.partition(":")
    if not module or not name:
        raise ArgumentError(argument, reference, "module:object")
    here = str(Path.cwd())
    sys.path.insert(0, here)
    try:
        found: Any = import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        allowed = f"module:object that can be imported ({error})"
        raise ArgumentError(argument, reference, allowed) from None
    finally:
        sys.path.remove(here)
    return found
