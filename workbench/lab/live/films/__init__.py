"""Films that are played: their page, their player, and the widget of a notebook.

`element(film)` is HTML that shows the last frame; `script()` defines `workbenchFilms` and gives every film of
a page its player, without a network. A notebook has the same player in a widget, `lab.film`.
"""

from html import escape
from pathlib import Path

from workbench.charts import canonical_json
from workbench.charts.film import Film
from workbench.lab.pictures.films import layers

HERE = Path(__file__).parent
FOLDER = "films"  # in a notebook's figures
PLAYER = (
    '<div class="player" hidden><button type="button" aria-label="Play">▶</button>'
    '<input type="range" min="0" step="1" value="0" aria-label="Step"><output></output></div>'
)


def read(path: Path) -> Film:
    """Return a committed film."""
    return Film.from_json(canonical_json.read(path)["film"])


def found(figures: Path) -> dict[str, Film]:
    """Return the committed films of a folder of figures, by the notebook and the film's name."""
    paths = sorted(figures.glob(f"*/{FOLDER}/*.json"))
    return {f"{path.parents[1].name}/{path.stem}": read(path) for path in paths}


def element(film: Film, *, titled: bool = True) -> str:
    """Return a film as HTML: its title, its frames, its player, and how to read it."""
    title = f"<figcaption>{escape(film.title)}</figcaption>" if titled else ""
    how = f"<p><b>How to read it.</b> {escape(film.how_to_read)}</p>" if titled and film.how_to_read else ""
    return (
        f'<figure class="workbench-film" data-film="{film.name}">{title}{layers(film)}{PLAYER}{how}</figure>'
    )


def style() -> str:
    """Return the style of a page with films."""
    return (HERE / "film.css").read_text(encoding="utf-8").strip()


def script() -> str:
    """Return a script, not a module, that defines `workbenchFilms` and mounts every film of its page."""
    text = (HERE / "film.mjs").read_text(encoding="utf-8").partition("export default")[0]
    body = text.replace("export function", "function")
    return (
        f"globalThis.workbenchFilms = (() => {{\n{body}\nreturn {{ mount, mountAll }};\n}})();\n"
        'if (document.readyState === "loading") '
        'document.addEventListener("DOMContentLoaded", () => workbenchFilms.mountAll());\n'
        "else workbenchFilms.mountAll();"
    )
