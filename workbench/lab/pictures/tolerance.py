"""The one rule by which the numbers of two honest runs count as the same, and how rarely it errs.

Honest runs have the same software, parameters and seed, and so the same draws. Another machine (processor,
BLAS kernel, number of threads) rounds differently, which shows in two ways.

(1) *Rounding.* A number moves by its condition times 1e-16. It agrees if it moves by at most `relative` of
    itself or `absolute` of its scale: the largest number of its curve, list or table, so that the 1e-17 of
    one kernel is the 0 of another. On a logarithmic axis the scale is the number itself. A count of rows may
    also move by one. This holds for every number: deterministic or simulated, of a chart or of a verdict.
(2) *A run that flips.* A run that decides something within rounding of its threshold may decide otherwise.
    The draws of the other runs do not depend on that (a plan lists them beforehand), so one run of one point
    changes. Where an interval comes with a number it is therefore agreed, though (1) fails, if
        a simulated curve's y stays inside the committed band, low and high move by at most its width
        (2.3 standard errors of an end, for a normal band of 95 %), and so at one x of the figure only;
        a count or share of known trials stays inside its binomial interval (Clopper-Pearson, 95 %), so too;
        a verdict's estimate and the ends of its interval move by at most a quarter of the interval, and so
        in no more claims of a notebook than read one sweep: `CLAIMS`. Its status never changes.

So a falsified curve, which is wrong everywhere, differs however wide its band is; one wrong point inside its
own interval does not, if it is the only one of its figure.

Level. A run flips with about the probability by which rounding moves it, relatively, as its distance from a
threshold has a density of about one. Over the 370 000 runs of a quick `reproduce` these moves, measured
between the kernels Prescott, Haswell and SkylakeX, add up to λ = 0.02 expected flips, all but 1e-5 of them
under intervals, at condition numbers of 1e10 and more; none was seen. Honest runs disagree only if
    two runs of one figure flip: at most λ²/2 = 2e-4, even if all runs were those of one figure;
    or one flips and leaves its interval: at most 0.03 λ = 6e-4, the worst of mean and median of six normal
    or Laplace runs (0.03, and 0.001 for twenty) when one is drawn anew;
    or one flips where there is no interval: 1e-5.
That is less than 1e-3 for a whole `reproduce`: a stated model with measured numbers, not a proof.
"""

from dataclasses import dataclass
from math import inf, isfinite

from workbench.study.intervals import Interval, clopper_pearson

PLACES, CLAIMS = 1, 3  # values of x in a figure, and claims in a notebook, that one flipped run may move
CONFIDENCE = 0.05  # of the binomial interval: what it misses


@dataclass(frozen=True)
class Tolerance:
    """How far a number may be from its committed value.

    Parameters
    ----------
    relative
        For rounding, relative to the larger of the two.
    absolute
        For rounding, relative to the scale.
    rows
        For the rounding of counts, absolute.
    band
        For a flipped run, of the ends of a band: in widths of the band.
    verdict
        For a flipped run, of a verdict's estimate and the ends of its interval: in widths of the interval.
    """

    relative: float = 1e-3
    absolute: float = 1e-9
    rows: float = 1.0
    band: float = 1.0
    verdict: float = 0.25

    def rounds(self, ours: float, theirs: float, scale: float = 0.0, kind: str = "number") -> bool:
        """Return whether rounding explains the difference of two numbers."""
        if not (isfinite(ours) and isfinite(theirs)):
            return repr(ours) == repr(theirs)
        slack = self.relative * max(abs(ours), abs(theirs)) + self.absolute * scale
        return abs(ours - theirs) <= max(slack, self.rows if kind == "count" else 0.0)

    def flips(self, ours: "Point", theirs: "Point") -> bool:
        """Return whether one flipped run explains the difference of two simulated points."""
        if theirs.interval is None or ours.interval is None:
            return False
        low, high = theirs.interval
        width = self.band * (high - low)
        ends = zip(ours.interval, theirs.interval, strict=True)
        inside = low <= ours.y <= high and ours.interval[0] <= ours.y <= ours.interval[1]
        return inside and all(_within(*pair, width) for pair in ends)

    def decides_alike(self, ours: "Point", theirs: "Point") -> bool:
        """Return whether one flipped run explains the difference of two verdicts' numbers."""
        if theirs.interval is None or ours.interval is None:
            return False
        width = self.verdict * (theirs.interval[1] - theirs.interval[0])
        pairs = zip((ours.y, *ours.interval), (theirs.y, *theirs.interval), strict=True)
        return all(_within(*pair, width if isfinite(width) else 0.0) for pair in pairs)

    @staticmethod
    def searches_alike(ours: "Point", theirs: "Point") -> bool:
        """Return whether one flipped run explains the difference of two searches, which went on elsewhere."""
        if theirs.interval is None or ours.interval is None:
            return False
        return all(
            low <= one.y <= high for one in (ours, theirs) for low, high in (ours.interval, theirs.interval)
        )


@dataclass(frozen=True)
class Point:
    """A simulated number and its interval, if it has one."""

    y: float
    interval: Interval | None


def binomial(y: float, kind: str, trials: int) -> Interval:
    """Return the interval of a count, or a fraction, of so many trials.

    >>> [round(end, 3) for end in binomial(0.9, "fraction", 10)]
    [0.555, 0.997]
    """
    hits = y if kind == "count" else y * trials
    if not 0 <= hits <= trials + 0.5:
        return -inf, inf
    size = 1 if kind == "fraction" else trials
    low, high = clopper_pearson(min(round(hits), trials), trials, CONFIDENCE)
    return low * size, high * size


def _within(ours: float, theirs: float, most: float) -> bool:
    return ours == theirs or abs(ours - theirs) <= most
