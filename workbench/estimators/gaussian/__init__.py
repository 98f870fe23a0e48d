"""Estimators of a whole Gaussian."""
