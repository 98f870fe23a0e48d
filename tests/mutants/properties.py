"""Mutants that a property finds which is no contract of every entry: each with the test that must fail."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from math import inf
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from tests.estimators import test_adaptive as adapting
from tests.estimators import test_coinpress as units
from tests.estimators import test_populous as votings
from tests.estimators import test_rows as balls
from tests.estimators import test_stable_quantile as edge
from tests.estimators import test_subspaces as quantiles
from tests.estimators import test_two_step as columns
from tests.estimators import test_unbounded as finish
from tests.mutants.faults import rewritten
from tests.privacy import test_cuts as cuts
from tests.privacy import test_exact as sampled
from tests.privacy import test_noise as law
from tests.privacy import test_plan as accounts
from tests.privacy import test_secure as shaped
from tests.privacy import test_stable as joint
from tests.privacy import test_window_median as lattice
from workbench import Scaled, TwoStepMean
from workbench.catalog import CATALOG
from workbench.contracts.gaps import gap_is_the_sensitivity
from workbench.estimators import adaptive_covariance as adaptive
from workbench.estimators import adaptive_mean, populous, two_step, unbounded, votes
from workbench.estimators import matrix_quantile as design
from workbench.estimators.adaptive_covariance import AdaptiveCovariance
from workbench.estimators.coinpress import CoinPressCovariance
from workbench.estimators.quantiles import Cutting
from workbench.estimators.shared import moments as clipping
from workbench.estimators.shared import rows, window_median
from workbench.estimators.shared import window_median as location
from workbench.estimators.shared.moments import LiftedMoment
from workbench.estimators.shared.window_median import WindowMedian
from workbench.estimators.stable_quantile import Stability
from workbench.estimators.subspaces import Tokens
from workbench.estimators.votes import Designer, Vote
from workbench.privacy import GaussianDP, SimulatedNoise, exact, ledger, noise, ramps, secure, stable
from workbench.privacy.budgets import gdp_within_approx
from workbench.privacy.cuts import Node, Scan
from workbench.privacy.mechanisms import exponential
from workbench.privacy.stable import VotedCharge
from workbench.study.faults import Mutant, attribute, weaker

# Faults of exact samplers, and of joint prices of matrices and votes with their noise, with their tests.


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
    ("lengths of single precision", location.Lengths, "__array__", "np.diff(self.edges)",
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
     partial(joint.test_a_stick_is_that_of_randomised_response_or_of_shifted_normal_distributions,
             ramps.Pure, joint.response, 2.0)),
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
OF_TWO = joint.test_a_stick_is_that_of_randomised_response_or_of_shifted_normal_distributions
SHIFTED = partial(OF_TWO, stable.Shifted, joint.normals, 0.3)

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


# Mutants that a property finds which is no contract of every entry: each with the test that must fail.


def named_by_closeness(self: Tokens, blocks: np.ndarray) -> np.ndarray:
    found = tokens_of(self, blocks)
    cells = np.array([np.frombuffer(bytes.fromhex(name), np.int64) for name in found])
    for i in range(len(found)):
        first = np.argmax(np.abs(cells[: i + 1] - cells[i]).max(axis=1) <= 1)
        found[i], cells[i] = found[first], cells[first]
    return found


def by_inner_products(points: np.ndarray, most: float, metric: str) -> np.ndarray:
    squares = np.vecdot(points, points)
    return ((squares[:, None] - 2 * points @ points.T + squares) <= most).sum(axis=1)


tokens_of = Tokens.of


def another_rate(d: int, rate: float, rng: np.random.Generator) -> np.ndarray:
    return exponents(d, rate + 2.0 * (d == 4), rng)


exponents = noise.thompson_exponents


@contextmanager
def of_winsorised_moments() -> Iterator[None]:
    with ExitStack() as stack:
        for name, right, wrong in (
            ("_measured", "unwinsorised(z, radius)", "z"),
            ("round", "covariance(z)", "covariance(unwinsorised(z, self.ball(spectrum)))"),
        ):
            stack.enter_context(rewritten(FINISH, name, right, wrong)())
        yield


def two_steps_fewer(self: unbounded.RoundFinish) -> int:
    return counted.__get__(self) - 2


counted = vars(unbounded.RoundFinish)["count"]
FINISH = unbounded.RoundFinish
ANSWERING = "is_round(spectrum) and (number or len(costs) == 1)"
CASES = {case.name: case for case in finish.CASES}
LOSS = "(self.influence.most + self.margin) * t"

AS_IT_IS, NARROW = lattice.WIDTHS
SHORT = "bands that leave out a billionth"
DRAWS, SECURE = (
    lattice.test_a_band_draws_what_all_pieces_do_and_as_many_random_numbers,
    lattice.test_a_secure_choice_from_a_band_is_that_of_the_same_bits_from_all_pieces,
)


def with_patches(*tests: Callable[..., None]) -> Callable[[], None]:

    def run() -> None:
        for test in tests:
            with pytest.MonkeyPatch.context() as patches:
                test(monkeypatch=patches)

    return run


LEAN = mutants(
    ("a band that takes numbers for absent ones", window_median, "near_pieces", "(values, -right)",
     "(values[:p], -right)", with_patches(partial(DRAWS, "absent", AS_IT_IS))),
    ("numbers of pieces that are off by one", window_median, "near_pieces",
     "- (1 if locator.low is None else 0)", "", with_patches(partial(DRAWS, "normal", AS_IT_IS))),
    ("windows of absent points that are forgotten", window_median, "near_pieces", "absent_begin or not",
     "not", with_patches(partial(DRAWS, "absent", AS_IT_IS))),
    ("a band that is always believed", SimulatedNoise, "_in_band",
     "reached[best] > sum(terms) + OFF * sum(map(abs, terms))", "True",
     with_patches(*(partial(DRAWS, name, NARROW) for name in lattice.BANDS))),
    ("a bound of half of what is beside the band", window_median, "near_pieces", "2 * max(last + 1",
     "4 * max(last + 1", with_patches(*(partial(DRAWS, name, NARROW) for name in lattice.BANDS))),
    ("other random numbers where a band does not decide", SimulatedNoise, "_in_band",
     "self.rng.bit_generator.state = state", "pass",
     with_patches(*(partial(DRAWS, name, NARROW) for name in lattice.BANDS))),
    *(Mutant(f"a secure choice that forgets {name}", rewritten(exact, function, right, wrong),
             with_patches(partial(SECURE, case)))
      for name, function, right, wrong, case in (
          ("what is left of the band", "proved", "others[place] + (", "(", SHORT),
          ("what is right of it", "proved", "(high[-1] + beside)", "high[-1]", SHORT),
          ("that nothing may be left of U", "proved", "sure = left", "sure = not left or left",
           "hardly private"),
          ("the unit of its lengths", "choose_near", " if these.whole else None", "",
           "a bottom beyond all floats"),
      )),
    ("ramps that believe a guess", ramps, "_next",
     "if found > p and _allowed(stick, epsilon, left, p, found):", "if found > p:",
     partial(WHOLE, USUAL, stable.LAPLACE)),
    ("ends that are answered by others twice as far", ramps, "BESIDE", 0.5,
     partial(NARROWEST, USUAL, stable.LAPLACE, 2)),
    ("tables of other lines", ramps, "_near_lowest", "- ASIDE\n", "+ ASIDE\n",
     partial(joint.test_a_stick_is_above_the_exact_one_and_near_the_best_order, USUAL, 1e-9)),
    ("shares interpolated however steep", clipping, "STEEP", inf,
     partial(balls.test_shares_that_are_interpolated_are_those_of_their_formula, 3000)),
)  # fmt: skip

SOURCES = {
    **{kind: partial(law.test_noise_has_its_law_and_is_added, "simulated", kind) for kind in law.LAWS},
    "symmetric_gaussian": partial(
        law.test_symmetric_noise_is_symmetric_and_smaller_off_the_diagonal, "simulated"
    ),
    "choice": partial(law.test_selection_has_its_exact_law, "simulated", exponential, law.softmax, ()),
    "cuts": law.test_a_cut_of_two_alike_falls_on_either,
    "thompson_laplace": partial(law.test_thompson_laplace_masks_have_the_law_of_their_rate, 2),
    "wishart": law.test_wishart_noise_has_the_distribution_of_rows,
}
QUIETER = tuple(
    Mutant(f"{kind} source times {factor}", weaker(kind, factor), test)
    for kind, test in SOURCES.items()
    for factor in (0.5, round(1 / 1.3, 2), 1.3)
)

DENOISED = mutants(
    ("a radius that sees the counts", AdaptiveCovariance, "estimate", "first_mass(counts,",
     "first_mass(norm_counts(x, top * ASCENDING, apart)[::-1],",
     partial(adapting.test_what_is_released_decides_all_the_rest, True)),
    ("a finer radius that sees the counts", AdaptiveCovariance, "estimate", "[start:place], finer)",
     "[start:place], nearby[1:-1])",
     partial(adapting.test_what_is_released_decides_all_the_rest, True)),
    ("rows beyond the bound in no bin", AdaptiveCovariance, "estimate", "if place > 0 else inf",
     "", partial(adapting.test_a_crude_bound_is_not_rounded_where_the_rows_are_equally_long, 0.5, 0.5, 0.5)),
    ("a radius rounded to an eighth of an octave", AdaptiveCovariance, "estimate", "SURER * left", "0.0",
     partial(adapting.test_a_crude_bound_is_not_rounded_where_the_rows_are_equally_long, 1e6, 1, 1.012)),
    ("a unit that sees the pairs", AdaptiveCovariance, "unit", "np.cumsum(counts[start:])",
     "np.cumsum(norm_counts(pairs, top * ASCENDING)[::-1][start:])",
     partial(adapting.test_what_is_released_decides_all_the_rest, False)),
    ("a lifted moment charged as a moment", AdaptiveCovariance, "moved", "self.lifted(n, d).sensitivity()",
     "second_moment_sensitivity(n, 1.0)",
     partial(gap_is_the_sensitivity, CATALOG["covariance/adaptive"].examples[-1], (1000,), False)),
    ("a centre that stops short where rows are absent", adaptive, "recentred",
     " / min(max(drawn[-1] / whole, LEAST_SHARE), 1.0)", "",
     partial(adapting.test_a_far_mean_is_found_whatever_is_absent, 0.1)),
    ("a moment of absent rows", AdaptiveCovariance, "estimate",
     "share(float(noisy[-1, -1]), whole, plan[STEP])", "1.0",
     adapting.test_a_centred_moment_is_that_of_the_rows_that_are_there),
    ("entries wherever they seem better", adaptive, "MARGIN", 0.0,
     adapting.test_entries_answer_where_they_are_surely_better),
    ("an error of eigenvalues that stand still", adaptive, "denoised_spectrum", "4 * (trace + slopes)",
     "4 * trace",
     partial(adapting.test_the_squared_error_is_as_it_is_estimated, np.geomspace(90, 0.1, 12), 1e3, False)),
    ("mass at three sd", adaptive, "STANDS", 3.0, adapting.test_noise_stands_out_of_noise_hardly_ever),
    ("joint steps for rows that are paired", CoinPressCovariance, "jointly", "self.centred or self.paired",
     "self.centred", units.test_a_mean_beyond_its_bound_is_found_by_pairs_alone),
)  # fmt: skip

SEARCHED = mutants(
    *(Mutant(f"{words} of the adaptive mean", rewritten(adaptive_mean.AdaptiveMean, "charges", right, wrong),
             adapting.test_one_row_moves_each_step_by_its_charge_and_no_more)
      for words, right, wrong in (
          ("one column paid of the centres", '"centre": sqrt(d)', '"centre": 1.0'),
          ("one column paid of the scales", '"scales": sqrt(d)', '"scales": 1.0'),
          ("half a row paid of the radii", "moved.get(step, 1.0)", "moved.get(step, 0.5)"),
          ("half of the ball paid", "mean_sensitivity(n, 1.0)", "mean_sensitivity(n, 0.5)"),
      )),
    ("sides of absent rows in the adaptive mean", adaptive_mean, "quantiles", "whole * below - part * there",
     "whole * below - 2 * part * there", adapting.test_one_row_moves_each_step_by_its_charge_and_no_more),
    ("probes of the adaptive mean that are charged once", adaptive_mean.AdaptiveMean, "charges",
     "cost.split(*[1.0] * PROBES[step])[0]", "cost",
     partial(adapting.test_the_plan_spends_the_budget_and_is_public, 7, 50, adapting.HALF)),
    ("probes of the adaptive mean that are forgotten where nothing is there", adaptive_mean, "quantiles",
     "range(PROBES[charge.step])", "range(PROBES[charge.step] if there else 0)",
     adapting.test_absent_rows_change_no_draw_and_all_absent_is_an_answer),
)  # fmt: skip

PROPERTIES = mutants(
    *LEAN,
    *QUIETER,
    *DENOISED,
    *SEARCHED,
    *(Mutant(f"a test of stability with {share} of its loss",
               rewritten(Stability, "accepts", LOSS, LOSS.replace("(self", f"({share} * self")),
               partial(edge.test_scores_of_neighbours_at_the_edge_differ_by_one, share))
      for share in (0.5, 0.8)),
    ("tokens named by closeness", Tokens, "of", named_by_closeness,
     partial(votings.test_a_block_that_moves_by_one_cell_changes_no_other_token, 0)),
    ("inner products of points as far as points may be",
     partial(patch.object, votes, "within", by_inner_products),
     partial(votings.test_many_points_are_compared_piece_by_piece_near_and_far, votes.Points, 2)),
    ("a rate of Thompson-Laplace noise that is 2 more in four dimensions", noise, "thompson_exponents",
     another_rate, partial(law.test_thompson_laplace_masks_have_the_law_of_their_rate, 4)),
    ("a ball that trusts any order of summation", rows, "UNIT", 0.0,
     balls.test_rows_are_within_the_ball_whatever_the_order_of_summation),
    ("a lifted moment charged without its lift", LiftedMoment, "sensitivity", "self.reach", "1.0",
     partial(balls.test_a_pair_of_rows_attains_the_sensitivity, height=balls.HEIGHT, d=3)),
    ("a lifted moment charged as its mean", LiftedMoment, "sensitivity",
     "second_moment_sensitivity(self.n, self.reach)", "2 * self.height / self.n",
     partial(balls.test_no_row_moves_a_lifted_moment_by_more_than_its_charge, 3, 2)),
    ("the corner of a lifted moment read as a mean", LiftedMoment, "read", "noisy[0, 1 : r + 1]",
     "noisy[0, :r]", partial(balls.test_without_noise_a_lifted_moment_holds_mean_and_moment, 3, 3)),
    ("eigenvalues of noise that stretch an axis", unbounded, "rounder", "np.maximum(values, 0.0) + excess",
     "np.maximum(values + excess, 1e-6)", finish.test_rounding_keeps_axes_within_the_proved_factors),
    ("frames of winsorised moments", of_winsorised_moments,
     finish.test_rows_are_as_long_in_every_frame_as_its_steps_foresee),
    ("answers of frames that are not round", FINISH, "round", ANSWERING,
     ANSWERING.removeprefix("is_round(spectrum) and "),
     partial(finish.test_every_number_is_that_of_the_definition, CASES["widest"])),
    ("an answer of the first of several steps", FINISH, "round", ANSWERING, "is_round(spectrum)",
     partial(finish.test_every_number_is_that_of_the_definition, CASES["white"])),
    ("answers whose weights add up to a budget", FINISH, "round", "np.average(one, axis=0, weights=weights)",
     "np.tensordot(weights, one, 1)",
     partial(finish.test_every_number_is_that_of_the_definition, CASES["white"])),
    ("an answer where no frame is round", FINISH, "round", "Abstention(measured[-1].step)",
     "Moments(centre, frame.covariance(z))",
     partial(finish.test_a_spectrum_that_does_not_become_round_is_no_answer, 1e-30)),
    ("two rounding steps fewer", unbounded.RoundFinish, "count", property(two_steps_fewer),
     partial(finish.test_the_last_step_is_the_first_that_meets_the_worst_spectrum_round, 4000, 5)),
    ("locations for rows that have a width", unbounded, "_exponent",
     "if not narrowest:\n        return any_width", "narrowest = narrowest or 0.5",
     partial(finish.test_rows_of_any_width_have_a_place, 0.0, 0.0, 1, 1000)),
    ("a stretch of both halves towards each other", WindowMedian, "pieces",
     "points - stretch, points + stretch", "points + stretch, points - stretch",
     partial(lattice.test_one_row_moves_a_stretched_score_by_one_at_most, lattice.LOCATORS[4])),
    ("a location without a stretch", two_step, "STRETCH", 0.0,
     partial(columns.test_equal_rows_are_found, TwoStepMean(radius=100.0, sigma=2.0), columns.PURE, 1)),
    ("a location that may be likelier than its range is long", location, "located_within",
     "np.minimum(_RADII, locator.length)", "_RADII",
     columns.test_a_bound_of_a_location_is_no_shorter_than_its_range_allows),
    ("scales of columns that are found with all of the budget each", Scaled, "estimate",
     "1, cost)", "1, budget)", units.scales_are_charged),
    ("scales of columns that are not charged", Scaled, "plan", "*found, plan", "plan",
     units.scales_are_charged),
)  # fmt: skip


LAW = cuts.test_the_package_has_the_law


def of_lengths_alone(self: Node) -> np.ndarray:
    with np.errstate(divide="ignore"):
        one = np.log(np.asarray(self.lengths, float))
    return np.array([k * one for k in range(1, self.cuts + 1)])


def by_a_difference(self: Scan, j: int) -> np.ndarray:
    whole, rest = self.node.wanted[j]
    places, at = self.rate * np.arange(self.node.points + 1), self.at[j - 1]
    shift = places - self.rate * (whole + rest)
    long, sums = np.full(len(at), -np.inf), np.logaddexp.accumulate(at + places)
    long[whole + 1 :] = sums[: max(0, len(at) - whole - 1)]
    with np.errstate(divide="ignore"):
        total = np.logaddexp.accumulate(at - places)
        short = np.full(len(at), -np.inf)
        short[1:] = total[:-1]
        short[whole + 1 :] += np.log(-np.expm1(total[: len(at) - whole - 1] - total[whole:-1]))
    return np.asarray(np.logaddexp(long - shift, short + shift))


def edges(right: str, wrong: str) -> object:
    return rewritten(Cutting, "node", right, wrong)


OWN = "tuple(one * 2**BITS // sum(shares) for one in shares), len(edges) - 2)"
FROM = 'int(np.searchsorted(y, left, side="right"))'
CUTTING = mutants(
    ("shares of the points of a node", Cutting, "node", "shares, len(y))", OWN,
     partial(LAW, "halves of halves")),
    ("cuts in a piece that are told apart", Node, "log_ways", property(of_lengths_alone),
     partial(LAW, "two cuts at once")),
    ("points at a place in both nodes", edges(FROM, FROM.replace("right", "left")),
     partial(LAW, "halves of halves")),
    ("points of other nodes at the ends", edges("y[start:stop]", "np.clip(y, left, right)"),
     partial(LAW, "halves of halves")),
    ("absent rows as zeros", Cutting, "prepared", "points[~np.isnan(points)]", "np.nan_to_num(points)",
     partial(LAW, "one cut")),
    ("windows by differences", Scan, "passed", by_a_difference, cuts.test_a_scan_does_not_subtract),
)  # fmt: skip


ALONE = votings.test_what_a_group_answers_hangs_on_its_own_rows_alone


def half(charge: VotedCharge) -> float:
    return voted(charge) / 2


voted = stable.voted_scale

REDUCTION = mutants(
    ("an oracle that remembers the groups before", populous, "_answer", "own_copy(oracle)", "oracle",
     partial(ALONE, votings.Remembers())),
    ("a function that is copied as it is", populous, "_copied", "_function(value, memo)", "value",
     partial(ALONE, votings.counting())),
    ("variables around a function that are not copied", populous, "_function",
     "_copied(cell.cell_contents, memo)", "cell.cell_contents", partial(ALONE, votings.counting())),
    ("default values that are not copied", populous, "_function", "deepcopy(function.__defaults__, memo)",
     "function.__defaults__", partial(ALONE, votings.collecting)),
    ("attributes that are not copied", populous, "_function", "deepcopy(function.__dict__, memo)",
     "function.__dict__", partial(ALONE, votings.noting())),
    ("an oracle that sees the rows of all groups", populous, "_answer", ").copy()", ")",
     partial(ALONE, votings.greedy)),
    ("no answer counts as 0", populous, "_answer", "np.full(shape, np.nan)", "np.zeros(shape)",
     votings.test_no_answer_is_no_number),
    ("an answer of another shape is cut to it", populous, "_answer", "fits = ",
     "found = np.resize(found, shape)\n    fits = ", votings.test_no_answer_is_no_number),
    ("friends in l1 by their distance in l2", partial(patch.object, votes.L1Points, "METRIC", "sqeuclidean"),
     partial(votings.test_many_points_are_compared_piece_by_piece_near_and_far, votes.L1Points, 1)),
    ("points in l1 that are usable by their length in l2", votes.L1Points, "usable", votes.Points.usable,
     votings.test_points_in_l1_are_usable_by_their_sum),
    ("half the Laplace noise in l1", stable, "voted_scale", half,
     votings.test_the_law_of_the_release_in_l1_is_laplace_and_its_length_a_gamma),
    ("normal noise in l1", partial(patch.dict, votes.JOINT, laplace="voted_gaussian"),
     votings.test_a_histogram_in_l1),
    ("averages that move by half as much in l1", votes.Designer, "thresholds", "moved[best].tolist()",
     "(moved[best] / 2).tolist()", partial(votings.test_an_average_moves_by_most_of_what_is_charged, "l1")),
    ("averages that move by half as much in l2", votes.Designer, "thresholds", "moved[best].tolist()",
     "(moved[best] / 2).tolist()", partial(votings.test_an_average_moves_by_most_of_what_is_charged, "l2")),
)  # fmt: skip
