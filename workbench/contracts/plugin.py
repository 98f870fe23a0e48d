"""The option `--entry` of pytest, for `-p workbench.contracts.plugin`: nobody else's pytest loads it."""


def pytest_addoption(parser):
    """Add the option."""
    parser.addoption(
        "--entry",
        action="append",
        default=[],
        metavar="MODULE:OBJECT",
        help="run the contracts of workbench on an estimator: --pyargs workbench.contracts",
    )
