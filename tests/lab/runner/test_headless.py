"""A run elsewhere by `workbench reproduce`, and by plain papermill from another folder: the same figures."""

import subprocess
import sys

import pytest

from tests.lab.conftest import DEFAULTS, checkout, environment, run_workbench, write_notebook

OWN = ["epsilon = 0.5  # ε", "n = 2000  # rows", "radius = 1000.0  # R"]
CELLS = (
    """import numpy as np
from workbench.charts.curves import measured
from workbench.charts.chart import Chart, Panel
from workbench.lab.notebook import Session
from workbench.study.measures import Measure

def errors(run, *, epsilon=0.5, n=2000):
    rng = np.random.default_rng(run.seed)
    found = {n: Measure(float(rng.normal()) / epsilon, (0.0, 9 / epsilon), 1)}
    panel = Panel("", "n", "error", (measured("error", found, "mean/coinpress", [1 / epsilon]),))
    return Chart("errors", f"At {epsilon}", (panel,), alt=f"Errors at {n}.")""",
    """names = dict(epsilon=epsilon, n=n, radius=radius)
lab = Session("one_mean", out=out, profile=profile, seed=seed, **names)""",
    "lab.show(errors, epsilon=epsilon, n=n)",
)
MOVED = ("-p", "epsilon=0.1", "-p", "n=8000")


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = checkout(tmp_path_factory.mktemp("headless") / "checkout")
    write_notebook(root / "notebooks" / "02_one_mean.ipynb", *CELLS, parameters=[*DEFAULTS, *OWN])
    return root


PLANTED = ["ipykernel_launcher", "numpy", "workbench", "papermill", "joblib", "multiprocessing", "json"]


@pytest.mark.daily
@pytest.mark.parametrize(
    "command",
    [
        "reproduce one_mean -p n=3000 --project {root} --out {out}",
        "audit univariate/clipped-mean univariate/median",
    ],
)
def test_modules_in_the_working_folder_or_among_outputs_are_not_run(root, tmp_path, command):
    out, here = tmp_path / "out", tmp_path / "here"
    for folder in (here, out, out / "02_one_mean", out / "02_one_mean" / "n=3000"):
        folder.mkdir(parents=True)
        for name in PLANTED:
            (folder / f"{name}.py").write_text(f"open({str(tmp_path / 'run')!r}, 'a').write({name!r})\n1 / 0")
    script = "import sys; del sys.path[0]; from workbench.cli import main; sys.exit(main())"
    words = command.format(root=root, out=out).split()
    done = subprocess.run(
        [sys.executable, "-c", script, *words],
        env=environment(), cwd=here, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert not (tmp_path / "run").exists()
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.daily
def test_figures_are_those_of_papermill_from_another_folder(root, tmp_path):
    made = run_workbench("reproduce", "one_mean", *MOVED, cwd=root)
    assert made.returncode == 0, made.stdout + made.stderr
    notebook, out = root / "notebooks" / "02_one_mean.ipynb", tmp_path / "out"
    words = [word.replace("=", " ") for word in MOVED]
    given = [*" ".join(words).split(), "-p", "out", str(out)]
    done = subprocess.run(
        [sys.executable, "-m", "papermill", str(notebook), "executed.ipynb", *given],
        env=environment(), cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    names = sorted(path.name for path in out.iterdir())
    assert names == ["errors.json", "errors.svg"]
    assert {path.name for path in tmp_path.iterdir()} == {"executed.ipynb", "out"}  # no store beside them
    folder = root / "reproduced" / "02_one_mean" / "epsilon=0.1,n=8000"
    assert [(out / name).read_bytes() for name in names] == [(folder / name).read_bytes() for name in names]
