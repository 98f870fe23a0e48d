"""Adversaries who see the rows and replace a fraction of them."""

from workbench.populations.corruption.adversary import Adversary

__all__ = ["Adversary"]
