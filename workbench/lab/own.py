"""One's own column before it is used: the explorer of `chapters.columns`, and a place for a CSV file.

    explore(frame["height"], low=0, high=250)

No row is read: what is simulated runs on a synthetic column of as many rows, so that looking costs nothing.
"""

from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any

import pandas as pd

from workbench.chapters.columns import call, column
from workbench.chapters.parameters import EPSILON
from workbench.errors import ArgumentError, integer_at_least
from workbench.lab.explore import Explorer, Form, computed, control
from workbench.study.parameters import Slider
from workbench.study.sweeps import Run

SPREADS = 6  # usual spreads that a range has, unless the spread is said


def _computed(values: Mapping[str, Any]) -> Form:
    form = computed(column, Run("quick", simulate=False), values)
    return form if "error" in form else {**form, "code": call(**values)}


def of(
    rows: Sequence[float] | pd.Series,
    *,
    low: float,
    high: float,
    sigma: float | None = None,
    epsilon: float = 1.0,
    delta: float = 1e-6,
) -> Explorer:
    """Return the explorer of one's own column; only its length is read.

    Its bounds are public, and so is a usual spread `sigma`: a sixth of the range unless it is given.
    """
    n = len(rows)
    integer_at_least(2, rows=n)
    if not low < high:
        raise ArgumentError("low", low, f"a number below high = {high:g}")
    low, high, span = float(low), float(high), float(high - low)
    spread = sigma or span / SPREADS
    sliders = {
        "epsilon": EPSILON.slider(epsilon),
        "n": Slider(max(2, n // 10), 10 * n, n, True, "n", "rows", True),
        "low": Slider(low - span, (low + high) / 2, low, False, "low"),
        "high": Slider((low + high) / 2, high + span, high, False, "high"),
        "sigma": Slider(spread / 10, 10 * spread, spread, True, "spread"),
        "delta": Slider(1e-12, 1e-3, delta, True, "δ"),
    }
    controls = [control(name, one) for name, one in sliders.items()]
    return Explorer("column", _computed, controls, code="lab.explore(x", call=f"{column.__module__}:column")


class Drop:
    """A place for a CSV file, its columns, and public bounds: then the explorer of the column."""

    def __init__(self) -> None:
        import ipywidgets

        self.frame = pd.DataFrame()
        self.file = ipywidgets.FileUpload(accept=".csv", description="your CSV file")
        self.column = ipywidgets.Dropdown(description="column")
        self.low, self.high = (ipywidgets.FloatText(description=f"public {end}") for end in ("low", "high"))
        self.go, self.words = ipywidgets.Button(description="explore"), ipywidgets.Label()
        row = ipywidgets.HBox([self.file, self.column, self.low, self.high, self.go])
        self.place = ipywidgets.VBox()
        self.box = ipywidgets.VBox([row, self.words, self.place])
        self.file.observe(self._read, "value")
        self.go.on_click(self._explore)

    def _read(self, _change: object) -> None:
        try:
            self.frame = pd.read_csv(BytesIO(bytes(self.file.value[0]["content"])))
        except ValueError as error:  # pandas' own are ValueErrors, and so are wrong letters
            self.words.value = f"no CSV file: {str(error).splitlines()[0]}"
            return
        self.column.options = list(self.frame.columns)
        self.column.index = 0 if len(self.frame.columns) else None
        self.words.value = f"{len(self.frame)} rows, which stay here; only how many there are is used"

    def _explore(self, _button: object) -> None:
        try:
            made = of(self.frame.get(self.column.value, ()), low=self.low.value, high=self.high.value)
        except ArgumentError as error:
            self.words.value = str(error)
        else:
            self.place.children = (made.widget(),)
