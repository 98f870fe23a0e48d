"""The currency of the package: budgets, plans, ledgers, noise and mechanisms."""

from typing import TYPE_CHECKING

from workbench.privacy.budgets import ZCDP, ApproxDP, Budget, GaussianDP, NonPrivate, PureDP
from workbench.privacy.ledger import Ledger
from workbench.privacy.noise import CountingNoise, NoiseSource, SimulatedNoise, UnitNoise, noise_source
from workbench.privacy.plan import Charge, Converted, Interleaved, Parallel, Plan, Sequential, compose

if TYPE_CHECKING:
    from workbench.privacy.secure import SecureNoise as SecureNoise

__all__ = [
    "ZCDP",
    "ApproxDP",
    "Budget",
    "Charge",
    "Converted",
    "CountingNoise",
    "GaussianDP",
    "Interleaved",
    "Ledger",
    "NoiseSource",
    "NonPrivate",
    "Parallel",
    "Plan",
    "PureDP",
    "SecureNoise",
    "Sequential",
    "SimulatedNoise",
    "UnitNoise",
    "compose",
    "noise_source",
]


def __getattr__(name: str) -> object:
    """Return `SecureNoise`, which loads what the others do not need."""
    if name != "SecureNoise":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from workbench.privacy.secure import SecureNoise

    return SecureNoise
