"""The currency of the package: budgets, plans, ledgers, noise and mechanisms."""

from workbench.privacy.budget import ZCDP, ApproxDP, Budget, GaussianDP, NonPrivate, PureDP
from workbench.privacy.ledger import Ledger
from workbench.privacy.noise import CountingNoise, NoiseSource, SimulatedNoise, UnitNoise, noise_source
from workbench.privacy.plan import Charge, Converted, Interleaved, Parallel, Plan, Sequential, compose

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
