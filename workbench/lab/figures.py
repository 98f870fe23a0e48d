"""Figures on disk, NAME.svg to look at and NAME.json to compare, and in a notebook's output.

The JSON holds the plotted numbers of every profile that was run, so that a quick run can be compared
with what a full run has committed (`differences`). Pictures are never compared, only their numbers.
"""

import platform
import time
from base64 import b64encode
from collections.abc import Hashable, Iterable, Iterator, Mapping
from contextvars import copy_context
from functools import cache
from html import escape
from importlib.metadata import version
from math import isfinite
from pathlib import Path
from threading import Event, Thread
from typing import Any, NamedTuple

from workbench import __version__
from workbench.charts import canonical_json
from workbench.charts.chart import Chart
from workbench.errors import one_of

PROFILES = ("quick", "full")
VERDICTS = "verdicts.json"
STYLES = Path(__file__).parent / "custom"  # custom.css in it, which `workbench lab` loads
WIDE = ' width="960" class="workbench-figure" style="max-width:100%"'


def save(
    charts: Mapping[str, Chart],
    out: Path,
    *,
    parameters: Mapping[str, object],
    seed: int,
    verdicts: Iterable[str] = (),
    refused: str = "",
) -> Path:
    """Write the chart of the richest profile as SVG and every profile's numbers as JSON; return the SVG.

    Charts are by profile: `quick` alone, or `quick` and `full`. `parameters` and `seed` are what the notebook
    was run with, `verdicts` the ids of the claims that the figure shows, `refused` what it lacks, and why.
    """
    from workbench.charts.drawing import svg

    one_of(PROFILES, **{f"profile {profile}": profile for profile in charts})
    chart = richest(charts)
    libraries = {name: version(name) for name in ("numpy", "scipy", "matplotlib")}
    content = {
        "name": chart.name,
        "charts": {profile: chart.to_json() for profile, chart in charts.items()},
        "parameters": dict(parameters),
        "seed": seed,
        "verdicts": list(verdicts),
        "environment": {"workbench": __version__, "python": platform.python_version(), **libraries},
    }
    from workbench.charts.curves import agreement  # with pandas, which those who read need not have

    if (judged := agreement(chart)).points:
        content["agreement"] = {"points": judged.points, "outside": list(judged.outside)}
    if refused:
        content["refused"] = refused
    out.mkdir(parents=True, exist_ok=True)
    numbers = out / f"{chart.name}.json"
    canonical_json.write(numbers, content)
    picture = numbers.with_suffix(".svg")
    picture.write_bytes(svg(kept_chart(numbers)))  # whose last digits are the same on every machine
    return picture


def richest(charts: Mapping[str, Any]) -> Any:
    return charts[max(charts, key=PROFILES.index)]


def kept_chart(path: Path) -> Chart:
    return Chart.from_json(richest(canonical_json.read(path)["charts"]))


def outputs(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*") if path.suffix in (".svg", ".json"))


def figures(folder: Path) -> list[Path]:
    return [path for path in outputs(folder) if path.suffix == ".json" and path.name != VERDICTS]


def verdicts(folder: Path) -> tuple[str, list[Mapping[str, Any]]]:
    path = folder / VERDICTS
    content = canonical_json.read(path) if path.is_file() else {}
    known = {profile: content[profile] for profile in PROFILES if profile in content}
    return (max(known, key=PROFILES.index), richest(known)) if known else ("", [])


def publish(html: str, text: str, widget: dict[str, Any] | None = None) -> None:
    """Display HTML with its text, and a live widget view where a front end can show one."""
    import IPython
    import IPython.display

    display: Any = IPython.display.display
    if IPython.get_ipython() is None:
        print(text)
    else:
        display({**(widget or {}), "text/html": html, "text/plain": text}, raw=True)


def cells() -> list[str]:
    import IPython

    shell: Any = IPython.get_ipython()
    return list(shell.user_ns.get("In", ())) if shell else []


def image(svg: bytes, alt: str, how: str = WIDE) -> str:
    """Return a picture as HTML, with further attributes: those of a figure in a notebook."""
    return f'<img alt="{escape(alt)}" src="data:image/svg+xml;base64,{b64encode(svg).decode()}"{how}>'


def styled(page: str) -> str:
    """Return a page with what makes its figures, and those in the notebook's text, follow a dark theme."""
    rules = (STYLES / "custom.css").read_text(encoding="utf-8")
    return f"<style>{rules}</style>{page}"


# When two honest runs have the same numbers, and how rarely that is decided wrongly
#
# Honest runs have the same software, parameters and seed, and so the same draws. Another machine (processor,
# BLAS kernel, number of threads) rounds differently, which shows in two ways.
#
# (1) *Rounding.* A number, deterministic or simulated, moves by its condition times 1e-16. It agrees if it
#     moves by at most `RELATIVE` of itself or `ABSOLUTE` of its scale: the largest number of its curve, list
#     or table, and on a logarithmic axis the number itself. A count of rows may also move by one.
# (2) *A run that flips*: it decides something within rounding of its threshold. A plan lists its draws
#     beforehand, so that one run of one point changes. Where an interval comes with a number it is therefore
#     agreed, though (1) fails, if
#         a simulated curve's y stays inside the committed band, low and high move by at most its width
#         (2.3 standard errors of an end, for a normal band of 95 %), and so at one x of the figure only;
#         a verdict's estimate and the ends of its interval move by at most a quarter of the interval, or for
#         a search, which went on elsewhere, either estimate lies in the other's interval, and so in no more
#         claims of a notebook than read one sweep: `CLAIMS`. Its status never changes.
#
# A falsified curve, which is wrong everywhere, differs however wide its band is. Words are compared exactly.
#
# Level, a model with measured numbers and no proof: the moves by rounding, relative to a density of about
# one at a threshold and measured between the kernels Prescott, Haswell and SkylakeX, add up to λ = 0.02
# expected flips over the 370 000 runs of a quick `reproduce`, all but 1e-5 of them under intervals. Honest
# runs disagree if two runs of one figure flip (at most λ²/2 = 2e-4), one flips and leaves its interval (at
# most 0.03 λ = 6e-4, the worst of mean and median of six normal or Laplace runs when one is drawn anew), or
# one flips where there is no interval (1e-5): less than 1e-3 in all.


RELATIVE, ABSOLUTE = 1e-3, 1e-9  # of the larger of two numbers, and of their scale
QUARTER = 0.25  # of a verdict's interval: what a flipped run may move
PLACES, CLAIMS = 1, 3  # values of x in a figure, and claims in a notebook, that one flipped run may move
MOST = 20  # lines reported per file
CURVES = ("y", "low", "high")
SEARCHED = "searched n"  # in the name of a test: a flipped run changes which runs come after it
EVIDENCE = ("estimate", "interval")
PROSE = ("caption", "detail", "marks", "label_at")  # what is read off the numbers that are compared
Form = Mapping[str, Any]


class Difference(NamedTuple):
    """What is not as committed, and what a flipped run that explains it is of: an x, or a claim."""

    line: str
    run: tuple[str, Hashable] | None = None


def compare(folder: Path, committed: Path) -> list[str]:
    """Return how the numbers in `folder` differ from the committed ones, one line per difference.

    Only the profiles that `folder` has are compared; versions are not.
    """
    made, kept = (
        {path.name: canonical_json.read(path) for path in one.glob("*.json")} for one in (folder, committed)
    )
    lines = [f"{name}: not made any more, but committed" for name in sorted(kept.keys() - made.keys())]
    lines += [f"{name}: made, but not committed" for name in sorted(made.keys() - kept.keys())]
    for name in sorted(made.keys() & kept.keys()):
        lines += [f"{name}: {line}" for line in differences(made[name], kept[name], name)]
    return lines


def differences(made: Any, kept: Any, name: str = "") -> list[str]:
    ours, theirs = map(_without_prose, (made, kept))
    if name == VERDICTS:
        ours, theirs = {"charts": ours}, {"charts": theirs}
    profiles = [profile for profile in PROFILES if profile in ours["charts"]]
    for one in (ours, theirs):
        one["charts"] = {profile: one["charts"].get(profile) for profile in profiles}
        if name != VERDICTS:
            one["parameters"].pop("profile", None)
    compared = "charts", "parameters", "seed"
    return differ(*({key: one[key] for key in compared if key in one} for one in (ours, theirs)))


def _without_prose(content: Any) -> Any:
    if isinstance(content, dict):
        return {key: _without_prose(value) for key, value in content.items() if key not in PROSE}
    return [_without_prose(value) for value in content] if isinstance(content, list) else content


def differ(ours: object, theirs: object) -> list[str]:
    """Return the differences that no flipped run explains, each with its place, at most twenty.

    >>> differ({"n": 100, "estimate": 0.50001}, {"n": 100, "estimate": 0.5})
    []
    >>> differ({"status": "HOLDS"}, {"status": "REFUTED"})
    ["status: 'HOLDS', committed 'REFUTED'"]
    """
    found = list(_walk("", ours, theirs))
    runs = {one.run for one in found if one.run}
    allowed = {"x": PLACES, "claim": CLAIMS}
    few = {kind for kind, most in allowed.items() if sum(run[0] == kind for run in runs) <= most}
    lines = [one.line for one in found if not (one.run and one.run[0] in few)]
    return lines if len(lines) <= MOST else [*lines[:MOST], "... and more"]


def _walk(
    place: str, ours: Any, theirs: Any, scale: float = 0.0, log: tuple[str, ...] = ()
) -> Iterator[Difference]:
    """Yield how two contents differ; `log` names the curves' entries that stand on a logarithmic axis."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        yield from _records(place, ours, theirs, log)
    elif isinstance(ours, list) and isinstance(theirs, list):
        if len(ours) != len(theirs):
            yield Difference(f"{place}: {len(ours)} entries, committed {len(theirs)}")
        else:
            for index, pair in enumerate(zip(ours, theirs, strict=True)):
                yield from _walk(f"{place}[{index}]", *pair, scale, log)
    elif not (rounds(ours, theirs, scale) if _number(ours) and _number(theirs) else ours == theirs):
        yield _difference(place, ours, theirs)


def _records(place: str, ours: Form, theirs: Form, log: tuple[str, ...]) -> Iterator[Difference]:
    together: tuple[str, ...] = ()
    if label := ours.get("label") or ours.get("id"):
        place = f"{place} {label!r}"
    if "yscale" in theirs:
        log = tuple(axis for axis in ("x", "y") if theirs.get(f"{axis}scale") == "log")
    if all("role" in one and {"x", *CURVES} <= one.keys() for one in (ours, theirs)):
        together = CURVES
        yield from _curve(place, ours, theirs, log)
    elif {*EVIDENCE} <= ours.keys() & theirs.keys():
        together = EVIDENCE
        yield from _evidence(place, ours, theirs)
    for key in sorted((ours.keys() | theirs.keys()) - {*together}):
        one, other = ours.get(key), theirs.get(key)
        logarithmic = key in log or theirs.get("scale") == "log"  # an axis, or the colours of a table
        scale = 0.0 if logarithmic else _largest([other, theirs.get("limits")])
        yield from _walk(f"{place} {key}".strip(), one, other, scale, log)


def _curve(place: str, ours: Form, theirs: Form, log: tuple[str, ...]) -> Iterator[Difference]:
    """Yield how y and the band differ, point by point: a flipped run moves the three together."""
    shapes = [{name: len(one[name]) for name in CURVES if one[name] is not None} for one in (ours, theirs)]
    if shapes[0] != shapes[1] or len({*shapes[0].values()}) > 1:
        said = [" and ".join(f"{many} of {name}" for name, many in shape.items()) for shape in shapes]
        yield Difference(f"{place}: {said[0]}, committed {said[1]}")
        return
    scales = {name: 0.0 if "y" in log else _largest(theirs[name]) for name in shapes[0]}
    for index, x in enumerate(theirs["x"]):
        pairs = {name: (float(ours[name][index]), float(theirs[name][index])) for name in scales}
        kind, run = str(theirs.get("kind")), None
        wrong = [name for name, pair in pairs.items() if not rounds(*pair, scales[name], kind)]
        if wrong and theirs["role"] == "estimate" and {"low", "high"} <= pairs.keys():
            band, kept = zip(pairs["low"], pairs["high"], strict=True)
            if all(low <= pairs["y"][0] <= high for low, high in (kept, band)):
                run = ("x", float(x)) if _moved(band, kept, kept[1] - kept[0]) else None
        for name in wrong:
            yield _difference(f"{place} {name}[{index}]", ours[name][index], theirs[name][index], run)


def _evidence(place: str, ours: Form, theirs: Form) -> Iterator[Difference]:
    (one, band), (other, kept) = (
        (float(verdict["estimate"]), tuple(map(float, verdict["interval"]))) for verdict in (ours, theirs)
    )
    if SEARCHED in str(theirs.get("test")):
        alike = all(low <= y <= high for y in (one, other) for low, high in (band, kept))
    else:
        width = QUARTER * (kept[1] - kept[0])
        alike = _moved((one, *band), (other, *kept), width if isfinite(width) else 0.0)
    pairs = {"estimate": [(one, other)], "interval": [*zip(band, kept, strict=True)]}
    for name, numbers in pairs.items():
        if not all(rounds(*pair, _largest([other, *kept])) for pair in numbers):
            run = ("claim", theirs.get("id")) if alike else None
            yield _difference(f"{place} {name}", ours[name], theirs[name], run)


def rounds(ours: float, theirs: float, scale: float = 0.0, kind: str = "number") -> bool:
    if not (isfinite(ours) and isfinite(theirs)):
        return repr(float(ours)) == repr(float(theirs))
    slack = RELATIVE * max(abs(ours), abs(theirs)) + ABSOLUTE * scale
    return abs(ours - theirs) <= max(slack, 1.0 if kind == "count" else 0.0)


def _moved(ours: tuple[float, ...], theirs: tuple[float, ...], most: float) -> bool:
    return all(a == b or abs(a - b) <= most for a, b in zip(ours, theirs, strict=True))


def _largest(value: Any) -> float:
    if isinstance(value, list):
        return max(map(_largest, value), default=0.0)
    return abs(value) if _number(value) and isfinite(value) else 0.0


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _difference(place: str, ours: object, theirs: object, run: Any = None) -> Difference:
    texts = ["nothing" if one is None else repr(one) for one in (ours, theirs)]
    brief = [text if len(text) <= 60 else text[:57] + "..." for text in texts]
    return Difference(f"{place}: {brief[0]}, committed {brief[1]}", run)


# What takes longer than a second


def far(what: str, seconds: float, done: int, of: int) -> str:
    """Return how far something is.

    >>> far("price", 4, 10, 30), far("price", 4, 0, 0)
    ('price: 4 s so far, 10 of 30 blocks, about 8 s to go', 'price: 4 s so far')
    """
    if not 0 < done <= of:
        return f"{what}: {seconds:.0f} s so far"
    left = seconds * (of - done) / done
    return f"{what}: {seconds:.0f} s so far, {done} of {of} blocks, about {left:.0f} s to go"


class Running:
    """One line below a cell that takes longer than a second: which, for how long, how to stop it."""

    ended = Event()

    def begin(self, info: Any) -> None:
        self.ended = Event()
        last = (info.raw_cell.strip().splitlines() or [""])[-1]
        Thread(target=copy_context().run, args=(self._say, last, self.ended), daemon=True).start()

    def end(self, _result: object) -> None:
        self.ended.set()

    def _say(self, what: str, ended: Event) -> None:
        import IPython.display

        display: Any = IPython.display
        handle, began, shown = display.DisplayHandle(), time.monotonic(), False
        while not ended.wait(1):
            line = f"{far(what, time.monotonic() - began, 0, 0)}; ■ above or Kernel > Interrupt stops it"
            words = {"text/plain": line, "text/html": f"<small>{escape(line)}</small>"}
            (handle.update if shown else handle.display)(words, raw=True)
            shown = True
        if shown:
            handle.update({"text/plain": "", "text/html": ""}, raw=True)


@cache
def watch() -> None:
    """Let every cell of this notebook that takes longer than a second say so."""
    import IPython

    if shell := IPython.get_ipython():
        running = Running()
        shell.events.register("pre_run_cell", running.begin)
        shell.events.register("post_run_cell", running.end)
