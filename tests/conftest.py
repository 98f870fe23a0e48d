"""Takes deadlines from properties, and the options of the browser tests."""

from pathlib import Path

from hypothesis import settings

settings.register_profile("workbench", deadline=None)  # time is for benchmarks, not for properties
settings.load_profile("workbench")


def pytest_addoption(parser):
    parser.addoption(
        "--browser-output",
        default=Path(__file__).parents[1] / "build" / "browser",
        metavar="DIR",
        help="where the browser tests keep screenshots (emptied first)",
    )
