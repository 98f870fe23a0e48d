"""Estimators of a mean in d dimensions."""
