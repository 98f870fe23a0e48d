"""Estimators of one column."""
