"""The planner is right about who errs least, and about how many rows that takes."""

from dataclasses import asdict

import pandas as pd

from workbench.chapters.which_one import runs
from workbench.study.claim import Claim
from workbench.study.measures import at, between, median, near, ratio
from workbench.study.profiles import claim_level
from workbench.study.rules import Verdict

MORE = 1.15  # times the median error of any other: predictions are models, good to 15 %


def names_the_best(*frames: pd.DataFrame) -> list[Verdict]:
    """Return the checks: the named estimator against each other one that answers, at every setting."""
    frame = pd.concat(frames)
    return [verdict for one in runs.SETTINGS for verdict in _against(frame, one)]


def _against(frame: pd.DataFrame, one: runs.Setting) -> list[Verdict]:
    there = at(frame, **asdict(one))
    (_, best), *others = one.ranked
    level = claim_level(parts=2)
    sizes = {key: median(there.loc[there["key"] == key, "error"], level) for _, key in one.ranked}
    return [
        between(f"{best} against {key}, d = {one.d}", ratio(sizes[best], sizes[key]), 0.0, MORE, n=one.n)
        for _, key in others
    ]


def rows_are_enough(frame: pd.DataFrame) -> list[Verdict]:
    """Return the checks: at the rows that are named the median error is α, to the model's tolerance."""
    checks = []
    for point in runs.named().points:
        some = at(frame, **point)
        name = f"{point['key']}, d = {point['d']}, ε = {point['epsilon']:g}"
        checks.append(near(name, median(some["error"], claim_level()), runs.ALPHA, n=int(point["n"])))
    return checks


CLAIMS = (
    Claim(
        "which-one/names-the-best",
        "Y1",
        ("proofs/univariate.md", "proofs/gaussian_steps.md"),
        "Of all means for which a range and σ suffice, the one of least predicted error has a median error of"
        " at most 1.15 times that of every other in runs: n = 400 .. 2000, d = 1, 3, 10, ε = .2 .. 1,"
        " R = 10 .. 1000.",
        checks=names_the_best,
        sweeps=runs.compared,
        kind="ours",
    ),
    Claim(
        "which-one/rows-are-enough",
        "Y2",
        ("proofs/univariate.md", "proofs/gaussian_steps.md"),
        "At the fewest rows that the planner names for α = .2, the median error of the estimator it names is"
        " .2 (± 15 %), d = 1, 3, 10.",
        checks=rows_are_enough,
        sweeps=lambda: (runs.named(),),
        kind="ours",
    ),
)
