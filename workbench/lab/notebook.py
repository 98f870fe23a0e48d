"""What a notebook talks to: where figures go, what is shown, what is claimed.

A notebook makes one session from its parameters, shows charts with it, and ends with its claims:

    lab = Session("one_mean", out=out, profile=profile, seed=seed, epsilon=epsilon)
    lab.show(error_against_radius, epsilon=epsilon, n=n, verdicts=["one-mean/clipping-pays-range"])
    lab.verdicts(["one-mean/clipping-pays-range", "one-mean/flat-in-radius"])

Everything is written before anything fails, so that a refuted claim leaves its evidence.
"""

import ast
import re
import tempfile
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import wraps
from html import escape
from inspect import signature
from math import isfinite
from pathlib import Path
from typing import Any

from workbench.chapters.parameters import CHAPTERS
from workbench.charts import canonical_json
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.curves import agreement
from workbench.charts.style import METHODS
from workbench.errors import ArgumentError, integer_at_least, one_of, one_of_words, real
from workbench.lab import sizes, tables
from workbench.lab.aside import ASKED, Again, said
from workbench.lab.claims import changed, figures_folder, folded, full_verdicts, told
from workbench.lab.explore import FOLDER, Explorer, compact, explorer
from workbench.lab.figures import (
    PROFILES,
    VERDICTS,
    cells,
    differences,
    image,
    publish,
    richest,
    save,
    styled,
    watch,
)
from workbench.lab.project import assignment
from workbench.privacy import Budget, NonPrivate
from workbench.study.comparing import Comparison, entry_like
from workbench.study.comparing import compare as compared
from workbench.study.parameters import Choice, Slider, typed
from workbench.study.sweeps import Run, TooMuchWorkError

STAND = "Claims are statements at numbers of their own, which the notebook's parameters do not move."
MARK = "# Parameters\n"  # what papermill writes above those that it was given
AGREES = "recomputed: agrees with the committed figure"
STANDS = "committed figure, not recomputed"
FRESH, FEW = "the picture as recomputed", 3  # differences that are told
NOT_AT_HAND = "What stands here is committed in the checkout, which is not at hand."
SLOPES = (
    "One number moves at a time, and at each of its values the least n is searched. The slope is that of ln n"
    " in the logarithm of what moves, with its interval at 5 %, beside that of the statement. Of the"
    " committed full run, whatever the parameters above."
)

__all__ = ["Choice", "Session", "Slider", "compare"]  # what a notebook imports


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
        known = sorted({"out", "profile", "seed", "recompute", *parameters})
        for name, value in injected(cells()).items():
            if name not in known:
                raise ArgumentError(f"parameter {name}", value, one_of_words(name, known))
        require(chapter, parameters)
        one_of(PROFILES, profile=profile)
        integer_at_least(0, seed=seed)
        self.out = Path(out or tempfile.mkdtemp(prefix="workbench-"))
        self.interactive = not out
        self.chapter, self.profile, self.seed = chapter, profile, seed
        self.recompute = recompute or not chapter
        start = {name: one.default for name, one in CHAPTERS.get(chapter, {}).items()}
        given = parameters.items()
        self.moved = {name: value for name, value in given if name in start and value != start[name]}
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
            Those public numbers, the nearest that the chapter allows; others are as in the committed figure.
        """
        near = nearest(self.chapter, parameters)
        require(self.chapter, near)
        kept = None if self.recompute else committed_figure(self.chapter, figure.__name__)
        if not kept:
            publish(*self.made(figure, verdicts, parameters))
            return
        order = {
            "module": figure.__module__, "figure": figure.__name__, "out": str(self.out),
            "chapter": self.chapter, "profile": self.profile, "seed": self.seed, "moved": self.moved,
            "parameters": parameters, "verdicts": list(verdicts),
        }  # fmt: skip
        away = _away(kept, {**defaults(figure), **near}, self.seed)
        Again(f"{STANDS}, at other parameters: {away}" if away else STANDS, order).show()

    def made(
        self, figure: Callable[..., Chart], verdicts: Iterable[str], asked: Mapping[str, Any]
    ) -> tuple[str, str]:
        near = nearest(self.chapter, asked)
        used = {**defaults(figure), **near}
        made, remark = self._charts(figure, near)
        kept = committed_figure(self.chapter, richest(made).name)
        if kept and used != defaults(figure):
            usual = {one["title"] for one in kept["charts"].values()}
            made = {profile: neutral(figure, chart, usual) for profile, chart in made.items()}
        record = {"profile": self.profile, **used}
        picture = save(made, self.out, parameters=record, seed=self.seed, verdicts=verdicts, refused=remark)
        line, agrees = "", False
        if kept:
            line, agrees = recomputed(kept, canonical_json.read(picture.with_suffix(".json")))
        chart: Chart = richest(made)
        lacking, _, why = remark.partition(", ")
        words = {"How to read it.": chart.how_to_read, f"{lacking.capitalize()}.": why}
        words["Nearest that is allowed."] = ", ".join(
            f"{name} = {typed(used[name])} in place of {typed(value)}"
            for name, value in asked.items()
            if real(value) and abs(value - used[name]) > isinstance(used[name], int) / 2  # but for rounding
        )
        if self.moved and (judged := agreement(chart)).points:
            words["At these parameters"] = f"{judged}."
        text = "".join(f"<p><b>{head}</b> {escape(one)}</p>" for head, one in words.items() if one)
        page = image(picture.read_bytes(), chart.alt) + text
        page = (said(line) if line else "") + (folded(FRESH, page) if agrees else page)
        return styled(page), "\n".join(filter(None, (line, "" if agrees else chart.alt)))

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
                return {profile: figure(run, **parameters) for profile, run in runs.items()}, ""
            except TooMuchWorkError as refused:
                still = f"No runs: they take {refused.times:.2g} times the usual work."
                made = {}
                for profile, run in runs.items():
                    chart = figure(replace(run, simulate=False), **parameters)
                    *others, last = chart.panels
                    noted = replace(last, note=f"{last.note} {still}".lstrip())
                    made[profile] = replace(chart, panels=(*others, noted))
                return made, f"predictions alone, {refused}"
        except ArgumentError as refused:
            if not self.moved:
                raise
            panel = Panel("", "", "", (), "linear", "linear", note=str(refused))
            title, alt = "There is no answer at these numbers", f"Nothing is drawn: {refused}."
            empty = Chart(figure.__name__, title, (panel,), alt=alt)
            return dict.fromkeys(runs, empty), f"no picture, {refused}"

    def growths(self) -> None:
        """Display how n grows with every public number of the chapter's statements, as the full run found."""
        from workbench.charts.drawing import svg

        folder = figures_folder()
        found = sizes.growing(folder, self.chapter) if folder and self.chapter else []
        if not found:
            publish(f"<p>{escape(NOT_AT_HAND)}</p>", NOT_AT_HAND)
            return
        chart = sizes.picture(", ".join(dict.fromkeys(one.source for one in found)), found)
        rows = [[*sizes.summary(one).values()] for one in found]
        words = f"<p><b>How to read it.</b> {escape(f'{chart.how_to_read} {SLOPES}')}</p>"
        page = image(svg(chart), chart.alt) + words + tables.html(sizes.SUMMARY, rows)
        publish(page, tables.text(sizes.SUMMARY, rows))

    def explore(self, picture: Any, **controls: Any) -> None:
        """Display the explorer of a picture or of one's own column (`workbench.lab.explore.explorer`).

        A control starts at its value, at the nearest that the chapter allows.
        """
        self._moves(explorer(picture, **nearest(self.chapter, controls)))

    def solve(self, key: str, **starts: Any) -> None:
        """Display the explorer that solves for one of n, ε, δ and α (`workbench.lab.explorers.solve`)."""
        from workbench.lab.explorers import solve  # the planner and the catalog, for those who ask

        self._moves(solve(key, **starts))

    def upload(self) -> None:
        """Display a place for one's own CSV file, a column of which is then explored."""
        from workbench.lab.explorers import Drop

        page, bundle = "A live notebook has a place for a CSV file here.", Drop().box._repr_mimebundle_()
        publish(f"<p>{page}</p>", page, bundle)

    def _moves(self, made: Explorer) -> None:
        """Display an explorer with its committed grid, which a full run that keeps its figures makes anew."""
        if self.profile == "full" and not self.interactive and (form := made.committed()):
            (self.out / FOLDER).mkdir(parents=True, exist_ok=True)
            (self.out / FOLDER / f"{made.name}.json").write_text(f"{compact(form)}\n", encoding="utf-8")
        made.show(committed_figure(self.chapter, f"{FOLDER}/{made.name}"))

    def compare(self, methods: Mapping[str, Any], **how: Any) -> None:
        found = compare(methods, **{"seed": self.seed, **how})
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
        from workbench.chapters.registry import decide

        quick = list(ids)
        claims = {"quick": quick, "full": [*quick, *full]}
        if self.moved or not self.recompute:
            kept = full_verdicts()
            if kept.keys() >= {*claims["full"]}:
                remark = STAND if self.moved else f"{ASKED[:1].upper()}{ASKED[1:]}."
                self._keep({"full": [kept[name] for name in claims["full"]]}, remark)
                return
        decided = {
            profile: [decide([one], profile, self.seed)[one].record() for one in claims[profile]]
            for profile in self.profiles
        }
        self._keep(decided)
        lines = [line for profile in decided for line in changed(decided[profile], profile)]
        if lines:
            raise ClaimError("; ".join(lines))

    def _keep(self, decided: Mapping[str, list[dict[str, Any]]], remark: str = "") -> None:
        self.out.mkdir(parents=True, exist_ok=True)
        canonical_json.write(self.out / VERDICTS, decided)
        publish(*told(richest(decided), full="full" in decided, remark=remark))


def neutral(figure: Callable[..., Chart], chart: Chart, usual: Container[str]) -> Chart:
    """Return a chart whose words hold at any numbers: a usual title is a finding, and so is most of an alt.

    What the figure's docstring says that it returns becomes the title, unless that follows the numbers.
    """
    title = chart.title
    head = (figure.__doc__ or "").partition("\n")[0]
    if title in usual and (about := re.match(r"Return (?:the chart of )?(.+?)(?:;| \(|\.$)", head)):
        title = about[1][0].upper() + about[1][1:]
    panels = (f"{one.title}: {one.ylabel} against {one.xlabel}".strip(": ") for one in chart.panels)
    return replace(chart, title=title, alt=f"{title}. {'. '.join(panels)}.")


def defaults(figure: Callable[..., Chart]) -> dict[str, object]:
    taken = signature(figure).parameters.values()
    return {one.name: one.default for one in taken if one.kind is one.KEYWORD_ONLY}


# The parameters of a notebook as it runs: refused early and by name, also those that papermill gave.


def require(name: str, parameters: Mapping[str, object]) -> None:
    """Raise unless every parameter of a chapter is allowed; a chapter that declares none allows anything."""
    for parameter, declared in CHAPTERS.get(name, {}).items():
        if parameter in parameters:
            declared.require(parameter, parameters[parameter])


def nearest(name: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return public numbers that were computed of a chapter's parameters, each as near as is allowed."""
    declared = CHAPTERS.get(name, {})
    return {
        parameter: declared[parameter].nearest(value) if parameter in declared and real(value) else value
        for parameter, value in parameters.items()
    }


def injected(sources: Iterable[str]) -> dict[str, object]:
    """Return the parameters that papermill injected, from the sources of a notebook's cells.

    Papermill puts a cell of assignments after the notebook's own cell of parameters and marks it by its first
    line; a name that the notebook does not have would stay there, and do nothing.
    """
    body = ast.parse("\n".join(cell for cell in sources if cell.startswith(MARK))).body
    given = [one for one in body if isinstance(one, ast.Assign)]
    # what is no literal, such as float("nan"), as it is written
    return dict(assignment(one) or (ast.unparse(one.targets[0]), ast.unparse(one.value)) for one in given)


# What is committed, beside which a notebook stands.


def recomputed(kept: Any, made: Any) -> tuple[str, bool]:
    if away := _away(kept, made["parameters"], made["seed"]):
        return f"recomputed at other parameters than the committed figure: {away}", False
    if found := differences(made, kept):
        rest = f"; and {len(found) - FEW} more" if len(found) > FEW else ""
        return f"recomputed: differs from the committed figure: {'; '.join(found[:FEW])}{rest}", False
    profile = made["parameters"]["profile"]
    return AGREES if profile == kept["parameters"]["profile"] else f"{AGREES}, in its {profile} profile", True


def _away(kept: Mapping[str, Any], parameters: Mapping[str, object], seed: int) -> str:
    ours, theirs = {**parameters, "seed": seed}, {**kept["parameters"], "seed": kept["seed"]}
    pairs = {name: (_said(ours.get(name)), _said(theirs.get(name))) for name in {**theirs, **ours}}
    pairs.pop("profile")
    return ", ".join(
        f"{name} = {here}, there {there}" for name, (here, there) in pairs.items() if here != there
    )


def committed_figure(chapter: str, name: str) -> Any:
    """Return the JSON form of a committed figure or explorer; None where it is not at hand."""
    folder = figures_folder() if chapter else None
    path = next(folder.glob(f"*_{chapter}/{name}.json"), None) if folder else None
    return canonical_json.read(path) if path else None


def _said(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(_said, value))
    return typed(float(str(value))) if real(value) else str(value)


# One's own functions beside estimators: a picture, a table of errors and the tidy frame behind them


COMPARED = ("method", "budget", "n", "median error", "95 % interval", "no answer", "predicted")
YOURS = [key for key in METHODS if key.startswith("yours/")]
UNITS = {"epsilon": "ε", "rho": "ρ", "mu": "μ"}
HOW_COMPARED = (
    "Every method saw the same rows. Bands are exact 95 % intervals of the median error; a pale line is what "
    "an estimator predicts for the hardest rows that it allows; an arrow: half the runs abstain."
)


@dataclass(frozen=True)
class Compared(Comparison):
    chart: Chart

    def _rows(self) -> list[list[str]]:
        rows = []
        for method, budget, *numbers in self.summary.to_numpy().tolist():
            n, median, low, high, silent, predicted = map(float, numbers)
            said = [f"{n:g}", f"{median:.3g}", f"{low:.3g} to {high:.3g}", f"{100 * silent:.3g} %"]
            rows.append([str(method), str(budget), *said, f"{predicted:.3g}" if isfinite(predicted) else ""])
        return rows

    def __str__(self) -> str:
        return tables.text(COMPARED, self._rows())

    def _repr_html_(self) -> str:
        from workbench.charts.drawing import svg

        words = f"<p><b>How to read it.</b> {escape(self.chart.how_to_read)}</p>"
        numbers = f"<details><summary>numbers</summary>{tables.html(COMPARED, self._rows())}</details>"
        return styled(image(svg(self.chart), self.chart.alt) + words + numbers)


def comparison_chart(found: Comparison) -> Chart:
    """Return errors against n, a panel for each budget; or against the budget, where n is one."""
    keys, summary, sizes = colour_keys(found.methods), found.summary, {*found.summary["n"]}
    if len(sizes) == 1 and len(found.budgets) > 1:
        spent, unit = _spent(found.budgets)
        shown = [(f"n = {sizes.pop():g}", unit, summary.assign(x=summary["budget"].map(spent)))]
    else:
        at = summary.assign(x=summary["n"])
        parts = [(one, at[at["budget"] == str(one or "none")]) for one in found.budgets]
        shown = [(str(one or "no privacy"), "rows n", rows) for one, rows in parts]
    panels = []
    for title, along, rows in shown:
        drawn = []
        for method, key in keys.items():
            part = rows[rows["method"] == method]
            drawn.append(Series(method, part["x"], part["median"], part["low"], part["high"], colour_key=key))
            if len(part) and all(map(isfinite, part["predicted"])):
                drawn.append(Series("", part["x"], part["predicted"], role="theory", colour_key=key))
        panels.append(Panel(title, along, "median error", drawn))
    words = "Median errors, not measured yet."
    if len(summary):
        n, budget = summary["n"].max(), summary["budget"].iloc[-1]
        last = summary[(summary["n"] == n) & (summary["budget"] == budget)]
        said = ", ".join(f"{one.method} {one.median:.3g}" for one in last.itertuples())
        words = f"Median errors; at n = {n:g}, {budget}: {said}."
    names = " and ".join(found.methods) if len(keys) < 4 else f"{len(keys)} methods"
    title = f"{names} on the same rows"
    return Chart("comparison", title, panels, alt=words, how_to_read=HOW_COMPARED)


def colour_keys(methods: Mapping[str, Any]) -> dict[str, str]:
    """Return the hue of every method: that of its entry for the first of a kind, else one of yours."""
    free, taken = iter(YOURS), dict[str, str]()
    for name, method in methods.items():
        entry = entry_like(method)
        known = entry is not None and entry.key in METHODS and entry.key not in taken.values()
        key = entry.key if entry is not None and known else next(free, "")
        if not key:
            raise ArgumentError("methods", len(methods), f"at most {len(YOURS)} beside those of the catalog")
        taken[name] = key
    return taken


def _spent(budgets: tuple[Budget | None, ...]) -> tuple[dict[str, float], str]:
    if any(budget is None or isinstance(budget, NonPrivate) for budget in budgets):
        raise ArgumentError("budget", None, "private ones on an axis of budgets")
    names = {fields(budget)[0].name for budget in budgets}  # type: ignore[arg-type]
    if len(names) > 1:
        raise ArgumentError("budget", sorted(names), "budgets of one kind, or several n")
    name = names.pop()
    return {str(budget): float(getattr(budget, name)) for budget in budgets}, UNITS[name]


@wraps(compared)
def compare(*given: Any, **named: Any) -> Compared:
    found = compared(*given, **named)
    return Compared(**vars(found), chart=comparison_chart(found))
