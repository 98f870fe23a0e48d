"""Mutants that a property finds which is no contract of every entry: each with the test that must fail."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from math import inf
from unittest.mock import patch

import numpy as np
import pytest

from tests.estimators import test_adaptive_covariance as denoising
from tests.estimators import test_adaptive_mean as searching
from tests.estimators import test_coinpress as unknown
from tests.estimators import test_moments as moments
from tests.estimators import test_populous as verdicts
from tests.estimators import test_populous as votings
from tests.estimators import test_rows as balls
from tests.estimators import test_stable_quantile as edge
from tests.estimators import test_two_step as columns
from tests.estimators import test_unbounded as finish
from tests.estimators import test_units as units
from tests.mutants.faults import rewritten
from tests.mutants.of_privacy import mutants
from tests.privacy import test_cuts as cuts
from tests.privacy import test_noise as law
from tests.privacy import test_stable as joint
from tests.privacy import test_window_median as lattice
from workbench import Scaled, TwoStepMean
from workbench.catalog import CATALOG
from workbench.contracts.gaps import gap_is_the_sensitivity
from workbench.estimators import adaptive_covariance as adaptive
from workbench.estimators import adaptive_mean, populous, two_step, unbounded, votes
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
from workbench.privacy import SimulatedNoise, exact, noise, ramps, stable
from workbench.privacy.cuts import Node, Scan
from workbench.privacy.mechanisms import exponential
from workbench.privacy.stable import VotedCharge
from workbench.study.faults import Mutant, weaker


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
RAMPS = joint.test_ramps_and_tables_have_the_bits_of_those_that_look_at_all
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
     "if found > p and _allowed(stick, epsilon, left, p, found):", "if found > p:", with_patches(RAMPS)),
    ("ends that are answered by others twice as far", ramps, "BESIDE", 0.5,
     with_patches(joint.test_searches_that_guess_end_where_those_that_ask_everything_do)),
    ("tables of other lines", ramps, "_near_lowest", "- ASIDE\n", "+ ASIDE\n", with_patches(RAMPS)),
    ("shares interpolated however steep", clipping, "STEEP", inf,
     partial(moments.test_shares_that_are_interpolated_are_those_of_their_formula, 3000)),
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
     partial(denoising.test_what_is_released_decides_all_the_rest, True)),
    ("a finer radius that sees the counts", AdaptiveCovariance, "estimate", "[start:place], finer)",
     "[start:place], nearby[1:-1])",
     partial(denoising.test_what_is_released_decides_all_the_rest, True)),
    ("rows beyond the bound in no bin", AdaptiveCovariance, "estimate", "if place > 0 else inf",
     "", partial(denoising.test_a_crude_bound_is_not_rounded_where_the_rows_are_equally_long, 0.5, 0.5, 0.5)),
    ("a radius rounded to an eighth of an octave", AdaptiveCovariance, "estimate", "SURER * left", "0.0",
     partial(denoising.test_a_crude_bound_is_not_rounded_where_the_rows_are_equally_long, 1e6, 1, 1.012)),
    ("a unit that sees the pairs", AdaptiveCovariance, "unit", "np.cumsum(counts[start:])",
     "np.cumsum(norm_counts(pairs, top * ASCENDING)[::-1][start:])",
     partial(denoising.test_what_is_released_decides_all_the_rest, False)),
    ("a lifted moment charged as a moment", AdaptiveCovariance, "moved", "self.lifted(n, d).sensitivity()",
     "second_moment_sensitivity(n, 1.0)",
     partial(gap_is_the_sensitivity, CATALOG["covariance/adaptive"].examples[-1], (1000,), False)),
    ("a centre that stops short where rows are absent", adaptive, "recentred",
     " / min(max(drawn[-1] / whole, LEAST_SHARE), 1.0)", "",
     partial(denoising.test_a_far_mean_is_found_whatever_is_absent, 0.1)),
    ("a moment of absent rows", AdaptiveCovariance, "estimate",
     "share(float(noisy[-1, -1]), whole, plan[STEP])", "1.0",
     denoising.test_a_centred_moment_is_that_of_the_rows_that_are_there),
    ("entries wherever they seem better", adaptive, "MARGIN", 0.0,
     denoising.test_entries_answer_where_they_are_surely_better),
    ("an error of eigenvalues that stand still", adaptive, "denoised_spectrum", "4 * (trace + slopes)",
     "4 * trace",
     partial(denoising.test_the_squared_error_is_as_it_is_estimated, np.geomspace(90, 0.1, 12), 1e3, False)),
    ("mass at three sd", adaptive, "STANDS", 3.0, denoising.test_noise_stands_out_of_noise_hardly_ever),
    ("joint steps for rows that are paired", CoinPressCovariance, "jointly", "self.centred or self.paired",
     "self.centred", unknown.test_a_mean_beyond_its_bound_is_found_by_pairs_alone),
)  # fmt: skip

SEARCHED = mutants(
    *(Mutant(f"{words} of the adaptive mean", rewritten(adaptive_mean.AdaptiveMean, "charges", right, wrong),
             searching.test_one_row_moves_each_step_by_its_charge_and_no_more)
      for words, right, wrong in (
          ("one column paid of the centres", '"centre": sqrt(d)', '"centre": 1.0'),
          ("one column paid of the scales", '"scales": sqrt(d)', '"scales": 1.0'),
          ("half a row paid of the radii", "moved.get(step, 1.0)", "moved.get(step, 0.5)"),
          ("half of the ball paid", "mean_sensitivity(n, 1.0)", "mean_sensitivity(n, 0.5)"),
      )),
    ("sides of absent rows in the adaptive mean", adaptive_mean, "quantiles", "whole * below - part * there",
     "whole * below - 2 * part * there", searching.test_one_row_moves_each_step_by_its_charge_and_no_more),
    ("probes of the adaptive mean that are charged once", adaptive_mean.AdaptiveMean, "charges",
     "cost.split(*[1.0] * PROBES[step])[0]", "cost",
     partial(searching.test_the_plan_spends_the_budget_and_is_public, 7, 50, searching.HALF)),
    ("probes of the adaptive mean that are forgotten where nothing is there", adaptive_mean, "quantiles",
     "range(PROBES[charge.step])", "range(PROBES[charge.step] if there else 0)",
     searching.test_absent_rows_change_no_draw_and_all_absent_is_an_answer),
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
     partial(verdicts.test_a_block_that_moves_by_one_cell_changes_no_other_token, 0)),
    ("inner products of points as far as points may be",
     partial(patch.object, votes, "within", by_inner_products),
     partial(verdicts.test_many_points_are_compared_piece_by_piece_near_and_far, votes.Points, 2)),
    ("a rate of Thompson-Laplace noise that is 2 more in four dimensions", noise, "thompson_exponents",
     another_rate, partial(law.test_thompson_laplace_masks_have_the_law_of_their_rate, 4)),
    ("a ball that trusts any order of summation", rows, "UNIT", 0.0,
     balls.test_rows_are_within_the_ball_whatever_the_order_of_summation),
    ("a lifted moment charged without its lift", LiftedMoment, "sensitivity", "self.reach", "1.0",
     partial(moments.test_a_pair_of_rows_attains_the_sensitivity, height=moments.HEIGHT, d=3)),
    ("a lifted moment charged as its mean", LiftedMoment, "sensitivity",
     "second_moment_sensitivity(self.n, self.reach)", "2 * self.height / self.n",
     partial(moments.test_no_row_moves_a_lifted_moment_by_more_than_its_charge, 3, 2)),
    ("the corner of a lifted moment read as a mean", LiftedMoment, "read", "noisy[0, 1 : r + 1]",
     "noisy[0, :r]", partial(moments.test_without_noise_a_lifted_moment_holds_mean_and_moment, 3, 3)),
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
