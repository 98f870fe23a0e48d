"""How many claims read one sweep: as many may move when one of its runs flips (`lab.tolerance`)."""

import ast
import inspect
import textwrap
from collections import Counter
from functools import partial

from workbench.chapters.registry import CLAIMS
from workbench.lab.pictures.tolerance import CLAIMS as MOST
from workbench.study.sweeps.sweep import Sweep


def named(function):
    """What a function's body names: globals, and attributes of modules among them."""
    scope = function.__globals__
    for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(function)))):
        if isinstance(node, ast.Name):
            yield scope.get(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            yield getattr(scope.get(node.value.id), node.attr, None)


def sweeps(function, seen):
    """The sweeps that a function reads, itself or by others of the claims."""
    if function in seen:
        return set()
    seen.add(function)
    found = set()
    for value in named(function):
        several = value.values() if isinstance(value, dict) else value
        for one in several if isinstance(several, list | tuple | type({}.values())) else (value,):
            if isinstance(one, Sweep):
                found.add(one.name)
            elif inspect.isfunction(one) and one.__module__.startswith("workbench.chapters.registry"):
                found |= sweeps(one, seen)
    return found


def plain(decide):
    return plain(decide.func) if isinstance(decide, partial) else decide


def test_no_sweep_is_read_by_more_claims_than_one_flipped_run_may_move():
    readers = Counter(name for claim in CLAIMS.values() for name in sweeps(plain(claim.decide), set()))
    assert len(readers) > len(CLAIMS)
    assert max(readers.values()) == MOST
