"""Differentially private estimation: estimators, accounting, data, claims and pictures.

The names of `__init__.pyi` load on first use, so that `import workbench` costs next to nothing:

>>> import numpy as np
>>> from workbench import PureDP, TwoStepMean
>>> mean = TwoStepMean(radius=100, sigma=1)
>>> mean([1.0, 2.0, 0.5], budget=PureDP(1), rng=np.random.default_rng(0)).guarantee.budget
PureDP(epsilon=1.0)
"""

import re
from importlib import import_module
from pathlib import Path

__version__ = "0.1.0"

_STUB = Path(__file__).with_name("__init__.pyi").read_text(encoding="utf-8")
_HOMES = {name: home for home, name in re.findall(r"^from (\S+) import \(?\s*(\w+) as", _STUB, re.MULTILINE)}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> object:
    """Return one of the names of the stub, loading the module it lives in."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List every name, loaded or not."""
    return sorted({*globals(), *__all__} - {"Path", "import_module", "re"})
