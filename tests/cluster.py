"""A dask cluster of this machine for tests: a scheduler and workers, each a process that can be killed."""

import re
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass, field

PATIENCE = 180.0  # seconds until a test that hangs is called so


@dataclass
class Cluster:
    """One scheduler and its workers, each of one thread."""

    scheduler: subprocess.Popen
    address: str
    environment: dict
    workers: list = field(default_factory=list)

    def work(self):
        command = ("dask_worker", self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard")
        self.workers.append(started(*command, environment=self.environment))

    def end(self):
        for process in (self.scheduler, *self.workers):
            process.kill()
            process.wait()
            process.stderr.close()


def started(name, *options, environment):
    command = [sys.executable, "-W", "ignore", "-m", f"distributed.cli.{name}", *options]
    return subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)


@contextmanager
def cluster(environment, workers=2):
    """Yield a cluster on the loopback, at a port that is free."""
    options = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard")
    scheduler = started("dask_scheduler", *options, environment=environment)
    found = Cluster(scheduler, "", environment)
    try:
        for line in scheduler.stderr:
            if address := re.search(r"Scheduler at:\s+(tcp://[\d.:]+)", line):
                found.address = address[1]
                break
        for _ in range(workers):
            found.work()
        yield found
    finally:
        found.end()


def until(true):
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)
