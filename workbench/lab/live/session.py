"""What a notebook talks to: where figures go, what is shown, what is claimed.

A notebook makes one session from its parameters, shows charts with it, and ends with its claims:

    lab = Session("one_mean", out=out, profile=profile, seed=seed, epsilon=epsilon)
    lab.show(error_against_radius, epsilon=epsilon, n=n, verdicts=["one-mean/clipping-pays-range"])
    lab.verdicts(["one-mean/clipping-pays-range", "one-mean/flat-in-radius"])

Everything is written before anything fails, so that a refuted claim leaves its evidence.
"""

import json
import re
import sys
import tempfile
import time
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import replace
from html import escape
from importlib import import_module
from inspect import signature
from pathlib import Path
from threading import Thread
from typing import Any

from workbench.charts import canonical_json
from workbench.charts.chart import Chart, Panel
from workbench.charts.curves import agreement
from workbench.errors import ArgumentError, integer_at_least, one_of
from workbench.lab.claims import changed, committed, decide, told
from workbench.lab.explore import FOLDER, Explorer, explorer, write
from workbench.lab.explore import kept as kept_explorer
from workbench.lab.figures import PROFILES, VERDICTS, far, image, publish, richest, save, styled, watch
from workbench.lab.live.committed import growths
from workbench.lab.live.noted import declared, display, note_figure
from workbench.lab.live.parameters import elsewhere, moved, nearest, require, require_known
from workbench.lab.live.recomputed import ASKED, Again, committed_figure, recomputed, said, stands
from workbench.lab.runner import stores
from workbench.lab.runner.core_share import leased
from workbench.study.beforehand import SEARCH, units
from workbench.study.run import Run, TooMuchWorkError
from workbench.study.sweeps import Resources, lending, notes, noting

STAND = "Claims are statements at numbers of their own, which the notebook's parameters do not move."


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
    recompute
        Whether figures and claims are made again, as they are without a chapter; else those that are
        committed stand, and a button below each figure makes it again.
    parameters
        The notebook's other parameters: those away from its start let predictions judge.

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
        recompute: bool = False,
        **parameters: object,
    ) -> None:
        require_known({"out", "profile", "seed", "recompute", *parameters})
        require(chapter, parameters)
        one_of(PROFILES, profile=profile)
        integer_at_least(0, seed=seed)
        self.out = Path(out or tempfile.mkdtemp(prefix="workbench-"))
        self.compared = None if out else self.out / "compare.sqlite"
        self.chapter, self.profile, self.seed = chapter, profile, seed
        self.recompute = recompute or not chapter
        self.moved = moved(chapter, parameters)
        self.profiles = PROFILES[: PROFILES.index(profile) + 1]
        (self.out / VERDICTS).unlink(missing_ok=True)
        if not self.recompute:
            watch()

    def show(
        self, figure: Callable[..., Chart], *, verdicts: Iterable[str] = (), **parameters: object
    ) -> None:
        """Say that the committed figure stands, with a button; or save the figure and say whether they agree.

        Where it is made again and does not agree, or none is committed, it is displayed.

        Parameters
        ----------
        figure
            A function of a `Run` and of the public numbers that the figure uses.
        verdicts
            Ids of the claims the figure shows.
        parameters
            The figure's public numbers, the nearest that the chapter allows; those that are not given are as
            in the committed figure. All are recorded with it.
        """
        asked, parameters = parameters, nearest(self.chapter, parameters)
        require(self.chapter, parameters)
        kept = None if self.recompute else committed_figure(self.chapter, figure.__name__)
        if notes() is not None:
            note_figure(figure, parameters, self.profiles, self.seed)
        elif kept:
            own = {"chapter": self.chapter, "profile": self.profile, "seed": self.seed, "moved": self.moved}
            order = {"module": figure.__module__, "figure": figure.__name__, "out": str(self.out), **own}
            line = stands(kept, {**defaults(figure), **parameters}, self.seed)
            Again(line, {**order, "parameters": asked, "verdicts": list(verdicts)}).show()
        else:
            publish(*self.made(figure, asked, parameters, verdicts))

    def made(
        self,
        figure: Callable[..., Chart],
        asked: Mapping[str, Any],
        parameters: Mapping[str, Any],
        verdicts: Iterable[str],
    ) -> tuple[str, str]:
        """Save a figure; return what is shown of it, as HTML and text."""
        used = {**defaults(figure), **parameters}
        made, remark = self._charts(figure, parameters)
        if used != defaults(figure) and (kept := committed_figure(self.chapter, richest(made).name)):
            made = {
                profile: neutral(figure, chart, {one["title"] for one in kept["charts"].values()})
                for profile, chart in made.items()
            }
        record = {"profile": self.profile, **used}
        picture = save(made, self.out, parameters=record, seed=self.seed, verdicts=verdicts, refused=remark)
        chart: Chart = richest(made)
        lacking, _, why = remark.partition(", ")
        words = {"How to read it.": chart.how_to_read, f"{lacking.capitalize()}.": why}
        words["Nearest that is allowed."] = elsewhere(asked, parameters)
        if self.moved and (judged := agreement(chart)).points:
            words["At these parameters"] = f"{judged}."
        text = "".join(f"<p><b>{head}</b> {escape(said)}</p>" for head, said in words.items() if said)
        beside = recomputed(self.chapter, picture.with_suffix(".json"), record, self.seed)
        page = beside.html(image(picture.read_bytes(), "svg+xml", chart.alt) + text)
        return styled(page), beside.text(chart.alt)

    @display
    def growths(self) -> None:
        """Display how n grows with every public number of the chapter's statements, as the full run found."""
        publish(*growths(self.chapter))

    def _charts(
        self, figure: Callable[..., Chart], parameters: Mapping[str, object]
    ) -> tuple[dict[str, Chart], str]:
        """Return the chart by profile and what it lacks, with the reason.

        It has predictions alone where its runs would take too much work, and is empty where an estimator
        refuses numbers that the notebook allows.
        """
        runs = {profile: Run(profile, self.seed) for profile in self.profiles}
        try:
            try:
                return {profile: _made(figure, run, parameters) for profile, run in runs.items()}, ""
            except TooMuchWorkError as refused:
                still = {profile: replace(run, simulate=False) for profile, run in runs.items()}
                made = {profile: _made(figure, run, parameters) for profile, run in still.items()}
                charts = {profile: _without_runs(chart, refused) for profile, chart in made.items()}
                return charts, f"predictions alone, {refused}"
        except ArgumentError as refused:
            if not self.moved:
                raise
            return dict.fromkeys(runs, _refused(figure.__name__, refused)), f"no picture, {refused}"

    @display
    def explore(self, picture: Any, **controls: Any) -> None:
        """Display the explorer of a picture or of one's own column (`workbench.lab.explore.explorer`).

        Parameters
        ----------
        picture
            A function of a `Run` and of public numbers; or a column, with its public bounds `low`, `high`.
        controls
            Name -> where it starts, for a public number that the chapter declares, or its control; the first
            two are seen at first, and move without a kernel, too.
        """
        self._moves(explorer(picture, **nearest(self.chapter, controls)))

    @display
    def solve(self, key: str, **starts: Any) -> None:
        """Display the explorer that solves for one of n, ε, δ and α (`workbench.lab.trade.of`)."""
        from workbench.lab.trade import of  # the planner and the catalog, for those who ask

        self._moves(of(key, **starts))

    @display
    def upload(self) -> None:
        """Display a place for one's own CSV file, a column of which is then explored."""
        from workbench.lab.own import Drop

        page, bundle = "A live notebook has a place for a CSV file here.", Drop().box._repr_mimebundle_()
        publish(f"<p>{page}</p>", page, bundle)

    def _moves(self, made: Explorer) -> None:
        """Display an explorer with its committed grid, which a full run that keeps its figures makes anew."""
        if self.profile == "full" and self.compared is None and (form := made.committed()):
            write(form, self.out / FOLDER / f"{made.name}.json")
        made.show(kept_explorer(self.chapter, made.name))

    @display
    def compare(self, methods: Mapping[str, Any], **how: Any) -> None:
        """Display the errors of functions of one's own beside those of estimators (`workbench.lab.compare`).

        What was run before in this session is not run again.
        """
        from workbench.lab.compare import compare

        kept = {"store": self.compared, "cached": self.compared is not None}
        found = compare(methods, **{"seed": self.seed, **kept, **how})
        publish(found._repr_html_(), str(found))

    def verdicts(self, ids: Iterable[str], *, full: Iterable[str] = ()) -> None:
        """Decide claims, save and display their verdicts; belongs into a notebook's last cell.

        Parameters
        ----------
        ids
            Of the claims.
        full
            Of those that only the profile `full` has time for.

        Claims are statements at numbers of their own: where the notebook's parameters are others, and where
        nothing is recomputed, what the committed full run has decided is shown.

        Raises
        ------
        ClaimError
            If a verdict is not the expected one, after everything was written. An undecided claim is
            one only when the profile is `full`: quick may have too few trials.
        """
        kept = committed([*ids, *full]) if self.moved or not self.recompute else []
        if (noted := notes()) is not None:
            known = self.moved and kept
            noted.extend(() if known else declared({"quick": ids, "full": full}, self.profiles, self.seed))
            return
        if kept:
            self._keep({"full": kept}, STAND if self.moved else f"{ASKED[:1].upper()}{ASKED[1:]}.")
            return
        claims = {"quick": list(ids)}
        claims["full"] = claims["quick"] + list(full)
        decided = {profile: decide(claims[profile], profile, self.seed) for profile in self.profiles}
        self._keep(decided)
        lines = [line for profile in decided for line in changed(decided[profile], profile)]
        if lines:
            raise ClaimError("; ".join(lines))

    def _keep(self, decided: Mapping[str, list[dict[str, Any]]], remark: str = "") -> None:
        self.out.mkdir(parents=True, exist_ok=True)
        canonical_json.write(self.out / VERDICTS, decided)
        publish(*told(richest(decided), full="full" in decided, remark=remark))


def _made(figure: Callable[..., Chart], run: Run, parameters: Mapping[str, object]) -> Chart:
    with leased():
        return figure(run, **parameters)


def _without_runs(chart: Chart, refused: TooMuchWorkError) -> Chart:
    """Return a chart that says below its last panel why no runs are in it."""
    *others, last = chart.panels
    note = f"{last.note} No runs: they take {refused.times:.2g} times the usual work.".lstrip()
    return replace(chart, panels=(*others, replace(last, note=note)))


def _refused(name: str, refused: ArgumentError) -> Chart:
    """Return an empty chart that says why it is empty."""
    panel = Panel("", "", "", (), "linear", "linear", note=str(refused))
    return Chart(name, "There is no answer at these numbers", (panel,), alt=f"Nothing is drawn: {refused}.")


def neutral(figure: Callable[..., Chart], chart: Chart, usual: Container[str]) -> Chart:
    """Return a chart whose words hold at any numbers: a usual title is a finding, and so is most of an alt.

    What the figure's docstring says that it returns becomes the title, unless that follows the numbers.
    """
    title = chart.title
    if title in usual and (about := re.match(r"Return (?:the chart of )?(.+?)(?:;| \(|\.$)", _head(figure))):
        title = about[1][0].upper() + about[1][1:]
    panels = (f"{one.title}: {one.ylabel} against {one.xlabel}".strip(": ") for one in chart.panels)
    return replace(chart, title=title, alt=f"{title}. {'. '.join(panels)}.")


def _head(figure: Callable[..., Chart]) -> str:
    """Return the first line of a docstring."""
    return (figure.__doc__ or "").partition("\n")[0]


def defaults(figure: Callable[..., Chart]) -> dict[str, object]:
    """Return the public numbers that a figure uses, as in the committed one."""
    taken = signature(figure).parameters.values()
    return {one.name: one.default for one in taken if one.kind is one.KEYWORD_ONLY}


def main() -> None:
    """Make a figure again as asked on stdin; print how far it is each second, then its page."""
    order, out, sys.stdout = json.loads(sys.stdin.read()), sys.stdout, sys.stderr
    figure = getattr(import_module(order["module"]), order["figure"])
    folder = Path(order["out"]) / "recomputed"
    given = {name: order[name] for name in ("profile", "seed")}
    lab = Session(order["chapter"], out=str(folder), recompute=True, **given, **order["moved"])
    store, known = folder / "blocks.sqlite", list[int]()
    before, began = stores.count(store), time.monotonic()

    def tell() -> None:
        while True:
            time.sleep(1)
            of = sum(known) - before
            line = far(order["figure"], time.monotonic() - began, stores.count(store) - before, of)
            print(json.dumps({"line": f"recomputing {line}"}), file=out, flush=True)

    Thread(target=tell, daemon=True).start()
    try:
        found: list[object] = []
        with noting(found):
            lab.show(figure, **order["parameters"])
        known.append(sum(unit.block != SEARCH for unit in units(found)))
        with lending(Resources(store=store)):
            near = nearest(lab.chapter, order["parameters"])
            page, _ = lab.made(figure, order["parameters"], near, order["verdicts"])
    except Exception as error:
        page = said(f"{type(error).__name__}: {error}")
    print(json.dumps({"page": page}), file=out, flush=True)


if __name__ == "__main__":
    main()
