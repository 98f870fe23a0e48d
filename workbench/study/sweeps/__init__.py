"""Sweeps: a grid of public parameters times blocks of trials, stored, resumed, the same on any worker."""
