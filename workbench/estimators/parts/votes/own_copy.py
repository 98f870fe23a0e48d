"""Copies of somebody's own function, with all that it can keep between two calls.

`copy.deepcopy` copies objects, but returns a function as it is: its default values, its attributes and the
variables around it would be shared by the calls for all groups. Here they are copied, too, and so are the
functions among those variables; what two functions share they share in the copy. Variables of a module,
fields of a class and functions within objects stay shared.
"""

from collections.abc import Callable
from copy import deepcopy
from functools import partial
from types import CellType, FunctionType, MethodType, ModuleType
from typing import Any

Memo = dict[int, Any]


def own_copy(oracle: Callable[..., Any]) -> Callable[..., Any]:
    """Return a copy that remembers what the oracle does now, and that no other copy reaches."""
    copied: Callable[..., Any] = _copied(oracle, {})
    return copied


def _copied(value: Any, memo: Memo) -> Any:
    if id(value) in memo:
        return memo[id(value)]
    if type(value) is partial:
        named = deepcopy(value.keywords, memo)
        return partial(_copied(value.func, memo), *deepcopy(value.args, memo), **named)
    if isinstance(value, MethodType):
        return MethodType(_copied(value.__func__, memo), _copied(value.__self__, memo))
    if isinstance(value, FunctionType):
        return _function(value, memo)
    return value if isinstance(value, ModuleType) else deepcopy(value, memo)


def _function(function: FunctionType, memo: Memo) -> FunctionType:
    around = function.__closure__ or ()
    if not (around or function.__defaults__ or function.__kwdefaults__ or function.__dict__):
        return function  # keeps nothing
    cells = tuple(memo.setdefault(id(cell), CellType()) for cell in around)
    fresh = FunctionType(function.__code__, function.__globals__, function.__name__, None, cells or None)
    memo[id(function)] = fresh  # before its variables: it may be among them
    fresh.__defaults__ = deepcopy(function.__defaults__, memo)
    fresh.__kwdefaults__ = deepcopy(function.__kwdefaults__, memo)
    fresh.__dict__.update(deepcopy(function.__dict__, memo))
    for cell, copy in zip(around, cells, strict=True):
        _fill(copy, cell, memo)
    return fresh


def _fill(copy: CellType, cell: CellType, memo: Memo) -> None:
    """Fill a cell with a copy of what is in another one, once; a variable that is not set yet stays so."""
    try:
        content, filled = cell.cell_contents, _is_filled(copy)
    except ValueError:
        return
    if not filled:
        copy.cell_contents = _copied(content, memo)


def _is_filled(cell: CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True
