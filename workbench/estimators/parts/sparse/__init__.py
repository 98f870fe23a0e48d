"""Thresholds for a released covariance."""
