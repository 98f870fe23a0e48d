"""Differentially private estimation: estimators, accounting, data, claims and pictures."""

__version__ = "0.1.0"
