import pytest

from tests.chapters.worlds import World
from workbench.study.grids import Sweep


@pytest.fixture
def world(monkeypatch):
    monkeypatch.setattr(Sweep, "under", lambda sweep, _: sweep)  # a world has the trials that it is given
    made = World(monkeypatch)
    yield made
    made.end()
