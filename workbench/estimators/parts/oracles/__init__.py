"""Robust oracles without privacy: tails of quadratic forms, shaved to their law."""
