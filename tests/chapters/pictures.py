"""What every picture of a chapter is, and every explorer does."""

from workbench.charts.chart import Chart
from workbench.charts.drawing import svg


def require_complete(chart, name):
    """Fail unless a chart has its name, says how to read it, survives JSON and can be drawn."""
    assert chart.name == name
    assert chart.how_to_read
    assert len(chart.title) <= 80
    assert Chart.from_json(chart.to_json()).to_json() == chart.to_json()
    assert svg(chart).startswith(b"<?xml")


def require_one_look_each(panel):
    """Fail if two estimates of a panel that are named look alike."""
    looks = [(one.colour_key, one.rank) for one in panel.series if one.role == "estimate" and one.label]
    assert len(looks) == len(set(looks))


def has_estimates(frame):
    """Return whether a frame shows any run."""
    return any(one.role == "estimate" and tuple(one.x) for panel in frame.panels for one in panel.series)


def theory_first(frames):
    """Fail unless runs are shown in all frames but the first, each of which says something else."""
    assert [has_estimates(frame) for frame in frames] == [False] + [True] * (len(frames) - 1)
    assert len({frame.caption for frame in frames}) == len(frames)
