"""The displays of the sources: values where no argument is 1, so that every power and logarithm shows."""

import numpy as np
import pytest

from workbench.bounds import al22, lkko21, m21, wx19
from workbench.bounds.shape import Shape

VALUES = [  # of a shape its terms, the last one if it is not 0
    (al22.subspace_shape, (3, 0.7, 1e-5), [49.34110914]),
    (al22.preconditioner_shape, (3, 0.7, 1e-5), [92.96629758]),
    (al22.conditioned_shape, (3, 0.2, 0.7, 1e-5), [225.0, 218.1259422]),
    (al22.covariance_shape, (3, 0.2, 0.7, 1e-5), [225.0, 218.1259422, 92.96629758]),
    (al22.gaussian_shape, (3, 0.2, 0.7, 1e-5), [225.0, 218.1259422, 246.7055457]),
    (al22.robust_covariance_shape, (3, 0.2, 0.05, 0.7, 1e-5), [453366.2572]),
    (al22.robust_mean_shape, (3, 0.2, 0.7, 1e-5), [629.6753573]),
    (al22.robust_gaussian_shape, (3, 0.2, 0.05, 0.7, 1e-5), [453995.9326]),
    (al22.lower_shape, (3, 0.2, 0.7, 1e-5), [225.0, 21.42857143, 16.44703638]),
    (m21.heavy_tailed_shape, (3, 0.2, 0.3, 3, 50.0), [225.0, 241.7782347, 37.11270887]),
    (m21.unbounded_shape, (3, 0.2, 0.7), [225.0, 64.28571429, 22.26922467]),
    (m21.coinpress_mean_shape, (3, 0.2, 0.3, 40.0), [75.0, 27.38612788, 11.66526109]),
    (m21.coinpress_covariance_shape, (3, 0.2, 0.3, 50.0), [225.0, 82.15838363, 18.7638501]),
    (m21.naive_spectral_shape, (3, 0.2, 0.3, 3, 0.1), [8239.592165, 244.22603]),
    (m21.naive_mahalanobis_shape, (3, 0.2, 0.3, 3, 50.0, 0.1), [2250.0, 18344.04263]),
    (m21.preconditioning_step_shape, (3, 0.3, 0.1), [329.5836866, 21.8442402]),
    (m21.eigenvalues_shape, (3, 0.7), [7.42307489]),
    (m21.coarse_shape, (3, 0.7, 0.4), [502.2321429]),
    (m21.fine_shape, (3, 0.7, 0.3), [82.47860988]),
    (lkko21.filter_shape, (3, 0.1, 0.7, 1e-5), [300.0, 1480.233274]),
    (lkko21.prime_shape, (3, 0.1, 0.7, 1e-5), [300.0, 854.6130792]),
    (lkko21.prime_heavy_shape, (3, 0.1, 0.7, 1e-5), [30.0, 854.6130792]),
    (lkko21.resilient_shape, (3, 0.1, 0.7, 1e-5), [300.0, 327.7281693]),
    (lkko21.resilient_heavy_shape, (3, 0.1, 0.7, 1e-5), [30.0, 327.7281693]),
    (lkko21.filter_nonprivate_shape, (3, 0.1), [300.0, 0.0]),
    (lkko21.tukey_shape, (3, 0.1, 0.7, 40.0, 0.07), [565.9260037, 417.8287231]),
    (lkko21.range_shape, (3, 0.7, 1e-5, 0.07), [128.2086007]),
    (lkko21.range_heavy_shape, (3, 0.1, 0.7, 1e-5, 0.07), [123143.8632]),
    (lkko21.sub_gaussian_error, (0.1,), [0.1517427129]),
    (lkko21.bounded_covariance_error, (0.1,), [0.316227766]),
    (wx19.local_shape, (4.0, 50, 3000, 0.7, 1e-5), [0.49021855]),
    (wx19.central_shape, (4.0, 50, 3000, 0.7, 1e-5), [0.02102752888]),
    (wx19.thresholded_error, (4.0, 0.3), [6.0]),
    (wx19.plain_noise, (50, 0.02), [0.2828427125]),
    (wx19.local_rows, (0.1, 4.0, 50, 0.7, 1e-5, 1.5), [161148.8478]),
    (m21.naive_spectral_shape, (1, 0.2, 0.3, 2, 0.1), [1732.867951, 105.0981497]),  # of one column as of two
    (wx19.threshold, (50, 3000, 0.02, 1.5), [0.3748969554]),
]  # fmt: skip


@pytest.mark.parametrize(("function", "given", "terms"), VALUES)
def test_a_display_has_its_value(function, given, terms):
    found = function(*given)
    if isinstance(found, Shape):
        assert found.total == pytest.approx(sum(terms))
        found, terms = [found.sampling, found.noise, found.preconditioning], [*terms, 0.0][:3]
    assert np.atleast_1d(found) == pytest.approx(terms, rel=1e-9)


@pytest.mark.parametrize(("table", "sampling"), [(lkko21.table_1, 300.0), (lkko21.table_2, 30.0)])
def test_a_table_has_its_rows(table, sampling):
    """In polynomial time, at any cost, necessary: private, robust, and both."""
    rows = table(3, 0.1, 0.7, 1e-5)
    assert [*rows] == ["private", "robust", "both"]
    shapes = [one for row in rows.values() for one in (row.polynomial, row.exponential, row.lower)]
    assert [one.sampling for one in shapes] == pytest.approx([sampling] * 9)
    private, lower, prime, resilient = 145.4172948, 42.85714286, 854.6130792, 327.7281693
    noise = [private, lower, lower, 0, 0, 0, prime, resilient, lower]
    assert [one.noise for one in shapes] == pytest.approx(noise, rel=1e-9)
