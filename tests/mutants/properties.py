"""Mutants that a property finds which is no contract of every entry: each with the test that must fail."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np
from rewritten import rewritten

from tests.estimators import test_close_verdicts as verdicts
from tests.estimators import test_matrix_quantile_edge as edge
from tests.estimators import test_rows as balls
from tests.privacy import test_thompson_law as law
from workbench.estimators.parts import points, rows
from workbench.estimators.parts.stability import Stability
from workbench.estimators.parts.subspace_token import Tokens
from workbench.privacy import random_matrices


@dataclass(frozen=True)
class Property:
    """A fault, and the test that must find it."""

    name: str
    fault: Callable[[], AbstractContextManager[Any]]
    test: Callable[[], None]


def named_by_closeness(self: Tokens, blocks: np.ndarray) -> np.ndarray:
    """Tokens whose numbers differ by at most 1 have the name of the first of them."""
    found = tokens_of(self, blocks)
    cells = np.array([np.frombuffer(bytes.fromhex(name), np.int64) for name in found])
    for i in range(len(found)):
        first = np.argmax(np.abs(cells[: i + 1] - cells[i]).max(axis=1) <= 1)
        found[i], cells[i] = found[first], cells[first]
    return found


tokens_of = Tokens.of


def another_rate(d: int, rate: float, rng: np.random.Generator) -> np.ndarray:
    """The exponents of a rate that is 2 more in four dimensions."""
    return exponents(d, rate + 2.0 * (d == 4), rng)


exponents = random_matrices._exponents
LOSS = "(self.influence.most + self.margin) * t"

PROPERTIES = (
    *(Property(f"a test of stability with {share} of its loss",
               rewritten(Stability, "holds", LOSS, LOSS.replace("(self", f"({share} * self")),
               partial(edge.test_scores_of_neighbours_at_the_edge_differ_by_one, share))
      for share in (0.5, 0.8)),
    Property("tokens named by closeness", partial(patch.object, Tokens, "of", named_by_closeness),
             partial(verdicts.test_a_block_that_moves_by_one_cell_changes_no_other_token, 0)),
    Property("inner products of points as far as points may be",
             partial(patch.multiple, points, NEAR=points.FARTHEST, MARGIN=0.0),
             partial(verdicts.test_verdicts_of_a_far_minority_do_not_hang_on_the_other_points, 0,
                     (0.0, 0.0))),
    Property("a rate of Thompson-Laplace noise that is 2 more in four dimensions",
             partial(patch.object, random_matrices, "_exponents", another_rate),
             law.test_masks_of_four_dimensions_have_the_law_of_their_rate),
    Property("a ball that trusts any order of summation", partial(patch.object, rows, "UNIT", 0.0),
             balls.test_rows_are_within_the_ball_whatever_the_order_of_summation),
)  # fmt: skip
