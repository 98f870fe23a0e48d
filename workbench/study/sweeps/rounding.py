"""What decides the last bits of a number besides the software: how this processor adds and multiplies.

The order of a sum is chosen by the kernels of the linear algebra library, one set for every kind of
processor, and by the vector instructions that numpy finds. The number of threads decides, too, wherever there
are several: blocks of sweeps always run on one (`engine.compute`).
"""

import numpy as np
import scipy.linalg  # noqa: F401  (its library is a second one, and is to be loaded before they are listed)
from threadpoolctl import threadpool_info


def kernels() -> tuple[str, ...]:
    """Name the linear algebra libraries with their kernels, and the vector instructions of numpy."""
    pools = (pool for pool in threadpool_info() if pool["user_api"] == "blas")
    blas = {f"{pool['internal_api']} {pool['version']} {pool.get('architecture')}" for pool in pools}
    vectors = np.show_config(mode="dicts").get("SIMD Extensions", {}).get("found", ())
    return (*sorted(blas), *sorted(vectors))


KERNELS = kernels()
"""Of this process, which has chosen them when it loaded the libraries."""
