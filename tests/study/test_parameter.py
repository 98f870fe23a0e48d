"""Parameters: what is declared is what is allowed, and a slider starts where it is told."""

import pytest

from workbench.errors import ArgumentError
from workbench.study.grids import multiples
from workbench.study.parameters import Parameter


def test_a_count_is_whole():
    rows = Parameter("n", 10, 1, 442, integer=True)
    assert [rows.admits(value) for value in (1, 442, 0, 443, 10.0, True)] == [True, True, *[False] * 4]
    assert rows.words == "a whole number, 1 to 442"


def test_a_default_beyond_the_range_is_refused():
    with pytest.raises(ArgumentError, match="default = 5: expected a number, 0 to 1"):
        Parameter("q", 5, 0, 1)


def test_a_slider_starts_at_any_allowed_value():
    share = Parameter("ξ", 0.05, 0.001, 0.49, track=(0.01, 0.2))
    assert (share.slider().low, share.slider().high, share.slider().value) == (0.01, 0.2, 0.05)
    assert share.slider(0.3).high == share.slider(0.3).value == 0.3


def test_a_grid_follows_its_prediction():
    usual = (50, 100, 200, 500)
    assert multiples(usual, 1.0) == usual
    assert multiples(usual, 10.0) == (500, 1000, 2000, 5000)
    assert multiples((1, 2, 3), 0.1) == (1,)
