"""Faults of the exact samplers: each with the test that must find it."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from unittest.mock import patch

from tests.privacy import test_exact as sampled
from tests.privacy import test_secure as shaped
from workbench.estimators.shared import window_median as lattice
from workbench.privacy import exact, secure
from workbench.study.faults import Mutant, rewritten


@contextmanager
def of_geometric_sizes() -> Iterator[None]:
    with (
        patch.object(exact.DiscreteLaplace, "tail", lambda self, x: exact.Exponential.tail(self, x + 0.5)),
        patch.object(exact.DiscreteLaplace, "point", lambda self, u: exact.Exponential.point(self, u) - 0.5),
    ):
        yield


@contextmanager
def of_no_bound() -> Iterator[None]:
    with (
        patch.object(exact.TruncatedLaplace, "tail", exact.Laplace.tail),
        patch.object(exact.TruncatedLaplace, "point", exact.Laplace.point),
    ):
        yield


NEAR = partial(sampled.test_near_a_boundary_floats_decide_only_what_is_true, exact.Normal, 40.25)
FED = partial(sampled.test_next_to_a_boundary_all_bits_that_are_needed_decide, exact.Laplace, 40.25)
HEIGHTS = partial(
    sampled.test_on_the_same_bits_the_same_counts_reach_it_with_the_same_noise, *sampled.HEIGHTS[1]
)
SETTLED = partial(
    sampled.test_a_draw_is_settled_where_no_bits_that_may_follow_reach_what_is_needed, exact.Normal(3.7)
)
EDGES = sampled.test_floats_decide_nearly_always_and_never_at_a_boundary

SAMPLERS = (
    Mutant("zeros of either sign", of_geometric_sizes,
           partial(sampled.test_every_integer_has_its_probability, exact.DiscreteLaplace, 1, 1)),
    Mutant("truncated noise beyond its bound", of_no_bound,
           partial(sampled.test_every_integer_has_its_probability, exact.TruncatedLaplace, 2, 1)),
    Mutant("floats that decide next to a boundary", partial(patch.object, exact, "MARGIN", 0.0), NEAR),
    Mutant("floats that decide in the far tail", partial(patch.object, exact, "FAR", 0.0), NEAR),
    Mutant("more bits in the place of the first ones",
           rewritten(exact, "by_balls", "top << MORE | int", "int"), FED),
    Mutant("the rest of a ball ignored",
           rewritten(exact, "by_balls", "uniform_ball(top, bits)",
                     "exactly(2 * top + 1) * exactly(2.0) ** (-bits - 1)"), FED),
    Mutant("one sign", rewritten(exact, "decided", "np.where(minus, -drawn, drawn)", "drawn"),
           partial(sampled.test_every_integer_has_its_probability, exact.Normal, 2, 1)),
    Mutant("choices of floats next to a boundary",
           partial(patch.multiple, exact, MARGIN=0.0, EACH=0.0, EXPONENT=0.0), EDGES),
    Mutant("scores of a choice against a rate of half",
           rewritten(exact, "_bounds", "these.rate *", "these.rate / 2 *"),
           partial(sampled.test_every_index_has_its_probability, sampled.CASES["scores"])),
    Mutant("lengths of single precision",
           rewritten(lattice.Lengths, "__array__", "np.diff(self.edges)",
                            "np.diff(self.edges).astype(np.float32).astype(float)"),
           partial(sampled.test_lengths_known_as_floats_choose_what_whole_numbers_do, 1e9)),
    Mutant("lengths of other pieces where balls decide",
           rewritten(exact, "chosen_by_balls", "[these.numbers]", ""),
           partial(sampled.test_lengths_known_as_floats_choose_what_whole_numbers_do, 1e9)),
    Mutant("remainders in the place of a rejection",
           rewritten(exact, "below", "if drawn < m:\n            return drawn", "return drawn % m"),
           partial(sampled.test_every_integer_below_is_as_likely, 10)),
    Mutant("gamma numbers of which none is rejected",
           rewritten(secure, "gamma", "and is_positive(excess)", ""),
           partial(shaped.test_gamma_numbers_are_kept_with_the_ratio_of_the_densities, 1.5)),
    Mutant("exponents of which none is rejected",
           rewritten(secure, "exponents", "is_positive(excess)", "True"),
           partial(shaped.test_thompson_laplace_masks_of_more_dimensions_have_their_law, 3, 12.0, 600)),
    Mutant("a mask of one row fewer", rewritten(secure, "wishart", "- j)", "- j - 1)"),
           partial(shaped.test_wishart_masks_have_their_law, 1.0)),
    Mutant("the middle of a ball for all of it",
           rewritten(secure, "nearest", "lower()), float(ball.upper())", "mid()), float(ball.mid())"),
           shaped.test_a_ball_round_a_midpoint_has_no_float_next_to_it),
    Mutant("a draw settled one integer early", rewritten(exact, "reaching", "- 0.5", "+ 0.5"), HEIGHTS),
    Mutant("a negative draw settled at every height",
           rewritten(exact, "settled", "boundaries > 0", "True"), SETTLED),
    Mutant("a positive draw settled by a quarter more than its bits",
           rewritten(exact, "settled", "2.0**-FIRST", "2.0**-FIRST * 1.25"), SETTLED),
    Mutant("bits that settle next to a boundary", partial(patch.object, exact, "MARGIN", 0.0),
           partial(sampled.test_a_tail_that_floats_put_too_low_settles_nothing, exact.Normal, 77)),
    Mutant("the first bits drawn again", rewritten(exact, "reaching", "<< np.uint64(BITS - FIRST) | rest",
                                                   "* 0 | rest << np.uint64(FIRST)"), HEIGHTS),
    Mutant("heights that floats cannot tell", partial(patch.object, exact, "LARGEST", 2.0**70),
           partial(sampled.test_where_floats_are_too_coarse_every_draw_is_ended, 2.0**60)),
)  # fmt: skip
