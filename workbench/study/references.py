"""Objects of a reader's own, named as module:object; modules of the working folder are found."""

import sys
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from workbench.errors import ArgumentError


def loaded(argument: str, reference: str) -> Any:
    """Return the object of a reference, or raise naming the argument that has it."""
    module, _, name = reference.partition(":")
    if not module or not name:
        raise ArgumentError(argument, reference, "module:object")
    here = str(Path.cwd())
    sys.path.insert(0, here)
    try:
        found: Any = import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        allowed = f"module:object that can be imported ({error})"
        raise ArgumentError(argument, reference, allowed) from None
    finally:
        sys.path.remove(here)
    return found


# Where something for a new key belongs: beside what stands there for the keys of its family.


def home(key: str, registry: Mapping[str, Callable[..., Any]]) -> str:
    """Return the file in which most functions of a registry for the family of `key` are, or most of all."""
    family = key.partition("/")[0]
    kin = [one for name, one in registry.items() if name.partition("/")[0] == family] or registry.values()
    ((module, _),) = Counter(map(_module, kin)).most_common(1)
    return module.replace(".", "/") + ".py"


def _module(function: Callable[..., Any]) -> str:
    made = function.func if isinstance(function, partial) else function
    return made.__module__
