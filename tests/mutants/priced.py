"""Faults of the joint price of a stable matrix and its mask, each with the test that must find it."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from tests.estimators import test_matrix_quantile as quantiles
from tests.privacy import test_stable as priced
from workbench.estimators import matrix_quantile as design
from workbench.privacy import ramps, stable
from workbench.study.faults import Fault, Mutant, rewritten


def forget() -> None:
    for made in (stable.pure_room, stable.normal_room, stable._degrees, stable.chances):
        made.cache_clear()


@contextmanager
def anew(fault: Fault) -> Iterator[None]:
    forget()
    with fault():
        yield
    forget()


def of(owner: object, name: str, right: str, wrong: str) -> Fault:
    return partial(anew, rewritten(owner, name, right, wrong))


WHOLE = priced.test_no_pair_of_runs_has_a_larger_hockey_stick_than_delta
NARROWEST = priced.test_the_mask_is_the_narrowest_that_a_ramp_allows
LOUD, USUAL = priced.BUDGETS[3], priced.BUDGETS[0]


def of_matrices(right: str, wrong: str) -> Fault:
    return rewritten(design, "stable_charge", right, wrong)


CHARGED = quantiles.test_the_charge_is_that_of_the_test_that_it_prices
THIN, WIDE = (partial(CHARGED, *one) for one in quantiles.CHARGED)

PRICED = (
    Mutant("half of what a row moves, Thompson-Laplace",
           of_matrices("log1p(test.change)", "log1p(test.change) / 2"), THIN),
    Mutant("half of what a row moves, Wishart",
           of_matrices("(WISHART, test.change)", "(WISHART, test.change / 2)"), WIDE),
    Mutant("a ramp of more counts than its test has",
           of_matrices("most=test.most", "most=test.most + 1"), WIDE),
    Mutant("a ramp whose rise costs its mask nothing", of(ramps, "_rises", ") - rise)", "))"),
           partial(WHOLE, LOUD, stable.LAPLACE)),
    Mutant("a mask that every chance pays for in full",
           of(ramps, "_rises", "q * stick", "stick"),
           partial(NARROWEST, USUAL, stable.WISHART, 6)),
    Mutant("a ramp that forgets who is silent", of(ramps, "_stays", "silent + p", "p"),
           partial(WHOLE, USUAL, stable.WISHART)),
    Mutant("a large epsilon as it is rounded", of(ramps, "_rises", "OFF * (epsilon", "0 * (epsilon"),
           priced.test_no_rounding_of_a_large_epsilon_lets_a_chance_follow),
    Mutant("an answer at the count zero",
           of(ramps, "rising", "yield 0.0", "yield _rounded(left)"),
           partial(priced.test_no_answer_where_the_count_is_zero_whatever_is_drawn, stable.LAPLACE)),
    Mutant("one row of two that a mask moves",
           of(stable, "_of_rows", "1 if line else 2", "1"),
           partial(NARROWEST, USUAL, stable.WISHART, 6)),
    Mutant("a mask at half of its distance",
           of(stable, "_of_rows", "renyi(distance,", "renyi(distance / 2,"),
           partial(WHOLE, LOUD, stable.WISHART)),
    Mutant("a pure stick of Laplace noise", of(ramps.Pure, "__call__", "/ (1 + exp(-self.epsilon))", "/ 2"),
           partial(priced.test_a_pure_stick_is_that_of_randomised_response, 1.0)),
    Mutant("no mask where there is no answer",
           of(stable, "stable_mask", "released = _drawn(", "released = answers and _drawn("),
           partial(priced.test_what_is_drawn_depends_neither_on_the_count_nor_on_the_value, stable.LAPLACE)),
    Mutant("the root of the rows where there is no answer",
           of(stable, "stable_mask", " if answers else ChargedRoot(np.eye(charge.d))", ""),
           priced.test_without_an_answer_the_identity_is_masked),
    Mutant("an answer at the next count's chance",
           of(stable, "stable_mask", "[found.count]", "[min(found.count + 1, charge.most)]"),
           partial(priced.test_no_answer_where_the_count_is_zero_whatever_is_drawn, stable.LAPLACE)),
)  # fmt: skip
