"""The engine: runs experiments and decides what they show. It knows no source and no notebook."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.study.comparing import compare as compare


def __getattr__(name: str) -> Any:
    """Return `compare`, loaded when it is asked for: it needs pandas."""
    if name != "compare":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from workbench.study.comparing import compare

    return compare
