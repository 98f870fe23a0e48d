"""Noise meets whole numbers, and one row moves them by no more than is charged: without a tolerance."""

from fractions import Fraction

import numpy as np

from workbench.contracts.datasets import calm, sizes
from workbench.contracts.kit import norm, release
from workbench.privacy import CountingNoise, SimulatedNoise
from workbench.privacy.cuts import Level
from workbench.privacy.grid import UP, OnGrid, on_grid

MASKS = ("thompson_laplace", "wishart", "square")  # their noise is not added


class Grids(CountingNoise):
    def __init__(self, source):
        super().__init__(source)
        self.floats = []

    def __getattr__(self, kind):
        passed = super().__getattr__(kind)

        def looked_at(value, *numbers):
            if kind not in MASKS and not is_whole(value):
                self.floats.append(kind)
            return passed(value, *numbers)

        return looked_at


def is_whole(value):
    if isinstance(value, Level):
        return all(isinstance(node.lengths, OnGrid) and type(node.present) is int for node in value.nodes)
    return on_grid(value) is not None


def noise_meets_whole_numbers(example):
    """Every statistic that is not masked is one of whole numbers, by its type, whatever the rows."""
    for n in sizes(example, 24, 300, 1000):
        for x in calm(example, n, 4):
            grids = Grids(SimulatedNoise(np.random.default_rng(n)))
            release(example, x, grids)
            assert not grids.floats, grids.floats


def moves_by_what_is_charged(event, other):
    if event.whole is None or other.whole is None:
        return
    assert np.array_equal(event.whole.unit, other.whole.unit), "a unit that depends on the rows"
    first, second = (np.atleast_1d(one.whole.counts).astype(object).ravel() for one in (event, other))
    units = np.broadcast_to(event.whole.unit, event.whole.shape).ravel().tolist()
    gaps = [abs(gap) * Fraction(unit) for gap, unit in zip((first - second).tolist(), units, strict=True)]
    allowed = Fraction(event.charge.sensitivity) * Fraction(UP)
    match norm(event):
        case 2:
            gaps, allowed = [sum(gap * gap for gap in gaps)], allowed**2
        case 1:
            gaps = [sum(gaps)]
    assert max(gaps) <= allowed, event.charge
