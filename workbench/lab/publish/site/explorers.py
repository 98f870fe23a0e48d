"""The explorers that the page itself runs: each with its notebook, and in place of a notebook's cell."""

from collections.abc import Iterable, Iterator
from html import escape
from typing import NamedTuple

from workbench.lab.live import browser


class Explorer(NamedTuple):
    """An explorer on the page."""

    name: str
    title: str
    folder: str
    sentence: str
    html: str

    @property
    def id(self) -> str:
        """Where it is on the page."""
        return f"explorer/{self.name}"

    @property
    def words(self) -> list[str]:
        """What finds it: what it moves, in letters and words."""
        facts = browser.EXPLORERS[self.name]
        return [facts.alt, *facts.controls, *(str(one["label"]) for one in facts.controls.values())]


def cards(folders: Iterable[str]) -> Iterator[Explorer]:
    """Yield the explorers in their order; a notebook's folder ends in the name of its chapter."""
    own = {folder.partition("_")[2]: folder for folder in folders}
    for name, facts in browser.EXPLORERS.items():
        place = own.get(facts.chapter, facts.chapter)
        yield Explorer(
            name,
            facts.title,
            place,
            browser.sentence(name),
            _host(name, f"<p>{escape(browser.sentence(name))}</p>"),
        )


def mounted(source: str) -> str:
    """Return the explorers that a cell shows, as they start by default."""
    return "".join(_host(name) for name in browser.CALL.findall(source) if name in browser.EXPLORERS)


def _host(name: str, words: str = "") -> str:
    """Return where the script mounts an explorer, with words for those who run no script."""
    return f'<div class="workbench-live" data-explorer="{name}">{words}</div>'
