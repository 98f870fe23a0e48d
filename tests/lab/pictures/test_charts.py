import math

import numpy as np
import pytest

from workbench.charts import canonical_json
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.errors import ArgumentError


def chart(*series, **panel):
    return Chart("name", "Title", (Panel("Panel", "x", "y", series, **panel),), alt="What it shows")


def test_round_trip_is_exact_once_rounded():
    made = chart(
        Series("s", np.array([1 / 3, 2.0]), [math.inf, math.nan], low=[0, 1], high=[1, 2]), xlim=(1, 9)
    )
    once = Chart.from_json(made.to_json())
    assert canonical_json.dumps(once.to_json()) == canonical_json.dumps(made.to_json())
    assert tuple(once.panels[0].series[0].x) == (0.333333, 2.0)
    assert once.panels[0].xlim == (1.0, 9.0)


def test_numpy_arrays_are_owned_and_charts_are_values():
    x = np.arange(3.0)
    made, same = chart(Series("s", x, x)), chart(Series("s", [0, 1, 2], (0, 1, 2)))
    x[0] = 9
    assert made == same
    assert hash(made) == hash(same)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Series("s", [1, 2], [1]), ("y = '1 numbers'", "as many as x has: 2")),
        (lambda: Series("s", [1], [1], role="trend"), ("role = 'trend'", "theory")),
        (lambda: Panel("p", "x", "y", (), xscale="sqrt"), ("xscale = 'sqrt'", "log")),
        (lambda: Chart("a/b", "t", (), alt="a"), ("name = 'a/b'", "letters")),
        (lambda: Chart("a", "t", (), alt=" "), ("alt = ' '", "in words")),
    ],
)
def test_bad_arguments_are_named(make, words):
    with pytest.raises(ArgumentError) as caught:
        make()
    assert all(word in str(caught.value) for word in words)


@pytest.mark.parametrize(
    "mark",
    [
        Mark("", "point", 1, 2),
        Mark("", "arrow", 1, 2, 3, 4),
        Mark("here", "span", x=1, x2=math.inf, side="left", colour_key="idea/noise"),
    ],
)
def test_a_mark_survives_its_json(mark):
    assert Chart.from_json(chart(marks=(mark,)).to_json()).panels[0].marks == (mark,)
