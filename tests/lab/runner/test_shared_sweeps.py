"""How many claims read one sweep: as many may move when one of its runs flips (`lab.tolerance`)."""

from collections import Counter

import pytest

from workbench.chapters.registry import CLAIMS
from workbench.lab.differences import CLAIMS as MOST


@pytest.mark.daily
def test_no_sweep_is_read_by_more_claims_than_one_flipped_run_may_move():
    read = [{sweep.name for sweep in claim.sweeps()} for claim in CLAIMS.values()]
    readers = Counter(name for names in read for name in names)
    assert len(readers) > sum(map(bool, read))
    assert max(readers.values()) == MOST
