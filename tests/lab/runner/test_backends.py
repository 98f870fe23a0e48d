"""`reproduce --scheduler`: the bytes of one process, also when a worker or the scheduler is killed."""

import os
import subprocess
from contextlib import contextmanager

import pytest

from tests.cluster import PATIENCE, cluster, until
from tests.lab.runner.test_reproduce import COUNT, OPEN, TRIALS, Lab
from tests.lab.runner.test_reproduce import whole as whole
from workbench.errors import ArgumentError
from workbench.study.grids import Sweep, grid
from workbench.study.sweeps import Store, digest, run

pytestmark = pytest.mark.dask


class Clustered(Lab):
    """The same, whose workers are processes that the test starts; its second sweep stops in the middle."""

    @property
    def environment(self):
        here = super().environment
        given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        return {**here, "PYTHONPATH": os.pathsep.join([here["PYTHONPATH"], *filter(None, given)])}

    @contextmanager
    def begun(self, dask):
        """Start a `reproduce`, wait until it stands still, and leave none behind."""
        said = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        words = [*self.command, "--scheduler", dask.address]
        with subprocess.Popen(words, cwd=self.checkout, env=self.environment, **said) as process:
            try:
                until(lambda: len(self.stored) == COUNT + OPEN)
                yield process
            finally:
                process.kill()


def test_a_worker_that_is_killed_is_replaced_by_another(whole, tmp_path):
    lab = Clustered(whole.checkout, tmp_path, "claim")
    with cluster(lab.environment) as dask, lab.begun(dask) as process:
        dask.workers[0].kill()
        (tmp_path / "GATE").touch()
        said, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, said + errors
    assert lab.bytes() == whole.bytes()


def test_a_scheduler_that_is_killed_is_one_line_and_the_next_run_goes_on(whole, tmp_path):
    lab = Clustered(whole.checkout, tmp_path, "claim")
    with cluster(lab.environment) as dask, lab.begun(dask) as process:
        dask.scheduler.kill()
        said, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1, said + errors
    kept = f"{OPEN * TRIALS} of {COUNT * TRIALS} rows kept, run again to go on"
    assert f"FAILED 01_gated/seed=8: SchedulerLostError: scheduler lost: {kept}" in said
    assert errors == ""
    (tmp_path / "GATE").touch()
    with cluster(lab.environment) as dask:
        said = lab.reproduce("--scheduler", dask.address)
    with Store(whole.database) as store:
        assert digest([store])[1] in said
    assert lab.bytes() == whole.bytes()


def block(n, *, trials, data, noise):
    return {"error": data.random(trials)}


def test_a_cluster_that_does_not_answer_or_has_no_worker_is_refused(monkeypatch):
    monkeypatch.setattr("workbench.study.profiles.ANSWER", 2)
    sweep = Sweep("refused", grid(n=1), block, trials=1, blocks={"quick": 1})
    for address in ("tcp://127.0.0.1:9", "nonsense://", "zz"):
        with pytest.raises(ArgumentError, match=r"scheduler = .*that answers"):
            run(sweep, "quick", seed=1, scheduler=address)
    with (
        cluster(dict(os.environ), workers=0) as none,
        pytest.raises(ArgumentError, match="one with a worker within 2 s"),
    ):
        run(sweep, "quick", seed=1, scheduler=none.address)
