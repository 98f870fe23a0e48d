"""The currency of the package: budgets, plans, ledgers, noise and mechanisms."""

from .budget import ZCDP, ApproxDP, Budget, GaussianDP, NonPrivate, PureDP
from .ledger import Ledger
from .noise import CountingNoise, NoiseSource, SimulatedNoise, UnitNoise, noise_source
from .plan import Charge, Converted, Interleaved, Parallel, Plan, Sequential, compose

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
    "Sequential",
    "SimulatedNoise",
    "UnitNoise",
    "compose",
    "noise_source",
]
