"""A committed figure that is made again when it is asked for, in a process of its own.

A button below the figure begins that and ends it.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from html import escape
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import Any

from workbench.lab.figures import far, publish

RECOMPUTE, STOP = "recompute", "stop"
ASKED = "`recompute = True` in the parameters cell recomputes all"


def said(line: str) -> str:
    return f'<p class="workbench-recomputed">{escape(line)}</p>'


Hear = Callable[[subprocess.Popen[str], dict[str, Any]], None]


def aside(module: str, order: Mapping[str, Any], hear: Hear) -> subprocess.Popen[str]:
    """Run a module in a process of its own on an order; what it prints, a line of JSON each, is heard."""
    line = [sys.executable, "-m", module]
    process = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def follow() -> None:
        assert process.stdin
        assert process.stdout
        with process, suppress(BrokenPipeError):
            process.stdin.write(json.dumps(order))
            process.stdin.close()
            for text in process.stdout:
                hear(process, json.loads(text))
            if process.wait() > 0:  # it was not stopped
                ended = f"ended with exit code {process.returncode}; what Jupyter prints says why"
                hear(process, {"status": ended, "runs": 1, "done": True, "page": said(ended)})

    Thread(target=follow, daemon=True).start()
    return process


class Again:
    """The line below a committed figure, and a button that makes the figure again or stops that."""

    def __init__(self, line: str, order: Mapping[str, Any]) -> None:
        import ipywidgets

        self.line, self.order = line, order
        self.process: subprocess.Popen[str] | None = None
        self.button = ipywidgets.Button(description=RECOMPUTE)
        self.words, self.page = ipywidgets.HTML(said(line)), ipywidgets.HTML()
        self.box = ipywidgets.VBox([ipywidgets.HBox([self.button, self.words]), self.page])
        self.button.on_click(lambda _: self.stop() if self.process else self.start())

    def show(self) -> None:
        bundle: Any = self.box._repr_mimebundle_()
        publish(said(f"{self.line}; {ASKED}"), f"{self.line}; {ASKED}", bundle)

    def start(self) -> None:
        self.button.description, self.page.value = STOP, ""
        self.words.value = said(f"recomputing {self.order['figure']} …")
        self.process = aside(__name__, self.order, self._heard)

    def stop(self) -> None:
        assert self.process
        self.process.kill()
        self._end(f"{self.line}; stopped, and goes on from there when asked again")

    def _heard(self, process: subprocess.Popen[str], reply: dict[str, Any]) -> None:
        if process is not self.process:
            return
        if "line" in reply:
            self.words.value = said(reply["line"])
        else:
            self._end("", reply["page"])

    def _end(self, line: str, page: str = "") -> None:
        self.process, self.button.description = None, RECOMPUTE
        self.words.value, self.page.value = said(line) if line else "", page


def main() -> None:
    """Make a figure again as asked on stdin; print how far it is each second, then its page."""
    from workbench.lab.notebook import Session, nearest  # which imports this module
    from workbench.lab.runner import held
    from workbench.study.sweeps import Run, lending

    order, out, sys.stdout = json.loads(sys.stdin.read()), sys.stdout, sys.stderr
    figure = getattr(import_module(order["module"]), order["figure"])
    folder = Path(order["out"]) / "recomputed"
    given = {name: order[name] for name in ("profile", "seed")}
    lab = Session(order["chapter"], out=str(folder), recompute=True, **given, **order["moved"])
    store, blocks = folder / "blocks.sqlite", list[int]()
    before, began = held(store)[0], time.monotonic()

    def tell() -> None:
        while True:
            time.sleep(1)
            of = sum(blocks) - before
            line = far(order["figure"], time.monotonic() - began, held(store)[0] - before, of)
            print(json.dumps({"line": f"recomputing {line}"}), file=out, flush=True)

    Thread(target=tell, daemon=True).start()
    try:
        near = nearest(lab.chapter, order["parameters"])
        with lending(noted=blocks), suppress(Exception):  # then how much is left is not known
            for profile in lab.profiles:
                figure(Run(profile, lab.seed), **near)
        with lending(store=store):
            page, _ = lab.made(figure, order["verdicts"], order["parameters"])
    except Exception as error:
        page = said(f"{type(error).__name__}: {error}")
    print(json.dumps({"page": page}), file=out, flush=True)


if __name__ == "__main__":
    main()
