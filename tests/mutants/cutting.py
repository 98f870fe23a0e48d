"""Mutants of many quantiles: each with the test of the exact law, or of scores, that must fail."""

from functools import partial

import numpy as np

from tests.privacy import test_cuts as law
from workbench.estimators.quantiles import Cutting
from workbench.privacy.cuts import Node, Scan
from workbench.study.faults import Mutant, attribute, rewritten

LAW = law.test_the_package_has_the_law


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
CUTTING = (
    Mutant("shares of the points of a node", rewritten(Cutting, "node", "shares, len(y))", OWN),
           partial(LAW, "halves of halves")),
    Mutant("cuts in a piece that are told apart", attribute(Node, "log_ways", property(of_lengths_alone)),
           partial(LAW, "two cuts at once")),
    Mutant("points at a place in both nodes", edges(FROM, FROM.replace("right", "left")),
           partial(LAW, "halves of halves")),
    Mutant("points of other nodes at the ends", edges("y[start:stop]", "np.clip(y, left, right)"),
           partial(LAW, "halves of halves")),
    Mutant("absent rows as zeros",
           rewritten(Cutting, "prepared", "points[~np.isnan(points)]", "np.nan_to_num(points)"),
           partial(LAW, "one cut")),
    Mutant("windows by differences", attribute(Scan, "passed", by_a_difference),
           law.test_a_scan_does_not_subtract),
)  # fmt: skip
