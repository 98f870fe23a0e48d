"""What is committed of `bits.py`, on any machine; the net sees a last bit, what is committed nine digits."""

import json
from datetime import date

import numpy as np
import pytest

from tests import bits
from workbench.privacy import SimulatedNoise

KEY, TURNS = "univariate/clipped-mean", 20
COMMITTED = json.loads(bits.COMMITTED.read_text(encoding="utf-8"))
TODAY = [*bits.CATALOG][date.today().toordinal() % TURNS :: TURNS]


def changed(source, key):
    return [*bits.differences(COMMITTED[source.__name__][key], bits.part(source, key), key, bits.alike)]


def test_every_key_is_committed():
    assert {*COMMITTED["simulated"]} == {*COMMITTED["exact"]} == {*bits.CATALOG}


@pytest.mark.parametrize("key", TODAY)
def test_plans_errors_and_releases_of_the_day_are_those_committed(key):
    assert not changed(bits.simulated, key)


@pytest.mark.daily
@pytest.mark.parametrize("key", bits.CATALOG)
def test_plans_errors_and_releases_are_those_committed(key):
    assert not changed(bits.simulated, key)


@pytest.mark.secure
@pytest.mark.parametrize("key", bits.CATALOG)
def test_releases_under_exact_noise_are_those_committed(key):
    assert not changed(bits.exact, key)


def test_the_net_sees_a_last_bit_that_is_not_committed(monkeypatch):
    laplace, estimator = SimulatedNoise.laplace, bits.CATALOG[KEY].examples[0].estimator
    asked = KEY, estimator, bits.dp.PureDP(1.0), 1
    whole = bits.of_budget(*asked)
    monkeypatch.setattr(SimulatedNoise, "laplace", lambda *given: np.nextafter(laplace(*given), np.inf))
    found = [*bits.differences(whole, bits.of_budget(*asked))]
    assert found
    assert all(" · n=" in line and " · value: " in line for line in found)
    assert not changed(bits.simulated, KEY)


def test_of_small_numbers_beside_large_ones_and_of_words_a_change_is_committed():
    def told(number, word="taken"):
        return bits.short([["0x1p900", "nan", number.hex()], word])

    assert bits.alike(told(1.0), told(1.0 + 1e-11))
    assert not bits.alike(told(1.0), told(1.0 + 1e-7))
    assert not bits.alike(told(1.0), told(1.0, "refused"))
