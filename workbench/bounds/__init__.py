"""Statements that are no estimator: lower bounds, explicit sample sizes, shapes; one module per source."""
