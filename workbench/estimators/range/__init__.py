"""Boxes and balls that hold most rows, one module per algorithm."""
