"""The guides of CONTRIBUTING and EXTENDING, executed."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from workbench import catalog
from workbench.catalog import CATALOG, Addition, register
from workbench.errors import ArgumentError
from workbench.study.mutants import mutants_of
from workbench.study.pairs import builder

# The guides of CONTRIBUTING, executed in order in a copy of the package.

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```(python|toml|sh)\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)
COPIED = ("workbench", "tests", "conftest.py", "pyproject.toml", "README.md")
SAID = ("passed", "no violation found", "1 of 1 mutants caught", "UnitMean", "HOLDS")


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    root = tmp_path_factory.mktemp("checkout")
    ignored = shutil.ignore_patterns("__pycache__")
    for name in COPIED:
        source = ROOT / name
        shutil.copytree(source, root / name, ignore=ignored) if source.is_dir() else shutil.copy(source, root)
    return root


def write(root, text):
    first, _, body = text.partition("\n")
    path = root / first.split()[-1]
    path.parent.mkdir(exist_ok=True)
    with path.open("a" if "at the end of" in first else "x", encoding="utf-8") as file:
        file.write(body)


STARTS = {
    "python": [],
    "workbench": ["-m", "workbench.cli"],
    "pytest": ["-m", "pytest", "-n", "0", "-p", "no:cacheprovider"],
}


def follow(root, line, *beside, good=True):
    """Run a line of a shell block with the packages of this environment, and return what it says."""
    program, *words = line.split()
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (root, *beside)))}
    command = [sys.executable, *STARTS[program], *words]
    done = subprocess.run(command, cwd=root, env=env, capture_output=True, text=True)
    assert (done.returncode == 0) == good, line + done.stdout + done.stderr
    return done.stdout


@pytest.mark.daily
def test_the_guides_do_what_they_say(copy):
    said = ""
    for language, text in BLOCK.findall((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")):
        if language == "python":
            write(copy, text)
        else:
            said += "".join(follow(copy, line) for line in text.splitlines())
    assert [words for words in SAID if words not in said] == []
    assert {path.name for path in (copy / "shown").iterdir()} == {"error.json", "error.svg", "verdicts.json"}


# The guide of EXTENDING, executed: a package outside is installed, and every command knows its estimator.

GUIDE = BLOCK.findall((ROOT / "EXTENDING.md").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    for language, text in GUIDE:
        if language != "sh":
            write(folder, text)
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    install(folder, project["name"], project["version"], project["entry-points"])
    return folder


def install(folder, name, version, groups):
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    lines = (line for group in groups for line in (f"[{group}]", *map(" = ".join, groups[group].items())))
    (info / "entry_points.txt").write_text("\n".join(lines))


EXPECTED = {
    "pytest": (" passed",),
    "workbench list": ("acme_means.UnitMean", "the Laplace mechanism: one row"),
    "workbench plan": ("acme/unit-mean", "proved"),
    "workbench audit acme": ("no violation found; 1 attacks",),
    "workbench audit --mutants": ("1 of 1 mutants caught",),
    "workbench bench": ("acme/unit-mean",),
}
LINES = [line for language, text in GUIDE if language == "sh" for line in text.splitlines()]


@pytest.mark.parametrize("audits", [False, pytest.param(True, marks=pytest.mark.daily)])
def test_every_command_of_the_guide_knows_the_estimator(site, audits):
    for line in (one for one in LINES if ("audit" in one) == audits):
        (wanted,) = [wanted for start, wanted in EXPECTED.items() if line.startswith(start)]
        said = follow(site, line, ROOT)
        assert [one for one in wanted if one not in said] == []


BROKEN = """
from dataclasses import dataclass, replace

from acme_means import UNIT_MEAN, Charge, Example, PureDP, UnitMean


@dataclass(frozen=True, kw_only=True)
class HalfMean(UnitMean):
    def plan(self, n, d, budget):
        return Charge("mean", "laplace", 1 / n, budget)


MADE = (Example(HalfMean(), PureDP(1.0)),)
HALF_MEAN = replace(UNIT_MEAN.entry, key="acme/half-mean", examples=MADE)
"""


@pytest.mark.turns(4)
def test_the_source_and_the_claim_of_another_package_are_listed_and_decided(site):
    assert "acme24/Thm1" in follow(site, "workbench claims acme24", ROOT)
    assert "claim acme/unit-error" in follow(site, "workbench claims acme24/thm1", ROOT)
    assert follow(site, "python decide.py", ROOT) == "HOLDS\n"


@pytest.mark.daily
def test_contracts_catch_an_estimator_outside_and_say_what_it_lacks(site):
    (site / "acme_broken.py").write_text(BROKEN, encoding="utf-8")
    line = LINES[-1].replace("acme_means:UNIT_MEAN", "acme_broken:HALF_MEAN")
    said = follow(site, line, ROOT, good=False)
    failed = [line for line in said.splitlines() if line.startswith("FAILED")]
    assert any("gap_is_the_sensitivity" in line for line in failed)
    assert "acme/half-mean lacks pairs, mutants, proof: see EXTENDING.md" in said


@pytest.fixture(autouse=True)
def nothing_added(monkeypatch):
    monkeypatch.setattr(catalog, "_added", {})


@pytest.fixture
def beside():
    return register(replace(CATALOG["univariate/clipped-mean"], key="acme/clipped"))


def test_what_is_missing_is_said_by_who_needs_it(beside):
    key = beside.entry.key
    assert beside.missing == ("pairs", "mutants", "proof")
    for name, ask in {"pairs": builder, "mutants": mutants_of.__wrapped__}.items():
        with pytest.raises(ArgumentError) as refused:
            ask(key)
        assert f"expected {name}: workbench.catalog.register(ENTRY, {name}=...)" in str(refused.value)


def test_pairs_attack_every_example_and_cases_stand_for_themselves(beside, monkeypatch):
    pairs = [("ends", np.zeros(4), np.array([1e9, 0, 0, 0]))]
    monkeypatch.setitem(catalog._added, beside.entry.key, replace(beside, pairs=pairs))
    cases = list(builder(beside.entry.key)())
    assert [case.stage for case in cases] == ["whole"] * len(beside.entry.examples)
    monkeypatch.setitem(catalog._added, beside.entry.key, replace(beside, pairs=lambda: cases[:1]))
    assert list(builder(beside.entry.key)()) == cases[:1]


def test_what_is_no_entry_is_refused():
    for change, words in (
        ({"key": "nofamily"}, "^key = 'nofamily': expected family/name"),
        ({"key": "univariate/median"}, "^key = .*expected a key that no other entry has"),
        ({"examples": ()}, "^examples = .*expected at least one Example"),
    ):
        entry = replace(CATALOG["univariate/clipped-mean"], **{"key": "acme/clipped", **change})
        for made in (entry, Addition(entry=entry)):
            with pytest.raises(ArgumentError, match=words):
                register(made)
    with pytest.raises(ArgumentError, match=r"entry = .*Entry or Addition"):
        register("acme")
    assert not catalog._added
