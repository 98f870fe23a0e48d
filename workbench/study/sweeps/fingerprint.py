"""What a block's numbers depend on besides its address: the function that measures, software, kernels.

Stored blocks are found again by these digests, so that a change of either recomputes instead of serving what
an older version measured. A change that matters must change the digest; one that does not matter may.
"""

import hashlib
import platform
import sys
from functools import partial
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import workbench
from workbench.errors import ArgumentError
from workbench.study.sweeps.grids import Block
from workbench.study.sweeps.rounding import KERNELS


def _software() -> str:
    """Return the digest of the package's source files and of what it runs on."""
    root = Path(workbench.__file__).parent
    found = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        found.update(f"{path.relative_to(root).as_posix()} {_file(path)}\n".encode())
    numbers = [f"{name} {version(name)}" for name in ("numpy", "scipy")]
    runs_on = [platform.python_implementation(), platform.python_version(), platform.machine()]
    found.update(" ".join([*numbers, *runs_on, *KERNELS]).encode())
    return found.hexdigest()


def _file(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


SOFTWARE = _software()
"""Digest of the package as it was imported; `require_unchanged` compares it with the files."""


def require_unchanged() -> None:
    """Raise if the package's files have changed since it was imported: what runs is then not certain."""
    if _software() != SOFTWARE:
        raise ArgumentError(
            "package", workbench.__name__, "no change of its files while it runs (start again)"
        )


def home(block: Block) -> tuple[str, str, str]:
    """Return the module and name of a block and, if `SOFTWARE` does not cover it, the digest of its file.

    A `functools.partial` has the name of its function, with the arguments behind it.

    Raises
    ------
    ArgumentError
        If the block is no function at the top of a module in a file: nothing else tells which code it is. In
        a module of your own it should call what stands there, or is installed: its file alone counts.
    """
    if isinstance(block, partial):
        module, name, file = home(block.func)
        bound = [*block.args, *sorted(block.keywords.items())]
        return module, f"{name} of {[getattr(value, '__qualname__', repr(value)) for value in bound]}", file
    name, module = getattr(block, "__qualname__", ""), getattr(block, "__module__", "")
    space = vars(sys.modules.get(module, ModuleType("")))
    if space.get(name) is not block or "__file__" not in space:
        raise ArgumentError("block", block, "a function at the top of a module, in a file")
    ours = module.partition(".")[0] == workbench.__name__
    return module, name, "" if ours else _file(Path(space["__file__"]))
