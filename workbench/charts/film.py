"""A film: frames that one steps through, each a picture of the plane and a sentence about it.

>>> frame = Frame("It begins.", Panel("", "x", "y", (Series("a", (0, 1), (0, 1)),), xlim=(0, 1), ylim=(0, 1)))
>>> film = Film("line", "A line", (frame,), alt="A line.")
>>> Film.from_json(film.to_json()) == film
True
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from workbench.charts.chart import Panel, Series
from workbench.errors import ArgumentError


@dataclass(frozen=True)
class Frame:
    """One picture of a film.

    Parameters
    ----------
    words
        What happens here.
    panel
        What is drawn; its limits say which part of the plane is seen.
    """

    words: str
    panel: Panel

    def __post_init__(self) -> None:
        if self.panel.xlim is None or self.panel.ylim is None:
            raise ArgumentError("panel", self.panel.title, "limits of both axes")


@dataclass(frozen=True)
class Film:
    """Frames in their order.

    Parameters
    ----------
    name
        The stem of its file.
    title, frames
        What is shown.
    alt
        What happens, in words, for those who do not see it.
    how_to_read
        What to look at.
    shared
        What is drawn in every frame, beneath the rest.
    """

    name: str
    title: str
    frames: tuple[Frame, ...]
    alt: str
    how_to_read: str = ""
    shared: tuple[Series, ...] = ()

    def __post_init__(self) -> None:
        if not self.name.replace("_", "").isalnum():
            raise ArgumentError("name", self.name, "letters, digits and _")
        if not self.frames:
            raise ArgumentError("frames", 0, "one or more")
        object.__setattr__(self, "frames", tuple(self.frames))
        object.__setattr__(self, "shared", tuple(self.shared))

    def series(self, place: int) -> tuple[Series, ...]:
        """Return all that a frame draws."""
        return (*self.shared, *self.frames[place].panel.series)

    @property
    def labels(self) -> dict[str, Series]:
        """What is named in any frame, with the first series of that name."""
        found: dict[str, Series] = {}
        for place in range(len(self.frames)):
            for one in self.series(place):
                if one.label:
                    found.setdefault(one.label, one)
        return found

    def to_json(self) -> dict[str, object]:
        """Return the JSON form."""
        form: dict[str, object] = {one.name: getattr(self, one.name) for one in fields(self)}
        frames = [{"words": frame.words, "panel": frame.panel.to_json()} for frame in self.frames]
        return form | {"frames": frames, "shared": [one.to_json() for one in self.shared]}

    @classmethod
    def from_json(cls, form: Mapping[str, Any]) -> "Film":
        """Return the film of a JSON form."""
        frames = tuple(Frame(one["words"], Panel.from_json(one["panel"])) for one in form["frames"])
        return cls(**{**form, "frames": frames, "shared": tuple(Series(**one) for one in form["shared"])})
