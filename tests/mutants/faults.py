"""How tests put faults in: a line that is written wrongly, and designs that are kept apart from faults."""

from collections.abc import Callable
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import wraps
from importlib import import_module
from inspect import getsource, signature, unwrap
from pkgutil import resolve_name
from textwrap import dedent
from types import ModuleType
from typing import Any

import pytest

from workbench.study.faults import Mutant, attribute, cached_functions, replaced_everywhere, swapped


def written(where, right, wrong):
    """Return the fault that writes `wrong` where a function says `right`, once, or has it without `right`.

    What is called so is in `privacy` or below `workbench.estimators`.
    """
    home, _, name = where.rpartition(".")
    owner = resolve_name(f"workbench.{'' if where.startswith('privacy.') else 'estimators.'}{home}")
    if right is None:
        return attribute(owner, name, wrong)
    original = vars(owner)[name]
    function = getattr(original, "fget", None) or getattr(original, "__func__", original)
    other = changed(function, right, wrong)
    return swapped(original, other) if isinstance(owner, ModuleType) else attribute(owner, name, other)


def changed(function, right, wrong):
    text = dedent(getsource(function))
    if text.count(right) != 1:
        raise LookupError(f"{function.__qualname__} does not say {right!r} once")
    made = {}
    exec(text.replace(right, wrong), unwrap(function).__globals__, made)
    return made[function.__name__]


def together(*faults):
    @contextmanager
    def fault(*example):
        with ExitStack() as stack:
            for one in faults:
                stack.enter_context(one(*example))
            yield

    return fault


def by(test, *given):
    """Return a test with what it is given, as in `rows`."""
    module, found = None, test
    if not callable(test):
        folder, home, name = test.split(".")
        module = import_module(f"tests.{folder}.test_{home}")
        found = getattr(module, f"test_{name}", None) or getattr(module, name)
    values = [value for one in given for value in looked_up(module, one)]

    @wraps(found)
    def run():
        with pytest.MonkeyPatch.context() as patch:
            rest = iter(values)
            names = signature(found).parameters
            found(*(patch if one == "monkeypatch" else next(rest) for one in names))

    return run


def looked_up(module, word):
    if not isinstance(word, str) or not word.startswith(("=", "*")):
        return [word]
    value = eval(word[1:], vars(module))
    return [*value] if word[0] == "*" else [value]


def mutants(rows):
    """Return the mutants of rows; several places are a list; without a test, it is that of the row above."""
    test = None
    for name, where, right, wrong, *found_by in rows:
        test = by(*found_by) if found_by else test
        several = isinstance(where, list)
        faults = map(written, where, right, wrong) if several else [written(where, right, wrong)]
        yield Mutant(name, together(*faults), test)


@dataclass
class Memo:
    """A cache whose shelf can be taken out."""

    function: Callable[..., Any]
    known: dict[Any, Any] = field(default_factory=dict)

    def __call__(self, *arguments, **named):
        key = (arguments, *sorted(named.items()))
        if key not in self.known:
            self.known[key] = self.function(*arguments, **named)
        return self.known[key]


def forget():
    """Empty the caches themselves, for faults that take their functions from behind them."""
    for function in cached_functions():
        function.cache_clear()


def fails(mutant):
    """Return whether the test of a property fails with its fault."""
    forget()
    try:
        with mutant.fault():
            mutant.found_by()
    except AssertionError:
        return True
    finally:
        forget()
    return False


@contextmanager
def memos():
    """Put an empty memo in the place of every cache; the caches are as they were afterwards."""
    pairs = [(function, Memo(function.__wrapped__)) for function in cached_functions()]
    with replaced_everywhere(*pairs):
        yield [memo for _, memo in pairs]


@contextmanager
def isolated(made):
    """Leave in memos what they had before."""
    before = [dict(memo.known) for memo in made]
    try:
        yield
    finally:
        for memo, known in zip(made, before, strict=True):
            memo.known = known
