"""What LKKO21's own constants ask for: rows until the noise is small, rounds until a direction stands out."""

from math import ceil, exp, log, sqrt

from workbench.bounds.search import smallest
from workbench.estimators.prime import PrimeMean
from workbench.privacy import ApproxDP
from workbench.privacy.mechanisms import gaussian_scale

FIRE = 5.5  # the score of a round counts if it is above λ/5.5


def paper_noise(n: int, d: int, corruption: float, budget: ApproxDP) -> float:
    """Return 2σ√d, the spectral norm of the noise of one second moment, σ the sd of its entries."""
    paper = PrimeMean(radius=10.0, corruption=corruption, calibration="paper", sigma=1.0)
    charge = next(one for one in paper.plan(n, d, budget).charges() if one.step == "moment 1.1")
    return 2 * gaussian_scale(charge) / sqrt(2) * sqrt(d)


def paper_rows(d: int, wanted: float, corruption: float, budget: ApproxDP) -> int:
    """Return the least n, to three digits, at which that noise is at most `wanted`."""

    def enough(step: int) -> bool:
        return paper_noise(_rows(step), d, corruption, budget) <= wanted

    return _rows(smallest(enough, 3000))


def _rows(step: int) -> int:
    """Return 10^(step/1000)."""
    return round(10 ** (step / 1000))


def step_size(excess: float, constant: float = 2.0) -> float:
    """Return a = 1/(100 (.1/C + 1.01) λ)."""
    return 1 / (100 * (0.1 / constant + 1.01) * excess)


def score_after(rounds: int, d: int, constant: float = 2.0) -> float:
    """Return Ψ/λ after so many rounds without noise, for one wide direction: e^{atλ}/(e^{atλ} + d - 1)."""
    growth = exp(min(rounds * step_size(1.0, constant), 700.0))
    return growth / (growth + d - 1)


def rounds_needed(d: int, constant: float = 2.0) -> int:
    """Return the first round whose score counts: 106 ln((d - 1)/4.5) for C = 2, 1 for d up to 5.

    >>> [rounds_needed(d) for d in (3, 10, 50)]
    [1, 74, 254]
    """
    return max(1, ceil(log(max(d - 1, 1) / (FIRE - 1)) / step_size(1.0, constant)))
