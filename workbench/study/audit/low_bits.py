"""The event that accuses noise of floats: how low the last bit of an output lies (Mironov 2012).

The real mechanism may keep its promise; the floats that stand for its outputs need not. An audit looks there
if it is told to, `audit(mechanism, pairs, claim, score=last_bit)`: noise of numpy is convicted on the pair
0 and 1, noise on a grid is not.
"""

import numpy as np

from workbench.types import Array


def last_bit(outputs: Array) -> Array:
    """Return the exponent of the lowest bit that is set; 0 for the number 0.

    >>> last_bit(np.array([0.75, 2.0**-60, 3.0]))
    array([ -2., -60.,   0.])
    """
    mantissa, exponent = np.frexp(np.ravel(outputs))
    whole = np.abs(np.ldexp(mantissa, 53)).astype(np.int64)
    trailing = np.log2(np.maximum(whole & -whole, 1))
    return np.where(whole == 0, 0.0, exponent - 53 + trailing)
