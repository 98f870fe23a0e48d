"""`workbench slides`: a notebook as slides."""

import argparse
import sys
from pathlib import Path
from typing import Any

from workbench.commands.base import command


def add(commands: Any) -> None:
    """Add the command."""
    parser = command(commands, "slides", run, "run a notebook and write it as reveal.js slides, one page")
    parser.add_argument("notebook", help="its name")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where the page goes (reproduced/)")
    text = "fetch reveal.js and MathJax with npm, once; slides written from then on need no network"
    parser.add_argument("--fetch-assets", action="store_true", help=text)
    parser.add_argument("--project", type=Path, metavar="DIR", help="the checkout (found from here upwards)")


def run(options: argparse.Namespace) -> int:
    """Return 1 if the notebook fails."""
    from workbench.lab import project
    from workbench.lab.publish.slides import slides

    found = project.find(explicit=options.project)
    (notebook,) = found.select([options.notebook])
    out = (options.out or found.reproduced).resolve()
    found.keep_apart(out)
    page, line = slides(notebook, out, fetch=options.fetch_assets)
    print(line, file=sys.stdout if page else sys.stderr)
    return 0 if page else 1
