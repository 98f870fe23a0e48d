"""Adversaries who see the rows and replace a fraction of them."""

from workbench.populations.corruption.adversary import Adversary
from workbench.populations.corruption.covariance import COVARIANCE_ATTACKS

__all__ = ["COVARIANCE_ATTACKS", "Adversary"]
