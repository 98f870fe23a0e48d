"""The eight suspects: what an audit proves of each."""

from workbench.chapters.what_epsilon_means.runs.suspects import SUSPECTS, accused, times_promised
from workbench.charts.chart import Chart, Panel, Series
from workbench.study.profiles import AUDIT_CI, AuditPreset
from workbench.study.run import Run

PRESETS = {"quick": AUDIT_CI, "full": AuditPreset("full", 2_000, 8_000, 40_000)}


def suspects(run: Run) -> Chart:
    """Return the privacy loss that an audit proves of every suspect, over what it promises."""
    preset = PRESETS.get(run.profile, AUDIT_CI)
    reports = [accused(one, run.seed, preset) for one in SUSPECTS.values()] if run.simulate else []
    found = [times_promised(report) for report in reports]
    broken = sum(report.violated for report in reports)
    places = range(1, len(found) + 1)
    bars = Series("proven by the audit", places, found, [0.0] * len(found), found, colour_key="1")
    promise = Series(
        "promised", (0.5, len(SUSPECTS) + 0.5), (1.0, 1.0), role="reference", colour_key="non-private"
    )
    names = tuple(f"{one.letter}: {one.claim}" for one in SUSPECTS.values())
    panel = Panel(
        "", "", "privacy loss, in units of what is promised", (bars, promise), yscale="linear",
        ylim=(0.0, 4.5), names=names,
    )  # fmt: skip
    return Chart(
        "suspects",
        f"{broken} of {len(SUSPECTS)} suspects break their promise",
        (panel,),
        alt="Bars one below the other, for each of eight mechanisms the privacy loss that an audit proves."
        " Two end short of the line at 1, the promise; six go beyond it.",
        how_to_read="A bar beyond the line is a proof, with 99.99 % confidence, that the promise is broken. A"
        " bar that ends before it proves nothing: the audit found no attack.",
    )
