"""What `import workbench` loads, and that every name of the front door is there."""

import subprocess
import sys

import pytest

import workbench
from workbench.catalog import CATALOG

HEAVY = (
    *("matplotlib", "pandas", "ipywidgets", "anywidget", "IPython", "joblib", "papermill", "flint"),
    *(f"scipy.{part}" for part in ("stats", "optimize", "integrate", "sparse", "spatial")),
)
BUDGETS = {"PureDP", "ApproxDP", "ZCDP", "GaussianDP", "NonPrivate"}
USE = "from workbench import *; import workbench.catalog"


@pytest.mark.parametrize("code", ["import workbench", USE], ids=["import", "use"])
def test_neither_import_nor_use_loads_what_only_pictures_and_studies_need(code):
    command = [sys.executable, "-c", f"import sys; {code}; print(*sys.modules)"]
    loaded = set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())
    assert "workbench" in loaded
    assert not loaded & {*HEAVY}


def test_every_estimator_of_the_catalog_and_every_budget_is_a_name_of_the_package():
    classes = {type(entry.estimator).__name__: type(entry.estimator) for entry in CATALOG.values()}
    assert set(classes) | BUDGETS < set(workbench.__all__)
    assert all(getattr(workbench, name) is kind for name, kind in classes.items())
    assert workbench.CATALOG is CATALOG


def test_every_name_loads_shows_in_dir_and_lives_where_the_stub_says():
    for name in workbench.__all__:
        value = getattr(workbench, name)
        assert name in dir(workbench)
        if name != "CATALOG":
            assert value.__module__ == workbench._HOMES[name]
    assert "losses" not in workbench.__all__
    from workbench import losses

    assert losses.__name__ == "workbench.losses"


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'workbench' has no attribute 'Mode'"):
        workbench.Mode  # noqa: B018
    with pytest.raises(ImportError, match="Mode"):
        exec("from workbench import Mode")
