"""The attack on a reader's own function: what it is called with, which neighbours, and a fixed seed.

A function that seeds itself repeats its outputs whatever stream it is given, so that no sample of it is
fresh and an ordinary audit refuses it. Here that is a finding: outputs that are a function of the rows alone,
and are others on a neighbour, keep no promise.
"""

from typing import Any

import numpy as np

from workbench.privacy import Budget
from workbench.study.audit.audit import FRESH, AuditReport, Mechanism, Pair, RepeatedError, audit
from workbench.study.audit.claims import epsilon_lower, mu_lower, rho_lower
from workbench.study.audit.events import rows
from workbench.study.audit.neighbours import neighbours
from workbench.study.comparing.own_function import OwnFunction, mechanism
from workbench.study.intervals import clopper_pearson
from workbench.study.profiles import AUDIT_CI, AUDIT_LEVEL, AuditPreset
from workbench.study.sweeps.streams import Role, stream


def audit_function(
    function: Any,
    pairs: Any,
    claim: Budget,
    *,
    preset: AuditPreset = AUDIT_CI,
    seed: int = 0,
    name: str = "function",
) -> AuditReport:
    """Attack a function, or an estimator, on pairs of neighbours.

    Parameters
    ----------
    function : callable
        `f(rows, rng)`, `f(rows, rng, budget)`, `f(rows, trials, rng)` or an estimator; answers are numbers,
        arrays or what estimators return, None for no answer.
    pairs : sequence
        Of `Pair`, of (first, second) or of (name, first, second), or a function that returns one.
    claim : Budget
        What is promised, and what the function is given as its budget.
    preset, seed
        How many runs, and the seed of all streams.
    name : str
        Of the report.

    Examples
    --------
    >>> from workbench import PureDP
    >>> def halved(rows, rng):
    ...     return rows.clip(0, 1).mean() + rng.laplace(scale=0.5 / len(rows))
    >>> audit_function(halved, [([0, 0, 0], [1, 0, 0])], PureDP(1.0)).violated
    True
    """
    listed = neighbours("pairs", pairs)
    attacked = mechanism(OwnFunction("function", function), claim)
    try:
        return audit(
            attacked,
            listed,
            claim,
            n_screen=preset.n_screen,
            n_train=preset.n_train,
            n_test=preset.n_test,
            seed=seed,
            name=name,
        )
    except RepeatedError as repeated:
        return _repeating(attacked, listed, claim, seed, name, repeated)


def _repeating(
    attacked: Mechanism, pairs: list[Pair], claim: Budget, seed: int, name: str, repeated: RepeatedError
) -> AuditReport:
    """Return the finding on a function whose outputs do not depend on its stream, if they do on the rows."""
    for pair in pairs:
        counts = _agreeing(attacked, pair, seed, name)
        if counts[0] == FRESH and not counts[1]:
            return _fixed(pair, claim, name, counts)
    raise repeated


def _agreeing(attacked: Mechanism, pair: Pair, seed: int, name: str) -> tuple[int, int]:
    """Return how many outputs on either data set are those of another stream on the first."""
    streams = (stream(seed, Role.CONFIRM, name, 0, block) for block in range(3))
    sets = (pair.first, pair.first, pair.second)
    known, *others = (rows(attacked(x.copy(), FRESH, rng)) for x, rng in zip(sets, streams, strict=True))
    first, second = (int((np.asarray(known) == other).all(axis=1).sum()) for other in others)
    return first, second


def _fixed(pair: Pair, claim: Budget, name: str, counts: tuple[int, int]) -> AuditReport:
    low, high = clopper_pearson(FRESH, FRESH, AUDIT_LEVEL)[0], clopper_pearson(0, FRESH, AUDIT_LEVEL)[1]
    return AuditReport(
        name=name,
        claim=claim,
        level=AUDIT_LEVEL,
        violated=True,
        eps_lower=float(epsilon_lower(low, high, getattr(claim, "delta", 0.0))),
        mu_lower=float(mu_lower(low, high)),
        rho_lower=float(rho_lower(low, high, getattr(claim, "delta", 0.0))),
        pair=pair.name,
        event="the outputs of another stream again: they are those of a fixed seed",
        counts=counts,
        trials=FRESH,
        runs=3 * FRESH,
    )
