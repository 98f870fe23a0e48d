"""A real table of 442 patients, and what is publicly known of its columns."""

from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd

ROWS = 442


@dataclass(frozen=True)
class Column:
    """A column of the table, and what is publicly known of it before seeing any row.

    Parameters
    ----------
    name
        In the table.
    words
        What it is, with its unit.
    centre, radius, sigma
        The mean is within `radius` of `centre`; `sigma` is a usual standard deviation.
    shown
        The ends of a picture's axis.
    """

    name: str
    words: str
    centre: float
    radius: float
    sigma: float
    shown: tuple[float, float]

    def rows(self, n: int = ROWS) -> np.ndarray:
        """Return the first entries of the column."""
        return patients()[self.name].to_numpy(np.float64)[:n]


COLUMNS = {
    one.name: one
    for one in (
        Column("bmi", "body-mass index (kg/m²)", 35.0, 25.0, 5.0, (23.0, 30.0)),
        Column("bp", "blood pressure (mmHg)", 100.0, 50.0, 14.0, (84.0, 106.0)),
        Column("s1", "total cholesterol (mg/dl)", 200.0, 150.0, 35.0, (160.0, 220.0)),
    )
}
BMI = COLUMNS["bmi"]


@cache
def patients() -> pd.DataFrame:
    """Return the 442 patients of the diabetes data that come with scikit-learn, in their own units."""
    from sklearn.datasets import load_diabetes  # type: ignore[import-untyped]

    table: pd.DataFrame = load_diabetes(as_frame=True, scaled=False).data
    return table


def column(n: int = ROWS) -> np.ndarray:
    """Return the body-mass index of the first patients."""
    return BMI.rows(n)
