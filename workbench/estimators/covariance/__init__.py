"""Estimators of a covariance."""
