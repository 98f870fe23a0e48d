"""Errors about public facts, in one line: the argument, its value, what is allowed.

Validators take keyword arguments, so that the message names the argument by itself:

>>> positive(epsilon=-1.0)
Traceback (most recent call last):
    ...
workbench.errors.ArgumentError: epsilon = -1.0: expected a finite number above 0
"""

from collections.abc import Callable, Iterable
from dataclasses import fields
from functools import partial
from numbers import Integral, Real
from sys import float_info
from typing import Any, TypeGuard, get_args, get_origin

_REAL: Any = (float, int, Real)  # abstract number types are opaque to type checkers, and slow to ask
_INTEGRAL: Any = Integral
LISTED = 150  # characters of the choices that an error lists
LIKE, SPREAD = 0.7, 0.1  # how alike a slip is at least, and how much less than the best match


class ArgumentError(ValueError):
    """A public argument is outside its allowed set; raised before anything random is drawn."""

    def __init__(self, argument: str, value: object, allowed: str) -> None:
        super().__init__(argument, value, allowed)
        self.argument, self.value, self.allowed = argument, value, allowed

    def __str__(self) -> str:
        return f"{self.argument} = {_brief(self.value)}: expected {self.allowed}"


class OverspentError(ArgumentError):
    """A ledger was asked for more than what is left of its budget."""


def _brief(value: object) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 80 else text[:77] + "..."


def real(value: object) -> TypeGuard[float]:
    """Return whether `value` is a finite real number (a bool is none)."""
    return isinstance(value, _REAL) and not isinstance(value, bool) and abs(value) <= float_info.max


def positive(**arguments: object) -> None:
    """Raise unless every argument is a finite number above 0."""
    for name, value in arguments.items():
        if not (real(value) and value > 0):
            raise ArgumentError(name, value, "a finite number above 0")


def finite(**arguments: object) -> None:
    """Raise unless every argument is a finite number."""
    for name, value in arguments.items():
        if not real(value):
            raise ArgumentError(name, value, "a finite number")


def probability(**arguments: object) -> None:
    """Raise unless every argument lies strictly between 0 and 1."""
    for name, value in arguments.items():
        if not (real(value) and 0 < value < 1):
            raise ArgumentError(name, value, "a number strictly between 0 and 1")


def integer_at_least(least: int, **arguments: object) -> None:
    """Raise unless every argument is an integer, `least` or more."""
    for name, value in arguments.items():
        if isinstance(value, bool) or not isinstance(value, _INTEGRAL) or value < least:
            raise ArgumentError(name, value, f"an integer, at least {least}")


def one_of(allowed: Iterable[object], **arguments: object) -> None:
    """Raise unless every argument is one of `allowed`.

    >>> one_of(("mean", "scale"), estimand="Means")
    Traceback (most recent call last):
        ...
    workbench.errors.ArgumentError: estimand = 'Means': expected one of mean, scale; did you mean mean?
    """
    choices = list(allowed)
    for name, value in arguments.items():
        if value not in choices:
            raise ArgumentError(name, value, one_of_words(value, choices))


VOCABULARY: dict[str, Callable[..., None]] = {  # what a public parameter of this name is, in every estimator
    "radius": positive,
    "sigma": positive,
    "upper": positive,
    "lower": positive,
    "step": positive,
    "centre": finite,
    "beta": probability,
    "steps": partial(integer_at_least, 1),
    "calibration": partial(one_of, ("paper", "tight")),
    "mode": partial(one_of, ("practical", "proved")),
}


def checked(parameters: Any) -> None:
    """Raise unless the fields of a dataclass are what their names mean, or None where types allow it."""
    for one in fields(parameters):
        value = getattr(parameters, one.name)
        if one.name in VOCABULARY and not (value is None and type(None) in get_args(one.type)):
            for number in _numbers(one.name, value, one.type):
                VOCABULARY[one.name](**{one.name: number})


def _numbers(name: str, value: object, kind: Any) -> tuple[object, ...]:
    """Return a value, or the values of a tuple where a field takes one for each column."""
    if not any(get_origin(one) is tuple for one in get_args(kind)):
        return (value,)
    if isinstance(value, list) or getattr(value, "shape", None) or value == ():
        raise ArgumentError(name, value, "a number, or a tuple of one for each column")
    return value if isinstance(value, tuple) else (value,)


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


def nearest(word: str, names: Iterable[str], most: int = 3) -> list[str]:
    """Return the names that a word may be a slip of, nearest first; case and punctuation do not count.

    A key `family/name` is also known by its name, with or without the family behind it, as classes are.

    >>> nearest("TwoStepMean", ["univariate/clipped-mean", "univariate/two-step-mean"])
    ['univariate/two-step-mean']
    """
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(b=_letters(word), autojunk=False)

    def likeness(name: str) -> float:
        ratios = []
        for form in _forms(name):
            matcher.set_seq1(form)
            ratios.append(matcher.ratio())
        return max(ratios)

    ranked = sorted(((likeness(name), name) for name in names), key=lambda one: -one[0])
    found = [name for ratio, name in ranked if ratio >= max(LIKE, ranked[0][0] - SPREAD)]
    return found[:most]


def _forms(name: str) -> set[str]:
    family, slash, last = name.partition("/")
    return {_letters(form) for form in ((name, last, last + family) if slash else (name,))}


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()
