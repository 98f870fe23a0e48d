"""The search for the worst spectrum: how bad "any covariance" can be for one estimator.

    (1) screen: every spectrum of the family by name (`populations.spectra`), all on the same trials
    (2) climb from the worst few: the logarithms of the gaps change at random, on the same trials, and the
        change is kept where the error grows; steps are longer after a success and shorter after a failure
    (3) confirm the worst of all on fresh trials, beside the round spectrum

A trial draws its axes, rows and noise from its own stream, the same for every spectrum, so that spectra are
compared in pairs. What is worst on the trials of (1) and (2) is so partly by chance; those of (3) have no
part in the choice. The worst spectrum that is found is a lower bound of the supremum, whatever that is.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from math import fsum, log
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.random import Generator

from workbench.errors import integer_at_least, probability
from workbench.populations.spectra import LONGEST, Gaps, Spectrum, family
from workbench.study.intervals import Interval
from workbench.study.quantiles import quantile, quantile_interval
from workbench.study.sweeps.streams import Role, stream

Trial: TypeAlias = Callable[[Spectrum, Generator, Generator], tuple[float, float]]

LEAST_GAP = log(1.1)  # what a gap of 0 counts as where it is multiplied
STEP, LONGER, SHORTER = 0.5, 1.5, 0.9  # of the logarithm of a gap: first, after success, after failure


class Measured(NamedTuple):
    """The errors of one spectrum: the wanted quantile, its interval, that of the plain estimate, answers.

    Attributes
    ----------
    error, interval : float, tuple of float
        Infinite where so many trials have no answer.
    plain : float
        The same quantile without privacy, on the same rows.
    answered : float
        The share of trials with an answer.
    """

    error: float
    interval: Interval
    plain: float
    answered: float


class Worst(NamedTuple):
    """What a search has found: a spectrum, measured on fresh trials, and how many were tried for it."""

    spectrum: Spectrum
    measured: Measured
    round: Measured
    tried: int


@dataclass(frozen=True, kw_only=True)
class Search:
    """A search; the same for a seed whoever runs it.

    Parameters
    ----------
    name : str
        Of the study; part of every stream.
    trial : callable
        `(spectrum, data, noise) -> (error, plain)`: one run, and the error of the plain estimate of its rows;
        an infinite error is no answer.
    d : int
        Dimension, 2 or more.
    longest : float
        The largest condition number.
    fixed : mapping of int to float
        Logarithms of gaps that do not change: the k-th is that behind λ_k.
    share : float
        The quantile of the error that is to be large, .5 for the median.
    silent : bool
        Whether no answer counts as no error: only wrong answers are sought.
    screened, starts, steps, confirmed : int
        Trials of every spectrum in (1) and (2), how many of them (2) climbs from, how long, trials of (3).
    level : float
        Probability that an interval misses.
    """

    name: str
    trial: Trial
    d: int
    longest: float = LONGEST
    fixed: Mapping[int, float] = field(default_factory=dict)
    share: float = 0.5
    silent: bool = False
    screened: int = 40
    starts: int = 3
    steps: int = 40
    confirmed: int = 400
    level: float = 0.05

    def __post_init__(self) -> None:
        integer_at_least(2, d=self.d)
        integer_at_least(1, screened=self.screened, starts=self.starts, confirmed=self.confirmed)
        integer_at_least(0, steps=self.steps)
        probability(share=self.share, level=self.level)

    def run(self, seed: int) -> Worst:
        """Return the worst spectrum that is found."""

        @cache
        def score(gaps: Gaps) -> float:
            return self.measure(gaps, seed, Role.SCREEN, self.screened).error

        screened = self.family()
        worst = sorted(screened, key=lambda spectrum: -score(spectrum.log_gaps))[: self.starts]  # (1)
        climbed = [self.climb(start, score, seed, place) for place, start in enumerate(worst)]  # (2)
        found = max([*worst, *climbed], key=lambda spectrum: score(spectrum.log_gaps))
        measured, round_ = (  # (3)
            self.measure(spectrum.log_gaps, seed, Role.CONFIRM, self.confirmed)
            for spectrum in (found, screened[0])
        )
        return Worst(found, measured, round_, score.cache_info().currsize)

    def family(self) -> tuple[Spectrum, ...]:
        """Return the spectra of the screen, with the fixed gaps in their places; the first is round."""
        found: dict[Gaps, Spectrum] = {}
        for spectrum in family(self.d, self.longest):
            gaps = self.allowed(spectrum.log_gaps)
            found.setdefault(gaps, replace(spectrum, log_gaps=gaps))
        return tuple(found.values())

    def allowed(self, gaps: Gaps) -> Gaps:
        """Return gaps with the fixed ones in their places, the others shorter if they are too long."""
        free = fsum(gap for k, gap in enumerate(gaps, 1) if k not in self.fixed)
        left = log(self.longest) - fsum(self.fixed.values())
        shrink = min(1.0, left / free) if free else 1.0
        return tuple(self.fixed.get(k, shrink * gap) for k, gap in enumerate(gaps, 1))

    def climb(self, start: Spectrum, score: Callable[[Gaps], float], seed: int, place: int) -> Spectrum:
        """Return the spectrum that step (2) reaches from a start."""
        rng, gaps, step = stream(seed, Role.ADVERSARY, self.name, place, 0), start.log_gaps, STEP
        for _ in range(self.steps):
            moved = np.maximum(gaps, LEAST_GAP) * np.exp(step * rng.standard_normal(len(gaps)))
            tried = self.allowed(tuple(moved.tolist()))
            worse = score(tried) > score(gaps)
            gaps, step = (tried, step * LONGER) if worse else (gaps, step * SHORTER)
        return start if gaps == start.log_gaps else Spectrum(f"worst of {self.name}", gaps)

    def measure(self, gaps: Gaps, seed: int, role: Role, trials: int) -> Measured:
        """Return the errors of one spectrum over so many trials of a role."""
        errors, plain = np.array([self._trial(gaps, seed, role, number) for number in range(trials)]).T
        answered = float(np.isfinite(errors).mean())
        if self.silent:
            errors = np.where(np.isinf(errors), 0.0, errors)
        interval = quantile_interval(errors, self.share, self.level)
        return Measured(quantile(errors, self.share), interval, quantile(plain, self.share), answered)

    def _trial(self, gaps: Gaps, seed: int, role: Role, number: int) -> tuple[float, float]:
        data, noise = (stream(seed, role, self.name, number, block) for block in (0, 1))
        return self.trial(Spectrum("tried", gaps), data, noise)
