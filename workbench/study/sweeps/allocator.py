"""Memory that is freed stays with the process, so that the next array of the same size costs no page faults.

The C library returns a freed block to the operating system when it is larger than a threshold, which starts
at 128 kB and rises to the size of the largest block that was freed so, up to 32 MB. Until it has risen, every
array of a few hundred kilobytes may be mapped, zeroed page by page and unmapped again. With 1e5 rows,
univariate estimators took 1 to 7 times as long; with 1e6, where the arrays together are more than what is
kept, a two-step mean gained nothing. Results do not depend on it.
"""

import numpy as np

BLOCK = 32_000_000  # bytes: just below the largest threshold that glibc accepts


def keep_freed_memory() -> None:
    """Allocate one large block and free it, untouched: it raises the threshold for good and costs nothing."""
    np.empty(BLOCK, np.uint8)
