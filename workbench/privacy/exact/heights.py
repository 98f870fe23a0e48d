"""Noise of which only what lifts a count to a public height is wanted, on sixteen bits for all the rest.

A draw begins with its sign and the first 15 bits of U (`rounded`). Where no continuation of these reaches
what is needed, that is all of it; else 48 bits more make the word of 63 that `rounded` starts from, and the
draw is the one that it would have been. So what reaches its need has the law of a full draw
(`proofs/exact.md`).
"""

import numpy as np
from numpy.typing import NDArray

from workbench.privacy.exact import balls
from workbench.privacy.exact.integers import Read, system
from workbench.privacy.exact.laws import Law
from workbench.privacy.exact.rounded import BITS, LARGEST, MARGIN, Integers, decided
from workbench.types import Array

FIRST = 15  # bits of a uniform variable before it is asked whether more matter


def reaching(law: Law, counts: Integers, least: float, read: Read = system) -> tuple[Integers, Integers]:
    """Return places, among them all at which count plus noise is at least `least`, and the noise there.

    `law` has two signs. The noise is what `rounded.draw` returns on the same bits.
    """
    balls.flint()  # missing, it is missed before anything is drawn
    words = np.frombuffer(read(2 * len(counts)), "<u2")
    tops, minus = words >> np.uint16(1), (words & np.uint16(1)).astype(bool)
    (places,) = np.nonzero(~settled(law, tops, minus, _boundaries(counts, least)))
    rest = np.frombuffer(read(8 * len(places)), "<u8") >> np.uint64(64 - (BITS - FIRST))
    longer = tops[places].astype(np.uint64) << np.uint64(BITS - FIRST) | rest
    return places, decided(law, longer, minus[places], read)


def _boundaries(counts: Integers, least: float) -> Array:
    """Return k - ½ for the least noise k that is needed, or less; NaN where floats are too coarse to say."""
    heights = counts.astype(np.float64)
    with np.errstate(invalid="ignore"):
        needed = np.floor(least - heights) - 0.5
        return np.where((np.abs(heights) < LARGEST) & (np.abs(needed) < LARGEST), needed, np.nan)


def settled(
    law: Law, tops: NDArray[np.uint16], minus: NDArray[np.bool_], boundaries: Array
) -> NDArray[np.bool_]:
    """Return where no U with these first 15 bits gives, with its sign, an integer above the boundary."""
    with np.errstate(all="ignore"):
        least = tops.astype(np.float64) * 2.0**-FIRST
        beyond = least > law.tail(boundaries) * (1 + MARGIN)
    return np.where(minus, boundaries > 0, beyond)
