"""What a function is, as a digest: its code, what it refers to, and nothing of where it was written.

A function of a notebook has no file, and the cell that defines it may run again. Its stored results are found
by what it computes: byte code, constants, defaults, closures and, in turn, the functions, numbers and arrays
that it names. Installed packages count by name and version, other modules by their file.
"""

import hashlib
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np
from numpy.random import Generator, RandomState, mtrand

from workbench.errors import ArgumentError

PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...), np.generic)
INSTALLED = tuple(sysconfig.get_path(name) for name in ("purelib", "platlib", "stdlib"))
ALLOWED = "numbers, arrays, functions and objects made of them (`cached=False` runs it without a store)"
STREAM = "no stream of its own: the `rng` that it is given"


def digest(value: object, name: str) -> str:
    """Return the digest of a function or an object; equal code has equal digests in every process.

    Raises
    ------
    ArgumentError
        If it refers to something whose content cannot be told, or to a random stream; names `name`.
    """
    found = hashlib.sha256()
    for word in _words(value, name, {}):
        found.update(f"{len(word)} {word}".encode())
    return found.hexdigest()


def _words(value: Any, name: str, seen: dict[int, tuple[int, Any]]) -> Iterator[str]:
    """Yield what tells a value; one that is met again is told by when it was met."""
    if isinstance(value, PLAIN):
        yield f"{type(value).__name__} {value!r}"
        return
    if id(value) in seen:
        yield f"again {seen[id(value)][0]}"
        return
    seen[id(value)] = len(seen), value  # held, so that no other value has its id
    yield type(value).__name__
    for part in _parts(value, name):
        yield from _words(part, name, seen)


def _parts(value: Any, name: str) -> Iterator[Any]:
    """Yield the parts of a value, each told in turn."""
    match value:
        case np.ndarray() if value.dtype != object:
            yield from (str(value.dtype), str(value.shape), value.tobytes())
        case tuple() | list():
            yield from value
        case set() | frozenset():
            yield from sorted(value, key=repr)
        case Mapping():
            yield from (part for pair in value.items() for part in pair)
        case partial():
            yield from (value.func, value.args, value.keywords)
        case MethodType():
            yield from (value.__func__, value.__self__)
        case staticmethod() | classmethod():
            yield value.__func__
        case property():
            yield value.fget
        case CodeType():
            yield from _code(value)
        case ModuleType():
            yield from _module(value)
        case np.ufunc() | BuiltinFunctionType():
            yield from (str(getattr(value, "__module__", "")), value.__name__)
        case FunctionType() | type():
            yield from _named(value)
        case RandomState() if value is mtrand._rand:  # scipy's laws hold it
            yield "numpy.random"
        case Generator() | RandomState():
            raise ArgumentError(name, f"a function that refers to {type(value).__name__}", STREAM)
        case _:
            yield from _object(value, name)


def _named(value: FunctionType | type) -> Iterator[Any]:
    """Yield the name of what is installed, and the content of a reader's own."""
    if known := _known(sys.modules.get(value.__module__)):
        yield from (value.__module__, value.__qualname__, known)
    else:
        yield from _function(value) if isinstance(value, FunctionType) else _class(value)


def _code(code: CodeType) -> Iterator[Any]:
    yield from (code.co_code, code.co_consts, code.co_names, code.co_varnames, code.co_freevars)
    yield from (code.co_cellvars, code.co_flags, code.co_argcount, code.co_kwonlyargcount)
    yield code.co_exceptiontable


def _function(function: FunctionType) -> Iterator[Any]:
    yield from (function.__code__, function.__defaults__, function.__kwdefaults__)
    yield from (cell.cell_contents for cell in function.__closure__ or ())
    known = function.__globals__
    yield from ((one, known[one]) for one in sorted(set(_names(function.__code__))) if one in known)


def _names(code: CodeType) -> Iterator[str]:
    """Yield what the code of a function, and of those inside it, may name globally."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _class(kind: type) -> Iterator[Any]:
    yield kind.__name__
    yield from kind.__bases__
    kinds = (FunctionType, staticmethod, classmethod, property, *PLAIN, tuple)
    yield from (
        (one, part)
        for one, part in sorted(vars(kind).items())
        if isinstance(part, kinds) and one not in _FREE
    )


_FREE = {
    "__module__",
    "__doc__",
    "__qualname__",
    "__firstlineno__",
    "__static_attributes__",
    "__annotations__",
}


def _object(value: Any, name: str) -> Iterator[Any]:
    """Yield the class and the fields of an object; what Python computes of them is not looked at."""
    yield type(value)
    if is_dataclass(value):
        yield from ((one.name, getattr(value, one.name)) for one in fields(value))
    elif hasattr(value, "__dict__"):
        yield vars(value)
    else:
        raise ArgumentError(name, f"a function that refers to {type(value).__name__}", ALLOWED)


def _module(module: ModuleType) -> Iterator[str]:
    known = _known(module)
    yield from (module.__name__, known or _file(module))


def _file(module: ModuleType) -> str:
    path = getattr(module, "__file__", None)
    return hashlib.sha256(Path(path).read_bytes()).hexdigest() if path else ""


def _known(module: ModuleType | None) -> str:
    """Return the version of an installed module, `installed` where it has none; empty for a reader's own."""
    if module is None:
        return ""
    top = sys.modules.get(module.__name__.partition(".")[0], module)
    path = getattr(top, "__file__", None)
    standard = top.__name__ in sys.stdlib_module_names and top.__name__ != "__main__"
    if standard or top.__name__ == "workbench" or (path or "").startswith(INSTALLED):
        return str(getattr(top, "__version__", "installed"))
    return ""
