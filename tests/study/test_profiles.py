import json
import math
from pathlib import Path

import pytest

from workbench.errors import ArgumentError
from workbench.study import profiles
from workbench.study.profiles import PROFILES, blocks, claim_level


def test_levels_add_up_to_the_overall_level():
    assert math.fsum([claim_level()] * profiles.CLAIM_CHECKS) == pytest.approx(profiles.CLAIM_LEVEL)
    with pytest.raises(ArgumentError):
        claim_level(0)


@pytest.mark.parametrize("full", [1, 3, 70, 1000])
def test_smaller_profiles_have_no_more_blocks(full):
    counts = [blocks(full)[name] for name in PROFILES]
    assert counts == sorted(counts)
    assert counts[0] >= 1
    assert blocks(full)["full"] == full


def test_all_committed_claims_together_keep_the_overall_level():
    files = sorted((Path(__file__).parents[2] / "figures").glob("*/verdicts.json"))
    claims = [claim for path in files for claim in json.loads(path.read_text(encoding="utf-8"))["full"]]
    assert len(claims) >= 16
    assert 0 < math.fsum(claim["level"] for claim in claims) <= profiles.CLAIM_LEVEL
