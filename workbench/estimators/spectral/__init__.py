"""Estimators of spectra and of subspaces."""
