"""What an audit found, in words, as a table and as JSON."""

import json
from dataclasses import asdict, dataclass, field
from html import escape

from workbench.privacy import Budget


@dataclass(frozen=True, kw_only=True)
class AuditReport:
    """What one attack found.

    Parameters
    ----------
    name : str
        What was attacked.
    claim : Budget
        What it promises.
    level : float
        Probability, at most, that a mechanism that keeps its claim is accused.
    violated : bool
        Whether the confirmed event contradicts the claim.
    eps_lower, mu_lower, rho_lower : float
        No smaller ε (at the claim's δ), μ or ρ is true, all three with confidence 1 - `level`.
    pair, event : str
        Where: "exchanged" means that the event is more likely on the pair's second data set.
    counts : tuple of int
        How often the event occurred on either data set of the pair, the more likely one first.
    trials : int
        Confirmation runs on either data set.
    runs : int
        Runs in all.
    seconds : float
        Time taken; not part of the record.
    """

    name: str
    claim: Budget
    level: float
    violated: bool
    eps_lower: float
    mu_lower: float
    rho_lower: float
    pair: str
    event: str
    counts: tuple[int, int]
    trials: int
    runs: int
    seconds: float = field(default=0.0, compare=False)

    @property
    def message(self) -> str:
        """The finding in words."""
        if not self.violated:
            return f"no violation of {self.claim} found ({self._bounds()})"
        where = f"{self.event}: {self.counts[0]} against {self.counts[1]} of {self.trials}"
        return f"VIOLATION of {self.claim} ({self._bounds()}) on {self.pair}, {where}"

    def __str__(self) -> str:
        return f"{self.name}: {self.message}"

    def _repr_html_(self) -> str:
        cells = (
            ("claim", self.claim),
            ("finding", "VIOLATION" if self.violated else "no violation found"),
            ("at least", self._bounds()),
            ("pair", self.pair),
            ("event", f"{self.event}: {self.counts[0]} against {self.counts[1]} of {self.trials}"),
        )
        rows = "".join(f"<tr><th>{name}</th><td>{escape(str(cell))}</td></tr>" for name, cell in cells)
        return f"<table><caption>{escape(self.name)}</caption><tbody>{rows}</tbody></table>"

    def _bounds(self) -> str:
        confidence = f"with {100 * (1 - self.level):g} % confidence"
        return f"ε ≥ {self.eps_lower:.3g}, μ ≥ {self.mu_lower:.3g}, ρ ≥ {self.rho_lower:.3g} {confidence}"

    def record(self) -> dict[str, object]:
        """Return plain values for JSON; equal seeds give equal records."""
        values = asdict(self) | {"claim": str(self.claim), "message": self.message}
        del values["seconds"]
        return values

    def to_json(self) -> str:
        """Return the record as JSON text."""
        return json.dumps(self.record(), allow_nan=False, ensure_ascii=False)
