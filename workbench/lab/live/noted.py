"""What a notebook would run, noted while it is read ahead: nothing is displayed, drawn or decided."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from typing import NamedTuple, ParamSpec

from workbench.lab.runner.core_share import leased
from workbench.study.run import Run, TooMuchWorkError
from workbench.study.sweeps import notes

P = ParamSpec("P")


class Unread(NamedTuple):
    """A figure or cell that cannot be read ahead to its end: what else it runs is not known beforehand."""

    name: str
    why: str


def display(show: Callable[P, None]) -> Callable[P, None]:
    """Return what displays something, which does nothing while a notebook is read ahead."""

    @wraps(show)
    def shown(*given: P.args, **named: P.kwargs) -> None:
        if notes() is None:
            show(*given, **named)

    return shown


def note_figure(
    figure: Callable[..., object], parameters: Mapping[str, object], profiles: Iterable[str], seed: int
) -> None:
    """Let a figure be drawn from tables without rows, so that its sweeps are noted."""
    for profile in profiles:
        try:
            with leased():
                figure(Run(profile, seed), **parameters)
        except TooMuchWorkError:
            return
        except Exception as error:
            found = notes()
            assert found is not None
            found.append(Unread(figure.__name__, f"{type(error).__name__}: {error}"))


def declared(ids: Mapping[str, Iterable[str]], profiles: Sequence[str], seed: int) -> Iterator[object]:
    """Yield the sweeps and searches of claims; those of a smaller profile are decided under a larger, too."""
    from workbench.chapters.registry import CLAIMS, claim_id

    wanted: list[str] = []
    for profile in profiles:
        wanted += [claim_id(name) for name in ids[profile]]
        for claim in wanted:
            yield from CLAIMS[claim].declared(profile, seed)
