import pytest

from tests.chapters.worlds import World


@pytest.fixture
def world(monkeypatch):
    made = World(monkeypatch)
    yield made
    made.end()
