"""The claim that lifted rows are answered for long before the constants of stable subsets are."""

from collections.abc import Callable

from workbench.bounds import bhs23
from workbench.chapters.matrix_quantile.claims.affine_scalings import LAW, MEAN
from workbench.chapters.matrix_quantile.runs import affine
from workbench.privacy import ApproxDP
from workbench.study.claim import Claim
from workbench.study.measures import certain, known
from workbench.study.rules import Verdict, beside, combine

DIMENSIONS = (1, 2, 5, 10, 20)
BUDGETS = (ApproxDP(1.0, 1e-6), ApproxDP(0.2, 1e-6), ApproxDP(1.0, 1e-10))
MEANS, LAWS = 1 / 30, 1 / 4  # our rows over theirs, at most


def fewer_first_rows() -> Verdict:
    """Return the checks of matrix-quantile/first-rows."""
    means = [
        _fewer(affine.MEAN, MEAN, bhs23.fewest_rows_of_means, d, budget, MEANS)
        for budget in BUDGETS
        for d in DIMENSIONS
    ]
    laws = [
        _fewer(affine.LAW, LAW, bhs23.fewest_rows_of_covariances, d, BUDGETS[0], LAWS) for d in DIMENSIONS[1:]
    ]
    return combine([*means, *laws])


def _fewer(
    key: str,
    statement: str,
    rows: Callable[[int, float, float], int],
    d: int,
    budget: ApproxDP,
    most: float,
) -> Verdict:
    ours, theirs = affine.fewest(key, d, budget), rows(d, budget.epsilon, budget.delta)
    where = f"d = {d} at ({budget.epsilon:g}, {budget.delta:g})"
    check = certain(f"{key}, {where}: its fewest rows over those of stable subsets", ours / theirs, 0.0, most)
    formula = "fewest rows of stable subsets"
    return beside(check, statement, formula, float(theirs), known(float(ours)), kind="planned")


CLAIMS = (
    Claim(
        "matrix-quantile/first-rows",
        "MQ10",
        (MEAN, LAW),
        "For d = 1 .. 20 at (1, 1e-6), (.2, 1e-6) and (1, 1e-10), the fewest rows of a mean from a lifted"
        " quantile are at most a thirtieth of those that Brown, Hopkins & Smith's stable subsets ask for,"
        " whose threshold is one that normal rows just keep; those of a whole Gaussian at most a fourth of"
        " what their covariance asks for (d = 2 .. 20, (1, 1e-6)).",
        checks=fewer_first_rows,
        kind="lock",
    ),
)
