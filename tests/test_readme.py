"""README's set-up commands keep their promises; continuous integration runs the second one as it stands."""

import re

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


def test_pictures_and_links_of_the_readme_exist():
    text = README.read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)#]+)\)", text)
    assert targets
    missing = [target for target in targets if "://" not in target and not (README.parent / target).exists()]
    assert not missing
