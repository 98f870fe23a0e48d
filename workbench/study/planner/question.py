"""What the planner is asked, and with which budgets it asks the entries in turn."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from workbench.catalog import Entry
from workbench.errors import ArgumentError, integer_at_least, one_of, positive, probability
from workbench.privacy import ZCDP, ApproxDP, Budget, PureDP

if TYPE_CHECKING:
    from workbench.study.planner.simulation import Simulation

CALIBRATIONS = ("paper", "tight")
Offer: TypeAlias = Callable[[float], Budget]


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is asked: the least n for a budget, or the least budget for an n.

    Parameters
    ----------
    subject : str
        An estimand, a key, or nothing for the whole catalog.
    d : int or None
        Columns; None for one number for each estimand, the fewest of the entries' populations.
    alpha : float or None
        The wanted error, in the unit of each entry's `error_bound`; None asks only where answers begin.
    beta : float
        The probability with which the error may exceed alpha.
    budget : Budget or None
        What may be spent; None where `n` is given and the least ε at `delta` is sought.
    n : int or None
        Rows; None where a budget is given.
    delta : float
        Where n is given.
    calibrations : tuple of str
        Of the estimators that have several.
    settings : mapping
        Public parameters of the estimators, by name.
    own : tuple of Entry
        Estimators beside those of the catalog; alone where there is no subject.
    simulation : Simulation or None
        How n is searched by runs, too, if it is.
    """

    subject: str = ""
    d: int | None = None
    alpha: float | None = None
    beta: float = 0.05
    budget: Budget | None = None
    n: int | None = None
    delta: float = 0.0
    calibrations: tuple[str, ...] = ("tight",)
    settings: Mapping[str, Any] = field(default_factory=dict)
    own: tuple[Entry, ...] = ()
    simulation: "Simulation | None" = None

    def __post_init__(self) -> None:
        probability(beta=self.beta)
        if self.d is not None:
            integer_at_least(1, d=self.d)
        if self.alpha is not None:
            positive(alpha=self.alpha)
        for calibration in self.calibrations:
            one_of(CALIBRATIONS, calibration=calibration)
        if self.simulation and (self.n is not None or self.alpha is None):
            raise ArgumentError("simulate", True, "a target accuracy and a budget, and no n: it is searched")
        if (self.n is None) == (self.budget is None):
            raise ArgumentError("n", self.n, "a number of rows, or a budget instead")
        if self.n is not None:
            integer_at_least(1, n=self.n)
            ApproxDP(1.0, self.delta)
            if self.alpha is None:
                raise ArgumentError("alpha", None, "the target accuracy, where n is given")

    def offers(self) -> list[list[Offer]]:
        """Return the budgets to ask an entry with, as functions of ε or ρ.

        Beside the wanted budget stands the same one with delta = 0, which promises more, is taken by entries
        that have no use for a delta, and may be the better one to spend. Where the budget is what is sought,
        those that take no ε are asked for ρ.
        """
        if self.budget is not None:
            given = [self.budget, *_without_delta(self.budget)]
            return [[lambda _, budget=budget: budget for budget in given]]  # type: ignore[misc]
        if not self.delta:
            return [[PureDP], [ZCDP]]
        return [[lambda e: ApproxDP(e, self.delta), PureDP], [lambda r: ZCDP(r, self.delta), ZCDP]]


def _without_delta(budget: Budget) -> list[Budget]:
    match budget:
        case ApproxDP(epsilon, delta) if delta:
            return [PureDP(epsilon)]
        case ZCDP(rho, delta) if delta:
            return [ZCDP(rho)]
    return []
