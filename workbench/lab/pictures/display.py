"""One display bundle: HTML for front ends, text for everything else."""

from base64 import b64encode
from html import escape
from pathlib import Path
from typing import Any

CLASS = "workbench-figure"
STYLES = Path(__file__).parent / "custom"  # custom.css in it, which `workbench lab` loads
WIDTH = 960  # px, of every picture


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
    words = f'alt="{escape(alt, quote=True)}" width="{WIDTH}" class="{CLASS}"'
    return f'<img src="{source}" {words} style="max-width:100%">'


def styled(page: str) -> str:
    """Return a page with what makes its figures, and those in the notebook's text, follow a dark theme."""
    rules = (STYLES / "custom.css").read_text(encoding="utf-8")
    return f"<style>{rules}</style>{page}"
