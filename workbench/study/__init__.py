"""Experiments: sweeps over grids of populations, verdicts on published claims, levels and profiles."""
