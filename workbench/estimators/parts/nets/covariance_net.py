"""A public net of covariances in one or two dimensions, and the directions in which they are compared.

Candidates are R_θ diag(e^a, e^b) R_θᵀ with ln(1/ratio) ≤ b ≤ a ≤ 0 on a grid of step at most h and
⌈π √2 sinh((a - b)/2)/h⌉ angles: turning by one angle is a step of at most 2h in the norm of the candidate,
because turning by dθ moves it by 2√2 sinh((a - b)/2) dθ. A covariance between I/ratio and I is at most h/2
from one of them in a, h/2 in b and h in the angle: 1.23 h in all, to first order.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import ceil, log, pi, sinh, sqrt

import numpy as np

from workbench.errors import ArgumentError
from workbench.estimators.parts.nets.direction_net import half_sphere
from workbench.linalg import spectral_map
from workbench.types import Array

MOST = 50_000  # candidates
DIRECTIONS = 24  # in two dimensions


@dataclass(frozen=True)
class Net:
    """The net for covariances between I/ratio and I, at step h = `step`."""

    d: int
    ratio: float
    step: float

    @property
    def logs(self) -> Array:
        """The grid of a and b, from 0 downwards."""
        reach = log(self.ratio)
        return -np.linspace(0.0, reach, ceil(reach / self.step) + 1) if reach else np.zeros(1)

    def angles(self, a: float, b: float) -> int:
        """Return the number of angles for eigenvalues e^a and e^b."""
        return max(ceil(pi * sqrt(2) * sinh((a - b) / 2) / self.step), 1)

    @cached_property
    def size(self) -> int:
        """The number of candidates."""
        logs = self.logs
        if self.d == 1:
            return len(logs)
        return sum(self.angles(a, b) for i, a in enumerate(logs) for b in logs[i:])

    def check(self) -> None:
        """Raise if the net is too large, or not made for d."""
        if self.d not in (1, 2):
            raise ArgumentError("d", self.d, "1 or 2: the net has exp(d²) candidates")
        if len(self.logs) > MOST or self.size > MOST:
            raise ArgumentError(
                "alpha", 2 * self.step, f"larger: the net would have more than {MOST} candidates"
            )

    @cached_property
    def candidates(self) -> Array:
        """The candidates, shape (size, d, d)."""
        logs = self.logs
        if self.d == 1:
            return np.exp(logs)[:, None, None]
        ellipses = [
            _turned(a, b, pi * turn / count)
            for i, a in enumerate(logs)
            for b in logs[i:]
            for count in (self.angles(a, b),)
            for turn in range(count)
        ]
        return np.array(ellipses)

    @cached_property
    def forms(self) -> Array:
        """The quadratic forms M^{-1/2} U M^{-1/2} as weights of `monomials`, shape (size, directions, ·)."""
        roots = np.array([spectral_map(one, lambda values: values**-0.5) for one in self.candidates])
        forms = np.einsum("nij,mjk,nkl->nmil", roots, directions(self.d), roots)
        if self.d == 1:
            return np.asarray(forms[..., 0])
        return np.stack([forms[..., 0, 0], 2 * forms[..., 0, 1], forms[..., 1, 1]], axis=-1)


@lru_cache(maxsize=8)
def net(d: int, ratio: float, step: float) -> Net:
    """Return the net, built once; raise if it is too large."""
    made = Net(d, ratio, step)
    made.check()
    return made


def _turned(a: float, b: float, angle: float) -> Array:
    axis = np.array([np.cos(angle), np.sin(angle)])
    return np.asarray(np.exp(b) * np.eye(2) + (np.exp(a) - np.exp(b)) * np.outer(axis, axis))


def directions(d: int) -> Array:
    """Return symmetric U of Frobenius norm 1: 1 on the line, else 24 Fibonacci points of the half-sphere."""
    if d == 1:
        return np.ones((1, 1, 1))
    # middle = (U₁₁ + U₂₂)/2 ≥ 0, half = (U₁₁ - U₂₂)/2
    off, half, middle = half_sphere(DIRECTIONS).T / sqrt(2)
    rows = np.array([[middle + half, off], [off, middle - half]])
    return np.asarray(rows.transpose(2, 0, 1))


def monomials(x: Array) -> Array:
    """Return x², or (x₁², x₁x₂, x₂²), of every row."""
    return x**2 if x.shape[1] == 1 else np.stack([x[:, 0] ** 2, x[:, 0] * x[:, 1], x[:, 1] ** 2], axis=1)
