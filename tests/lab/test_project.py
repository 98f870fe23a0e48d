"""Where commands find notebooks and figures, and how `workbench lab` ends."""

import json
import shutil
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.lab.conftest import ROOT, marked, serve, until
from workbench.lab import project

BARE = """
import sys
from workbench.cli import LAB, main

sys.modules.update(dict.fromkeys(LAB))  # as where the extra `lab` is not installed
for line in sys.argv[1:]:
    assert main(line.split()) == 0, line
"""


@pytest.fixture
def carried(tmp_path, monkeypatch):
    """What a wheel carries, seen from a folder that is in no checkout."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    parts = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    root = tmp_path / "site" / "workbench" / "project"
    root.mkdir(parents=True)
    for source, target in parts.items():
        assert (ROOT / source).exists(), source
        here = root / Path(target).relative_to("workbench/project")
        here.symlink_to(ROOT / source)
    (tmp_path / "away").mkdir()
    monkeypatch.chdir(tmp_path / "away")
    monkeypatch.setattr(project, "CARRIED", root)
    return root


def test_what_the_wheel_carries_is_read_outside_a_checkout_and_a_copy_is_made_once(
    carried, monkeypatch, command
):
    found = project.find()
    assert found.root == carried
    assert [path.stem for path in found.select(["one_mean"])] == ["02_one_mean"]
    assert (found.figures / "02_one_mean" / "verdicts.json").is_file()
    assert found.reproduced == Path.cwd() / "reproduced"
    own = found.own()
    assert own.root == Path.cwd() / "dp-workbench"
    changed = own.notebooks[0]
    changed.write_text("{}", encoding="utf-8")
    assert project.find().own() == own.own() == own
    assert changed.read_text(encoding="utf-8") == "{}"
    monkeypatch.chdir(own.root / "notebooks")
    assert project.find() == own
    assert (carried / "notebooks" / changed.name).stat().st_size > 2
    monkeypatch.chdir(carried.parent)
    shutil.rmtree(carried)
    command("reproduce").refused("expected a folder inside a checkout of dp-workbench")


@pytest.mark.daily
def test_a_user_s_commands_need_numpy_and_scipy_alone(tmp_path):
    rows = tmp_path / "rows.csv"
    rows.write_text("age\n" + "37\n52\n" * 100, encoding="utf-8")
    lines = [
        "list univariate/count",
        "plan univariate/median --alpha 0.5 --set radius=100 --set sigma=1",
        f"estimate {rows} --key univariate/bounded-mean --set low=0 --set high=99 --epsilon 1 --seed 1",
        f"claims --from {ROOT / 'figures'} --status REFUTED",
        "audit univariate/count",
    ]
    subprocess.run([sys.executable, "-c", BARE, *lines], check=True, stdout=subprocess.DEVNULL, cwd=tmp_path)


# `workbench lab`: what ends it ends the server and all of its kernels, and browsing changes no notebook.

ENDS_WITHIN = 30.0  # seconds, on a busy machine


@pytest.fixture
def server(project, tmp_path):
    """A running server with two kernels."""
    own = {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "", "MARK": str(tmp_path)}
    folder = tmp_path / "served"
    folder.mkdir()
    with serve(project, folder, **own) as server:
        for _ in range(2):
            server.ask("POST", "api/kernels", b'{"name": "python3"}')
        until(lambda: len(marked(str(tmp_path), running="ipykernel_launcher")) == 2)
        yield server


@pytest.mark.daily
@pytest.mark.usefixtures("_heard")
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_to_the_command_ends_the_server_and_its_kernels(server, tmp_path, how):
    assert server.process.pid in marked(str(tmp_path))
    server.process.send_signal(how)
    assert server.process.wait(ENDS_WITHIN) == 0
    until(lambda: not marked(str(tmp_path)))


@pytest.mark.daily
@pytest.mark.usefixtures("_heard")
def test_documents_are_not_saved_by_themselves(server):
    found = json.loads(server.ask("GET", "lab/api/settings/@jupyterlab/docmanager-extension:plugin"))
    assert found["schema"]["properties"]["autosave"]["default"] is False
    assert found["settings"] == {}
