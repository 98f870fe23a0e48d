"""The matrix quantile: influence, levels, test of stability, design and release."""
