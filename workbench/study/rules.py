"""The rules that reach verdicts.

Every rule is a pure function. REFUTED is reserved for evidence: a true claim is refuted with probability at
most `level`. HOLDS needs evidence, too: the test would have noticed a violation of a stated size. A bound
that is certainly not reached is NOT CONTRADICTED: nothing shows that it has the right form. Everything else
is UNDECIDED, and asks for more trials.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from enum import StrEnum
from inspect import signature
from itertools import combinations
from math import fsum, hypot, inf, isfinite, sqrt
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from workbench.errors import ArgumentError, integer_at_least, one_of, probability
from workbench.special import bdtrc, betainccinv, betaincinv, ndtr, stdtrit
from workbench.study.sweeps import Sweep, run
from workbench.types import frozen, public, reals

if TYPE_CHECKING:
    import pandas as pd

    from workbench.study.scaling import Scaling

Interval = tuple[float, float]

# Verdicts on claims: what was decided, by which test, at which level, from how much evidence.


NOT_FINITE = ("inf", "-inf", "nan")  # how JSON spells them


class Status(StrEnum):
    """What the evidence says."""

    HOLDS = "HOLDS"
    REFUTED = "REFUTED"
    UNDECIDED = "UNDECIDED"
    NOT_CONTRADICTED = "NOT CONTRADICTED"


WORST_FIRST = (Status.REFUTED, Status.UNDECIDED, Status.NOT_CONTRADICTED, Status.HOLDS)


@public
class Verdict:
    """A decision, with all that is needed to judge it."""

    id: str = ""  # the claim; rules leave them empty, `about` fills them in
    statement: str = ""
    status: Status  # the decision
    test: str  # the rule
    level: float  # probability, at most, that a true claim is refuted
    n: int | None = None  # sample size at which the claim was tested; None if there were several
    trials: int  # independent repetitions
    estimate: float  # what was measured
    interval: Interval
    bound: float  # what the claim says: a bound or a prediction
    detail: Mapping[str, Any]  # what else the rule used; numbers, strings, lists and mappings

    def about(self, id: str, statement: str, *, n: int | None = None) -> "Verdict":
        return replace(self, id=id, statement=statement, n=self.n if n is None else n)

    def record(self) -> dict[str, Any]:
        """Return plain values for JSON in a fixed order; inf and nan are strings."""
        return {field.name: _encode(getattr(self, field.name)) for field in fields(self)}


Checks = Iterable[Verdict]
"""What a claim comes to: all of them must hold."""


def _encode(value: Any) -> Any:
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _encode(value[key]) for key in sorted(value)}
    if isinstance(value, list | tuple):
        return [_encode(entry) for entry in value]
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    if isinstance(value, str) and value in NOT_FINITE:
        raise ArgumentError("detail", value, "no string that spells a number")
    if isinstance(value, str):
        return str(value)  # a status, too
    if value is None or isinstance(value, bool | int | float):
        return value
    raise ArgumentError("detail", value, "numbers, strings, lists and mappings")


CLAIM_LEVEL = 6e-3
"""False refutations over all published claims: smaller protects true claims and leaves more undecided."""

CLAIM_CHECKS = 1200
"""Checks that share `CLAIM_LEVEL`: more leaves room for new claims and gives each less power."""


def claim_level(checks: int = CLAIM_CHECKS, overall: float = CLAIM_LEVEL, *, parts: int = 1) -> float:
    """Return the level of one check out of `checks`, so that all together stay at `overall` (union bound).

    Where several checks or intervals share the level of one, each is a share of it, one of `parts`.

    The default count is fixed in advance and not counted from the claims that exist: adding a claim must not
    change the level, and with it the verdict, of another one.

    >>> claim_level(30)
    0.0002
    """
    integer_at_least(1, checks=checks, parts=parts)
    probability(overall=overall)
    return overall / checks / parts


CHECK_LEVEL = claim_level()
"""Of one check of a claim, unless it shares it with others."""


def clopper_pearson(k: int, n: int, level: float) -> Interval:
    """Return the exact interval for a probability after k successes in n trials, level / 2 on each side.

    >>> low, high = clopper_pearson(0, 100, 0.05)
    >>> low, round(high, 4)  # 1 - 0.025 ** (1 / 100)
    (0.0, 0.0362)
    """
    integer_at_least(0, k=k)
    integer_at_least(max(1, k), n=n)
    probability(level=level)
    low = float(betaincinv(k, n - k + 1, level / 2)) if k > 0 else 0.0
    high = float(betainccinv(k + 1, n - k, level / 2)) if k < n else 1.0
    return low, high


POWER = 0.99  # to notice a violation by `factor`, before a claim holds


def at_most(failures: int, trials: int, beta: float, level: float, *, factor: float = 2.0) -> Verdict:
    """Decide 'the failure probability is at most beta' by the exact one-sided binomial test.

    REFUTED iff failures reach the smallest k with P(Bin(trials, beta) >= k) <= level, which is iff the lower
    end of the Clopper-Pearson interval, with `level` on each side, reaches beta. HOLDS iff not refuted, and a
    failure probability of factor * beta (recorded as `detects`) would have been refuted with probability
    `POWER`. At the level of one claim (5e-6) and factor 2, beta = 0.1 needs 561 trials, beta = 0.05 1212.
    """
    integer_at_least(0, failures=failures)
    integer_at_least(max(1, failures), trials=trials)
    probability(beta=beta, level=level)
    if not factor > 1:
        raise ArgumentError("factor", factor, "a number above 1")
    k, detects = refuted_from(trials, beta, level), min(1.0, factor * beta)
    power = bdtrc(k - 1, trials, detects)
    return Verdict(
        status=Status.REFUTED if failures >= k else Status.HOLDS if power >= POWER else Status.UNDECIDED,
        test="binomial, at most",
        level=level,
        trials=trials,
        estimate=failures / trials,
        interval=clopper_pearson(failures, trials, 2 * level),
        bound=beta,
        detail={"failures": failures, "refuted_from": k, "detects": detects, "power": power},
    )


def refuted_from(trials: int, beta: float, level: float) -> int:
    """Return the smallest k with P(Bin(trials, beta) >= k) <= level; trials + 1 if there is none.

    >>> refuted_from(200, 0.1, 1e-3 / 10)
    38
    """
    tails = bdtrc(np.arange(trials + 1) - 1, trials, beta)  # P(at least k), falling in k
    return int((tails > level).sum())


def alike(groups: Sequence[ArrayLike], level: float, *, factor: float) -> Verdict:
    """Decide 'these independent samples have one mean' by Welch's t-test of every pair.

    Samples are positive, of two entries or more, not all of them equal. REFUTED iff some pair is further
    apart than at level / pairs for each of them, with the degrees of freedom of the smallest sample alone,
    fewer than Welch's. HOLDS iff not refuted, and a sample of `factor` times the mean and the spread of
    another (recorded as `detects`) would have been refuted with probability `POWER`. The estimate is the
    largest difference of two means in its standard errors, the bound what refutes.
    """
    samples = [reals(group) for group in groups]
    means = [sample.mean() for sample in samples]
    own = [sample.std(ddof=1) / sqrt(len(sample)) for sample in samples]
    pairs = [(a, b, hypot(own[a], own[b])) for a, b in combinations(range(len(samples)), 2)]
    apart = max(abs(means[a] - means[b]) / error for a, b, error in pairs)
    most = -stdtrit(min(map(len, samples)) - 1, level / (2 * len(pairs)))
    noticed = min((factor - 1) * min(means[a], means[b]) / (factor * error) for a, b, error in pairs)
    power = ndtr(noticed - most)
    return Verdict(
        status=Status.REFUTED if apart > most else Status.HOLDS if power >= POWER else Status.UNDECIDED,
        test="Welch's t, all pairs",
        level=level,
        trials=sum(map(len, samples)),
        estimate=apart,
        interval=(apart, apart),
        bound=most,
        detail={"pairs": len(pairs), "means": means, "detects": factor, "power": power},
    )


def compare(interval: Interval, low: float, high: float) -> Status:
    """Return HOLDS if the whole interval lies in [low, high], REFUTED if none of it does, else UNDECIDED.

    >>> [str(compare(interval, 0, 1)) for interval in [(0.2, 0.3), (1.1, 1.4), (0.9, 1.1)]]
    ['HOLDS', 'REFUTED', 'UNDECIDED']
    """
    if interval[0] > interval[1]:
        raise ArgumentError("interval", interval, "a lower and an upper end")
    if low <= interval[0] and interval[1] <= high:
        return Status.HOLDS
    return Status.REFUTED if interval[1] < low or interval[0] > high else Status.UNDECIDED


def combine(verdicts: Sequence[Verdict], trials: int | None = None) -> Verdict:
    """Decide a claim made of several checks: it is what the worst of them is; the levels add up.

    The estimate, interval and bound shown are those of the first check that decides; all stand in the
    detail. `trials` is the number of distinct ones where checks share them; by default they are added up.
    """
    if not verdicts:
        raise ArgumentError("verdicts", verdicts, "at least one verdict")
    statuses, sizes = {verdict.status for verdict in verdicts}, {verdict.n for verdict in verdicts}
    status = next(one for one in WORST_FIRST if one in statuses)
    shown = next(verdict for verdict in verdicts if verdict.status == status)
    named = f"{shown.id} ({shown.test})" if shown.id else shown.test
    return replace(
        shown,
        id="",
        statement="",
        test=f"all of {len(verdicts)} checks; shown: {named}",
        level=fsum(verdict.level for verdict in verdicts),
        n=sizes.pop() if len(sizes) == 1 else shown.n,
        trials=sum(verdict.trials for verdict in verdicts) if trials is None else trials,
        detail={"checks": [dict(vars(verdict)) for verdict in verdicts]},
    )


# Sample sizes beside a verdict: what a statement's formula says, and what was measured.
#
# A size stands in the detail of a check, under `sizes`, so that the table of all of them can be made from the
# committed verdicts alone.


SizeKind = Literal["searched", "error", "tried", "planned"]
ENOUGH = {Status.HOLDS: (0.0, 1.0), Status.REFUTED: (1.0, inf), Status.UNDECIDED: (0.0, inf)}


class Complexity(NamedTuple):
    """One n."""

    statement: str  # id of the numbered statement
    formula: str  # its n in words or symbols, the same for all settings
    predicted: float  # the formula's value; nan if it rests on a measured n that the grid does not bracket
    # the n that was measured, nan likewise. An interval from 0 to the estimate says that so many rows are
    # enough; one from the estimate to infinity that they are not.
    estimate: float
    interval: Interval
    # `searched`: n moved until the wanted share of runs succeeded. `error`: converted from an error at one n,
    # by its rate. `tried`: n rows are enough, or not. `planned`: what a plan asks for, without a run.
    kind: SizeKind = "searched"


def sized(check: Verdict, *sizes: Complexity) -> Verdict:
    """Return the check with these sizes in its detail, after those that it has."""
    found = [*check.detail.get("sizes", ()), *(size._asdict() for size in sizes)]
    return replace(check, detail={**check.detail, "sizes": found})


def beside(
    check: Verdict,
    statement: str,
    formula: str,
    predicted: float,
    found: Any,
) -> Verdict:
    """Return the check with the n that was found, a measure or a crossing, beside what a formula says."""
    return sized(check, Complexity(statement, formula, predicted, found.estimate, found.interval))


def enough(
    check: Verdict, statement: str, formula: str, n: int | None = None, predicted: float | None = None
) -> Verdict:
    """Return a check at n rows, its own by default, with what it decides: enough, or not, or it is open.

    What the formula says is `predicted`, by default n itself: the rows of a plan.
    """
    rows = float((check.n or 0) if n is None else n)
    low, high = (rows * end for end in ENOUGH[check.status])
    formula_rows = rows if predicted is None else float(predicted)
    return sized(check, Complexity(statement, formula, formula_rows, rows, (low, high), "tried"))


def in_proportion(check: Verdict, statement: str, formula: str, power: float = 1.0) -> Verdict:
    """Return a check of an error in n^-power with the n at which it would be the predicted one.

    The measured error at n rows is to its prediction as the n that the latter needs is to n, to that power.
    """
    n = float(check.n or 0)
    low, rows, high = (
        n * max(size / check.bound, 0.0) ** (1 / power)
        for size in (check.interval[0], check.estimate, check.interval[1])
    )
    return sized(check, Complexity(statement, formula, n, rows, (low, high), "error"))


# Checks of numbers that are computed and not sampled: they use up no level.


def largest(name: str, values: Iterable[float], bound: float, statement: str) -> Verdict:
    found = list(values)
    return Verdict(
        status=compare((max(found), max(found)), -inf, bound),
        test="largest value over a grid",
        level=0.0,
        trials=len(found),
        estimate=max(found),
        interval=(min(found), max(found)),
        bound=bound,
        detail={},
    ).about(name, statement)


# Claims for any spectrum: what is decided for each of several is said of the worst, the supremum.


def supremum(
    name: str, frame: "pd.DataFrame", failed: "pd.Series[bool]", beta: float, *, factor: float, n: int
) -> Verdict:
    """Decide 'for no spectrum it fails with probability above beta', by the exact test of each (`at_most`).

    The frame has as many runs of every `spectrum`. Shown is the one with the most failures; the levels of
    all add up, and the detail has every share.
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


# What a claim is: a published statement and the experiment that decides it.


Kind = Literal["source", "ours"]


@frozen
class Claim:
    """A statement that is executed."""

    id: str  # stable id: the chapter and what is said, such as `one-mean/flat-in-radius`
    number: str  # its short number, such as `G2`
    sources: tuple[str, ...]  # ids of the numbered statements it tests
    statement: str  # one line, with its constants
    # called with the tables of the sweeps, then with every scaling and what was found of it, and with `seed=`
    # if it has that parameter, because it resamples. Returns the checks that must all hold; or a verdict,
    # where trials are counted in another way.
    checks: Callable[..., Checks | Verdict]
    # returns what is run, by name and late, so that grids are placed when they are first needed. A sweep that
    # has no blocks under a profile is left out there.
    sweeps: Callable[[], Iterable[Sweep]] = tuple
    scalings: Callable[[], "Iterable[Scaling]"] = tuple  # returns what is searched, likewise
    # the committed status under the profile full: a refutation is a result, committed with its reason
    expected: Status = Status.HOLDS
    reason: str = ""  # why, for anything but HOLDS
    kind: Kind = "source"  # `source`: what a source says. `ours`: what we say.

    def __post_init__(self) -> None:
        one_of(get_args(Kind), kind=self.kind)
        if not self.sources:
            raise ArgumentError("sources", self.sources, "at least one numbered statement")
        if self.expected is not Status.HOLDS and not self.reason:
            raise ArgumentError("reason", self.reason, f"why {self.id} is expected to be {self.expected}")

    def decide(self, profile: str, seed: int) -> Verdict:
        """Run the sweeps and searches, and return the verdict; the trials are the rows of the tables."""
        from workbench.study.scaling import measured  # with the planner and the catalog

        wanted = (sweep.under(profile) for sweep in self.sweeps() if profile in sweep.blocks)
        frames = [run(sweep, profile, seed=seed) for sweep in wanted]
        seeded = {"seed": seed} if "seed" in signature(self.checks).parameters else {}
        scalings = [scaling for scaling in self.scalings() if profile in scaling.caps]
        growths = list(zip(scalings, measured(scalings, profile, seed=seed), strict=True))
        found = self.checks(*frames, *growths, **seeded)
        if isinstance(found, Verdict):
            return found
        runs = sum(map(len, frames)) + sum(least.runs for _, leasts in growths for least in leasts)
        return combine(list(found), runs or None)
