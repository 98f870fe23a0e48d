"""Worlds in which a claim is false."""

from dataclasses import replace

import numpy as np
import pytest

from workbench.chapters.registry import CLAIMS
from workbench.study import sweeps as sweep
from workbench.study.rules import Status
from workbench.study.sweeps import Sweep, run

# A world of another block needs no care: tables are kept by what measured them. Where a part of the package
# is replaced, which blocks call, the tables measured with it are forgotten with it.

SEED = 4


class World:
    """What a test changes: sweeps, and parts of the package that their blocks call."""

    replaced = False

    def __init__(self, monkeypatch):
        self.set = monkeypatch.setattr

    def sweep(self, module, name, *, keep=None, **changes):
        """Change fields of a sweep that a module names, and keep some of its points alone."""
        old = getattr(module, name)
        points = tuple(point for point in old.points if keep is None or keep(point))
        self.set(module, name, replace(old, points=points, **changes))

    def few(self, module, trials):
        for name, fewer in trials.items():
            self.sweep(module, name, trials=fewer)

    def part(self, owner, name, other):
        """Replace what blocks call, or a constant they read, and forget what was measured without it."""
        self.set(owner, name, other)
        self.replaced = True
        sweep.forget()

    def refutes(self, module, claim, sweep, change, trials, expected=""):
        """Fail unless a claim is refuted where a sweep measures what `change` makes of it, in so many trials.

        `expected` is how one of the refuted checks begins, or a list of how all of them do, in their order.
        """
        self.sweep(module, sweep, block=change(getattr(module, sweep).block), trials=trials)
        require_refuted(claim, expected)


def columns(change):
    """Change columns: those that `change(columns, point)` returns take the place of what is measured."""

    def falsified(block):
        def measured(**given):
            found = block(**given)
            return {**found, **change(found, given)}

        return measured

    return falsified


def scaled(**factors):
    return columns(lambda found, point: {name: factor * found[name] for name, factor in factors.items()})


def elsewhere(change):
    """Measure at other parameters than those that are said: `change(point)` are those that differ."""
    return lambda block: lambda **given: block(**{**given, **change(given)})


def instead(block):
    return lambda _: block


def failing(share, bad=np.inf, good=0.1):

    def block(*, trials, data, noise, **point):
        return {"error": np.where(data.random(trials) < share, bad, good), "mean": np.zeros(trials)}

    return block


def constant(**found):

    def block(*, trials, data, noise, **point):
        return {name: np.full(trials, value) for name, value in found.items()}

    return block


def small(sweep, trials, seed=SEED):
    return run(replace(sweep, name=f"test-{sweep.name}", trials=trials), "quick", seed=seed)


def decided(identifier, profile="quick"):
    """Return the verdict on a claim, which can be written."""
    verdict = CLAIMS[identifier].decide(profile, SEED)
    assert verdict.record()
    return verdict


def statuses(identifier, profile="quick"):
    verdict = decided(identifier, profile)
    return {check["id"]: check["status"] for check in verdict.detail.get("checks", [vars(verdict)])}


def refuted(identifier, profile="quick"):
    return [check for check, status in statuses(identifier, profile).items() if status is Status.REFUTED]


def require_refuted(identifier, expected=""):
    """Fail if no refuted check begins like this; or, of a list, if others are refuted than all of these."""
    found = refuted(identifier)
    if isinstance(expected, str):
        assert any(check.startswith(expected) for check in found), found
    else:
        assert len(found) == len(expected), found
        assert all(map(str.startswith, found, expected)), found


@pytest.fixture
def world(monkeypatch):
    monkeypatch.setattr(Sweep, "under", lambda sweep, _: sweep)  # a world has the trials that it is given
    made = World(monkeypatch)
    yield made
    if made.replaced:
        sweep.forget()
