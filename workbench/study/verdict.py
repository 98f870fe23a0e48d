"""Verdicts on claims: what was decided, by which test, at which level, from how much evidence."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from math import isfinite
from typing import Any

import numpy as np

from workbench.errors import ArgumentError
from workbench.study.intervals import Interval

NOT_FINITE = ("inf", "-inf", "nan")  # how JSON spells them


class Status(StrEnum):
    """What the evidence says."""

    HOLDS = "HOLDS"
    REFUTED = "REFUTED"
    UNDECIDED = "UNDECIDED"


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """A decision, with all that is needed to judge it.

    Parameters
    ----------
    id, statement : str
        The claim; rules leave them empty, `about` fills them in.
    status : Status
        The decision.
    test : str
        The rule.
    level : float
        Probability, at most, that a true claim is refuted.
    n : int or None
        Sample size at which the claim was tested; None if there were several.
    trials : int
        Independent repetitions.
    estimate, interval : float, tuple of float
        What was measured.
    bound : float
        What the claim says: a bound or a prediction.
    detail : mapping
        What else the rule used; numbers, strings, lists and mappings.
    """

    id: str = ""
    statement: str = ""
    status: Status
    test: str
    level: float
    n: int | None = None
    trials: int
    estimate: float
    interval: Interval
    bound: float
    detail: Mapping[str, Any]

    def about(self, id: str, statement: str, *, n: int | None = None) -> "Verdict":
        """Return this verdict as one about a claim."""
        return replace(self, id=id, statement=statement, n=self.n if n is None else n)

    def record(self) -> dict[str, Any]:
        """Return plain values for JSON in a fixed order; inf and nan are strings."""
        return {field.name: _encode(getattr(self, field.name)) for field in fields(self)}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "Verdict":
        """Return the verdict that `record` wrote."""
        texts = {key: record[key] for key in ("id", "statement", "test")}
        numbers = {key: _decode(value) for key, value in record.items() if key not in texts}
        numbers |= {"status": Status(record["status"]), "interval": tuple(numbers["interval"])}
        return cls(**texts, **numbers)

    def to_json(self) -> str:
        """Return the record as JSON text."""
        return json.dumps(self.record(), allow_nan=False, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> "Verdict":
        """Return the verdict that `to_json` wrote."""
        return cls.from_record(json.loads(text))


def _encode(value: Any) -> Any:
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _encode(value[key]) for key in sorted(value)}
    if isinstance(value, list | tuple):
        return [_encode(entry) for entry in value]
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    if isinstance(value, str) and value in NOT_FINITE:
        raise ArgumentError("detail", value, "no string that spells a number")
    if isinstance(value, str):
        return str(value)  # a status, too
    if value is None or isinstance(value, bool | int | float):
        return value
    raise ArgumentError("detail", value, "numbers, strings, lists and mappings")


def _decode(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _decode(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_decode(entry) for entry in value]
    return float(value) if value in NOT_FINITE else value
