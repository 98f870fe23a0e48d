"""Adversaries who see the rows and replace a fraction of them."""

from workbench.populations.corruption.adversary import Adversary
from workbench.populations.corruption.covariance import COVARIANCE_ATTACKS
from workbench.populations.corruption.held_out import HELD_OUT_ATTACKS

ADVERSARIES = (*COVARIANCE_ATTACKS, *HELD_OUT_ATTACKS)
"""Every named adversary."""

__all__ = ["ADVERSARIES", "COVARIANCE_ATTACKS", "HELD_OUT_ATTACKS", "Adversary"]
