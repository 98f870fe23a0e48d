"""`workbench slides`: a notebook as slides."""

import argparse
import sys
from pathlib import Path
from typing import Any

from workbench.commands.base import command
from workbench.lab.tables import say


def add(commands: Any) -> None:
    """Add the command."""
    text = "write a notebook as reveal.js slides, one page, from its committed figures and verdicts"
    parser = command(commands, "slides", run, text)
    parser.add_argument("notebook", help="its name")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where the page goes (reproduced/)")
    text = "run the notebook first, and show what it makes instead of what is committed"
    parser.add_argument("--run", action="store_true", dest="fresh", help=text)
    parser.add_argument("--lecturer", default="", metavar="NAME", help="who the title names")
    parser.add_argument("--date", default="", metavar="DAY", help="what the title says of the day")
    text = "fetch reveal.js and MathJax with npm, once; slides written from then on need no network"
    parser.add_argument("--fetch-assets", action="store_true", help=text)
    parser.add_argument("--project", type=Path, metavar="DIR", help="the checkout (found from here upwards)")


def run(options: argparse.Namespace) -> int:
    """Return 1 if the notebook fails or a figure that it shows is not at hand."""
    from workbench.lab import project
    from workbench.lab.publish.slides import slides

    found = project.find(explicit=options.project)
    (notebook,) = found.select([options.notebook])
    out = (options.out or found.reproduced).resolve()
    found.keep_apart(out)
    about = {"lecturer": options.lecturer, "date": options.date}
    page, line = slides(found, notebook, out, fresh=options.fresh, fetch=options.fetch_assets, about=about)
    say(line, sys.stdout if page else sys.stderr)
    return 0 if page else 1
