"""Composition, as the slides list it among the properties of privacy: shares add up, and no more is given."""

from collections.abc import Iterable

from workbench.errors import OverspentError
from workbench.privacy import ZCDP, ApproxDP, Budget, GaussianDP, Ledger, PureDP
from workbench.privacy.budgets import approx_from_gdp
from workbench.study.claim import Claim
from workbench.study.rules import Verdict, largest

COUNTS = (1, 2, 3, 7, 10, 50, 365)
BUDGETS: tuple[Budget, ...] = (PureDP(1.0), ApproxDP(1.0, 1e-6), ZCDP(0.5), ZCDP(0.5, 1e-9), GaussianDP(1.0))
ROUNDING = 1e-12
DELTA = 1e-6


def adds_up() -> list[Verdict]:
    """Return the checks of start-here/shares-add-up; nothing is random."""
    return [
        _largest("shares that add up to the budget, relative error", map(_error, *_settings()), ROUNDING),
        _largest("releases beyond the budget that are entered", map(_extra, *_settings()), 0.0),
        _largest("exact ε of k Gaussian releases over that of one", map(_gaussian, COUNTS), 1 + 1e-9),
    ]


def _settings() -> tuple[list[Budget], list[int]]:
    pairs = [(budget, count) for budget in BUDGETS for count in COUNTS]
    return [budget for budget, _ in pairs], [count for _, count in pairs]


def filled(budget: Budget, count: int) -> Ledger:
    """Return a ledger with `count` equal releases that use up its budget."""
    ledger = Ledger(budget)
    shares: tuple[Budget, ...] = budget.split(*[1.0] * count)
    for number, share in enumerate(shares):
        ledger.charge(share, f"release {number}")
    return ledger


def _error(budget: Budget, count: int) -> float:
    spent = filled(budget, count).spent
    pairs = [(float(value), float(getattr(spent, name))) for name, value in vars(budget).items()]
    return max(abs(got - wanted) / wanted if wanted else got for wanted, got in pairs)


def _extra(budget: Budget, count: int) -> float:
    ledger = filled(budget, count)
    try:
        ledger.charge(budget.split(1.0, 1e6)[0], "one more, a millionth")
    except OverspentError:
        return 0.0
    return 1.0


def _gaussian(count: int) -> float:
    """Return the exact ε of Gaussian releases that share a budget, over that of one with all of it."""
    one = GaussianDP(1.0)
    together = filled(one, count).spent
    assert isinstance(together, GaussianDP)
    return approx_from_gdp(together, DELTA).epsilon / approx_from_gdp(one, DELTA).epsilon


def _largest(name: str, values: Iterable[float], bound: float) -> Verdict:
    return largest(name, values, bound, f"at most {bound:g}")


CLAIMS = (
    Claim(
        id="start-here/shares-add-up",
        number="M21.1",
        sources=("M21/properties",),
        statement="k = 1 .. 365 equal shares of a budget add up to it (to 1e-12) in every currency, a ledger"
        " refuses a millionth more, and k Gaussian releases cost no more than one with all of the budget.",
        checks=adds_up,
        kind="identity",
    ),
)
