"""Mutants of absent rows, one for each stage that meets them: there they count as zero rows."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
import pytest

from tests.estimators import test_absent as absent
from tests.estimators import test_affine as lifts
from tests.estimators import test_histograms, test_scale
from tests.estimators import test_nets as nets
from tests.estimators import test_noisy_means as sums
from tests.mutants.of_privacy import mutants
from workbench.estimators import (
    affine,
    base,
    populous_robust,
    prime,
    references,
    robust,
    scale,
    sparse,
    stable_quantile,
    subspaces,
    tukey,
    votes,
)
from workbench.estimators import nets as pure_net
from workbench.estimators.histograms import UnitHistogram
from workbench.estimators.shared import moments, noisy_means, rows
from workbench.estimators.shared import rows as integers
from workbench.estimators.shared.window_median import WindowMedian
from workbench.privacy import histograms
from workbench.study.faults import Mutant, attribute


def zeros(values: np.ndarray, *_: float) -> np.ndarray:
    return np.where(np.isnan(values), 0.0, values)


def everything(values: np.ndarray) -> np.ndarray:
    return np.ones(values.shape if values.ndim == 1 else values.shape[:-1], bool)


def of_zeros(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *first: function(*first[:-1], zeros(first[-1]))


def blocks_of_zeros(x: np.ndarray) -> Iterator[np.ndarray]:
    return map(zeros, row_blocks(x))


def ball_of_others(values: np.ndarray, radius: float) -> np.ndarray:
    return np.concatenate([rows.within_ball(values[rows.present(values)], radius), np.zeros((1, 2))])


def zero_sums(values: np.ndarray) -> np.ndarray:
    return zeros(sanitised(values))


def counted_with_nan(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return np.unique(keys, return_counts=True)


def mean_of_zeros(groups: np.ndarray) -> np.ndarray:
    return zeros(groups).mean(axis=1)


row_blocks, sanitised = integers.row_blocks, base.sanitised
GROUP, REFERENCE = (
    absent.test_a_group_says_what_its_other_rows_say,
    absent.test_references_are_those_of_the_other_rows,
)
SAME = absent.test_a_statistic_is_that_of_the_other_rows

STAGES = (
    ("rows", base, "sanitised", zero_sums, absent.test_a_row_with_one_unusable_entry_is_absent),
    ("sums", integers, "row_blocks", blocks_of_zeros, partial(SAME, "moment in a ball")),
    ("bins of a range", UnitHistogram, "keys", of_zeros(UnitHistogram.keys),
     partial(SAME, "bins of a range")),
    ("bins", UnitHistogram, "keys", of_zeros(UnitHistogram.keys),
     partial(SAME, "bins")),
    ("keys that are NaN", histograms, "_counted", counted_with_nan,
     test_histograms.test_a_stability_histogram_draws_for_every_row_and_keeps_no_bin_for_absent_ones),
    ("exponents", scale, "exponents", of_zeros(scale.exponents),
     test_scale.test_exponents_are_those_of_the_other_pairs),
    ("bins of exponents", scale, "only_present", zeros,
     test_scale.test_exponents_are_those_of_the_other_pairs),
    ("bins of coordinates", robust, "only_present", zeros, partial(SAME, "coordinates")),
    ("counts of norms", sparse, "only_present", zeros, partial(SAME, "norms")),
    ("counts of scores", robust, "present", everything, partial(SAME, "scores")),
    ("rows that pass", robust, "present", everything, partial(SAME, "rows that pass")),
    ("rows that are left", prime, "present", everything,
     partial(SAME, "rows that are left")),
    *((f"points of a window median with {len(ends)} ends", WindowMedian, "pieces",
       of_zeros(WindowMedian.pieces), partial(absent.test_window_medians_see_the_other_points, ends))
      for ends in ({}, {"low": 0.0, "high": 100.0})),
    ("depths", tukey, "only_present", zeros, partial(SAME, "depths")),
    ("trimmed rows", tukey, "on_both_sides", zeros,
     absent.test_trimming_puts_absent_rows_at_either_end_in_turn),
    ("pairs", rows, "sanitised", zero_sums, absent.test_a_pair_with_an_absent_row_is_absent),
    ("group means", rows, "group_means", mean_of_zeros, partial(GROUP, "mean")),
    ("robust group means", populous_robust, "present", everything, partial(GROUP, "robust mean")),
    ("robust group moments", populous_robust, "present", everything, partial(GROUP, "robust moment")),
    ("group moments", votes, "evened", zeros, partial(GROUP, "moment")),
    ("spectra", subspaces, "evened", zeros, partial(GROUP, "spectrum")),
    ("tokens", subspaces, "evened", lambda groups: groups, partial(GROUP, "token")),
    ("group variances", scale, "_spread", of_zeros(lambda groups: groups.std(axis=1, ddof=1)),
     test_scale.test_variances_within_groups_are_those_of_the_other_rows),
    ("scores of a net", pure_net, "present", everything,
     partial(SAME, "scores of a net")),
    ("places of the rows of a net", pure_net, "within_ball", ball_of_others,
     absent.test_an_absent_row_of_a_net_keeps_its_place),
    ("lifted rows", moments, "present", everything,
     absent.test_a_lifted_moment_tells_the_share_of_rows_that_are_there),
    ("moments over their share", moments.LiftedMoment, "share", lambda *_: 1.0,
     absent.test_a_lifted_moment_tells_the_share_of_rows_that_are_there),
    ("lifted rows of a location", stable_quantile, "present", everything,
     absent.test_an_absent_row_is_the_zero_row_once_it_is_lifted),
    *((f"rows of {key}", references, "only_present", zeros, partial(REFERENCE, key))
      for key in ("mean/empirical", "mean/filter-nonprivate", "covariance/empirical",
                  "covariance/filter-nonprivate")),
)  # fmt: skip


def mean_of_an_exact_share(counted: Any, n: int, charge: Any, noise: Any) -> tuple[Any, float]:
    found = max(int(counted.counts[-1]) / n, 0.1)
    return noisy_means.additive(counted, charge, noise)[:-1] / found, found


def moment_of_an_exact_share(counted: Any, n: int, charge: Any, draw: Any) -> Any:
    return draw(counted)[:-1, :-1] / max(int(counted.counts[-1, -1]) / n, 0.1)


def mean_and_share_apart(counted: Any, n: int, charge: Any, noise: Any) -> tuple[Any, float]:
    joint, whole = noisy_means.weighed(counted, n, charge)
    found = noisy_means.share(noisy_means.additive(joint[-1:], charge, noise)[0], whole, charge)
    return noisy_means.additive(counted[:-1], charge, noise) / found, found


NO_FURTHER = sums.test_a_count_moves_a_sum_no_further_and_is_as_tall_as_it_may_be
OVER = sums.test_what_is_released_is_over_the_rows_that_are_there
ALONE = sums.test_what_is_released_is_made_of_the_noisy_numbers_alone
HIDDEN = partial(sums.test_a_share_that_noise_may_hide_is_one_and_others_are_what_they_are, *sums.HIDDEN[0])
TALLER = {"laplace": 1.0, "gaussian": 1.0}

COUNTS_WITH_SUMS = (
    ("a count moves a mean further, Laplace", "OF_MEANS", TALLER, partial(NO_FURTHER, "laplace")),
    ("a count moves a mean further, normal", "OF_MEANS", TALLER, partial(NO_FURTHER, "gaussian")),
    ("a count moves a moment further", "OF_MOMENTS", 1.0, partial(NO_FURTHER, "moment")),
    ("a count that is not used", "share", lambda *_: 1.0, partial(OVER, "gaussian", 3)),
    ("an exact share of a mean, Laplace", "mean_and_share", mean_of_an_exact_share,
     partial(ALONE, "laplace")),
    ("an exact share of a mean, normal", "mean_and_share", mean_of_an_exact_share,
     partial(ALONE, "gaussian")),
    ("an exact share of a moment", "rescaled_moment", moment_of_an_exact_share, partial(ALONE, "moment")),
    ("a share beside the charge", "mean_and_share", mean_and_share_apart, partial(NO_FURTHER, "gaussian")),
    ("a share that noise may hide, divided by unasked", "noise_quantile", lambda *_: 0.0, HIDDEN),
)  # fmt: skip


@contextmanager
def net_of_those_there() -> Iterator[None]:

    def mapped(rows: np.ndarray, matrix: np.ndarray) -> np.ndarray:
        return base.mapped(rows[~np.isnan(rows[:, 0])], matrix)

    with attribute(pure_net, "mapped", mapped)(), attribute(pure_net, "present", everything)():
        yield


def shapes_of_a_net() -> None:
    with pytest.MonkeyPatch.context() as patch:
        nets.test_what_is_multiplied_has_a_public_shape(patch)


MOVED_UP = mutants(
    ("rows of a net that move up where one is absent", net_of_those_there, shapes_of_a_net),
    ("rows that are far that move up where one is absent", affine, "squared_lengths",
     "np.where(present(x), lengths, 0.0)", "lengths[present(x)]",
     partial(lifts.test_a_row_that_goes_leaves_the_lengths_of_others_as_they_are, 2)),
    ("an absent row that is far", affine, "squared_lengths", ", 0.0)", ", np.inf)",
     partial(lifts.test_a_row_that_goes_leaves_the_lengths_of_others_as_they_are, 2)),
)  # fmt: skip


IN_SUMS = mutants(
    ("a count of all rows", integers, "present", everything, partial(OVER, "moment", 3)),
    ("a share that noise may hide, in a corner", moments.LiftedMoment, "share",
     "share(corner, (self.steps * STEP) ** 2, charge)", "corner / (self.steps * STEP) ** 2",
     absent.test_without_absent_rows_the_corner_changes_no_bit),
)  # fmt: skip


ABSENT = [
    *MOVED_UP,
    *IN_SUMS,
    *(
        Mutant(f"absent counts as zero: {stage}", attribute(owner, name, wrong), found_by)
        for stage, owner, name, wrong, found_by in STAGES
    ),
    *(
        Mutant(name, attribute(noisy_means, what, wrong), found_by)
        for name, what, wrong, found_by in COUNTS_WITH_SUMS
    ),
]
