"""What the pictures of this chapter have in common: modes on a ramp, budgets and laws in words."""

from typing import Any

from workbench.charts.words import number

PROVED, PRACTICAL = 0.12, 0.72  # places on the ramp: the darker trusts more
LONG, SHORT = 0.75, 0.2  # of the axes of an ellipsoid
SHADES = {"proved": PROVED, "practical": PRACTICAL}
MEAN, COVARIANCE = "mean/coinpress", "covariance/coinpress"
PLAIN = "non-private"


def shade(mode: str) -> dict[str, Any]:
    """Return the shade of a mode, as parameters of a series."""
    return {"rank": SHADES[mode]}


def words(epsilon: float, delta: float) -> str:
    """Return a budget as titles write it.

    >>> words(0.5, 1e-9)
    'ε = 0.5, δ = 10⁻⁹'
    """
    return f"ε = {number(epsilon)}, δ = {number(delta)}"
