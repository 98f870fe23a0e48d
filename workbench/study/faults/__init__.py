"""Mistakes put into the package on purpose, and runs seen from inside."""
