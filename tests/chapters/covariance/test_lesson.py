"""The judge of the exercise knows good covariances from bad ones, and says why it refuses a shape."""

import numpy as np
import pytest

from workbench.chapters.covariance.exercise import UPPER, WITHIN, WORLDS, judge
from workbench.errors import ArgumentError
from workbench.estimators.heavy_tailed import HeavyTailedCovariance
from workbench.privacy import ZCDP


def test_the_package_passes_in_every_world():
    known = HeavyTailedCovariance(upper=UPPER, centred=True, lower=1.0)
    found = judge(lambda x, rho, rng: known(x, budget=ZCDP(rho), rng=rng).value)
    assert found.good == WORLDS
    assert f"at most {WITHIN} in {WORLDS} of {WORLDS} worlds" in str(found)


def test_what_ignores_the_rows_fails_in_every_world():
    assert judge(lambda x, rho, rng: np.diag([1.0, UPPER])).good == 0
    assert judge(lambda x, rho, rng: np.zeros((2, 2))).mine == pytest.approx([2**0.5] * WORLDS)


def test_worlds_are_the_same_whatever_the_reader_draws():
    lazy, busy = judge(lambda x, rho, rng: np.eye(2)), judge(lambda x, rho, rng: np.eye(2) * rng.random())
    assert (lazy.naive == busy.naive).all()
    assert (lazy.preconditioned == busy.preconditioned).all()


def test_another_shape_is_refused():
    with pytest.raises(ArgumentError, match=r"shape \(3,\)"):
        judge(lambda x, rho, rng: np.zeros(3))
