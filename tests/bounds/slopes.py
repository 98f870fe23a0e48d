"""How a sample size moves with one of its arguments."""

from math import log


def slope(function, low, high):
    """The power of a number between two of its values, from a function of it."""
    return log(function(high) / function(low)) / log(high / low)
