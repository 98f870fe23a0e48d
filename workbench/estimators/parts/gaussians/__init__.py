"""Stages to a whole Gaussian: frames of rows, and the finish on all of them."""
