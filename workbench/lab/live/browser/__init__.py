"""Explorers that run in the browser: closed forms, no kernel, no network.

    script()                        JavaScript for a page, once: defines `workbenchLive`, mounts all elements
    script("row", "free")           the same for some of the explorers
    element("row", epsilon=1.0)     the HTML of one; what stands in it is seen where no script runs
    EXPLORERS["row"].title          a sentence for a heading

The modules beside this file are plain ES modules, which a browser or node loads as they are. Where a page
must not load anything they are put one after the other, each in a scope of its own, in the order of their
imports. In JavaScript `workbenchLive.mount(element, {explorer, values, text, height})` returns an explorer
with `values`, `set(values)`, `reset()` and `destroy()`; `workbenchLive.mountAll(root)` mounts what `element`
made. Letters are `text` pixels high (14; 21 on a slide), the picture has the width of the element.
"""

import json
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from html import escape, unescape
from pathlib import Path
from types import MappingProxyType
from typing import Any

from workbench.errors import ArgumentError, one_of, real

HERE = Path(__file__).parent
IMPORT = re.compile(r"^import (?P<what>\{[^}]*\}|\w+) from \"\./(?P<file>[\w.]+)\".*?;$", re.MULTILINE)
SAID = re.compile(r"<desc>(.*?)</desc>")
CALL = re.compile(r"\blab\.live\(\s*\"(\w+)\"")
EXPORT = re.compile(r"^export (?:const|function) (\w+)", re.MULTILINE)


@dataclass(frozen=True)
class Facts:
    """What an explorer is called and what it moves, as its modules read it."""

    title: str
    chapter: str
    alt: str
    controls: Mapping[str, Mapping[str, Any]]


def _facts() -> Mapping[str, Facts]:
    told = json.loads((HERE / "facts.json").read_text(encoding="utf-8"))
    names = Facts.__dataclass_fields__
    return MappingProxyType({name: Facts(*(one[part] for part in names)) for name, one in told.items()})


EXPLORERS = _facts()


def require(name: str, values: Mapping[str, object]) -> None:
    """Raise unless there is an explorer of this name, and a control for every value."""
    one_of(EXPLORERS, explorer=name)
    controls = EXPLORERS[name].controls
    for control, value in values.items():
        one_of(controls, control=control)
        options = controls[control].get("options")
        if options:
            one_of(options, **{control: value})
        elif not real(value) or (controls[control].get("log") and float(str(value)) <= 0):
            raise ArgumentError(control, value, "a number on the scale of the control")


def element(name: str, /, *, text: float = 14, height: float | None = None, **values: Any) -> str:
    """Return the HTML of an explorer: a still picture, until the script puts the explorer in its place.

    Parameters
    ----------
    name
        One of `EXPLORERS`.
    text
        Height of the letters in pixels.
    height
        Height of the picture in pixels; it follows from the width if none is given.
    values
        Where controls start, away from their defaults.
    """
    require(name, values)
    data = {"explorer": name, "values": json.dumps(values), "text": f"{text:g}"}
    data |= {} if height is None else {"height": f"{height:g}"}
    told = " ".join(f'data-{key}="{escape(value)}"' for key, value in data.items())
    return f'<div class="workbench-live" {told}>{still(name)}</div>'


def still(name: str) -> str:
    """Return the picture of an explorer as it opens at its defaults, with its sentence, as HTML."""
    path = HERE / "stills" / f"{name}.svg"
    source = b64encode(path.read_bytes()).decode()
    title, said = escape(EXPLORERS[name].title), escape(sentence(name))
    image = f'<img src="data:image/svg+xml;base64,{source}" alt="{title}" width="960" style="max-width:100%">'
    return f"{image}<p>{said}</p>"


def sentence(name: str) -> str:
    """Return what an explorer says as it opens at its defaults."""
    found = SAID.search(_read(f"stills/{name}.svg"))
    return unescape(found[1]) if found else ""


@cache
def script(*names: str) -> str:
    """Return the script of a page: these explorers, or all. A second one on a page adds to the first."""
    return (
        f"globalThis.workbenchLive = {library(*names)}(globalThis.workbenchLive);\n"
        'if (document.readyState !== "loading") workbenchLive.mountAll();\n'
        'else addEventListener("DOMContentLoaded", () => workbenchLive.mountAll());'
    )


@cache
def library(*names: str) -> str:
    """Return an expression in JavaScript: a function from what a page has so far to what it can mount."""
    chosen = names or tuple(EXPLORERS)
    for name in chosen:
        one_of(EXPLORERS, explorer=name)
    parts = "\n".join(bundled((*(f"{name}.mjs" for name in chosen), "mount.mjs")))
    found = ", ".join(f"{name}: {_scope(f'{name}.mjs')}.explorer" for name in chosen)
    made = f"{_scope('mount.mjs')}.page({{ ...before?.explorers, {found} }})"
    return f"((before) => {{\n{parts}\nreturn {made};\n}})".replace("</", "<\\/")


def bundled(files: tuple[str, ...]) -> Iterator[str]:
    """Yield files and what they import, what is imported first, each in a scope of its own."""
    done: dict[str, None] = {}

    def visit(file: str) -> None:
        if file not in done:
            for found in IMPORT.finditer(_read(file)):
                visit(found["file"])
            done[file] = None

    for file in files:
        visit(file)
    yield from map(_wrapped, done)


def _read(file: str) -> str:
    return (HERE / file).read_text(encoding="utf-8")


def _scope(file: str) -> str:
    return "$" + file.replace(".", "_")


def _wrapped(file: str) -> str:
    source = _read(file)
    if file.endswith(".json"):
        return f"const {_scope(file)} = {json.dumps(json.loads(source), ensure_ascii=False)};"
    body = IMPORT.sub(lambda found: f"const {found['what']} = {_scope(found['file'])};", source)
    body = re.sub(r"^export ", "", body, flags=re.MULTILINE)
    return (
        f"const {_scope(file)} = (() => {{\n{body}\nreturn {{ {', '.join(EXPORT.findall(source))} }};\n}})();"
    )
