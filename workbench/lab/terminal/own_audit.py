"""What `workbench audit --function` prints: the attack on a function of one's own."""

from dataclasses import dataclass
from html import escape

from workbench.errors import ArgumentError, integer_at_least
from workbench.lab.terminal.budget_options import claimed
from workbench.study.audit.neighbours import neighbours
from workbench.study.audit.own import audit_function
from workbench.study.audit.report import AuditReport
from workbench.study.profiles import AUDITS
from workbench.study.references import loaded


@dataclass(frozen=True, kw_only=True)
class OwnAudit:
    """The flags: which function, on which neighbours, what it claims."""

    function: str
    pairs: str | None
    epsilon: float | None = None
    delta: float | None = None
    rho: float | None = None
    mu: float | None = None
    preset: str = "ci"
    seed: int = 0

    def report(self) -> AuditReport:
        """Return what the attack found."""
        integer_at_least(0, seed=self.seed)
        claim = claimed(self.epsilon, self.delta, self.rho, self.mu)
        if self.pairs is None:
            raise ArgumentError("pairs", None, "--pairs MODULE:OBJECT, a list of (first, second)")
        function, pairs = loaded("function", self.function), loaded("pairs", self.pairs)
        listed = neighbours("pairs", pairs)
        return audit_function(
            function, listed, claim, preset=AUDITS[self.preset], seed=self.seed, name=self.function
        )


def level(report: AuditReport) -> str:
    """Return what a finding is worth in words."""
    false = f"a function that keeps its claim is accused with probability {report.level:g} at most"
    return f"{report.runs} runs; {false}; this is no proof of privacy"


def page(report: AuditReport) -> str:
    """Return the report as a page of HTML."""
    head = f'<meta charset="utf-8"><title>{escape(report.name)}</title>'
    body = f"{report._repr_html_()}<p>{escape(level(report))}</p>"
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{body}</body></html>\n'
