"""Bounds refuse wrong arguments by an error that names them."""

from math import inf, nan

import numpy as np
import pytest

from workbench.bounds import al22, bhs23, l17, lkko21, m21, resilience, wx19
from workbench.errors import ArgumentError

WRONG = [
    ("d", lambda: al22.gaussian_shape(0, 0.1, 1.0, 1e-6)),
    ("alpha", lambda: al22.robust_mean_shape(2, 0.0, 1.0, 1e-6)),
    ("corruption", lambda: al22.robust_covariance_shape(2, 0.1, 0.5, 1.0, 1e-6)),
    ("epsilon", lambda: al22.subspace_shape(2, 0.0, 1e-6)),
    ("delta", lambda: al22.fewest_groups(1.0, 1.0)),
    ("eta", lambda: al22.mask_radius(0.0, 2, 1.0, 1e-6)),
    ("beta", lambda: al22.mask_error(0.1, 2, 0.0)),
    ("rows", lambda: al22.group_error(0, 2, 0.1)),
    ("epsilon", lambda: al22.mean_mask(1.0, 1.5, 0.1)),
    ("d", lambda: lkko21.prime_shape(0, 0.1, 1.0, 1e-6)),
    ("alpha", lambda: lkko21.filter_shape(2, 0.5, 1.0, 1e-6)),
    ("alpha", lambda: resilience.trimmed_bias(1 / 6)),
    ("alpha", lambda: resilience.score_sensitivity(100, 0.2, 1.0)),
    ("n", lambda: resilience.score_sensitivity(2, 0.1, 1.0)),
    ("epsilon", lambda: lkko21.table_1(2, 0.1, 0.0, 1e-6)),
    ("delta", lambda: lkko21.table_2(2, 0.1, 1.0, 0.0)),
    ("epsilon", lambda: lkko21.access_budget(10, 1.0, 0.1)),
    ("radius", lambda: lkko21.tukey_shape(2, 0.1, 1.0, 0.5, 0.1)),
    ("zeta", lambda: lkko21.range_shape(2, 1.0, 0.1, 1.5)),
    ("resilience", lambda: resilience.score_sensitivity(100, 0.1, -1.0)),
    ("width", lambda: resilience.margin_rate(0.1, 0.0)),
    ("d", lambda: m21.unbounded_shape(0, 0.1, 1.0)),
    ("alpha", lambda: m21.unbounded_shape(2, 0.0, 1.0)),
    ("epsilon", lambda: m21.eigenvalues_shape(2, -1.0)),
    ("moments", lambda: m21.heavy_tailed_shape(2, 0.1, 1.0, 1, 2.0)),
    ("upper", lambda: m21.heavy_tailed_shape(2, 0.1, 1.0, 2, 0.5)),
    ("beta", lambda: m21.naive_spectral_shape(2, 0.1, 1.0, 2, 1.0)),
    ("gap", lambda: m21.coarse_shape(2, 1.0, 1.5)),
    ("spread", lambda: m21.fine_shape(2, 1.0, 0.0)),
    ("beta", lambda: wx19.entry_deviation(np.eye(2), 10, 0.1, 0.1, 0.0)),
    ("n", lambda: wx19.entry_deviation(np.eye(2), 0, 0.1, 0.1, 0.1)),
    ("p", lambda: wx19.threshold(1, 10, 0.1, 1.0)),
    ("p", lambda: wx19.lemma_3_failure(1)),
    ("t", lambda: wx19.thresholded_error(3, 0.0)),
    ("delta", lambda: wx19.local_shape(3, 10, 10, 1.0, 0.0)),
    ("epsilon", lambda: wx19.central_shape(3, 10, 10, 0.0, 1e-6)),
    ("radius", lambda: m21.coinpress_mean_shape(2, 0.1, 1.0, 0.5)),
    ("n", lambda: bhs23.threshold(0, 2)),
    ("epsilon", lambda: bhs23.fewest_rows_of_means(2, 0.0, 1e-6)),
    ("delta", lambda: bhs23.noise_of_means(100, 2, 1.0, 0.0)),
    ("alpha", lambda: bhs23.rows_of_means(2, 0.0, 1.0, 1e-6)),
    ("beta", lambda: bhs23.fewest_rows_of_covariances(2, 1.0, 1e-6, 1.0)),
]
ABOVE_ZERO = [
    ("radius", lambda value: l17.packing_bound(value, 1.0, 1.0, 0.1)),
    ("alpha", lambda value: l17.packing_bound(1.0, value, 1.0, 0.1)),
    ("epsilon", lambda value: l17.location_sample_size(1.0, value, 0.1)),
    ("delta", lambda value: l17.stable_location_sample_size(1.0, value, 0.1)),
    ("alpha", lambda value: l17.clipped_mean_sample_size(value, 1.0, 1.0, 0.1)),
    ("epsilon", lambda value: l17.two_step_error(10, value, 0.1)),
    ("delta", lambda value: l17.unbounded_shape(0.1, 1.0, value)),
    ("alpha", lambda value: l17.sampling_bound(value, 0.1)),
    ("epsilon", lambda value: l17.histogram_error(3, value, 0.1)),
]


def named(call, *values):
    """The argument that the error of a call names."""
    with pytest.raises(ArgumentError) as error:
        call(*values)
    return error.value.argument


@pytest.mark.parametrize(("argument", "call"), WRONG)
def test_wrong_arguments_are_named(argument, call):
    assert named(call) == argument


@pytest.mark.parametrize("value", [0.0, -1.0, inf, nan])
@pytest.mark.parametrize(("argument", "call"), ABOVE_ZERO)
def test_numbers_that_are_not_above_zero_are_named(argument, call, value):
    assert named(call, value) == argument
