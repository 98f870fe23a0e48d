"""Prints the oldest versions that pyproject.toml allows, as constraints for pip."""

import re
import tomllib
from itertools import chain
from pathlib import Path

LOWER = re.compile(r"^([\w.-]+)>=([\w.]+)$")


def constraints(project):
    """Return `name==version` for every lower bound of a project's dependencies and extras."""
    wanted = [*project["dependencies"], *chain(*project["optional-dependencies"].values())]
    return ["{}=={}".format(*LOWER.match(one).groups()) for one in wanted]


if __name__ == "__main__":
    text = (Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    print("\n".join(constraints(tomllib.loads(text)["project"])))
