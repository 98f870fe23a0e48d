"""The eight suspects: what an audit proves of each."""

from collections.abc import Sequence

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
    guilty = [report.violated for report in reports]
    bars = [
        Series(label, *_some(places, found, guilty, kind), role="bars", colour_key=key)
        for label, key, kind in (("accused", "idea/wrong", True), ("not accused", "idea/good", False))
    ]
    promise = Series("the promise", (0.5, len(SUSPECTS) + 0.5), (1.0, 1.0), role="reference")
    names = tuple(f"{one.letter}: {one.claim}" for one in SUSPECTS.values())
    panel = Panel(
        "", "", "privacy loss that the audit proves, over the promise", (*bars, promise), yscale="linear",
        ylim=(0.0, 4.5), names=names,
    )  # fmt: skip
    return Chart(
        "suspects",
        f"The audit proves that {broken} of {len(SUSPECTS)} suspects break their promise",
        (panel,),
        alt="Bars one below the other, for each of eight mechanisms the privacy loss that an audit proves."
        " Two end short of the line at 1, the promise; six go beyond it.",
        how_to_read="A bar beyond the line is a proof, with 99.99 % confidence, that the promise is broken. A"
        " bar that ends before it proves nothing: the audit found no attack.",
    )


def _some(
    places: Sequence[int], found: Sequence[float], guilty: Sequence[bool], kind: bool
) -> tuple[list[int], list[float]]:
    """Return the places and losses of the accused, or of the others."""
    chosen = [k for k, one in enumerate(guilty) if one is kind]
    return [places[k] for k in chosen], [found[k] for k in chosen]
