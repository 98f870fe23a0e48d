"""Where something for a new key belongs: beside what stands there for the keys of its family."""

from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any


def home(key: str, registry: Mapping[str, Callable[..., Any]]) -> str:
    """Return the file in which most functions of a registry for the family of `key` are, or most of all."""
    family = key.partition("/")[0]
    kin = [one for name, one in registry.items() if name.partition("/")[0] == family] or registry.values()
    ((module, _),) = Counter(map(_module, kin)).most_common(1)
    return module.replace(".", "/") + ".py"


def _module(function: Callable[..., Any]) -> str:
    made = function.func if isinstance(function, partial) else function
    return made.__module__
