"""Noisy means of clipped rows, how many rows are there, and predictions of what noise adds.

**Absent rows.** A sum over n rows gives absent rows the centre of the ball: it shrinks by the share that is
absent. So every row that is there adds a public height a to one more coordinate, an absent one 0:

    (1) y = (mean, a p/n) + noise, p the number of rows that are there, of the sensitivity of the mean alone
    (2) s = the last entry over a, at least 1/10; 1 unless it is below 1 by more than noise takes but with
        chance `SURE`/2
    (3) out = mean of (1), over s

Rows w within the ball of radius r are at most 2r apart. (w, a) is as far from (w', a), and at most 2r from
0 if a = r in l1, √3 r in l2; wwᵀ with the corner a is at most √2 r² from 0, as it is from w'w'ᵀ with it, if
a = r². So p costs nothing, and is known to a few rows. (2) and (3) are post-processing. Where no row is
absent they leave the mean as it is, but with chance `SURE`/2. Proof: `proofs/absent.md`, section 3.

**Error.** Sampling error plus noise: the sum of an independent normal and a Laplace variable. In many
coordinates that is nearly normal, so that its median follows from its root mean square. Of a filter on clean
rows:

    (1) the fullest of K bins of noisy counts is one of the two next to the mean: if only n p rows are in each
        of those, p = Φ(1) - Φ(0) for bins of one standard deviation, the chance is
        P(max of 2 N(0, 1) + n p/σ > max of K - 2)^d
    (2) recentring leaves noise; rows that lie beyond the last ball from there are shrunk (`shrinking_bias`)
    (3) clean rows pass, so that all that is not spent by then is spent on the mean
"""

from collections.abc import Callable
from dataclasses import replace
from math import exp, hypot, inf, log, sqrt

import numpy as np

from workbench.privacy import Charge, NoiseSource
from workbench.privacy.grid import WORD, OnGrid
from workbench.privacy.mechanisms import additive, gaussian_scale, laplace_scale
from workbench.special import brentq, chdtri, log_ndtr, ndtr, ndtri
from workbench.types import Array, remembered

FAR = 4.0  # the centre is taken to lie within FAR standard deviations of the mean
DROWNED = 1e4  # sd over the scale of noise, from where on its law does not matter to 16 digits
LEAST_SHARE, SURE = 0.1, 1e-3
DOWN = 1 - 2.0**-40  # covers the roundings of public numbers
GRID = 2.0**-24  # that the grid of a mean takes of a, at most, and DOWN with it
OF_MEANS = {"laplace": 1 / 2, "gaussian": sqrt(3) / 2}  # a over n times the sensitivity of the mean
OF_MOMENTS = sqrt(1 / 2)  # the same of a moment, whatever its mechanism
POINTS, WEIGHTS = np.polynomial.hermite_e.hermegauss(80)  # for the standard normal law
_SHARES: Array = WEIGHTS / WEIGHTS.sum()
_GRID = np.linspace(-9.0, 9.0, 2001)  # of the largest of several normal values


def density(z: Array) -> Array:
    return np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi)


def normal_beyond(t: Array) -> Array:
    """Return E (Z - t)₊ = φ(t) - t Φ(-t)."""
    return density(t) - t * ndtr(-t)


def rescaled_mean(counted: OnGrid, n: int, charge: Charge, noise: NoiseSource) -> Array:
    return mean_and_share(counted, n, charge, noise)[0]


def mean_and_share(counted: OnGrid, n: int, charge: Charge, noise: NoiseSource) -> tuple[Array, float]:
    joint, whole = weighed(counted, n, charge)
    noisy = additive(joint, charge, noise)  # (1)
    found = share(float(noisy[-1]), whole, charge)  # (2)
    return noisy[:-1] / found, found  # (3)


def rescaled_moment(counted: OnGrid, n: int, charge: Charge, draw: Callable[[OnGrid], Array]) -> Array:
    """Return a second moment of n rows as `draw` draws it, over the share of those that are there."""
    joint, whole = weighed(counted, n, charge, OF_MOMENTS)
    noisy = draw(joint)  # (1)
    return noisy[:-1, :-1] / share(float(noisy[-1, -1]), whole, charge)  # (2) (3)


def weighed(counted: OnGrid, n: int, charge: Charge, part: float | None = None) -> tuple[OnGrid, float]:
    """Return a statistic with a for every row that it counts, and what that is for n of them."""
    part = part or OF_MEANS[charge.mechanism]
    row = int(part * charge.sensitivity / counted.unit * DOWN)  # a/n in units of the grid
    kind = counted.counts.dtype if n * row < 2**WORD else object  # by public numbers, whatever p is
    counts = counted.counts.astype(kind)
    counts.flat[-1] *= row
    return OnGrid(counts, counted.unit), row * n * counted.unit


def share(noisy: float, whole: float, charge: Charge) -> float:
    """Return s of step (2) by a noisy entry that is `whole` where all rows are there."""
    return 1.0 if noisy > whole - noise_quantile(charge, SURE) else max(noisy / whole, LEAST_SHARE)


def charge_of_share(charge: Charge, n: int) -> Charge:
    """Return a charge whose noise is that of the share of `mean_and_share`, or more by a part of 2^-24."""
    return replace(charge, sensitivity=(1 + GRID) / (OF_MEANS[charge.mechanism] * n))


def counted_error(error: Callable[[float], float], away: float, charge: Charge, n: int, beta: float) -> float:
    """Return a bound on the error of (3), true but with probability beta, if all n rows are there.

    `error` bounds that of the mean of (1), true but with the probability that it is given; the truth is at
    most `away` from the centre. Proof: `proofs/absent.md`, section 4.
    """
    lost = noise_quantile(charge_of_share(charge, n), beta)  # on one side: beta/2
    divided = (error(beta / 2) + lost * away) / (1 - lost) if lost < 1 else inf
    return min(divided, error(beta - SURE / 2)) if beta > SURE / 2 else divided


def half_width(beta: float, sd: float, charge: Charge) -> float:
    """Return t with P(|N(0, sd²) + noise of `charge`| > t) = beta."""
    if charge.mechanism == "gaussian":
        return float(-ndtri(beta / 2)) * sqrt(sd**2 + gaussian_scale(charge) ** 2)
    scale = laplace_scale(charge)
    ratio = sd / scale

    def excess(t: float) -> float:
        if ratio >= DROWNED:
            return 2 * float(ndtr(-t / hypot(sd, sqrt(2) * scale))) - beta
        left = exp(ratio**2 / 2 - t / scale + log_ndtr(t / sd - ratio))
        right = exp(ratio**2 / 2 + t / scale + log_ndtr(-t / sd - ratio))
        return 2 * float(ndtr(-t / sd) + (left - right) / 2) - beta

    return brentq(excess, 0.0, float(-ndtri(beta / 4)) * sd + scale * log(2 / beta), xtol=1e-15 * sd)


def noise_sd(charge: Charge) -> float:
    return sqrt(2) * laplace_scale(charge) if charge.mechanism == "laplace" else gaussian_scale(charge)


def noise_quantile(charge: Charge, beta: float) -> float:
    """Return the upper beta-quantile of the absolute noise of one number."""
    if charge.mechanism == "laplace":
        return laplace_scale(charge) * log(1 / beta)
    return gaussian_scale(charge) * float(-ndtri(beta / 2))


def uniform_deviation(n: int, beta: float) -> float:
    """Return D = √(ln(2/β)/(2n)): sup |F_n - F| exceeds it with probability at most beta (Massart 1990).

    As |mean - its expectation| does for n rows in [0, 1] (Hoeffding 1963).
    """
    return sqrt(log(2 / beta) / (2 * n))


def median_of_sum(sd: float, charge: Charge) -> float:
    """Return the median of |X + Y|, X ~ N(0, sd²) and Y the noise that `charge` buys."""
    rate = sd / laplace_scale(charge) if charge.mechanism == "laplace" else DROWNED
    if rate >= DROWNED:
        return float(ndtri(0.75)) * hypot(sd, noise_sd(charge))

    def within(t: float) -> float:
        near = exp(rate**2 / 2 - rate * t + float(log_ndtr(t - rate)))
        far = exp(rate**2 / 2 + rate * t + float(log_ndtr(-t - rate)))
        return 2 * float(ndtr(t)) - 1 - near + far

    return sd * brentq(lambda t: within(t) - 0.5, 0.0, 10 * (1 + 1 / rate))


@remembered
def median_norm(freedom: float, failure: float = 0.0) -> float:
    """Return the median of the norm of N(0, I) in so many coordinates; infinite with this chance of failure.

    >>> round(median_norm(1), 4)
    0.6745
    """
    return sqrt(float(chdtri(freedom, 1 - 0.5 / (1 - failure)))) if failure < 0.5 else inf


def median_of_mean(rms: float, d: float) -> float:
    """Return the median norm of a normal vector of d equal coordinates with this root mean square."""
    return rms * median_norm(d) / sqrt(d)


def median_of_matrix(rms: float, d: int) -> float:
    """Return the median Frobenius norm of symmetric normal noise with this root mean square.

    It has d(d + 1)/2 coordinates, of equal variance where entries off the diagonal have half that on it.
    """
    return median_of_mean(rms, d * (d + 1) // 2)


def better_than(trivial: float, error: float) -> float:
    """Return the error, or infinity where it is not below that of an answer that looks at no row."""
    return error if error < trivial else inf


def chosen(log_weights: Array) -> Array:
    weights = np.exp(log_weights - log_weights.max())
    return weights / weights.sum()


def weighted_median(sizes: Array, chances: Array) -> float:
    order = np.argsort(sizes, kind="stable")
    mass = np.cumsum(chances[order])
    return float(sizes[order[np.searchsorted(mass, mass[-1] / 2)]])


def median_noise_norm(d: int) -> float:
    """Return the median spectral norm of unit symmetric noise, to one per cent.

    √(2d), less what Tracy and Widom's distribution takes off it; the correction for small d is fitted.

    >>> [round(median_noise_norm(d), 2) for d in (1, 5, 100)]
    [0.67, 2.72, 13.92]
    """
    return float(sqrt(2 * d) - (0.45 + 0.29 / sqrt(d)) * d ** (-1 / 6))


def shrinking_bias(d: int, distance: float, clip: float) -> float:
    """Return how far the mean of rows N(μ, I_d), shrunk to the ball of radius `clip`, is from μ.

    μ is this `distance` from the ball's centre; of the rows' d - 1 coordinates across only the mean length
    counts.

    >>> round(shrinking_bias(3, 0.0, 1.0), 2), round(shrinking_bias(1, 1e6, 1e6), 2)
    (0.0, 0.4)
    """
    along = distance + POINTS
    length = np.hypot(along, np.sqrt(d - 1))
    beyond = np.maximum(length - clip, 0.0)
    cosine = np.divide(along, length, out=np.ones_like(along), where=length > 0)
    return abs(float(_SHARES @ (beyond * cosine)))


def located(ahead: float, bins: int, d: int) -> float:
    """Return the chance of (1): `ahead` is n p/σ.

    >>> located(20.0, 10, 3) > 0.999, round(located(0.0, 4, 1), 3)
    (True, 0.5)
    """
    best = np.diff(ndtr(_GRID) ** 2)
    middle = (_GRID[1:] + _GRID[:-1]) / 2
    return float(best @ ndtr(middle + ahead) ** max(bins - 2, 0)) ** d


def clean_error(
    *, n: int, d: int, ahead: float, bins: int, apart: float, radius: float, noise: float
) -> float:
    """Return the median distance from the mean after (1) to (3); infinite where it is more likely missed.

    `ahead` and `bins` as of `located`; `apart` is the rms distance of the last ball's centre from the mean,
    `noise` the sd of a coordinate of the mean's noise; in standard deviations.
    """
    rms = hypot(shrinking_bias(d, apart, radius), sqrt(d * (1 / n + noise**2)))
    return rms / sqrt(d) * median_norm(d, 1 - located(ahead, bins, d))
