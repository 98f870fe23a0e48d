"""What a block's numbers depend on besides its address: the function that measures, software, kernels.

Stored blocks are found again by these digests, so that a change of either recomputes instead of serving what
an older version measured. A change that matters must change the digest; one that does not matter may.
"""

import copyreg
import dis
import hashlib
import inspect
import platform
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from functools import singledispatch
from importlib.metadata import version
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import workbench
from workbench.errors import ArgumentError
from workbench.study.sweeps.rounding import KERNELS

ATOMS = (type(None), bool, int, float, complex, str, bytes, type(...))
INSTALLED = tuple(sysconfig.get_paths()[kind] for kind in ("stdlib", "platstdlib", "purelib", "platlib"))


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
"""Of the package as it was imported, which `require_unchanged` compares with what is on disk."""


def require_unchanged() -> None:
    """Raise if the package's files have changed since it was imported: what runs is then not certain."""
    if _software() != SOFTWARE:
        raise ArgumentError(
            "package", workbench.__name__, "no change of its files while it runs (start again)"
        )


def packaged(function: object) -> bool:
    """Return whether `SOFTWARE` says all about a function, in whichever process."""
    if not isinstance(function, FunctionType):
        return False
    return _ours(function.__globals__.get("__name__")) and "<locals>" not in function.__qualname__


def fingerprint(value: object) -> str:
    """Return a digest of a function and of everything it reads, the same in every process.

    Parameters
    ----------
    value : object
        A function of this package stands for its name and its code: `SOFTWARE` covers what it calls. Of any
        other function (of a notebook, say) the globals it reads, its defaults and its closure are followed;
        a module of the user's own stands for its file, an installed object for its name and version. All
        else is taken apart as for pickling.

    Raises
    ------
    ArgumentError
        If a part of it can be neither followed nor pickled.
    """
    return _Walk().digest(value).hex()


class _Walk:
    """One walk over a graph of objects; what refers back to itself is named by its distance."""

    def __init__(self) -> None:
        self.above: list[int] = []
        self.done: dict[int, bytes] = {}  # functions and classes, which are read from many places

    def digest(self, value: object) -> bytes:
        if type(value) in ATOMS:
            return _hash(type(value).__name__, repr(value))
        if id(value) in self.above:
            return _hash("above", str(len(self.above) - self.above.index(id(value))))
        if id(value) in self.done:
            return self.done[id(value)]
        self.above.append(id(value))
        found = _hash(type(value).__qualname__, *map(self._piece, self._parts(value)))
        self.above.pop()
        if isinstance(value, FunctionType | type):
            self.done[id(value)] = found
        return found

    def _piece(self, part: object) -> str:
        return self.digest(part).hex()

    def _parts(self, value: Any) -> Iterable[object]:
        if type(value) in (list, tuple):
            return tuple(value)
        if type(value) is dict:
            return (part for item in value.items() for part in item)
        if type(value) in (set, frozenset):
            return sorted(map(self._piece, value))
        return _parts(value)


@singledispatch
def _parts(value: Any) -> Iterable[object]:
    """Yield what an object consists of: here, what pickling makes of it and what it wraps."""
    reduce = copyreg.dispatch_table.get(type(value))
    try:
        reduced = reduce(value) if reduce else value.__reduce_ex__(4)
    except Exception as error:
        allowed = f"a function that reads only what can be pickled ({' '.join(str(error).split())})"
        raise ArgumentError("block", value, allowed) from None
    yield getattr(value, "__wrapped__", None)
    if isinstance(reduced, str):
        yield (type(value), reduced)
    else:
        yield [list(part) if isinstance(part, Iterator) else part for part in reduced]


@_parts.register
def _of_function(function: FunctionType) -> Iterator[object]:
    home = function.__globals__.get("__name__")  # a decorator may have changed `__module__`
    yield _name(home, function.__qualname__)
    if _installed(home):
        return
    yield (function.__code__, function.__defaults__, function.__kwdefaults__)
    yield [_content(cell) for cell in function.__closure__ or ()]
    if not _ours(home):
        for name in sorted(_read_globals(function.__code__) & function.__globals__.keys()):
            yield (name, function.__globals__[name])


@_parts.register
def _of_method(method: MethodType) -> Iterable[object]:
    return (method.__func__, method.__self__)


@_parts.register
def _of_code(code: CodeType) -> Iterable[object]:
    return (code.co_code, code.co_consts, code.co_names, code.co_varnames, code.co_freevars)


@_parts.register
def _of_class(found: type) -> Iterator[object]:
    yield _name(found.__module__, found.__qualname__)
    if _ours(found.__module__) or _installed(found.__module__):
        return
    yield (_source(found), found.__bases__)
    for member in vars(found).values():
        for function in (member, getattr(member, "__func__", None), getattr(member, "fget", None)):
            if isinstance(function, FunctionType):
                yield function


@_parts.register
def _of_module(module: ModuleType) -> Iterator[object]:
    yield _name(module.__name__, "")
    if not (_ours(module.__name__) or _installed(module.__name__)):
        yield _file(Path(str(module.__file__)))


def _hash(*words: str) -> bytes:
    return hashlib.sha256("\0".join(words).encode("utf-8", "surrogatepass")).digest()


def _content(cell: Any) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # not yet bound
        return None


def _read_globals(code: CodeType) -> set[str]:
    read = (one for one in dis.get_instructions(code) if "GLOBAL" in one.opname or one.opname == "LOAD_NAME")
    inner = (const for const in code.co_consts if isinstance(const, CodeType))
    return {one.argval for one in read}.union(*map(_read_globals, inner))


def _ours(module: object) -> bool:
    return str(module).partition(".")[0] == workbench.__name__


def _installed(module: object) -> bool:
    """Return whether a module comes with Python or was installed, and so is known by its version."""
    if module == "__main__" or _ours(module) or module not in sys.modules:
        return False
    path = getattr(sys.modules[str(module)], "__file__", None)
    return path is None or path.startswith(INSTALLED)


def _name(module: object, qualname: str) -> tuple[object, ...]:
    top = sys.modules.get(str(module).partition(".")[0])
    return (module, qualname, str(getattr(top, "__version__", "")))


def _source(found: type) -> str:
    try:
        return inspect.getsource(found)
    except (OSError, TypeError):
        raise ArgumentError("block", found, "a function that reads only classes with a source") from None
