"""Lecture 17 on private univariate estimation: what n is needed, and what n is enough.

`lower` holds the lower bounds, `upper` explicit sufficient sample sizes, `accuracy` what a private histogram
promises, `shapes` the displays (1), (2) and (6) with constant 1.
"""

from workbench.bounds.l17.accuracy import (
    bin_count_failure,
    discrete_histogram_error,
    histogram_error,
    mean_gap_bounds,
    stable_histogram_error,
)
from workbench.bounds.l17.lower import (
    packing_bound,
    packing_bound_of_size,
    sampling_bound,
    two_point_bound,
    two_point_bound_stated,
    two_point_bound_tail,
)
from workbench.bounds.l17.shapes import Shape, clipped_mean_shape, two_step_shape, unbounded_shape
from workbench.bounds.l17.upper import (
    ErrorTerms,
    clipped_mean_error,
    clipped_mean_sample_size,
    location_sample_size,
    location_sample_size_closed,
    stable_location_sample_size,
    stable_location_sample_size_closed,
    two_step_error,
    two_step_sample_size,
    unbounded_sample_size,
)

__all__ = [
    "ErrorTerms",
    "Shape",
    "bin_count_failure",
    "clipped_mean_error",
    "clipped_mean_sample_size",
    "clipped_mean_shape",
    "discrete_histogram_error",
    "histogram_error",
    "location_sample_size",
    "location_sample_size_closed",
    "mean_gap_bounds",
    "packing_bound",
    "packing_bound_of_size",
    "sampling_bound",
    "stable_histogram_error",
    "stable_location_sample_size",
    "stable_location_sample_size_closed",
    "two_point_bound",
    "two_point_bound_stated",
    "two_point_bound_tail",
    "two_step_error",
    "two_step_sample_size",
    "two_step_shape",
    "unbounded_sample_size",
    "unbounded_shape",
]
