"""The films of the page: each with its notebook, played without a network."""

from pathlib import Path
from typing import NamedTuple

from workbench.lab.live import films


class Film(NamedTuple):
    """A film on the page."""

    key: str
    title: str
    alt: str
    words: str
    html: str

    @property
    def id(self) -> str:
        """Where it is on the page."""
        return f"film/{self.key}"

    @property
    def folder(self) -> str:
        """The notebook that it belongs to."""
        return self.key.partition("/")[0]


def cards(figures: Path) -> list[Film]:
    """Return the committed films in the order of the notebooks."""
    return [
        Film(
            key,
            one.title,
            one.alt,
            " ".join([one.how_to_read, *(frame.words for frame in one.frames)]),
            films.element(one),
        )
        for key, one in films.found(figures).items()
    ]
