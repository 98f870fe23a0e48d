"""`CountingNoise`: a noise source that passes every draw on to another and keeps a record of it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from workbench.privacy.noise import NoiseSource


@dataclass(frozen=True)
class Draw:
    """One call of a noise source: which noise, of which sensitivity and scale, how many entries."""

    kind: str
    sensitivity: float
    scale: float
    size: int


@dataclass
class CountingNoise:
    """Passes every draw on to `source` and keeps a record of it in `draws`."""

    source: "NoiseSource"
    draws: list[Draw] = field(default_factory=list)

    def __getattr__(self, kind: str) -> Callable[..., Any]:
        method = getattr(self.source, kind)

        def recorded(value: ArrayLike, sensitivity: float, scale: float, *rest: float) -> Any:
            self.draws.append(Draw(kind, float(sensitivity), float(scale), int(np.size(value))))
            return method(value, sensitivity, scale, *rest)

        return recorded

    def uniform(self, low: float, high: float) -> float:
        """Pass on; a uniform point carries no calibration and is not recorded."""
        return self.source.uniform(low, high)

    def below(self, count: int) -> int:
        """Pass on; a uniform point of a piece carries no calibration and is not recorded."""
        return self.source.below(count)
