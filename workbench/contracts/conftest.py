"""Without an entry there is nothing to test here: `tests/contracts` goes through the catalog."""


def pytest_ignore_collect(collection_path, config):
    """Pass over the tests of an entry where none is named."""
    return True if collection_path.suffix == ".py" and not config.getoption("--entry", None) else None
