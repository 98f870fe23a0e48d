"""Run one notebook in a process of its own: `python -m workbench.lab.run_notebook JOB`.

The job, in JSON, names the notebook, one of its figures or none, and the parameters. The last line that is
printed is the result. The process ends its kernel when it is asked to stop, and when its parent is gone.
"""

import ast
import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from workbench.lab.project import nbformat, shown

EXECUTED = "executed.ipynb"


def main(job: dict[str, Any]) -> None:
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
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def _stop(_number: int, _frame: FrameType | None) -> NoReturn:
    raise SystemExit(143)  # on its way out, the notebook client ends the kernel


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _stop)
    threading.Thread(target=_watch, args=(os.getppid(),), daemon=True).start()
    main(json.loads(sys.argv[1]))
