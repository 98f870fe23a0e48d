"""The option `--entry` of pytest, loaded wherever the package is installed."""

from typing import Any


def pytest_addoption(parser: Any) -> None:
    """Add the option."""
    parser.addoption(
        "--entry",
        action="append",
        default=[],
        metavar="MODULE:OBJECT",
        help="run the contracts of workbench on an estimator: --pyargs workbench.contracts",
    )
