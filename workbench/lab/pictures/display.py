"""One display bundle: HTML for front ends, text for everything else."""

from base64 import b64encode
from html import escape
from typing import Any

WIDTH = 720  # px, of every picture


def publish(html: str, text: str, widget: dict[str, Any] | None = None) -> None:
    """Display HTML with its text, and a live widget view where a front end can show one."""
    import IPython
    import IPython.display

    display: Any = IPython.display.display
    if IPython.get_ipython() is None:
        print(text)
    else:
        display({**(widget or {}), "text/html": html, "text/plain": text}, raw=True)


def cells() -> list[str]:
    """Return the sources of the cells that have run in this notebook; none outside a notebook."""
    import IPython

    shell: Any = IPython.get_ipython()
    return list(shell.user_ns.get("In", ())) if shell else []


def image(data: bytes, kind: str, alt: str) -> str:
    """Return an HTML image that carries its data and its alternative text."""
    source = f"data:image/{kind};base64,{b64encode(data).decode()}"
    return f'<img src="{source}" alt="{escape(alt, quote=True)}" width="{WIDTH}" style="max-width:100%">'
