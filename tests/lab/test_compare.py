"""`compare` as a notebook has it: five lines, a picture, and the same bits again."""

import pytest

from workbench import ZCDP, ClippedMean, PureDP, TwoStepMean
from workbench.errors import ArgumentError
from workbench.lab.notebook import colour_keys, compare
from workbench.populations import UnivariateGaussian

NORMAL = UnivariateGaussian(3.0)


def mine(rows, rng):
    return rows.mean() + rng.laplace()


def two(**more):
    methods = {"two-step": TwoStepMean(radius=9, sigma=1.0), "mine": mine}
    return compare(methods, **{"population": NORMAL, "budget": PureDP(1), "trials": 20, **more})


@pytest.mark.daily
def test_the_picture_is_error_against_n_with_what_is_predicted():
    found = two(n=[50, 500], budget=[PureDP(1), PureDP(2)])
    assert [panel.title for panel in found.chart.panels] == ["ε = 1", "ε = 2"]
    first = found.chart.panels[0].series
    assert [(one.label, one.role, one.colour_key) for one in first] == [
        ("two-step", "estimate", "univariate/two-step-mean"),
        ("", "theory", "univariate/two-step-mean"),
        ("mine", "estimate", "yours/1"),
    ]
    assert tuple(first[1].y) == tuple(
        TwoStepMean(radius=9, sigma=1.0).predicted_error(n, 1, PureDP(1)) for n in (50, 500)
    )
    assert found.svg().startswith(b"<?xml")
    assert "two-step" in str(found)
    assert str(found).count("\n") == 9


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(ArgumentError, match=r"budgets of one kind, or several n"):
        compare({"mine": mine}, population=NORMAL, n=9, budget=[ZCDP(1.0), PureDP(1.0)], trials=5)
    with pytest.raises(ArgumentError, match="at most 4"):
        colour_keys({str(k): mine for k in range(5)})
    keys = colour_keys(
        {"a": ClippedMean(radius=1, sigma=1.0), "b": ClippedMean(radius=2, sigma=1.0), "c": mine}
    )
    assert list(keys.values()) == ["univariate/clipped-mean", "yours/1", "yours/2"]
