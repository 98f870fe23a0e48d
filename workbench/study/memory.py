"""Memory that is freed stays with the process, so that the next array of the same size costs no page faults.

The C library returns a freed block to the operating system when it is larger than a threshold, which starts
at 128 kB and rises to the size of the largest block that was freed so, up to 32 MB. Below it, every array of
a few hundred kilobytes may be mapped, zeroed page by page and unmapped again: 2 to 13 times the time of a
univariate estimator at n = 1e5. Results do not depend on it.
"""

import numpy as np

BLOCK = 32_000_000  # bytes: just below the largest threshold that glibc accepts


def keep_freed_memory() -> None:
    """Allocate one large block and free it, untouched: it raises the threshold for good and costs nothing."""
    np.empty(BLOCK, np.uint8)
