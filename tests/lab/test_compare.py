"""`compare` as a notebook has it: five lines, a picture, and the same bits again."""

import subprocess
import sys

import pytest

from workbench import ZCDP, ClippedMean, PureDP, TwoStepMean
from workbench.errors import ArgumentError
from workbench.lab.notebook import colour_keys, compare, comparison_chart
from workbench.populations import UnivariateGaussian

NORMAL = UnivariateGaussian(3.0)
CELL = """
from workbench import PureDP, TwoStepMean
from workbench.lab.notebook import compare
from workbench.populations import UnivariateGaussian
mine = lambda rows, rng, budget: rows.clip(-9, 9).mean() + rng.laplace(scale=18 / len(rows) / budget.epsilon)
compare({"two-step": TwoStepMean(radius=9, sigma=1.0), "mine": mine}, population=UnivariateGaussian(3.0), n=[50, 500], budget=PureDP(1))
"""  # noqa: E501


def mine(rows, rng):
    return rows.mean() + rng.laplace()


def two(**more):
    methods = {"two-step": TwoStepMean(radius=9, sigma=1.0), "mine": mine}
    return compare(methods, **{"population": NORMAL, "budget": PureDP(1), "trials": 20, **more})


@pytest.mark.daily
def test_a_fresh_notebook_shows_the_picture(tmp_path):
    script = (
        "from IPython.core.interactiveshell import InteractiveShell\n"
        f"shell = InteractiveShell.instance()\n"
        f"result = shell.run_cell({CELL!r}).result\n"
        "print('image/svg' in result._repr_html_(), len(result.frame), round(result.frame.error.sum(), 12))\n"
    )
    env = {"XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": ":".join(sys.path), "HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1].startswith("True 800 ")
    assert len(CELL.strip().splitlines()) == 5


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
        comparison_chart(
            compare({"mine": mine}, population=NORMAL, n=9, budget=[ZCDP(1.0), PureDP(1.0)], trials=5).found
        )
    with pytest.raises(ArgumentError, match="at most 4"):
        colour_keys({str(k): mine for k in range(5)})
    keys = colour_keys(
        {"a": ClippedMean(radius=1, sigma=1.0), "b": ClippedMean(radius=2, sigma=1.0), "c": mine}
    )
    assert list(keys.values()) == ["univariate/clipped-mean", "yours/1", "yours/2"]
