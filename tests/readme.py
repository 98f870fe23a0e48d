"""The set-up commands of README, for the tests and for continuous integration (`readme.py test`)."""

import re
import sys
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def commands() -> dict[str, str]:
    """The two commands of the first screen, by what they are for."""
    blocks = re.findall(r"```sh\n(.*?)```", README.read_text(encoding="utf-8"), flags=re.DOTALL)
    setup = [block.strip() for block in blocks if "-m venv" in block]
    look, test = setup
    return {"look": look, "test": test}


if __name__ == "__main__":
    print(commands()[sys.argv[1]])
