"""The contracts of an estimator from outside: `pytest --pyargs workbench.contracts --entry module:object`."""

from unittest import SkipTest

from workbench.catalog import addition, register
from workbench.contracts import CONTRACTS, REFERENCE
from workbench.contracts.kit import cases
from workbench.study.parameters import loaded


def pytest_generate_tests(metafunc):
    """Run every contract on every example of the entries that are named."""
    entries = [register(loaded("entry", one)).entry for one in metafunc.config.getoption("--entry")]
    if "contract" in metafunc.fixturenames:
        found = {
            f"{words}-{contract.__name__}": (one, contract)
            for private, contracts in ((True, CONTRACTS), (False, REFERENCE))
            for _, one, words in cases(entries, private)
            for contract in contracts
        }
        metafunc.parametrize(("example", "contract"), found.values(), ids=found)
    else:
        metafunc.parametrize("key", [entry.key for entry in entries])


def test_contract(example, contract):
    """Fail on a breach; pass over what has nothing to try, with the reason (`pytest -rs` shows it)."""
    if nothing := contract(example):
        raise SkipTest(nothing)


def test_nothing_is_missing(key):
    """Say what the commands would ask for."""
    own = addition(key)
    assert own is None or not own.missing, f"{key} lacks {', '.join(own.missing)}: see EXTENDING.md"
