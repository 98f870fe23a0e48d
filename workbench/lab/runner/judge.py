"""What is wrong with a run: beside committed numbers at a notebook's start, beside predictions elsewhere."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workbench.charts import canonical_json
from workbench.charts.curves import Agreement
from workbench.lab.differences import compare
from workbench.lab.runner import cache
from workbench.lab.runner.notebooks import Outcome
from workbench.lab.runner.variants import Variant


def faults(variant: Variant, outcome: Outcome, figures: Path) -> list[str]:
    """Return what is wrong with the outputs of a variant, one line each.

    Parameters
    ----------
    variant
        What has run.
    outcome
        What became of it.
    figures
        The folder of what is committed.
    """
    if not outcome.good:
        return [outcome.reason]
    if variant.moved:
        return [line for line, found in _judged(variant.out) if not found]
    committed = figures / variant.name
    if not cache.outputs(committed):
        command = f"workbench reproduce {variant.name} --profile full --update"
        return [f"no committed figures; make them with: {command}"]
    return compare(variant.out, committed)


def remarks(variant: Variant) -> list[str]:
    """Return what is to be said of the figures of a variant away from its start, one line each.

    Those whose points agree with what is predicted there, and those that show predictions alone, or nothing.
    """
    if not variant.moved:
        return []
    alone = [
        f"{path.stem}: {reason}"
        for path in cache.figures(variant.out)
        if (reason := canonical_json.read(path).get("refused"))
    ]
    return [line for line, found in _judged(variant.out) if found] + alone


def judgement(content: Mapping[str, Any]) -> tuple[str, Agreement]:
    """Return in words and as a value how the numbers of a figure agree with what is predicted.

    Empty words are returned for a figure without a measured point that carries a prediction.
    """
    kept = content.get("agreement", {"points": 0, "outside": []})
    found = Agreement(kept["points"], tuple(kept["outside"]))
    if not found.points:
        return "", found
    inside = found.points - len(found.outside)
    first = f"; outside: {'; '.join(found.outside[:3])}" if found.outside else ""
    words = f"measured agrees with predicted at these parameters: {inside} of {found.points} points{first}"
    return words, found


def _judged(folder: Path) -> list[tuple[str, Agreement]]:
    kept = {path.stem: judgement(canonical_json.read(path)) for path in cache.figures(folder)}
    return [(f"{name}: {words}", found) for name, (words, found) in kept.items() if words]
