"""Claims for any spectrum: what is decided for each of several is said of the worst of them, the supremum."""

from dataclasses import replace
from math import fsum

import pandas as pd

from workbench.study.profiles import claim_level
from workbench.study.rules import Verdict, at_most


def supremum(
    name: str, frame: pd.DataFrame, failed: "pd.Series[bool]", beta: float, *, factor: float, n: int
) -> Verdict:
    """Decide 'for no spectrum it fails with probability above beta', by the exact test of each.

    Parameters
    ----------
    name : str
        Of the check.
    frame : DataFrame
        Runs, as many of every `spectrum`.
    failed : series of bool
        Which of them failed.
    beta, factor, n
        As of `rules.at_most` and `Verdict.about`.

    Returns
    -------
    Verdict
        That of the spectrum with the most failures; the levels of all add up. Its detail has every share.
    """
    found = {
        str(spectrum): at_most(int(one.sum()), len(one), beta, claim_level(), factor=factor)
        for spectrum, one in failed.groupby(frame["spectrum"], sort=False)
    }
    worst = max(found.values(), key=lambda one: one.estimate)
    shares = {spectrum: one.estimate for spectrum, one in found.items()}
    return replace(
        worst,
        level=fsum(one.level for one in found.values()),
        trials=len(frame),
        detail={**worst.detail, "shares": shares},
    ).about(name, f"whatever the spectrum, the worst of {len(found)}", n=n)
