import itertools

import numpy as np
import pytest

from workbench.errors import ArgumentError
from workbench.study.grids import Role, point_id, stream


def first(*address):
    return tuple(stream(*address).integers(2**63, size=2))


def test_every_part_of_the_address_counts():
    axes = ((0, 1, 2**70), (Role.DATA, Role.NOISE), ("a", "b"), (0, 1, 2**32 - 1), (0, 1))
    addresses = list(itertools.product(*axes))
    assert len({first(*address) for address in addresses}) == len(addresses)


def test_streams_are_pinned():
    # the numbers behind every committed figure: a change here is a change of all of them
    assert [role.value for role in Role] == list(range(len(Role)))
    assert first(7, Role.DATA, "pinned", point_id({"n": 100, "mode": "proved"}), 3) == (
        1689782247900495947,
        8174044525002068671,
    )


def test_point_id_depends_on_the_values_and_not_on_their_spelling():
    base = point_id({"n": 100, "epsilon": 0.5, "mode": "proved"})
    assert base == point_id({"mode": "proved", "epsilon": np.float64(0.5), "n": 100.0})
    others = [{"n": value} for value in (101, 100.5, -100, "100", float("inf"), "inf", "Infinity", 1e300)]
    others += [{"epsilon": 0.25}, {"mode": "practical"}, {"d": 3}]
    ids = {point_id({"n": 100, "epsilon": 0.5, "mode": "proved"} | other) for other in others}
    assert len(ids | {base}) == 1 + len(others)


@pytest.mark.parametrize("address", [(-1, 0, 0), (0, -1, 0), (0, 2**32, 0), (0, 0, 2**32), (0, 0, 0.5)])
def test_an_address_outside_its_words_is_refused(address):
    seed, point, block = address
    with pytest.raises(ArgumentError):
        stream(seed, Role.DATA, "a", point, block)
