"""What a public number of a notebook is: symbol, start, what is allowed, how far a slider goes."""

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any

from workbench.charts.controls import Slider
from workbench.errors import ArgumentError, real

_INTEGRAL: Any = Integral


@dataclass(frozen=True)
class Parameter:
    """A public number that a reader may set.

    A notebook's cell of parameters, its figures and explorers, the command line and every refusal read it.

    Parameters
    ----------
    symbol
        As figures write it.
    default
        Where the notebook starts, and what its committed figures show.
    low, high
        The least and the largest value that is allowed.
    meaning
        In words, for a reader who meets it first.
    unit
        Of the number.
    integer
        Whether it counts.
    log
        Whether equal steps of a slider multiply.
    track
        The ends of a slider, where the allowed range is too wide for one.

    >>> Parameter("ε", 0.5, 0.01, 20, "budget of one release").require("epsilon", -1)
    Traceback (most recent call last):
        ...
    workbench.errors.ArgumentError: epsilon = -1: expected a number, 0.01 to 20
    """

    symbol: str
    default: float
    low: float
    high: float
    meaning: str = ""
    unit: str = ""
    integer: bool = False
    log: bool = True
    track: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        self.require("default", self.default)
        for end in self.track or ():
            self.require("track", end)

    @property
    def words(self) -> str:
        """What is allowed, for messages and for the comment in the cell of parameters."""
        return f"a {'whole ' * self.integer}number, {brief(self.low)} to {brief(self.high)}"

    def admits(self, value: object) -> bool:
        """Return whether a value is allowed; 100.0 is no count."""
        kind = real(value) and (isinstance(value, _INTEGRAL) or not self.integer)
        return kind and self.low <= value <= self.high  # type: ignore[operator]

    def require(self, name: str, value: object) -> None:
        """Raise unless a value is allowed."""
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
        """Return the control that starts at a value, by default that of the notebook."""
        low, high = self.track or (self.low, self.high)
        start = self.default if value is None else value
        legal = self.low, self.high
        return Slider(low, high, start, self.log, self.symbol, self.unit, self.integer, legal)


def brief(value: float) -> str:
    """Return a number in few characters, as one would type it.

    >>> brief(0.05), brief(442), brief(1e7), brief(1e-9)
    ('0.05', '442', '1e7', '1e-9')
    """
    digits, _, power = f"{value:.6g}".partition("e")
    return f"{digits}e{int(power)}" if power else digits


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def short(value: float, digits: int = 3) -> str:
    """Return a number as figures write it: large and small ones with a power of ten.

    >>> short(0.05), short(15_000), short(100_000), short(1e-6), short(9487, 1)
    ('0.05', '1.5·10⁴', '10⁵', '10⁻⁶', '9·10³')
    """
    if 0.01 <= value < (1000 if digits < 3 else 10_000):
        return f"{value:g}"
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    ten = "10" + str(int(exponent)).translate(_RAISED)
    return ten if float(mantissa) == 1 else f"{float(mantissa):g}·{ten}"


Declared = Mapping[str, Parameter]
"""Name -> parameter: what a notebook declares."""
