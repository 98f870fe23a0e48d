"""What `.ci/run` relies on: parts and turns of tests, README's commands, kernels of a processor."""

import re
from itertools import chain
from types import SimpleNamespace

import pytest
from hatchling.metadata.core import ProjectMetadata
from hatchling.plugin.manager import PluginManager

from conftest import on_turn, part, pytest_collection_modifyitems
from tests.machines import OWN, kernels
from tests.readme import README, commands
from workbench.study.pairs import KEYS

# `pytest --part K/N` and `turns(days)`: what is run in turn leaves nothing out and repeats nothing.


def chosen(names, of):
    left = []
    hook = SimpleNamespace(pytest_deselected=lambda items: left.extend(items))
    config = SimpleNamespace(option=SimpleNamespace(part=of), hook=hook)
    items = [SimpleNamespace(nodeid=name) for name in names]
    pytest_collection_modifyitems(config, items)
    found = [item.nodeid for item in items]
    assert sorted(found + [item.nodeid for item in left]) == sorted(names)
    return found


def test_every_test_is_in_one_part():
    names = [f"tests/test_a.py::test_b[{i}]" for i in range(4000)]
    parts = [chosen(names, (k, 4)) for k in range(4)]
    assert sorted(chain(*parts)) == sorted(names)
    assert all(900 < len(one) < 1100 for one in parts)


def test_of_so_many_days_each_test_has_one_and_every_part_of_its_tests_too():
    names = [f"tests/test_a.py::test_b[{i}]" for i in range(3000)]
    for place in (*names, *range(6)):
        assert sum(on_turn(place, 6, day) for day in range(740000, 740006)) == 1
    assert all(100 < sum(on_turn(name, 6) for name in chosen(names, (k, 3))) < 240 for k in range(3))


@pytest.mark.parametrize("words", ["4/4", "-1/4", "1", "a/b", "0/0", "1/2/3"])
def test_what_is_no_part_is_named(words):
    with pytest.raises(pytest.UsageError, match=f"^--part: {words}, allowed is K/N"):
        part(words)


def test_the_script_chooses_each_key_to_attack_on_one_day_of_eight(capsys):
    script = (README.parent / ".ci" / "run").read_text(encoding="utf-8")
    (code,) = re.findall(r'python -c "(from workbench[^"]*)"', script)
    for day in range(8):
        exec(code.replace("$((day % 8))", str(day)))
    assert sorted(capsys.readouterr().out.split()) == sorted(KEYS)


# README's set-up commands keep their promises; continuous integration runs the second one as it stands.


def test_commands_install_and_run_what_they_say():
    look, test = commands()["look"], commands()["test"]
    assert '-e ".[lab]"' in look
    assert look.endswith("workbench reproduce")
    assert '".[lab,test]"' in test
    assert test.endswith("pytest")


def test_examples_run_and_show_what_they_say(capsys):
    text = README.read_text(encoding="utf-8")
    names = {}
    for block in re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL):
        exec(compile(block, "README.md", "exec"), names)
    printed = capsys.readouterr().out
    promised = re.findall(r"# prints (.*)$", text, flags=re.MULTILINE)
    assert len(promised) == 2
    assert [words for words in promised if words not in printed] == []


def links(text):
    return re.findall(r"(!?)\[[^]]*\]\(([^)]+)\)", text)


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "EXTENDING.md"])
def test_links_lead_to_files_here(name):
    text = (README.parent / name).read_text(encoding="utf-8")
    here = [target.partition("#")[0] for _, target in links(text)]
    assert here or name == "EXTENDING.md"
    assert [target for target in here if not (README.parent / target).exists()] == []


def test_links_lead_on_an_index_to_files_of_the_repository(monkeypatch):
    url, text = "https://host/owner/name", README.read_text(encoding="utf-8")

    def built():
        return ProjectMetadata(str(README.parent), PluginManager()).core.readme

    monkeypatch.setenv("WORKBENCH_URL", f"{url}/")
    wanted = [(sign, f"{url}/{'raw' if sign else 'blob'}/main/{target}") for sign, target in links(text)]
    assert links(built()) == wanted
    monkeypatch.delenv("WORKBENCH_URL")
    assert "](" not in built()
    assert built().count("```") == text.count("```")


def test_the_kernels_of_a_processor():
    for flags, machine, found in (
        ("fpu pni avx avx2", "x86_64", ["Prescott", "Haswell"]),
        ("fpu pni avx avx2 avx512f avx512vl", "x86_64", ["Prescott", "Haswell", "SkylakeX"]),
        ("fpu", "x86_64", [OWN]),
        ("fpu pni avx2", "aarch64", [OWN]),
    ):
        assert kernels(f"model name : a\nflags\t\t: {flags}\nbugs : avx512f", machine) == found
        assert kernels("", machine) == [OWN]
