"""The commands, in the order of the help: each module has `add`, which adds its parser.

Everything else a command needs is imported when it runs, so that `workbench --help` loads nothing heavy.
"""

from importlib import import_module
from types import ModuleType

from workbench.commands.examples import EXAMPLES

COMMANDS: tuple[ModuleType, ...] = tuple(import_module(f"{__name__}.{name}") for name in EXAMPLES)
