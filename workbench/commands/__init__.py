"""The commands, in the order of the help: each module has `add`, which adds its parser.

Everything else a command needs is imported when it runs, so that `workbench --help` loads nothing heavy.
"""

from types import ModuleType

from workbench.commands import (
    audit,
    bench,
    check,
    estimate,
    lab,
    list,
    plan,
    reproduce,
    slides,
    sources,
    verdicts,
)

COMMANDS: tuple[ModuleType, ...] = (
    list,
    sources,
    estimate,
    plan,
    audit,
    bench,
    reproduce,
    verdicts,
    check,
    slides,
    lab,
)
