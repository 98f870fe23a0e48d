"""A real table to try things on."""

from pathlib import Path

import numpy as np

from workbench.types import Array


def diabetes() -> dict[str, Array]:
    """Return the columns of 442 diabetes patients (Efron, Hastie, Johnstone & Tibshirani 2004).

    `age` in years, `sex` 1 or 2, `bmi` the body-mass index in kg/m², `bp` the mean blood pressure in mmHg,
    `s1` to `s6` from blood: total, LDL and HDL cholesterol (mg/dl), total over HDL, log triglycerides, sugar.

    >>> bmi = diabetes()["bmi"]
    >>> len(bmi), round(float(bmi.mean()), 1)
    (442, 26.4)
    """
    path = Path(__file__).with_name("diabetes.csv")
    names = path.read_text(encoding="utf-8").partition("\n")[0].split(",")
    columns = np.loadtxt(path, delimiter=",", skiprows=1, unpack=True)
    return dict(zip(names, columns, strict=True))
