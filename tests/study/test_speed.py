import time

import pytest

from workbench.study import profiles as reference_speed


def test_slowness_is_the_time_over_the_reference_machines(monkeypatch):
    times = iter([9.0, 1.0, 3.0, 2.0, 4.0])
    monkeypatch.setattr(reference_speed, "_seconds", lambda clock: next(times))
    assert reference_speed.slowness() == pytest.approx(3.0 / reference_speed.REFERENCE)


@pytest.mark.daily
def test_more_work_takes_longer(monkeypatch):
    once = min(reference_speed._seconds(time.thread_time) for _ in range(5))
    monkeypatch.setattr(reference_speed, "ROUNDS", 4 * reference_speed.ROUNDS)
    assert 2 < min(reference_speed._seconds(time.thread_time) for _ in range(5)) / once < 8


@pytest.mark.daily
def test_the_machine_is_as_it_was_a_moment_ago():
    assert 0.5 < reference_speed.slowness() / reference_speed.slowness() < 2
