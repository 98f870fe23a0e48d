"""Adversaries who see the rows and replace a fraction of them; names are unique within each tuple."""

from workbench.populations.corruption.adversary import Adversary
from workbench.populations.corruption.covariance import COVARIANCE_ATTACKS
from workbench.populations.corruption.held_out import HELD_OUT_ATTACKS
from workbench.populations.corruption.mean import MEAN_ATTACKS

__all__ = ["COVARIANCE_ATTACKS", "HELD_OUT_ATTACKS", "MEAN_ATTACKS", "Adversary"]
