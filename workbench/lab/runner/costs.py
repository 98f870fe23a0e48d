"""What a run costs in core-seconds: expected before it, compared with what was used and allowed after it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from workbench.lab.runner import stores
from workbench.lab.runner.notebooks import Outcome
from workbench.lab.runner.variants import Variant
from workbench.study.profiles import NOTEBOOKS, Work, slowness
from workbench.study.sweeps import NONE


@dataclass(frozen=True)
class Costs:
    """The expected costs of notebooks that are to run.

    Parameters
    ----------
    profile : str
        How thoroughly they run.
    works : mapping of str to Work or None
        Name of a variant -> its costs on the reference machine, None where they are not known.
    slowness : float
        What a core-second of the reference machine takes here.
    held : tuple of int and float
        Blocks of earlier runs that may be used again, and what they have cost.
    """

    profile: str
    works: Mapping[str, Work | None]
    slowness: float
    held: tuple[int, float] = (0, 0.0)

    @property
    def expected(self) -> float:
        """Core-seconds of all notebooks whose costs are known, if they start from nothing."""
        return self.slowness * sum(work.expected for work in self.works.values() if work)

    def before(self) -> str:
        """Return the line that is said before the run."""
        unknown = ", ".join(name for name, work in self.works.items() if work is None)
        blocks, seconds = self.held
        parts = [
            f"estimated {self.expected:.0f} core-seconds",
            f"a core here takes {self.slowness:.2f} of the reference machine's time",
            f"nothing is known of {unknown}" if unknown else "",
            f"{blocks} blocks of earlier runs may save {seconds:.0f}" if blocks else "",
        ]
        return "; ".join(part for part in parts if part)

    def after(self, outcomes: Iterable[Outcome]) -> list[str]:
        """Return the lines after a run: core-seconds used where costs were known, and budgets exceeded."""
        known = [(outcome, work) for outcome in outcomes if (work := self.works.get(outcome.notebook))]
        used = sum(outcome.core_seconds for outcome, _ in known)
        lines = [f"estimated {self.expected:.0f} core-seconds, used {used:.0f}"] if known else []
        return lines + [line for outcome, work in known for line in self._above(outcome, work)]

    def _above(self, outcome: Outcome, work: Work) -> list[str]:
        used = outcome.core_seconds / self.slowness
        if used <= work.budget:
            return []
        what = f"{used:.0f} core-seconds of the reference machine"
        return [f"OVER BUDGET {outcome.notebook}: {what}, {self.profile} allows {work.budget:g}"]


def costs(
    variants: Sequence[Variant], profile: str, limit: float = NONE.limit, store: Path | None = None
) -> Costs:
    """Return the costs of variants that are to run, after timing this machine."""
    held = [stores.held(path) for path in stores.places(variants, store)]
    return Costs(
        profile,
        {variant.name: _work(variant, profile, limit) for variant in variants},
        slowness() if variants else 1.0,
        (sum(blocks for blocks, _ in held), sum(seconds for _, seconds in held)),
    )


def _work(variant: Variant, profile: str, limit: float) -> Work | None:
    """Return what a variant costs: away from its start it may take `limit` times as much, in other blocks."""
    usual = NOTEBOOKS.get(variant.notebook.stem, {}).get(profile)
    return replace(usual, budget=limit * usual.budget, blocks=0) if usual and variant.moved else usual
