"""Exact cuts have the weights of simulated ones, and ask for more bits where a draw is undecided."""

import numpy as np
import pytest

from tests.privacy.cuts.test_law import chances
from workbench.privacy import cuts
from workbench.privacy import secure as exact
from workbench.privacy.cuts import BITS, Level, Node
from workbench.privacy.exact import precise
from workbench.privacy.grid import OnGrid

SCALE = 4.0


def node(lengths, shares, present):
    return Node(OnGrid(np.array(lengths), 1.0), tuple(int(share * 2**BITS) for share in shares), present)


NODES = (
    node([3, 0, 2, 5, 0, 1], (0.25, 0.25, 0.5), 5),
    node([1, 1, 1, 1], (0.0, 0.75, 0.125, 0.125), 9),
    node([4, 2, 7, 1, 1, 1, 2, 3], (0.125, 0.5, 0.25), 7),
    node([10**20, 10**18], (0.5, 0.5), 1),
)


@pytest.mark.parametrize("one", NODES)
def test_weights_are_those_of_simulated_cuts(one):
    floats = cuts.Scan(one, 1 / (2 * SCALE))
    with precise(128):
        scan = exact.Scan(one, SCALE)
    for logs, weights in zip([*floats.at, *floats.before], [*scan.at, *scan.before], strict=True):
        assert np.exp(logs) == pytest.approx([float(weight) for weight in weights], rel=1e-12)


def uniform_bytes(share):
    """Bytes of a uniform number that is near `share`, and how many of them were read."""
    read = []

    def of(count):
        read.append(count)
        return int(share * 2 ** (8 * count)).to_bytes(count, "little")

    return of, read


def test_pieces_pass_at_the_shares_of_their_chances():
    """A middle share falls to the piece of a single cut that holds it."""
    one = node([3, 0, 2, 5, 0, 1], (0.25, 0.75), 5)
    law = chances(one, SCALE)
    ends = np.cumsum([law.get((piece,), 0.0) for piece in range(6)])
    for share in np.arange(1, 50) / 50:
        of, _ = uniform_bytes(share)
        piece = int(np.searchsorted(ends, share))
        assert exact.cut(Level((one,)), SCALE, of) == [[piece]], share


def test_an_undecided_draw_reads_on():
    """Two equal halves, and bits that begin as one half does: no ball tells until they differ from it."""
    one, drawn = node([2**40, 2**40], (0.5, 0.5), 1), []

    def read(count):
        drawn.append(count)
        return b"\x00" * (count - 1) + (b"\x80" if len(drawn) <= 2 else b"\x40")

    assert exact.cut(Level((one,)), SCALE, read) == [[1]]
    assert len(drawn) == 4
