from math import inf, log

import numpy as np
import pytest

from workbench.bounds.l17.lower import packing_bound_of_size, sampling_bound
from workbench.bounds.limits import covariance_rows, mean_rows, packing_rows


@pytest.mark.parametrize("size", [3, 10, 1000])
@pytest.mark.parametrize("beta", [0.05, 0.5])
def test_without_delta_it_is_the_packing_bound(size, beta):
    assert packing_rows(log(size - 1), 0.3, 0.0, beta) == pytest.approx(
        packing_bound_of_size(size, 0.3, beta)
    )


def test_delta_caps_what_many_laws_cost():
    found = [packing_rows(others, 1.0, 1e-9, 0.5) for others in (5.0, 50.0, 500.0, inf)]
    assert found == sorted(found)
    assert found[-1] == pytest.approx(log(0.5 * 1e9 * np.expm1(1)), rel=1e-6)
    assert packing_rows(inf, 1.0, 0.0, 0.5) == inf


@pytest.mark.parametrize("beta", [0.05, 0.5])
def test_one_mean_without_privacy_needs_the_sampling_bound(beta):
    assert np.ceil(mean_rows(0.1, 1, 100.0, 1e-6, beta)) == sampling_bound(0.1, beta)


def test_one_law_costs_nothing():
    assert packing_rows(-inf, 1.0, 0.0, 0.5) == 0
    assert covariance_rows(1.0, 3, 1.0, 1e-6, 0.5) == 0
    assert covariance_rows(0.5, 3, 1.0, 1e-6, 0.5, upper=1.5) == 0
    assert mean_rows(0.5, 1, 1.0, 0.0, 0.5, radius=0.5) == mean_rows(0.5, 1, 100.0, 0.0, 0.5, radius=0.5)
