"""What runs in a process of its own: trials of an explorer, a figure that is made again, a notebook.

A button below a committed figure begins to make it again, and ends that. A notebook is a job of the runner,
`python -m workbench.lab.aside JOB`: in JSON its file, one of its figures or none, and its parameters. The
result is printed, one line of JSON. Its process ends its kernel when it is asked to stop, and when its parent
is gone.
"""

import ast
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from html import escape
from importlib import import_module
from pathlib import Path
from typing import Any

from workbench.lab.figures import far, publish
from workbench.lab.project import nbformat, shown

EXECUTED = "executed.ipynb"
RECOMPUTE, STOP = "recompute", "stop"
ASKED = "`recompute = True` in the parameters cell recomputes all"


def said(line: str) -> str:
    return f'<p class="workbench-recomputed">{escape(line)}</p>'


class Aside:
    """A process at a time that runs a module on an order; what it prints, a line of JSON each, is heard."""

    process: subprocess.Popen[str] | None = None

    def start(self, module: str, order: Mapping[str, Any], hear: Callable[[dict[str, Any]], None]) -> None:
        self.stop()
        line = [sys.executable, "-m", module]
        process = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process = process

        def follow() -> None:
            assert process.stdin
            assert process.stdout
            with process, suppress(BrokenPipeError):
                process.stdin.write(json.dumps(order))
                process.stdin.close()
                for text in process.stdout:
                    if process is self.process:
                        hear(json.loads(text))
                if process.wait() > 0 and process is self.process:  # it was not stopped
                    ended = f"ended with exit code {process.returncode}; what Jupyter prints says why"
                    hear({"status": ended, "page": said(ended)})

        threading.Thread(target=follow, daemon=True).start()

    def stop(self) -> None:
        if self.process:
            self.process.kill()
            self.process = None


class Again:
    """The line below a committed figure, and a button that makes the figure again or stops that."""

    def __init__(self, line: str, order: Mapping[str, Any]) -> None:
        import ipywidgets

        self.line, self.order, self.aside = line, order, Aside()
        self.button = ipywidgets.Button(description=RECOMPUTE)
        self.words, self.page = ipywidgets.HTML(said(line)), ipywidgets.HTML()
        self.box = ipywidgets.VBox([ipywidgets.HBox([self.button, self.words]), self.page])
        self.button.on_click(lambda _: self.stop() if self.aside.process else self.start())

    def show(self) -> None:
        bundle: Any = self.box._repr_mimebundle_()
        publish(said(f"{self.line}; {ASKED}"), f"{self.line}; {ASKED}", bundle)

    def start(self) -> None:
        self.button.description, self.page.value = STOP, ""
        self.words.value = said(f"recomputing {self.order['figure']} …")
        self.aside.start(__name__, self.order, self._heard)

    def stop(self) -> None:
        self.aside.stop()
        self.button.description = RECOMPUTE
        self.words.value = said(f"{self.line}; stopped, and goes on from there when asked again")

    def _heard(self, reply: dict[str, Any]) -> None:
        if "line" in reply:
            self.words.value = said(reply["line"])
        else:
            self.aside.process, self.button.description = None, RECOMPUTE
            self.words.value, self.page.value = "", reply["page"]


def remake() -> None:
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

    threading.Thread(target=tell, daemon=True).start()
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


# A notebook


def run(job: dict[str, Any]) -> None:
    """Run the job and print its result: status, reason, seconds, and core-seconds of all its processes."""
    nbformat()
    import papermill
    from papermill.exceptions import PapermillExecutionError

    began, (status, reason) = time.perf_counter(), ("ok", "")
    notebook, figure = job["notebook"], job["figure"]
    try:
        papermill.execute_notebook(
            alone(nbformat().read(notebook, 4), figure) if figure else notebook,
            Path(job["parameters"]["out"]) / EXECUTED,
            parameters=job["parameters"],
            kernel_name="python3",
            cwd=str(Path(notebook).parent),  # not where outputs lie: modules there would be imported
            progress_bar=False,
            store_widget_state=False,
        )
    except PapermillExecutionError as error:
        status = "verdict" if error.ename == "ClaimError" else "error"
        reason = f"{error.ename}: {_last_line(error.evalue)} (cell {error.exec_count})"
    except Exception as error:
        status, reason = "error", f"{type(error).__name__}: {_last_line(str(error))}"
    costs = {"seconds": time.perf_counter() - began, "core_seconds": sum(os.times()[:4])}
    print(json.dumps({"status": status, "reason": reason, **costs}), flush=True)


def alone(notebook: Any, figure: str) -> Any:
    """Return the notebook with the cells that a figure needs: the one that shows it, and what it reads."""
    kept: list[Any] = []
    wanted: set[str] = set()
    for cell in reversed([one for one in notebook.cells if one.cell_type == "code"]):
        names = [one for one in ast.walk(ast.parse(cell.source)) if isinstance(one, ast.Name | ast.alias)]
        read = {one.id for one in names if isinstance(one, ast.Name)}
        bound = {one.asname or one.name for one in names if isinstance(one, ast.alias)}
        bound |= {one.id for one in names if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
        if bound & wanted or (not kept and figure in shown(cell.source)):
            kept, wanted = [cell, *kept], wanted | read
    notebook.cells = kept
    return notebook


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[-1].strip()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    if len(sys.argv) == 1:
        remake()
    else:
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the notebook client then ends the kernel
        threading.Thread(target=_watch, args=(os.getppid(),), daemon=True).start()
        run(json.loads(sys.argv[1]))
