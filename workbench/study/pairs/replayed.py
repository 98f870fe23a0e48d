"""What is attacked: a stage or a whole estimator, its claim, and the pairs that may betray it.

A stage is the mechanism of one charge, given the outputs of the former stages, and is held to its own cost:
in the whole the noise of another stage may hide that its own is too small.
"""

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.random import Generator

from workbench.bounds import smallest
from workbench.catalog import KNOWN
from workbench.estimators.base import Estimator, sanitised
from workbench.privacy import (
    ZCDP,
    ApproxDP,
    Budget,
    Charge,
    GaussianDP,
    Plan,
    SimulatedNoise,
    compose,
)
from workbench.privacy.budgets import gdp_from_gaussian_zcdp
from workbench.privacy.cuts import Level
from workbench.privacy.mechanisms import gaussian_mu
from workbench.privacy.stable import Lift, Stable, Voted
from workbench.study.audit import Mechanism, Pair, as_rows, numbers
from workbench.study.faults import COMPARED, Event, spied
from workbench.types import Array, frozen

WHOLE = "whole"  # the stage name of an end-to-end attack


@frozen
class Case:
    """One attack."""

    key: str  # the entry of the catalog
    variant: str  # calibration and budget
    stage: str  # a step of the plan, or `WHOLE`
    claim: Budget  # what the stage promises
    mechanism: Mechanism  # runs it
    pairs: tuple[Pair, ...]  # the worst neighbours known
    share: float = 1.0  # of a preset's runs: below 1 where a run is slow

    @property
    def name(self) -> str:
        return f"{self.key}, {self.variant}, {self.stage}"


@frozen
class Setting:
    """An estimator at a budget and a number of rows, of `d` columns, at which its plan has all its steps."""

    key: str
    estimator: Estimator[Any]
    budget: Budget
    n: int
    d: int = 1

    @property
    def variant(self) -> str:
        """In what it differs from the entry's first example, with its calibration and budget."""
        own, usual = self.estimator, KNOWN[self.key].estimator
        parts: Any = fields(own) if is_dataclass(own) else ()
        names = [part.name for part in parts if part.name != "calibration"]
        differ = [name for name in names if getattr(own, name) != getattr(usual, name, None)]
        others = [f"{name} = {getattr(own, name)}" for name in differ]
        single = ["one column"] if self.d == 1 and (KNOWN[self.key].population.d or 1) > 1 else []
        return ", ".join([*others, *single, getattr(own, "calibration", "default"), str(self.budget)])

    @property
    def plan(self) -> Plan:
        return self.estimator.plan(self.n, self.d, self.budget)

    def typical(self) -> Array:
        """Return rows of the entry's population, the same ones whenever they are asked for."""
        rows = KNOWN[self.key].population.sample(self.n, rng=np.random.default_rng(self.n))
        return rows[:, : self.d]

    def whole(self, pairs: Sequence[Pair], share: float) -> Case:
        def mechanism(x: Array, trials: int, rng: Generator) -> Array:
            noise = SimulatedNoise(rng)
            with np.errstate(all="ignore"):
                runs = (self.estimator.estimate(sanitised(x), self.budget, noise) for _ in range(trials))
                return as_rows(runs)

        return Case(self.key, self.variant, WHOLE, compose(self.plan), mechanism, tuple(pairs), share)


def native(charge: Charge) -> Budget:
    """Return the sharpest statement about a charge: GDP where its noise is Gaussian and all there is."""
    match charge.mechanism, charge.cost:
        case "gaussian" | "symmetric_gaussian", ZCDP() as cost:
            return gdp_from_gaussian_zcdp(cost)
        case "gaussian" | "symmetric_gaussian", ApproxDP() as cost:
            return GaussianDP(gaussian_mu(cost))
    return charge.cost


def pair(name: str, base: Array, value: Array, other: Array, row: int) -> Pair:
    first, second = base.copy(), base.copy()
    first[row], second[row] = value, other
    return Pair(f"{name} (n = {len(base)}, row {row})", first, second)


# The attack on every step of a run, given the outputs of the steps before it, for any estimator.
#
# A run on the first data set of a pair is recorded; a run on the second takes the same outputs, so that the
# two uses of one step differ in the replaced row alone. That is the mechanism whose cost its charge states.

SHAPED = ("masked", "stable_mask", "masked_lift")  # mechanisms whose statistic has a root
ORDERS = 8  # of rows that are tried
FAR = 1e6
SEVERAL = 0.4  # of a preset's runs for all steps but the last, which has most of the budget


def replayed(setting: Setting, pairs: Sequence[Pair], share: float = 0.3) -> Iterator[Case]:
    """Yield one attack for each step that a run on the pairs takes; of equal charges in a row on the last.

    An estimator that puts its rows in an order of its own draws another one where no pair moves the step.
    """

    @cache
    def runs(order: int) -> list[tuple[Pair, list[Event], list[Event]]]:
        return [(pair, *both(setting, pair, order)) for pair in pairs]

    def seen_at(order: int, number: int) -> list[tuple[Pair, Event, Event]]:
        return [(pair, one[number], other[number]) for pair, one, other in runs(order) if number < len(other)]

    charges = list(setting.plan.charges())
    last = [one for one, charge in enumerate(charges) if [charge] != charges[one + 1 : one + 2]]
    for number in last:
        charge = charges[number]
        runs_of_step = share if number == last[-1] else min(share, SEVERAL / len(last))
        moving = (order for order in range(ORDERS) if any(moves(*two) for _, *two in seen_at(order, number)))
        seen = seen_at(next(moving, 0), number)
        if seen:
            attacked, named = tuple(pair for pair, *_ in seen), (setting.key, setting.variant, charge.step)
            yield Case(*named, native(charge), step(seen), attacked, runs_of_step)


def moves(one: Event, other: Event) -> bool:
    return not np.array_equal(_points(one.statistic), _points(other.statistic))


def _points(statistic: Any) -> Any:
    match statistic:
        case tuple():
            return statistic[1]
        case Level(nodes):
            return np.concatenate([node.lengths.edges for node in nodes])  # type: ignore[attr-defined]
        case Lift() | Voted() | Stable():
            return np.concatenate([np.ravel(np.asarray(part)) for part in vars(statistic).values()])
    return statistic


def both(setting: Setting, pair: Pair, seed: int = 0) -> tuple[list[Event], list[Event]]:
    """Return the uses on the first data set, and those on the second given the same outputs."""
    with spied() as events:
        run(setting, pair.first, seed)
    with spied(events) as again:
        run(setting, pair.second, seed)
    return events, again


def run(setting: Setting, x: Array, seed: int) -> object:
    noise = SimulatedNoise(np.random.default_rng(seed))
    with np.errstate(all="ignore"):
        return setting.estimator.estimate(sanitised(x), setting.budget, noise)


def step(seen: Sequence[tuple[Pair, Event, Event]]) -> Mechanism:
    """Return the mechanism that uses a step again and again, by the data set it is called with.

    A noisy array is seen along the differences that the pairs make, a choice by how much its score differs
    between the data sets of each pair, a histogram by the counts that differ, a masked matrix by how much
    further it is from one of a pair than from the other, in Thompson's distance and by its trace, a location
    along the difference of a pair and by its distance from the first, in units of that one's scatter.
    """
    uses: dict[bytes, Event] = {}
    for one, first, second in seen:
        uses |= {one.first.tobytes(): first, one.second.tobytes(): second}

    def of(*names: str) -> list[tuple[Any, Any]]:
        return [(one.statistic, other.statistic) for _, one, other in seen if one.mechanism in names]

    directions = [one - other for one, other in of(*COMPARED)]
    directions += [np.subtract(one.value, other.value) for one, other in of("voted")]
    roots, places = [(_root(one), _root(other)) for one, other in of(*SHAPED)], of("located_normal")
    counted = of("stability_histogram")
    keys = sorted({key for one, other in counted for key in {*one, *other} if one[key] != other[key]})

    def mechanism(x: Array, trials: int, rng: Generator) -> Array:
        event, noise = uses[x.tobytes()], SimulatedNoise(rng)
        with np.errstate(all="ignore"):
            outputs = [_shape(event.again(noise)) for _ in range(trials)]
            if roots:
                none = np.full_like(roots[0][0], np.nan)
                return _between(np.array([none if out is None else out for out in outputs]), roots)
            if places:
                return as_rows(_placed(out, places) for out in outputs)
            return as_rows(_seen(out, directions, keys) for out in outputs)

    return mechanism


def _root(statistic: Any) -> Array:
    return np.asarray(statistic.root if isinstance(statistic, Stable | Lift) else statistic)


def _shape(output: Any) -> Any:
    match output:
        case list():  # of cuts, node by node
            return tuple(place for node in output for place in node)
        case _, root:
            return root @ root.T
    return output


def _between(outputs: Array, roots: Sequence[tuple[Array, Array]]) -> Array:
    seen: list[Array] = []
    for two in roots:
        inverses = [np.linalg.inv(root) for root in two]
        values = [_eigenvalues(inverse @ outputs @ inverse.T) for inverse in inverses]
        near, far = (np.abs(np.log(value)).max(axis=1) for value in values)
        seen += [far - near, values[1].sum(axis=1) - values[0].sum(axis=1)]
    return np.array(seen).T


def _eigenvalues(matrices: Array) -> Array:
    found, known = np.full(matrices.shape[:2], np.nan), np.isfinite(matrices).all(axis=(1, 2))
    found[known] = np.linalg.eigvalsh(matrices[known])
    return found


def _placed(output: Array | None, places: Sequence[tuple[Lift, Lift]]) -> tuple[float, ...]:
    seen: list[float] = []
    if output is None:
        return ()
    for one, other in places:
        from_one = np.linalg.solve(one.root, output - one.centre - one.shift)
        apart = np.linalg.solve(one.root, other.centre - one.centre + other.shift - one.shift)
        seen += [float(from_one @ apart), float(from_one @ from_one)]
    return tuple(seen)


def _seen(output: object, directions: Sequence[Array], keys: Sequence[float]) -> tuple[float, ...]:
    if isinstance(output, dict):
        return tuple(output.get(key, 0.0) for key in keys) or (0.0,)  # no pair moves a count
    if isinstance(output, int):
        return tuple(direction[output] for direction in directions)
    if directions and output is not None:
        return tuple(np.vdot(direction, output) for direction in directions)  # type: ignore[arg-type]
    return numbers(output)


def outvoted(setting: Setting) -> Pair:
    """Return typical rows, so many of them far from all others that one more changes a vote."""
    x, far = setting.typical(), FAR * np.eye(setting.d)[0]

    def without(rows: int) -> Array:
        return np.vstack([np.outer(np.arange(1, rows + 1), far), x[rows:]])

    def vote(rows: int) -> tuple[float, float]:  # and half of what one row may change
        with spied() as events:
            run(setting, without(rows), 0)
        one = events[0]
        counted = one.mechanism == "voted"
        return (one.statistic.count, 0.5) if counted else (float(one.statistic), one.charge.sensitivity / 2)

    most, half = vote(0)
    last = smallest(lambda rows: rows >= setting.n or vote(rows)[0] <= most - half) - 1
    return pair("typical rows, a vote tips", without(last), x[last], (last + 1) * far, last)
