"""Errors about public facts, in one line: the argument, its value, what is allowed.

Validators take keyword arguments, so that the message names the argument by itself:

>>> positive(epsilon=-1.0)
Traceback (most recent call last):
    ...
workbench.errors.ArgumentError: epsilon = -1.0: expected a finite number above 0
"""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import fields
from decimal import Decimal
from functools import cache, partial, wraps
from math import nan
from numbers import Integral, Real
from sys import float_info
from types import NoneType
from typing import Any, TypeGuard, TypeVar, cast, get_args, get_origin

_REAL: Any = (float, int, Real)  # abstract number types are opaque to type checkers, and slow to ask
_INTEGRAL: Any = Integral
_NUMBER: Any = (*_REAL, Decimal)
_NUMERIC = ("b", "i", "u", "f", "O")  # kinds of numpy's types
LEAST_DELTA = 1e-300  # whose inverse, and what is a little smaller, are ordinary floats
LEAST_LOSS, MOST_LOSS = 1e-150, 1e150  # as are their squares
LISTED = 150  # characters of the choices that an error lists
LIKE, SPREAD = 0.7, 0.1  # how alike a slip is at least, and how much less than the best match


class ArgumentError(ValueError):
    """A public argument is outside its allowed set; raised before anything random is drawn."""

    def __init__(self, argument: str, value: object, allowed: str) -> None:
        super().__init__(argument, value, allowed)
        self.argument, self.value, self.allowed = argument, value, allowed

    def __str__(self) -> str:
        try:
            text = " ".join(repr(self.value).split())
        except ValueError:  # Python writes no whole number of more than 4300 digits
            text = f"one {type(self.value).__name__} of too many digits"
        brief = text if len(text) <= 80 else text[:77] + "..."
        return f"{self.argument} = {brief}: expected {self.allowed}"


class OverspentError(ArgumentError):
    """A ledger was asked for more than what is left of its budget."""


def real(value: object) -> TypeGuard[float]:
    """Return whether `value` is a finite real number (a bool is none)."""
    number = type(value) is float or (isinstance(value, _REAL) and not isinstance(value, bool))
    return number and abs(plain(value)) <= float_info.max  # numpy compares in the type of its scalar


def _numbers(allowed: str, admits: Callable[[float], bool]) -> Callable[..., None]:
    def check(**arguments: object) -> None:
        for name, value in arguments.items():
            if not (real(value) and admits(plain(value))):
                raise ArgumentError(name, value, allowed)

    return check


positive = _numbers("a finite number above 0", lambda value: value > 0)
finite = _numbers("a finite number", lambda _: True)
probability = _numbers(
    f"a number strictly between 0 and 1, at least {LEAST_DELTA:g}", lambda value: LEAST_DELTA <= value < 1
)


def in_range(low: float, high: float, ends: str = "[]", **arguments: object) -> None:
    """Raise unless every argument is a number between two ends, "[" or "]" where an end is allowed itself.

    >>> in_range(0, 0.5, "[)", corruption=0.5)
    Traceback (most recent call last):
        ...
    workbench.errors.ArgumentError: corruption = 0.5: expected a number in [0, 0.5)
    """
    for name, value in arguments.items():
        number = plain(value) if real(value) else nan
        inside = low <= number <= high
        if not inside or (number == low and ends[0] == "(") or (number == high and ends[1] == ")"):
            raise ArgumentError(name, value, f"a number in {ends[0]}{low:g}, {high:g}{ends[1]}")


def integer_at_least(least: int, **arguments: object) -> None:
    for name, value in arguments.items():
        if isinstance(value, bool) or not isinstance(value, _INTEGRAL) or value < least:
            raise ArgumentError(name, value, f"an integer, at least {least}")


def few(most: int, **arguments: Any) -> None:
    """Raise unless every argument is an integer from 1 to `most`: more would take for ever."""
    for name, value in arguments.items():
        integer_at_least(1, **{name: value})
        if value > most:
            raise ArgumentError(name, value, f"an integer from 1 to {most}")


def one_of(allowed: Iterable[object], **arguments: object) -> None:
    """Raise unless every argument is one of `allowed`.

    >>> one_of(("mean", "scale"), estimand="Means")
    Traceback (most recent call last):
        ...
    workbench.errors.ArgumentError: estimand = 'Means': expected one of mean, scale; did you mean mean?
    """
    choices = list(allowed)
    for name, value in arguments.items():
        if not isinstance(value, Hashable) or value not in choices:  # an array is compared entry by entry
            raise ArgumentError(name, value, one_of_words(value, choices))


def _loss(**argument: Any) -> None:
    positive(**argument)
    in_range(LEAST_LOSS, MOST_LOSS, **argument)


VOCABULARY: dict[str, Callable[..., None]] = {  # what a public number of this name is, wherever it stands
    "epsilon": _loss,
    "delta": _numbers(
        f"0, or a number in [{LEAST_DELTA:g}, 1)", lambda delta: delta == 0 or LEAST_DELTA <= delta < 1
    ),
    "rho": _loss,
    "mu": _loss,
    "sensitivity": finite,
    "radius": positive,
    "sigma": positive,
    "upper": positive,
    "lower": positive,
    "step": positive,
    "centre": finite,
    "beta": probability,
    "steps": partial(few, 1000),
    "calibration": partial(one_of, ("paper", "tight")),
    "mode": partial(one_of, ("practical", "proved")),
}


class Public:
    """A dataclass of public numbers, which become Python's when one is made, or are refused there."""

    def __post_init__(self) -> None:
        checked(self)
        self._validate()

    def _validate(self) -> None:
        """Raise where fields that are what their names mean do not go together."""


def checked(parameters: Any) -> None:
    """Make fields of a dataclass plain; raise unless they are what their names mean, or an allowed None."""
    for name, kinds, by_column, numbers in _declared(parameters.__class__):
        given = getattr(parameters, name)
        value = plain(given, float in kinds)
        if by_column and (isinstance(value, (list, tuple)) or getattr(value, "shape", None)):
            value = tuple(plain(one, float in kinds) for one in value)
        if value is not given:
            object.__setattr__(parameters, name, value)
        if bool in kinds and not isinstance(value, bool):
            raise ArgumentError(name, given, "True or False")
        if numbers and not (isinstance(value, tuple) and all(isinstance(one, _REAL) for one in value)):
            raise ArgumentError(name, given, "a tuple of numbers")
        if name in VOCABULARY and not (value is None and NoneType in kinds):
            if by_column and value == ():
                raise ArgumentError(name, given, "a number, or a tuple of one for each column")
            for number in value if by_column and isinstance(value, tuple) else (value,):
                VOCABULARY[name](**{name: number})


@cache
def _declared(dataclass: type) -> list[tuple[str, tuple[Any, ...], bool, bool]]:
    """Return the name of every field, its types, whether it may be a tuple, or must be one of numbers."""
    types = [(one.name, one.type, get_args(one.type) or (one.type,)) for one in fields(dataclass)]
    return [
        (
            name,
            kinds,
            any(get_origin(one) is tuple for one in (kind, *kinds)),
            get_origin(kind) is tuple and float in kinds,
        )
        for name, kind, kinds in types
        if kind is not str
    ]


def plain(value: Any, as_real: bool = False) -> Any:
    """Return a number of any type, or an array of shape (), as Python's int or float; else the value itself.

    >>> plain(Decimal("0.25")), plain(3), plain(3, as_real=True), plain("3")
    (0.25, 3, 3.0, '3')
    """
    if type(value) is float:
        return value
    if getattr(value, "shape", None) == () and getattr(value.dtype, "kind", "") in _NUMERIC:
        value = bool(value) if value.dtype == bool else value[()]
    if isinstance(value, bool) or not isinstance(value, _NUMBER):
        return value
    if isinstance(value, _INTEGRAL) and not as_real:
        return int(value)
    try:
        return float(value)
    except (OverflowError, ValueError):  # too large for a float, or a signalling NaN
        return value


F = TypeVar("F", bound=Callable[..., Any])


def of_plain_numbers(function: F) -> F:
    """Return a function of public numbers that gets them plain."""

    @wraps(function)
    def call(*given: Any, **named: Any) -> Any:
        return function(*map(plain, given), **{name: plain(value) for name, value in named.items()})

    return cast(F, call)


def require_columns(d: int, **parameters: object) -> None:
    """Raise unless every parameter is one value, or a tuple of one for each of d columns.

    >>> require_columns(3, centre=(1.0, 2.0))
    Traceback (most recent call last):
        ...
    workbench.errors.ArgumentError: centre = (1.0, 2.0): expected one number, or 3: one for each column
    """
    for name, value in parameters.items():
        if isinstance(value, tuple) and len(value) != d:
            raise ArgumentError(name, value, f"one number, or {d}: one for each column")


def one_of_words(value: object, choices: Iterable[object], others: Iterable[str] = ()) -> str:
    """Return a short line of the allowed choices: all if they are few, and those `value` may be a slip of.

    The `others` are allowed for a reason that stands elsewhere, and may be meant too.
    """
    names = list(map(str, choices))
    near = " or ".join(nearest(value, [*names, *others])) if isinstance(value, str) else ""
    listed, meant = "one of " + ", ".join(names), f"; did you mean {near}?" if near else ""
    if len(listed + meant) > LISTED:
        listed = f"one of {len(names)} names" + ("" if near else f", such as {names[0]}")
    return listed + meant


def nearest(word: str, names: Iterable[str]) -> list[str]:
    """Return at most three names that a word may be a slip of, nearest first, whatever case and punctuation.

    A key `family/name` is also known by its name, with or without the family behind it, as classes are.

    >>> nearest("TwoStepMean", ["univariate/clipped-mean", "univariate/two-step-mean"])
    ['univariate/two-step-mean']
    """
    from difflib import SequenceMatcher

    def likeness(name: str) -> float:
        family, slash, last = name.partition("/")
        forms = (name, last, last + family) if slash else (name,)
        return max(SequenceMatcher(None, _letters(form), _letters(word), False).ratio() for form in forms)

    ranked = sorted(((likeness(name), name) for name in names), key=lambda one: -one[0])
    found = [name for ratio, name in ranked if ratio >= max(LIKE, ranked[0][0] - SPREAD)]
    return found[:3]


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()
