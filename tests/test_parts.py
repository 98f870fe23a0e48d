"""`pytest --part K/N` and `turns(days)`: what is run in turn leaves nothing out and repeats nothing."""

from itertools import chain
from types import SimpleNamespace

import pytest

from conftest import on_turn, part, pytest_collection_modifyitems


def chosen(names, of):
    left = []
    hook = SimpleNamespace(pytest_deselected=lambda items: left.extend(items))
    config = SimpleNamespace(option=SimpleNamespace(part=of), hook=hook)
    items = [SimpleNamespace(nodeid=name) for name in names]
    pytest_collection_modifyitems(config, items)
    found = [item.nodeid for item in items]
    assert sorted(found + [item.nodeid for item in left]) == sorted(names)
    return found


def test_every_test_is_in_one_part():
    names = [f"tests/test_a.py::test_b[{i}]" for i in range(4000)]
    parts = [chosen(names, (k, 4)) for k in range(4)]
    assert sorted(chain(*parts)) == sorted(names)
    assert all(900 < len(one) < 1100 for one in parts)


def test_of_so_many_days_each_test_has_one_and_every_part_of_its_tests_too():
    names = [f"tests/test_a.py::test_b[{i}]" for i in range(3000)]
    for place in (*names, *range(6)):
        assert sum(on_turn(place, 6, day) for day in range(740000, 740006)) == 1
    assert all(100 < sum(on_turn(name, 6) for name in chosen(names, (k, 3))) < 240 for k in range(3))


@pytest.mark.parametrize("words", ["4/4", "-1/4", "1", "a/b", "0/0", "1/2/3"])
def test_what_is_no_part_is_named(words):
    with pytest.raises(pytest.UsageError, match=f"^--part: {words}, allowed is K/N"):
        part(words)
