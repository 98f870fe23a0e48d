"""Sizes beside verdicts: kept in the detail, survive JSON, and agree with the check they stand in."""

from math import inf, isnan, nan

import pytest

from workbench.errors import ArgumentError
from workbench.study.rules import (
    Complexity,
    Status,
    Verdict,
    combine,
    enough,
    in_proportion,
    inside_band,
    sized,
)


def verdict(status=Status.HOLDS, **more):
    values = {"test": "t", "level": 1e-6, "trials": 9, "estimate": 0.5, "interval": (0.4, 0.6), "bound": 0.8}
    return Verdict(**{"status": status, "n": 300, "detail": {"kept": 1}} | values | more)


def test_a_size_stands_in_the_detail_and_survives_json():
    size = Complexity("X/1", "1/ε", 40.0, 41.5, (39.0, inf))
    check = sized(verdict(), size)
    assert check.detail["kept"] == 1
    back = Verdict.from_json(combine([check]).to_json()).detail["checks"][0]["detail"]["sizes"]
    assert back == [
        {
            "statement": "X/1", "formula": "1/ε", "predicted": 40.0, "estimate": 41.5,
            "interval": [39.0, inf], "kind": "searched",
        }
    ]  # fmt: skip


def test_a_size_that_nothing_brackets_is_no_error():
    check = sized(verdict(), Complexity("X/1", "1/ε", nan, nan, (0.0, inf)))
    (size,) = Verdict.from_json(check.to_json()).detail["sizes"]
    assert isnan(size["estimate"])
    assert isnan(size["predicted"])


@pytest.mark.parametrize(
    ("status", "interval"),
    [(Status.HOLDS, (0, 300)), (Status.REFUTED, (300, inf)), (Status.UNDECIDED, (0, inf))],
)
def test_a_check_at_one_n_says_enough_or_not_or_nothing(status, interval):
    (size,) = enough(verdict(status), "X/1", "f").detail["sizes"]
    assert size == {
        "statement": "X/1", "formula": "f", "predicted": 300.0, "estimate": 300.0, "interval": interval,
        "kind": "tried",
    }  # fmt: skip


def test_n_may_stand_beside_several_formulas():
    check = enough(enough(verdict(), "X/1", "planned", 200), "X/1", "shape", 200, 50.0)
    assert [(size["predicted"], size["estimate"]) for size in check.detail["sizes"]] == [
        (200, 200),
        (50, 200),
    ]


def test_an_error_twice_the_predicted_one_needs_twice_the_rows():
    check = inside_band(0.2, (0.15, 0.25), 0.1, 0.1, level=1e-3, trials=10).about("c", "s", n=1000)
    (size,) = in_proportion(check, "X/1", "f").detail["sizes"]
    assert (size["predicted"], size["estimate"]) == (1000.0, pytest.approx(2000.0))
    assert size["interval"] == (pytest.approx(1500.0), pytest.approx(2500.0))


def test_a_kind_is_one_of_four():
    with pytest.raises(ArgumentError, match="kind"):
        Complexity("X/1", "1/ε", 40.0, 41.5, (39.0, inf), "guessed")
