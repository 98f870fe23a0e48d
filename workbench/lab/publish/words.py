"""Plain sentences as markdown."""

import re

SPECIAL = re.compile(r"([\\`*_\[\]|~$])")
FORMULA = re.compile(r"(\$[^$]+\$)")


def plain(words: str) -> str:
    r"""Return markdown that says just these words, on one line; formulas between dollars stay.

    >>> plain("an x_1 [a] *b* in $x_1$")
    'an x\\_1 \\[a\\] \\*b\\* in $x_1$'
    """
    parts = FORMULA.split(" ".join(words.split()).replace("<", "&lt;"))
    return "".join(part if FORMULA.fullmatch(part) else SPECIAL.sub(r"\\\1", part) for part in parts)
