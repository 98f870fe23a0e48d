"""How large a picture and its text are, on a page and on a slide."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Format:
    """A page or a slide.

    Parameters
    ----------
    width
        In inches; a picture is shown with 100 px for each.
    boxes
        Heights of axes that stand alone, in pairs, and in rows of three or more; in inches.
    title, head, label, tick, small
        Sizes of text, in points of 1/72 inch.
    titled
        Whether the title is in the picture, and notes below its panels.
    row
        Inches of a named row.
    left, gap, right
        Inches left of axes for their label and numbers, between axes that share the label, and at least
        right of axes, for the half of a number.
    """

    width: float
    boxes: tuple[float, float, float]
    title: float
    head: float
    label: float
    tick: float
    small: float
    titled: bool = True
    row: float = 0.34
    left: float = 0.86
    gap: float = 0.34
    right: float = 0.2

    def character(self, size: float) -> float:
        """Return how many inches a character of this size takes, on average."""
        return 0.0076 * size

    def line(self, size: float) -> float:
        """Return how many inches a line of this size takes."""
        return 0.0205 * size


PAGE = Format(9.6, (4.1, 3.55, 2.5), title=14, head=11, label=11, tick=10, small=9.5)
SLIDE = Format(
    12.4,
    (4.75, 4.4, 3.4),
    title=20,
    head=16.5,
    label=16,
    tick=15,
    small=15.5,
    titled=False,
    left=1.16,
    gap=0.72,
    right=0.4,
)
