"""What a notebook talks to: where figures go, what is shown, what is claimed.

A notebook makes one session from its parameters, shows charts with it, and ends with its claims:

    lab = Session("one_mean", out=out, profile=profile, seed=seed, epsilon=epsilon)
    lab.show(error_against_radius, verdicts=["one-mean/clipping-pays-range"])
    lab.verdicts(["one-mean/clipping-pays-range", "one-mean/flat-in-radius"])

Everything is written before anything fails, so that a refuted claim leaves its evidence.
"""

import tempfile
from collections.abc import Callable, Iterable, Mapping
from html import escape
from pathlib import Path
from typing import Any

from workbench.charts import canonical_json
from workbench.charts.chart import Chart
from workbench.errors import integer_at_least, one_of
from workbench.lab import tables
from workbench.lab.live.parameters import require, require_known
from workbench.lab.pictures.display import image, publish
from workbench.lab.pictures.figures import PROFILES, VERDICTS, richest, save
from workbench.lab.runner.core_share import leased
from workbench.lab.runner.verdict_check import beside_full, full_run


class ClaimError(AssertionError):
    """A claim's verdict is not the one its source or its reason leads to expect."""


class Session:
    """One run of a notebook.

    Parameters
    ----------
    chapter
        The notebook's name without its number: what its parameters may be.
    out
        The folder for figures and verdicts; empty for a new temporary one.
    profile
        `quick`, or `full`, which also makes what quick makes.
    seed
        Of everything random.
    parameters
        The notebook's other parameters, recorded with the figures.

    Raises
    ------
    ArgumentError
        If a parameter is not allowed, or papermill was given one that the notebook does not have.
    """

    def __init__(
        self,
        chapter: str = "",
        /,
        *,
        out: str = "",
        profile: str = "quick",
        seed: int = 0,
        **parameters: object,
    ) -> None:
        require_known({"out", "profile", "seed", *parameters})
        require(chapter, parameters)
        one_of(PROFILES, profile=profile)
        integer_at_least(0, seed=seed)
        self.out = Path(out or tempfile.mkdtemp(prefix="workbench-"))
        self.profile, self.seed, self.parameters = profile, seed, {"profile": profile, **parameters}
        self.profiles = PROFILES[: PROFILES.index(profile) + 1]
        (self.out / VERDICTS).unlink(missing_ok=True)

    def show(
        self,
        charts: Mapping[str, Chart] | Callable[[str, int], Chart],
        *,
        verdicts: Iterable[str] = (),
    ) -> None:
        """Save a figure and display it with its alternative text and how to read it.

        Parameters
        ----------
        charts
            The charts by profile, or the function of profile and seed that makes one.
        verdicts
            Ids of the claims the figure shows.
        """
        made = self._charts(charts)
        picture = save(made, self.out, parameters=self.parameters, seed=self.seed, verdicts=verdicts)
        chart: Chart = richest(made)
        text = f"<p><b>How to read it.</b> {escape(chart.how_to_read)}</p>" if chart.how_to_read else ""
        body = image(picture.read_bytes(), "svg+xml", chart.alt) + text
        publish(body, chart.alt)

    def _charts(self, charts: Mapping[str, Chart] | Callable[[str, int], Chart]) -> dict[str, Chart]:
        if callable(charts):
            return {profile: _made(charts, profile, self.seed) for profile in self.profiles}
        return dict(charts)

    def verdicts(self, ids: Iterable[str], *, full: Iterable[str] = ()) -> None:
        """Decide claims, save and display their verdicts; belongs into a notebook's last cell.

        Parameters
        ----------
        ids
            Of the claims.
        full
            Of those that only the profile `full` has time for.

        Raises
        ------
        ClaimError
            If a verdict is not the expected one, after everything was written. An undecided claim is
            one only when the profile is `full`: quick may have too few trials.
        """
        claims = {"quick": list(ids)}
        claims["full"] = claims["quick"] + list(full)
        decided = {profile: _decide(claims[profile], profile, self.seed) for profile in self.profiles}
        self.out.mkdir(parents=True, exist_ok=True)
        canonical_json.write(self.out / VERDICTS, decided)
        publish(*_table(decided[self.profile], full_run() if self.profile == "quick" else None))
        changed = [line for profile in decided for line in _changed(decided[profile], profile)]
        if changed:
            raise ClaimError("; ".join(changed))


def _made(chart: Callable[[str, int], Chart], profile: str, seed: int) -> Chart:
    with leased():
        return chart(profile, seed)


def _table(decided: list[dict[str, Any]], full: Mapping[str, str] | None) -> tuple[str, str]:
    """Return verdicts as HTML and as text; those of a quick run beside what the full run decided."""
    header: tuple[str, ...] = tables.VERDICT_COLUMNS
    rows = [tables.verdict_row(verdict) for verdict in decided]
    if full is None:
        return tables.html(header, rows), tables.text(header, rows)
    header = (*header, "full run")
    rows = [[*row, full.get(row[0], "decides")] for row in rows]
    remark = beside_full(decided, full)
    below = f"<p>{escape(remark)}</p>" if remark else ""
    return tables.html(header, rows) + below, "\n".join(filter(None, (tables.text(header, rows), remark)))


def _decide(ids: Iterable[str], profile: str, seed: int) -> list[dict[str, Any]]:
    return [_decided(claim, profile, seed) for claim in ids]


def _decided(claim: str, profile: str, seed: int) -> dict[str, Any]:
    from workbench.chapters.registry import decide

    with leased():
        return decide([claim], profile, seed)[claim].record()


def _changed(verdicts: Iterable[Mapping[str, Any]], profile: str) -> list[str]:
    from workbench.chapters.registry import CLAIMS

    lenient = ("UNDECIDED",) if profile == "quick" else ()
    expected = {verdict["id"]: str(CLAIMS[verdict["id"]].expected) for verdict in verdicts}
    return [
        f"{verdict['id']} is {verdict['status']}, expected {expected[verdict['id']]} ({profile} profile)"
        for verdict in verdicts
        if verdict["status"] not in (expected[verdict["id"]], *lenient)
    ]
