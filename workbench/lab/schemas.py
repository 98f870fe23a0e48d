"""The format of notebooks, imported without a grammar of addresses that would take two seconds to build."""

import sys
from types import ModuleType
from typing import Any

GRAMMAR = "rfc3987_syntax"  # jsonschema asks for it; without it, addresses are compared with a pattern


def nbformat() -> ModuleType:
    """Import `nbformat`, as late as a notebook is looked at, and before what imports it, too."""
    modules: dict[str, Any] = sys.modules
    modules.setdefault(GRAMMAR, None)  # an import of it fails
    try:
        import nbformat as module
    finally:
        if modules[GRAMMAR] is None:
            del modules[GRAMMAR]
    return module
