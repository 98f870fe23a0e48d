"""Faults of the lifted location, and of test and mask priced as one: each with the test that must find it."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from unittest.mock import patch

import numpy as np

from tests.estimators import test_affine as entry
from tests.estimators import test_stable_quantile as edge
from tests.estimators import test_stable_quantile as lifts
from tests.privacy import test_stable as priced
from workbench.estimators import affine
from workbench.estimators.stable_quantile import (
    Lifted,
    LiftedSolver,
    LiftedStability,
    Scaled,
    Solver,
    Stability,
)
from workbench.privacy import ramps, stable
from workbench.study.faults import Fault, Mutant, _changed, attribute, rewritten


def in_property(owner: type, name: str, right: str, wrong: str) -> Fault:
    return attribute(owner, name, _changed(vars(owner)[name].fget, right, wrong))


def of_scatter_alone(self: LiftedSolver, scaled: Scaled, factor: np.ndarray) -> bool:
    return bool((factor[1:, 1:] ** 2).sum() <= self.widest / 6)


@contextmanager
def without_a_scale() -> Iterator[None]:
    with (
        patch.object(LiftedStability, "accepts", Stability.accepts),
        patch.object(LiftedSolver, "allowed", of_scatter_alone),
    ):
        yield


CHARGE = partial(entry.test_the_charge_is_that_of_the_proof_and_its_scale_the_least, *entry.SCALES[0])
MANY = partial(entry.test_the_charge_is_that_of_the_proof_and_its_scale_the_least, *entry.SCALES[2])
MASKED = partial(entry.test_the_charge_is_that_of_the_proof_and_its_scale_the_least, *entry.SCALES[3])
SHAPE = partial(entry.test_location_and_scatter_follow_an_affine_map, 0.0)
BOUND = partial(lifts.test_the_bound_is_that_of_the_proof, lifts.DESIGNS[0])
LEVELS = partial(lifts.test_levels_are_more_than_one_row_apart, lifts.DESIGNS[0])
APART = lifts.test_no_guard_tells_neighbours_apart_by_where_their_medians_are
AROUND = _changed(
    Lifted.around.__func__,
    "np.maximum(np.abs(entry - low), np.abs(entry - high))",
    "np.abs(entry - centre[column])",
)
MEANS = _changed(
    Lifted.around.__func__,
    "low, centre[column], high = np.partition(entry, places)[places]",
    "low = high = centre[column] = entry.mean()",
)
FILLED = _changed(Lifted.around.__func__, "SMALLEST))] = 0.0", "SMALLEST))] = np.nanmedian(entry)")

LIFTED = (
    Mutant("a location that other rows do not pass on",
           in_property(LiftedStability, "exact", "(direct + passed_on)", "direct"), BOUND),
    Mutant("a location that a row does not move itself",
           in_property(LiftedStability, "exact", "(direct + passed_on)", "passed_on"), BOUND),
    Mutant("a scale for its root",
           in_property(LiftedStability, "exact", "/ self.least", "/ self.least**1.5"), BOUND),
    Mutant("a quarter of what is passed on",
           in_property(LiftedStability, "exact", "* strong / sqrt", "* strong / 4 / sqrt"), BOUND),
    Mutant("a knee left out",
           in_property(LiftedStability, "exact", " / sqrt(self.influence.knee)", ""), BOUND),
    Mutant("a row in the norm of its own scatter",
           in_property(LiftedStability, "exact", " * sqrt(1 + strong)", ""), BOUND),
    Mutant("rounding in the norm of its own scatter",
           in_property(LiftedStability, "shift", "sqrt(1 + strong) * self.error", "self.error"), BOUND),
    Mutant("a pass that others pass on twice",
           in_property(LiftedStability, "exact", "passed_on = max(0.0, 1 - self.strength / level)",
                       "passed_on = max(0.0, 1 - self.strength / level) ** 2"), BOUND),
    Mutant("one data set's part of what a row moves",
           rewritten(affine, "located_charge", "2 * test.shift", "test.shift"), CHARGE),
    Mutant("half of what a row moves of a lift",
           rewritten(affine, "located_charge", "WISHART, test.change", "WISHART, 0.5 * test.change"),
           MASKED),
    Mutant("a mask without the lift", rewritten(affine, "located_charge", "d=test.d", "d=test.d - 1"),
           MASKED),
    Mutant("a scatter priced in one direction",
           rewritten(stable, "renyi", "up + down", "up"), CHARGE),
    Mutant("a ramp whose rise costs more than its mask",
           rewritten(ramps, "_rises", "q * stick(", "stick("), MANY),
    Mutant("noise without the shape of the rows",
           rewritten(LiftedStability, "located", "lift.root", "np.eye(self.d - 1)"),
           SHAPE),
    Mutant("noise of the shape of the second moment around the centre",
           rewritten(Lifted, "parts", "np.tril(inverse[1:, 1:])",
                     "np.linalg.cholesky(inverse[1:] @ inverse[1:].T)"), SHAPE),
    Mutant("a test without a scale", without_a_scale,
           partial(lifts.test_a_scale_below_the_least_has_the_count_zero, 1 + 1e-6, False)),
    Mutant("levels of Lo that are all the same",
           attribute(Stability, "high", lambda self, t: self.level), LEVELS),
    Mutant("levels of Hi that are all the same",
           attribute(Stability, "low", lambda self, t: self.level), LEVELS),
    Mutant("a strength that counts ask no more of",
           rewritten(Stability, "accepts", "(self.influence.most + self.margin) * t", "0.0"),
           partial(edge.test_scores_of_neighbours_at_the_edge_differ_by_one, 0.0)),
    Mutant("a guard that sees the centre", attribute(LiftedSolver, "allowed", Solver.allowed),
           partial(lifts.test_the_guard_does_not_see_the_centre, 1e7)),
    Mutant("units around the median alone", attribute(Lifted, "around", AROUND),
           lifts.test_units_of_a_neighbour_are_no_larger_one_count_below),
    Mutant("rows around their mean", attribute(Lifted, "around", MEANS),
           lifts.test_units_of_a_neighbour_are_no_larger_one_count_below),
    Mutant("absent rows at the median of the others",
           attribute(Lifted, "around", FILLED),
           lifts.test_units_do_not_follow_the_median_of_the_rows_that_are_there),
    Mutant("a guard that sees a far centre", attribute(LiftedSolver, "allowed", Solver.allowed), APART),
    Mutant("a guard of the whole factor",
           rewritten(LiftedSolver, "allowed", "factor[1:, 1:]", "factor"), APART),
    Mutant("units of crowds around the median alone", attribute(Lifted, "around", AROUND), APART),
    Mutant("a location that is rounded before its noise",
           rewritten(stable, "located_normal", "found.centre + (found.shift + found.root @ drawn)",
                     "(found.centre + found.shift) + found.root @ drawn"),
           priced.test_noise_reaches_past_the_rounding_of_a_far_centre),
)  # fmt: skip
