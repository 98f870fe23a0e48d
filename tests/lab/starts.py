"""A notebook whose parameters and set-up were run, with parameters of our choice."""

import json


def cells(path):
    """Return the source of every code cell."""
    found = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in found if cell["cell_type"] == "code"]


def ready(path, out, **parameters):
    """Return the names after parameters and set-up were run, and the cells that follow."""
    names = {}
    given, setup, *others = cells(path)
    exec(given, names)
    names.update(parameters, out=str(out), recompute=True)
    exec(setup, names)
    return names, others
