"""Faults of the joint price of a vote and the noise of its average, each with the test that must find it."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from tests.privacy import test_stable as voting
from workbench.estimators.votes import Designer, Vote
from workbench.privacy import ramps, stable
from workbench.study.faults import Fault, Mutant, rewritten


def forget() -> None:
    for made in (stable.chances, stable.counts, stable.largest_ratio):
        made.cache_clear()


@contextmanager
def anew(fault: Fault) -> Iterator[None]:
    forget()
    with fault():
        yield
    forget()


def of(owner: object, name: str, right: str, wrong: str) -> Fault:
    return partial(anew, rewritten(owner, name, right, wrong))


USUAL = voting.BUDGETS[0]
COUNTS = partial(voting.test_no_pair_of_runs_has_a_larger_hockey_stick_than_delta, USUAL, voting.VOTED_NORMAL)
MOVES = partial(voting.test_averages_may_move_as_far_as_the_quorum_of_their_count_allows, USUAL)
SHIFTED = partial(voting.test_the_stick_of_shifted_normal_distributions_is_their_integral, 0.3)

VOTED = (
    Mutant("a count of half of what a point moves",
           of(Vote, "count", "// self.moved)", "// (self.moved // 2))"),
           voting.test_the_count_moves_by_one_and_is_cut_at_both_ends),
    Mutant("a count of one less than a point moves",
           of(Vote, "count", "// self.moved)", "// (self.moved - 1))"),
           voting.test_the_count_moves_by_one_and_is_cut_at_both_ends),
    Mutant("a count of 1 at the quorum", of(Vote, "count", "int(friends.sum()))", "int(friends.sum()) - 1)"),
           voting.test_the_count_moves_by_one_and_is_cut_at_both_ends),
    Mutant("a quorum that rises a tenth faster",
           of(Designer, "_falling", "k * k, moved)", "k * k, 1.1 * moved)"), MOVES),
    Mutant("averages that move as the next count's do",
           of(ramps, "rising_slowly", "_next(stick, epsilon", "_next(above, epsilon"), COUNTS),
    Mutant("averages that hardly move",
           of(stable, "chances", "charge.ratio * fall", "0.9 * charge.ratio * fall"), COUNTS),
    Mutant("noise of half its scale",
           of(stable, "voted", "voted_scale(charge))", "voted_scale(charge) / 2)"), COUNTS),
    Mutant("a ramp that starts above 0",
           of(ramps, "rising_slowly", "yield 0.0", "yield left / 2"),
           partial(voting.test_no_answer_where_the_count_is_zero_whatever_is_drawn, voting.VOTED_NORMAL)),
    Mutant("a ramp that forgets the rise of its chances",
           of(ramps, "_rises", ") - rise)", "))"), COUNTS),
    Mutant("a stick that is 1 - e^e below 0",
           of(stable.Shifted, "__call__", "exp(e) * delta_of_gdp(self.ratio, -e)", "0.0"), SHIFTED),
    Mutant("an answer at the next count's chance",
           of(stable, "voted", "[found.count]", "[min(found.count + 1, charge.most)]"),
           partial(voting.test_no_answer_where_the_count_is_zero_whatever_is_drawn, voting.VOTED_NORMAL)),
    Mutant("no noise where there is no answer",
           of(stable, "voted", "released = draw(", "released = answers and draw("),
           partial(voting.test_what_is_drawn_depends_neither_on_the_count_nor_on_the_value,
                   voting.VOTED_NORMAL)),
)  # fmt: skip
