"""Disjoint blocks of rows: their spectra and subspaces, and private aggregates of them."""
