"""Faults of exact samplers, and of joint prices of matrices and votes with their noise, with their tests."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any
from unittest.mock import patch

from tests.estimators import test_matrix_quantile as quantiles
from tests.mutants.faults import rewritten
from tests.privacy import test_exact as sampled
from tests.privacy import test_ledger as accounts
from tests.privacy import test_secure as shaped
from tests.privacy import test_stable as joint
from workbench.estimators import matrix_quantile as design
from workbench.estimators.shared import window_median as lattice
from workbench.estimators.votes import Designer, Vote
from workbench.privacy import GaussianDP, exact, ledger, ramps, secure, stable
from workbench.privacy.budgets import gdp_within_approx
from workbench.study.faults import Mutant, attribute


def mutants(*rows: Any) -> tuple[Mutant[Any], ...]:
    """Of rows: name, fault and test, the fault as it is, or as what has which value, or says what wrongly."""
    faults = {1: lambda fault: fault, 3: attribute, 4: rewritten}
    return tuple(
        row if isinstance(row, Mutant) else Mutant(row[0], faults[len(row) - 2](*row[1:-1]), row[-1])
        for row in rows
    )


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

SAMPLERS = mutants(
    ("zeros of either sign", of_geometric_sizes,
     partial(sampled.test_every_integer_has_its_probability, exact.DiscreteLaplace, 1, 1)),
    ("truncated noise beyond its bound", of_no_bound,
     partial(sampled.test_every_integer_has_its_probability, exact.TruncatedLaplace, 2, 1)),
    ("floats that decide next to a boundary", exact, "MARGIN", 0.0, NEAR),
    ("floats that decide in the far tail", exact, "FAR", 0.0, NEAR),
    ("more bits in the place of the first ones", exact, "by_balls", "top << MORE | int", "int", FED),
    ("the rest of a ball ignored", exact, "by_balls", "uniform_ball(top, bits)",
     "exactly(2 * top + 1) * exactly(2.0) ** (-bits - 1)", FED),
    ("one sign", exact, "decided", "np.where(minus, -drawn, drawn)", "drawn",
     partial(sampled.test_every_integer_has_its_probability, exact.Normal, 2, 1)),
    ("choices of floats next to a boundary",
     partial(patch.multiple, exact, MARGIN=0.0, EACH=0.0, EXPONENT=0.0), EDGES),
    ("scores of a choice against a rate of half", exact, "_bounds", "these.rate *", "these.rate / 2 *",
     partial(sampled.test_every_index_has_its_probability, sampled.CASES["scores"])),
    ("lengths of single precision", lattice.Lengths, "__array__", "np.diff(self.edges)",
     "np.diff(self.edges).astype(np.float32).astype(float)",
     partial(sampled.test_lengths_known_as_floats_choose_what_whole_numbers_do, 1e9)),
    ("lengths of other pieces where balls decide", exact, "chosen_by_balls", "[these.numbers]", "",
     partial(sampled.test_lengths_known_as_floats_choose_what_whole_numbers_do, 1e9)),
    ("remainders in the place of a rejection", exact, "below", "if drawn < m:\n            return drawn",
     "return drawn % m", partial(sampled.test_every_integer_below_is_as_likely, 10)),
    ("gamma numbers of which none is rejected", secure, "gamma", "and is_positive(excess)", "",
     partial(shaped.test_gamma_numbers_are_kept_with_the_ratio_of_the_densities, 1.5)),
    ("exponents of which none is rejected", secure, "exponents", "is_positive(excess)", "True",
     partial(shaped.test_thompson_laplace_masks_have_their_law, 3, 12.0, 600, 2.0)),
    ("a mask of one row fewer", secure, "wishart", "- j)", "- j - 1)",
     partial(shaped.test_wishart_masks_have_their_law, 1.0)),
    ("the middle of a ball for all of it", secure, "nearest", "lower()), float(ball.upper())",
     "mid()), float(ball.mid())", shaped.test_a_ball_round_a_midpoint_has_no_float_next_to_it),
    ("a draw settled one integer early", exact, "reaching", "- 0.5", "+ 0.5", HEIGHTS),
    ("a negative draw settled at every height", exact, "settled", "boundaries > 0", "True", SETTLED),
    ("a positive draw settled by a quarter more than its bits", exact, "settled", "2.0**-FIRST",
     "2.0**-FIRST * 1.25", SETTLED),
    ("bits that settle next to a boundary", exact, "MARGIN", 0.0,
     partial(sampled.test_a_tail_that_floats_put_too_low_settles_nothing, exact.Normal, 77)),
    ("the first bits drawn again", exact, "reaching", "<< np.uint64(BITS - FIRST) | rest",
     "* 0 | rest << np.uint64(FIRST)", HEIGHTS),
    ("heights that floats cannot tell", exact, "LARGEST", 2.0**70,
     partial(sampled.test_where_floats_are_too_coarse_every_draw_is_ended, 2.0**60)),
)  # fmt: skip
WHOLE = joint.test_no_pair_of_runs_has_a_larger_hockey_stick_than_delta
NARROWEST = joint.test_the_mask_is_the_narrowest_that_a_ramp_allows
LOUD, USUAL = joint.BUDGETS[3], joint.BUDGETS[0]
STICK = joint.test_the_stick_of_rows_is_that_of_the_worst_pair_and_never_below_it
PAIR = partial(STICK, 12.0, 0.02, False)
CHARGED = quantiles.test_the_charge_is_that_of_the_test_that_it_prices
THIN, WIDE = (partial(CHARGED, *one) for one in quantiles.CHARGED)

PRICED = mutants(
    ("half of what a row moves, Thompson-Laplace", design, "stable_charge", "log1p(test.change)",
     "log1p(test.change) / 2", THIN),
    ("half of what a row moves, Wishart", design, "stable_charge", "(WISHART, test.change)",
     "(WISHART, test.change / 2)", WIDE),
    ("a ramp of more counts than its test has", design, "stable_charge", "most=test.most",
     "most=test.most + 1", WIDE),
    ("a ramp whose rise costs its mask nothing", ramps, "_rises", ") - rise)", "))",
     partial(WHOLE, LOUD, stable.LAPLACE)),
    ("a mask that every chance pays for in full", ramps, "_rises", "q * stick", "stick",
     partial(NARROWEST, USUAL, stable.WISHART, 6)),
    ("a ramp that forgets who is silent", ramps, "_stays", "silent + p", "p",
     partial(WHOLE, USUAL, stable.WISHART)),
    ("a large epsilon as it is rounded", ramps, "_rises", "OFF * (epsilon", "0 * (epsilon",
     joint.test_no_rounding_of_a_large_epsilon_lets_a_chance_follow),
    ("an answer at the count zero", ramps, "rising", "yield 0.0", "yield _rounded(left)",
     partial(joint.test_no_answer_where_the_count_is_zero_whatever_is_drawn, stable.LAPLACE)),
    ("one row of two that a mask moves", ramps, "from_gammas", "if not line", "if False",
     partial(NARROWEST, USUAL, stable.WISHART, 6)),
    ("a mask at half of its distance", stable, "_of_rows", "from_gammas(distance", "from_gammas(distance / 2",
     partial(WHOLE, LOUD, stable.WISHART)),
    ("a lower tail that floats lose", stable, "MOST_ROWS", 1e12,
     partial(joint.test_tails_of_gamma_variables_are_known_as_well_as_rounding_up_covers, 1e8)),
    ("losses rounded down", ramps, "_mixed", "stick(first - end,", "stick(1 + first - end,", PAIR),
    ("a chance of the loss that is rounded down", ramps, "_of_gamma", "first * HIGHER", "first / 1.001",
     PAIR),
    ("a stick of one of two rows", ramps, "from_gammas", "if not line", "if line", PAIR),
    ("a stick of one row on a line that shrinks", ramps, "from_gammas", "_of_gamma(distance, rows, places)",
     "smaller", partial(STICK, 12.0, 0.02, True)),
    ("less than two rows at the price of the worst pair", stable, "LEAST_ROWS", 1.0,
     joint.test_two_gamma_variables_of_less_than_one_are_priced_otherwise),
    ("a lower tail that floats do not have", stable, "MOST_ROWS", 1e9,
     joint.test_two_gamma_variables_of_less_than_one_are_priced_otherwise),
    ("a pure stick of Laplace noise", ramps.Pure, "__call__", "/ (1 + exp(-self.epsilon))", "/ 2",
     partial(joint.test_a_pure_stick_is_that_of_randomised_response, 1.0)),
    ("no mask where there is no answer", stable, "stable_mask", "released = _drawn(",
     "released = answers and _drawn(",
     partial(joint.test_what_is_drawn_depends_neither_on_the_count_nor_on_the_value, stable.LAPLACE)),
    ("the root of the rows where there is no answer", stable, "stable_mask",
     " if answers else ChargedRoot(np.eye(charge.d))", "",
     joint.test_without_an_answer_the_identity_is_masked),
    ("an answer at the next count's chance", stable, "stable_mask", "[found.count]",
     "[min(found.count + 1, charge.most)]",
     partial(joint.test_no_answer_where_the_count_is_zero_whatever_is_drawn, stable.LAPLACE)),
)  # fmt: skip

COUNTS = partial(joint.test_no_pair_of_runs_has_a_larger_hockey_stick_than_delta, USUAL, joint.VOTED_NORMAL)
MOVES = partial(joint.test_averages_may_move_as_far_as_the_quorum_of_their_count_allows, USUAL)
SHIFTED = partial(joint.test_the_stick_of_shifted_normal_distributions_is_their_integral, 0.3)

VOTED = mutants(
    ("a count of half of what a point moves", Vote, "count", "// self.moved)", "// (self.moved // 2))",
     joint.test_the_count_moves_by_one_and_is_cut_at_both_ends),
    ("a count of one less than a point moves", Vote, "count", "// self.moved)", "// (self.moved - 1))",
     joint.test_the_count_moves_by_one_and_is_cut_at_both_ends),
    ("a count of 1 at the quorum", Vote, "count", "int(friends.sum()))", "int(friends.sum()) - 1)",
     joint.test_the_count_moves_by_one_and_is_cut_at_both_ends),
    ("a quorum that rises a tenth faster", Designer, "_falling", "k * k, moved)", "k * k, 1.1 * moved)",
     MOVES),
    ("averages that move as the next count's do", ramps, "rising_slowly", "_next(stick, epsilon",
     "_next(above, epsilon", COUNTS),
    ("averages that hardly move", stable, "chances", "charge.ratio * fall", "0.9 * charge.ratio * fall",
     COUNTS),
    ("noise of half its scale", stable, "voted", "voted_scale(charge))", "voted_scale(charge) / 2)", COUNTS),
    ("a ramp that starts above 0", ramps, "rising_slowly", "yield 0.0", "yield left / 2",
     partial(joint.test_no_answer_where_the_count_is_zero_whatever_is_drawn, joint.VOTED_NORMAL)),
    ("a ramp that forgets the rise of its chances", ramps, "_rises", ") - rise)", "))", COUNTS),
    ("a stick that is 1 - e^e below 0", stable.Shifted, "__call__", "exp(e) * delta_of_gdp(self.ratio, -e)",
     "0.0", SHIFTED),
    ("an answer at the next count's chance", stable, "voted", "[found.count]",
     "[min(found.count + 1, charge.most)]",
     partial(joint.test_no_answer_where_the_count_is_zero_whatever_is_drawn, joint.VOTED_NORMAL)),
    ("no noise where there is no answer", stable, "voted", "released = draw(", "released = answers and draw(",
     partial(joint.test_what_is_drawn_depends_neither_on_the_count_nor_on_the_value, joint.VOTED_NORMAL)),
)  # fmt: skip

ACCOUNTS = mutants(
    ("a ledger whose limits have all of the slack each", ledger._Limits, "__init__", "slack / 2", "slack",
     partial(accounts.test_each_sum_is_spent_to_its_own_limit,
             lambda share: GaussianDP(gdp_within_approx(accounts.HALF).mu * share**0.5))),
    ("a ledger whose costs take the slack", ledger._Limits, "__init__", "budget.delta - slack",
     "budget.delta", accounts.test_costs_with_delta_never_take_what_is_set_aside),
    ("a composition without the true responses", ledger, "_responses", "truth = 1 /", "truth = 0.9 /",
     partial(accounts.test_the_exact_composition_is_that_of_dp_accounting_and_not_below, [0.02] * 15, 0.0)),
)  # fmt: skip
