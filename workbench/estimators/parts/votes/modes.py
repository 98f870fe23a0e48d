"""The vote of groups in {0, infinity}: the most frequent answer, released as it is.  AL22 Section 4.

An answer is named by its bits, of which 0.0 and -0.0 have the same; no answer has a name, too, of which
nothing is released. Equality of names is an equivalence. One replaced row changes the name of one group.
Proof: `proofs/populous.md`, section 5.
"""

import numpy as np

from workbench.privacy import Charge, NoiseSource
from workbench.privacy.histograms import release_mode
from workbench.types import Array


def common_answer(answers: Array, charge: Charge, noise: NoiseSource) -> Array | None:
    """Return the most frequent of the answers, shape (k, d), or None for no answer."""
    names = np.array([row.tobytes().hex() for row in answers + 0.0])
    released = release_mode(names, charge, noise)
    if not isinstance(released, str):
        return None
    found = np.frombuffer(bytes.fromhex(released), np.float64)
    return None if np.isnan(found).any() else found.copy()
