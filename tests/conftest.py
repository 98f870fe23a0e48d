"""Makes the shared kit importable and keeps tables of pivots small."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent / folder) for folder in (".", "contracts", "mutants")]

collect_ignore = ["lab/fakes"]  # stand-ins for child processes; importing them replaces the package


def pytest_addoption(parser):
    parser.addoption(
        "--browser-output",
        default=Path(__file__).parents[1] / "build" / "browser",
        metavar="DIR",
        help="where the browser tests keep screenshots and latencies (emptied first)",
    )
