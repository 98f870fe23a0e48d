"""What a call of an estimator costs, against the sum of the primitive operations that it cannot avoid.

`primitives` names the operations, `floors` says which ones every entry needs, `clock` times calls, `measure`
puts an entry beside its floor. Only ratios within one run are compared, never seconds.
"""

from workbench.study.bench.floors import FLOORS, floor
from workbench.study.bench.measure import Measured, bench

__all__ = ["FLOORS", "Measured", "bench", "floor"]
