import json
from dataclasses import FrozenInstanceError, fields, replace
from math import inf, nan

import numpy as np
import pytest

from workbench.errors import ArgumentError
from workbench.study.rules import Status, Verdict, at_most, combine, inside_band

BOUND = at_most(np.int64(3), 200, 0.1, 1e-4).about("l17-x", "at n the failure probability is ≤ 0.1", n=2000)
RATIO = inside_band(np.float64(inf), (nan, inf), 1.0, 0.1, level=1e-4, trials=50)
NESTED = replace(
    BOUND, detail={"b": [-inf, {"z": nan, "a": np.arange(2)}], "a": None, "flag": True, "word": "x"}
)


@pytest.mark.parametrize("verdict", [BOUND, RATIO, NESTED, combine([BOUND, RATIO])])
def test_json_round_trip(verdict):
    text = verdict.to_json()
    again = Verdict.from_json(text)
    assert again.to_json() == text
    assert type(again.status) is Status
    assert type(again.interval) is tuple
    assert "NaN" not in text
    assert "Infinity" not in text


def test_what_comes_back_is_equal():
    assert Verdict.from_json(BOUND.to_json()) == BOUND
    again = Verdict.from_json(RATIO.to_json())
    assert again.estimate == inf
    assert np.isnan(again.interval[0])


def test_the_order_is_that_of_the_fields_then_alphabetical():
    record = json.loads(NESTED.to_json())
    assert list(record) == [field.name for field in fields(Verdict)]
    assert list(record["detail"]) == ["a", "b", "flag", "word"]
    assert record["detail"]["b"] == ["-inf", {"a": [0, 1], "z": "nan"}]


@pytest.mark.parametrize("value", ["inf", "nan", {1, 2}, object()])
def test_a_detail_that_would_not_come_back_is_refused(value):
    with pytest.raises(ArgumentError, match="detail"):
        replace(BOUND, detail={"a": [value]}).record()


def test_a_statement_may_be_any_words():
    assert Verdict.from_json(replace(BOUND, statement="the inf").to_json()).statement == "the inf"


def test_verdicts_are_frozen():
    with pytest.raises(FrozenInstanceError):
        BOUND.status = Status.HOLDS
