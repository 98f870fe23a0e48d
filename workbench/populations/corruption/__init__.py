"""Adversaries who see the rows and replace a fraction of them."""

from workbench.populations.corruption.adversary import Adversary
from workbench.populations.corruption.mean import MEAN_ATTACKS

ADVERSARIES = (*MEAN_ATTACKS,)
"""Every named adversary."""

__all__ = ["ADVERSARIES", "MEAN_ATTACKS", "Adversary"]
