"""Where the project is, what its notebooks show, and JupyterLab on them.

The project is the nearest folder upwards whose pyproject.toml names dp-workbench. Outside a checkout it is
what an installed wheel carries: notebooks, committed figures and verdicts. That is read only; what is made of
it goes to the working folder.
"""

import ast
import os
import shutil
import signal
import sys
import tomllib
from argparse import Namespace
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from workbench.errors import ArgumentError, integer_at_least
from workbench.lab.tables import say

NAME = "dp-workbench"
CARRIED = Path(__file__).parents[1] / "project"  # in a wheel alone
GRAMMAR = "rfc3987_syntax"  # jsonschema asks for it; without it, addresses are compared with a pattern


@dataclass(frozen=True)
class Project:
    root: Path

    @property
    def notebooks(self) -> list[Path]:
        return sorted((self.root / "notebooks").glob("*.ipynb"))

    @property
    def figures(self) -> Path:
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
    """Return the project of a folder, else the one that a wheel carries; or the one that is `explicit`."""
    if explicit is not None:
        root = Path(explicit).resolve()
        if not _is_project(root):
            raise ArgumentError("project", str(explicit), f"a checkout of {NAME}")
        return Project(root)
    here = Path.cwd() if start is None else Path(start).resolve()
    for folder in (here, *here.parents, CARRIED):
        if _is_project(folder):
            return Project(folder)
    raise ArgumentError("project", str(here), f"a folder inside a checkout of {NAME}, or --project FOLDER")


def chosen(options: Namespace) -> tuple[Project, Path, Path]:
    """Return the project, its notebook that is asked for, and where what is made of it goes."""
    project = find(explicit=options.project)
    (notebook,) = project.select([options.notebook])
    out = (options.out or project.reproduced).resolve()
    project.keep_apart(out)
    return project, notebook, out


def _is_project(folder: Path) -> bool:
    try:
        content = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return bool(content.get("project", {}).get("name") == NAME)


# Notebooks


REQUIRED = ("profile", "seed", "out", "recompute")  # parameters of each


def nbformat() -> ModuleType:
    """Import `nbformat` without a grammar of addresses that would take two seconds to build.

    It is imported as late as a notebook is looked at, and before what imports it, too.
    """
    modules: dict[str, Any] = sys.modules
    modules.setdefault(GRAMMAR, None)  # an import of it fails
    try:
        import nbformat as module
    finally:
        if modules[GRAMMAR] is None:
            del modules[GRAMMAR]
    return module


def chapter(stem: str) -> str:
    """Return the chapter of a notebook's name.

    >>> chapter("02_one_mean")
    'one_mean'
    """
    return stem.partition("_")[2]


def tagged(cell: Any, tag: str = "committed") -> bool:
    return tag in cell["metadata"].get("tags", ())


def parameters(path: Path) -> dict[str, object]:
    cells = nbformat().read(path, as_version=4).cells
    source = next((cell.source for cell in cells if tagged(cell, "parameters")), "")
    return dict(filter(None, map(assignment, ast.parse(source).body)))


def assignment(statement: ast.stmt) -> tuple[str, object] | None:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            with suppress(ValueError):
                return name, ast.literal_eval(value)
    return None


def calls(source: str) -> list[tuple[str, str]]:
    """Return what a cell asks the session to show, in its order: the method, and the name of the picture.

    >>> calls("lab.show(chapter.figure, n=2 * n)")
    [('show', 'figure')]
    >>> calls("lab.explore(patients['bmi'], low=10, high=60)")
    [('explore', 'column')]
    """
    try:
        nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    found = []
    for node in sorted(nodes, key=lambda node: (node.lineno, node.col_offset)):
        session, _, method = ast.unparse(node.func).rpartition(".")
        if session == "lab" and method in ("show", "explore", "solve", "verdicts", "growths"):
            given = node.args[0] if node.args else None
            name = ast.unparse(given).rpartition(".")[2].strip("'\"") if given else ""
            column = method == "explore" and not isinstance(given, ast.Attribute)
            found.append((method, "column" if column else "solve" if method == "solve" else name))
    return found


def shown(source: str) -> list[str]:
    """Return the names of the figures that a cell shows.

    >>> shown('lab.show(one_mean.rows_against_delta, n=n)')
    ['rows_against_delta']
    """
    return [name for method, name in calls(source) if method == "show" and name.isidentifier()]


# JupyterLab


SETTINGS = Path(__file__).parent / "jupyter"  # labconfig/ in it: no news, no update checks, no autosaving


def serve(options: Namespace) -> int:
    """Run JupyterLab on the notebooks, offline, in this very process, and return when it is stopped.

    Its menu, Ctrl-C, `kill` and the end of its terminal stop it. There is no process between the caller and
    the server, so that whatever ends one ends the other, and the server ends its kernels. The user's own
    settings stay, ours come before them.
    """
    if find_spec("jupyterlab") is None:
        raise ModuleNotFoundError("No module named 'jupyterlab'", name="jupyterlab")
    integer_at_least(1, port=options.port)
    if options.port > 65535:
        raise ArgumentError("port", options.port, "at most 65535")
    root = find(explicit=options.project).own().root
    styles = {"static_custom_path": [str(Path(__file__).parent / "custom")]}
    line = [
        f"--ServerApp.root_dir={root}",
        "--LabApp.default_url=/lab/tree/notebooks",
        "--LabApp.extension_manager=readonly",
        "--LabApp.custom_css=True",
        f"--ServerApp.tornado_settings={styles}",  # there is no option of its own for it
        f"--ServerApp.port={options.port}",
        "--ServerApp.answer_yes=True",  # one Ctrl-C ends it
    ]
    if options.no_browser:
        line.append("--no-browser")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        line.append("--allow-root")
    say(f"the notebooks are in {root / 'notebooks'}", sys.stderr)
    own = os.environ.get("JUPYTER_CONFIG_PATH", "")
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(filter(None, (str(SETTINGS), own)))
    lost = getattr(signal, "SIGHUP", None)  # not on every platform
    if lost is not None and signal.getsignal(lost) is not signal.SIG_IGN:  # as under `nohup`
        signal.signal(lost, lambda *_: os.kill(os.getpid(), signal.SIGTERM))  # as `kill` ends it
    from jupyterlab.labapp import LabApp  # type: ignore[import-untyped]

    LabApp.launch_instance(line)
    return 0
