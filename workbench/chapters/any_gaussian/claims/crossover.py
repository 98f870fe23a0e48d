"""Where the votes' d² overtakes the iteration's d^2.5: by planned n alone, ours.

Nobody can run what is compared here: the votes' planned n is some ten times that of the iteration wherever
both fit into memory, and at the dimension at which they could meet both are above 10¹⁰ rows.
"""

from functools import lru_cache

import numpy as np

from workbench.chapters.any_gaussian.runs import votes
from workbench.estimators.populous import PopulousCovariance
from workbench.estimators.unbounded import UnboundedCovariance
from workbench.study.claim import Claim
from workbench.study.intervals import local_slope
from workbench.study.measures import certain
from workbench.study.rules import Verdict
from workbench.study.search import fewest_rows

DIMENSIONS = (5, 10, 20)
FASTER = 2.5 - 2.0  # by which exponent the iteration's n grows faster, if both grow as stated
NOT_BEFORE = 1000.0  # dimensions


@lru_cache(maxsize=8)
def ratio(d: int) -> float:
    """Return the fewest rows of `covariance/unbounded` over those of `covariance/populous`."""
    ours, theirs = (
        fewest_rows(one, d, votes.BUDGET) for one in (UnboundedCovariance(), PopulousCovariance())
    )
    return ours / theirs


def meeting(ratios: list[float], power: float) -> float:
    """Return the d at which the last ratio, growing as this power of d from there on, is 1."""
    return float(DIMENSIONS[-1] * ratios[-1] ** (-1 / power))


def they_meet_far_out() -> list[Verdict]:
    """Return the checks of any-gaussian/votes-overtake-late; nothing is random."""
    ratios = [ratio(d) for d in DIMENSIONS]
    growth = local_slope(DIMENSIONS, ratios)
    return [
        certain("rows of the iteration over those of votes", float(np.max(ratios)), 0.0, 1.0),
        certain("exponent of that ratio in d", growth, 0.0, FASTER),
        certain("they meet at d, if the ratio grew as √d", meeting(ratios, FASTER), NOT_BEFORE, np.inf),
        certain("the same by the exponent of the planned n", meeting(ratios, growth), NOT_BEFORE, np.inf),
    ]


CLAIMS = (
    Claim(
        "any-gaussian/votes-overtake-late",
        "N39",
        ("AL22/KMSSU22",),
        "Planned n (nothing of this size can be run): covariance/unbounded asks for fewer rows than"
        " covariance/populous at d = 5, 10, 20, their ratio grows with d, by less than √d, and they meet"
        " at no d below 1000: (1, 1e-6).",
        checks=they_meet_far_out,
        kind="identity",
    ),
)
