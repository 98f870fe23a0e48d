"""How words of the command line are read: numbers, whole numbers, NAME=VALUE, NAME=VALUE,VALUE,...."""

import argparse
import ast


def number(text: str) -> float:
    """Return a number."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: expected a number") from None


def whole(text: str) -> int:
    """Return a whole number."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: expected an integer") from None


def pair(text: str) -> tuple[str, object]:
    """Return a name and its value, a literal or else the word itself."""
    name, equals, value = text.partition("=")
    if not (equals and name.isidentifier()):
        raise argparse.ArgumentTypeError(f"{text!r}: expected NAME=VALUE")
    return name, _literal(value)


def axis(text: str) -> tuple[str, tuple[object, ...]]:
    """Return a name and its values, separated by commas."""
    name, equals, values = text.partition("=")
    if not (equals and name.isidentifier()):
        raise argparse.ArgumentTypeError(f"{text!r}: expected NAME=VALUE,VALUE,...")
    return name, tuple(map(_literal, values.split(",")))


def _literal(text: str) -> object:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text
