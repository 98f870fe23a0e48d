"""Ball arithmetic of python-flint, loaded when it is needed: intervals that are proved to hold a number.

The precision is a state of the library; another thread that lowers it makes balls wider, never wrong.
"""

from typing import TYPE_CHECKING, Any

from workbench.errors import ArgumentError

if TYPE_CHECKING:
    from flint import arb

SPARE = 64  # bits of precision beyond those of the uniform variable


def flint() -> Any:
    """Return the module.

    Raises
    ------
    ArgumentError
        If it is not installed.
    """
    try:
        import flint
    except ModuleNotFoundError:
        needed = 'the extra `secure`: pip install "dp-workbench[secure]"'
        raise ArgumentError("module", "flint", needed) from None
    return flint


def precise(bits: int) -> Any:
    """Return a context in which balls resolve more than a uniform variable of so many bits."""
    return flint().ctx.workprec(bits + SPARE)


def exactly(value: float) -> "arb":
    """Return the ball of radius 0 of an integer or a float."""
    ball: arb = flint().arb(value)
    return ball


def matrix(rows: "list[list[Any]]") -> Any:
    """Return a matrix of balls, and of integers and floats that are balls of radius 0."""
    return flint().arb_mat(rows)


def uniform(top: int, bits: int) -> "arb":
    """Return a ball round the uniform variables that begin with `top`, of so many bits."""
    middle, radius = (2 * top + 1, -bits - 1), (1, -bits - 1)
    ball: arb = flint().arb(middle, radius)
    return ball


def rounded(ball: "arb") -> int | None:
    """Return ⌊x + ½⌋ if it is the same for every x of a ball."""
    found = (ball + 0.5).floor().unique_fmpz()
    return None if found is None else int(found)


def nearest(ball: "arb") -> float | None:
    """Return the float next to a number if it is the same for every one of a ball."""
    low, high = float(ball.lower()), float(ball.upper())
    return low if low == high else None
