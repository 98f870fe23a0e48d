"""The net of `bits.py` sees a last bit, and what is committed of it only nine digits."""

import numpy as np

from tests import bits
from workbench.privacy import SimulatedNoise

KEY = "univariate/clipped-mean"


def test_a_last_bit_is_named_by_its_place_and_not_committed(monkeypatch):
    laplace, asked = SimulatedNoise.laplace, (bits.simulated, KEY)
    estimator, budget = bits.CATALOG[KEY].examples[0].estimator, bits.dp.PureDP(1.0)
    whole, part = bits.of_budget(KEY, estimator, budget, 1), bits.part(*asked)
    assert not [*bits.differences(whole, bits.of_budget(KEY, estimator, budget, 1))]

    def moved(*given):
        return np.nextafter(laplace(*given), np.inf)

    monkeypatch.setattr(SimulatedNoise, "laplace", moved)
    found = [*bits.differences(whole, bits.of_budget(KEY, estimator, budget, 1), KEY)]
    places = [line.partition(": ")[0].split(" · ") for line in found]
    assert len({n for _, n, *_ in places}) == 3
    assert {field for *_, field in places} == {"value"}
    assert {release.partition(" ")[0] for _, _, release, _ in places} == {"simulated"}
    assert not [*bits.differences(part, bits.part(*asked), KEY, bits.alike)]


def test_of_small_numbers_beside_large_ones_and_of_words_a_change_is_committed():
    def told(number, word="taken"):
        return bits.short([["0x1p900", "nan", number.hex()], word])

    assert bits.alike(told(1.0), told(1.0 + 1e-11))
    assert not bits.alike(told(1.0), told(1.0 + 1e-7))
    assert not bits.alike(told(1.0), told(1.0, "refused"))
