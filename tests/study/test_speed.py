import pytest

from workbench.study import speed


def test_slowness_is_the_time_over_the_reference_machines(monkeypatch):
    times = iter([9.0, 1.0, 3.0, 2.0, 4.0])
    monkeypatch.setattr(speed, "_seconds", lambda: next(times))
    assert speed.slowness() == pytest.approx(3.0 / speed.REFERENCE)


def test_more_work_takes_longer(monkeypatch):
    once = min(speed._seconds() for _ in range(5))
    monkeypatch.setattr(speed, "ROUNDS", 4 * speed.ROUNDS)
    assert 2 < min(speed._seconds() for _ in range(5)) / once < 8


def test_the_machine_is_as_it_was_a_moment_ago():
    assert 0.5 < speed.slowness() / speed.slowness() < 2
