"""Explorers that run in the browser, in a notebook: a widget, or a picture where there is no front end.

live("row", epsilon=1.0)
"""

from functools import cache
from typing import Any

from workbench.lab.live.browser import EXPLORERS, library, require, sentence, still
from workbench.lab.live.handles import Live
from workbench.lab.pictures.display import publish

STILL = "<p><i>The explorer at its defaults; in JupyterLab it can be moved.</i></p>"
RENDER = """
const live = {library}();
function render({{ model, el }}) {{
  const host = document.createElement("div");
  el.append(host);
  const made = live.mount(host, {{ explorer: model.get("explorer"), values: model.get("values") }});
  return () => made.destroy();
}}
export default {{ render }};
"""


@cache
def kind(name: str) -> type[Live]:
    """Return the widget of an explorer, with the modules that it needs."""
    return type(Live.__name__, (Live,), {"_esm": RENDER.format(library=library(name))})


def live(name: str, /, **values: Any) -> None:
    """Display an explorer that runs in the browser.

    Parameters
    ----------
    name
        One of `browser.EXPLORERS`.
    values
        Where its controls start, away from their defaults.
    """
    require(name, values)
    widget = kind(name)(explorer=name, values=values)
    text = f"{EXPLORERS[name].title}. {sentence(name)}"
    found: Any = widget._repr_mimebundle_()
    publish(still(name) + STILL, text, found[0] if isinstance(found, tuple) else found)
