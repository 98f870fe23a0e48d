"""`reproduce --scheduler`: the same bytes as from one process, also when the scheduler is killed."""

import os
import subprocess
from contextlib import contextmanager

import pytest

from tests.cluster import PATIENCE, cluster, until
from tests.lab.runner.test_resume import COUNT, Lab
from tests.lab.runner.test_resume import whole as whole
from workbench.study.sweeps import Store, digest


class Clustered(Lab):
    """The same, whose workers are processes that the test starts."""

    @property
    def environment(self):
        here = super().environment
        given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        return {**here, "PYTHONPATH": os.pathsep.join([here["PYTHONPATH"], *filter(None, given)])}

    @contextmanager
    def begin(self, *options):
        """Start a `reproduce`, and leave none behind."""
        said = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        words = [*self.command, *map(str, options)]
        with subprocess.Popen(words, cwd=self.checkout, env=self.environment, **said) as process:
            try:
                yield process
            finally:
                process.kill()


@pytest.mark.dask
def test_a_scheduler_killed_under_reproduce_is_one_line_and_the_next_run_goes_on(whole, tmp_path):
    lab = Clustered(whole.checkout, tmp_path, "claim")
    with cluster(lab.environment) as dask, lab.begin("--scheduler", dask.address) as process:
        until(lambda: len(lab.stored) == COUNT + 5)
        dask.scheduler.kill()
        said, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1, said + errors
    lost = f"SchedulerLostError: scheduler lost: {5 * 5} of {5 * COUNT} rows kept, run again to go on"
    assert f"FAILED 01_gated/seed=8: {lost}" in said
    assert errors == ""
    (tmp_path / "GATE").touch()
    with cluster(lab.environment) as dask:
        said = lab.reproduce("--scheduler", dask.address)
    with Store(whole.database) as store:
        assert digest([store])[1] in said
    assert lab.bytes() == whole.bytes()
