"""What a private mean says about its members, whichever it is: the claim of chapter 01 on the catalog."""

import pandas as pd

from workbench.chapters.what_epsilon_means.runs.every_mean import BUDGET, EVERY_MEAN, EXACT, HARDLY_ANY, WHOLE
from workbench.study import measures
from workbench.study.claim import Claim
from workbench.study.measures import between
from workbench.study.rules import Verdict
from workbench.study.tracing import most_traced

SEED = 31  # of resampling


def members_are_hidden(frame: pd.DataFrame) -> list[Verdict]:
    """Return the checks: below the bound with its noise, above it without noise and for exact means."""
    most, checks = most_traced(BUDGET), []
    for (key, share), some in frame.groupby(["key", "noise_share"], sort=False):
        hidden = share == WHOLE and key not in EXACT
        name = f"{key}, noise times {HARDLY_ANY:g}" if share == HARDLY_ANY else str(key)
        ends = (0.0, most) if hidden else (most, 1.0)
        checks.append(between(name, _share(some, name), *ends, bound=most, n=int(some["n"].iloc[0])))
    return checks


def _share(some: pd.DataFrame, name: str) -> measures.Measure:
    found = measures.summary(measures.mean, some["traced"], SEED, f"tracing {name}")
    low, high = found.interval
    return found._replace(interval=(max(low, 0.0), min(high, 1.0)))


CLAIMS = (
    Claim(
        "what-epsilon-means/every-mean-hides-members",
        "X7",
        ("DSSUV15/tracing",),
        "Of ten private means of the catalog, at (1, 10⁻⁶) and with as many columns as rows or more, a"
        " member's score is among the highest 5 % of strangers' in at most e/20 + 10⁻⁶ = .136 of all cases."
        " With a millionth of the noise it is in more, as it is for exact means.",
        checks=members_are_hidden,
        sweeps=lambda: (EVERY_MEAN,),
        kind="ours",
    ),
)
