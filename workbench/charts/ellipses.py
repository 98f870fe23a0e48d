"""Pictures of the plane: panels with one unit in both directions, and the ellipses of covariances in them.

An ellipse stands for a matrix: the points c + S^{1/2} u, |u| = 1, are one standard deviation of N(c, S) away
from c. For S = r² I it is the circle of radius r.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from workbench.charts.chart import Mark, Panel, Role, Series

POINTS = 97  # of an ellipse, the first and the last the same


def ellipse(
    label: str,
    covariance: ArrayLike,
    centre: ArrayLike = (0.0, 0.0),
    *,
    role: Role = "reference",
    colour_key: str = "",
) -> Series:
    """Return the ellipse of a positive semidefinite matrix, 2 by 2, as a closed line.

    >>> line = ellipse("", [[4.0, 0.0], [0.0, 1.0]])
    >>> max(line.x), max(line.y)
    (2.0, 1.0)
    """
    values, basis = np.linalg.eigh(np.asarray(covariance, np.float64))
    root = (basis * np.sqrt(np.maximum(values, 0.0))) @ basis.T
    turns = np.linspace(0.0, 2 * np.pi, POINTS)
    x, y = np.asarray(centre, np.float64)[:, None] + root @ np.array([np.cos(turns), np.sin(turns)])
    return Series(label, x, y, role=role, colour_key=colour_key)


def circle(
    label: str,
    radius: float,
    centre: ArrayLike = (0.0, 0.0),
    *,
    role: Role = "reference",
    colour_key: str = "",
) -> Series:
    """Return the circle of a radius."""
    return ellipse(label, radius**2 * np.eye(2), centre, role=role, colour_key=colour_key)


def plane(
    title: str,
    series: Iterable[Series],
    *,
    reach: float,
    centre: tuple[float, float] = (0.0, 0.0),
    names: tuple[str, str] = ("first coordinate", "second coordinate"),
    note: str = "",
    marks: Iterable[Mark] = (),
) -> Panel:
    """Return a panel that shows `reach` to every side of `centre`, with the same unit in both directions."""
    return Panel(
        title,
        *names,
        tuple(series),
        "linear",
        "linear",
        note=note,
        xlim=(centre[0] - reach, centre[0] + reach),
        ylim=(centre[1] - reach, centre[1] + reach),
        marks=tuple(marks),
        equal=True,
    )
