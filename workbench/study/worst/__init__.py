"""The search for the worst spectrum of every estimator that says "any"."""
