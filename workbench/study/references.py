"""Objects of a reader's own, named as module:object; modules of the working folder are found."""

import sys
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
