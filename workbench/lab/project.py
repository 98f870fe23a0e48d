"""Where the project is: the nearest folder upwards whose pyproject.toml names dp-workbench.

Outside a checkout it is what an installed wheel carries: notebooks, committed figures and verdicts. That is
read only; what is made of it goes to the working folder.
"""

import shutil
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from workbench.errors import ArgumentError

NAME = "dp-workbench"
CARRIED = Path(__file__).parents[1] / "project"  # in a wheel alone


def chapter(stem: str) -> str:
    """Return the chapter of a notebook's name.

    >>> chapter("02_one_mean")
    'one_mean'
    """
    return stem.partition("_")[2]


@dataclass(frozen=True)
class Project:
    """A checkout, or what a wheel carries of one."""

    root: Path

    @property
    def notebooks(self) -> list[Path]:
        """Its notebooks, in the order of their names."""
        return sorted((self.root / "notebooks").glob("*.ipynb"))

    @property
    def figures(self) -> Path:
        """What is committed."""
        return self.root / "figures"

    @property
    def reproduced(self) -> Path:
        """Where a run writes unless told otherwise; git ignores it."""
        return (Path.cwd() if self.root == CARRIED else self.root) / "reproduced"

    def own(self) -> "Project":
        """Return a project that may be changed: of what a wheel carries the copy in the working folder."""
        if self.root != CARRIED:
            return self
        target = Path.cwd() / NAME
        if not target.exists():
            shutil.copytree(self.root, target)
        return find(explicit=target)

    def keep_apart(self, out: Path) -> None:
        """Raise unless what is in `out` may be replaced: a folder, and none that holds what is committed."""
        if out.exists() and not out.is_dir():
            raise ArgumentError("out", str(out), "a folder")
        kept = self.figures.resolve(), (self.root / "notebooks").resolve()
        if out.resolve() == self.root.resolve() or any(out.resolve().is_relative_to(one) for one in kept):
            raise ArgumentError("out", str(out), "a folder of its own, as outputs there are replaced")

    def select(self, names: Iterable[str]) -> list[Path]:
        """Return the notebooks of these names (stem, file name, path or chapter), all of them for none."""
        known = {path.stem: path for path in self.notebooks}
        if not known:
            raise ArgumentError("project", str(self.root), "a folder with notebooks/*.ipynb in it")
        stems = dict[str, None]()
        for name in names:
            wanted = Path(name).name.removesuffix(".ipynb")
            found = [wanted] if wanted in known else [one for one in known if chapter(one) == wanted]
            if len(found) != 1:
                raise ArgumentError("notebook", name, "one of " + ", ".join(known))
            stems[found[0]] = None
        return [known[stem] for stem in stems] or list(known.values())


def find(start: Path | str | None = None, *, explicit: Path | str | None = None) -> Project:
    """Return the project of a folder, else the one that a wheel carries; or the one that is `explicit`.

    Raises
    ------
    ArgumentError
        If there is none.
    """
    if explicit is not None:
        root = Path(explicit).resolve()
        if not _is_project(root):
            raise ArgumentError("project", str(explicit), f"a checkout of {NAME}")
        return Project(root)
    here = Path.cwd() if start is None else Path(start).resolve()
    for folder in (here, *here.parents):
        if _is_project(folder):
            return Project(folder)
    if _is_project(CARRIED):
        return Project(CARRIED)
    raise ArgumentError("project", str(here), f"a folder inside a checkout of {NAME}, or --project FOLDER")


def _is_project(folder: Path) -> bool:
    try:
        content = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return bool(content.get("project", {}).get("name") == NAME)
