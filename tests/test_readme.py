"""README's set-up commands keep their promises; continuous integration runs the second one as it stands."""

import re

from hatchling.metadata.core import ProjectMetadata
from hatchling.plugin.manager import PluginManager

from tests.readme import README, commands


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


def test_links_lead_to_files_here_and_on_an_index_to_those_of_the_repository(monkeypatch):
    url = "https://host/owner/name"
    monkeypatch.setenv("WORKBENCH_URL", f"{url}/")
    built = ProjectMetadata(str(README.parent), PluginManager()).core.readme
    here, there = (
        re.findall(r"(!?)\[[^]]*\]\(([^)]+)\)", text) for text in (README.read_text(encoding="utf-8"), built)
    )
    assert here
    assert there == [(sign, f"{url}/{'raw' if sign else 'blob'}/main/{target}") for sign, target in here]
    assert [target for _, target in here if not (README.parent / target.partition("#")[0]).exists()] == []
    monkeypatch.delenv("WORKBENCH_URL")
    alone = ProjectMetadata(str(README.parent), PluginManager()).core.readme
    assert "](" not in alone
    assert alone.count("```") == README.read_text(encoding="utf-8").count("```")
