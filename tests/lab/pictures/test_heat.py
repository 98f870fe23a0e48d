"""Tables of colours: they go to JSON and back, are drawn within their places, and are redrawn clean."""

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from workbench.charts.chart import Chart, Heat, Panel, Series
from workbench.errors import ArgumentError
from workbench.lab.pictures.plots import draw, png, svg

TABLE = ((0.25, 1.0, 4.0), (0.5, 2.0, 16.0))
CURVE = Panel("Error", "n", "error", (Series("measured", (1, 10), (1, 2), colour_key="mean/coinpress"),))


def heat(**changes):
    options = {"scale": "log", "emphasis": "middle", "rows": ("50", "100"), "columns": ("1", "2", "3")}
    return Heat(TABLE, (0.25, 4.0), **{**options, **changes})


def chart(*tables):
    panels = (Panel("Table", "n", "p", (), heat=one) if one else CURVE for one in tables)
    return Chart("toy", "Tables", tuple(panels), alt="Numbers as colours.")


def test_json_holds_the_numbers_and_gives_the_table_back():
    made = chart(heat(), None)
    form = made.to_json()
    assert form["panels"][0]["heat"]["values"] == [[0.25, 1.0, 4.0], [0.5, 2.0, 16.0]]
    assert "heat" not in form["panels"][1]
    assert Chart.from_json(form) == made
    assert Chart.from_json(form).to_json() == form


@pytest.mark.parametrize("count", [1, 2, 4])
def test_tables_bars_and_words_stay_inside_the_picture_and_apart(count):
    figure = draw(chart(*[heat(written=True)] * count))
    png(figure, 100)
    renderer = FigureCanvasAgg(figure).get_renderer()
    places = [axes.get_tightbbox(renderer) for axes in figure.axes]
    assert all(box.x0 >= 0 and box.x1 <= 960 and box.y1 <= figure.bbox.height for box in places)
    bars = [child.get_tightbbox(renderer) for axes in figure.axes for child in axes.child_axes]
    assert len(bars) == count
    for bar in bars:
        assert not any(bar.overlaps(axes.get_window_extent(renderer)) for axes in figure.axes)


def test_written_numbers_are_the_tables():
    words = [text.get_text() for text in draw(chart(heat(written=True))).axes[0].texts]
    assert {"0.25", "1.00", "4.00", "0.50", "2.00", "16"} <= set(words)


def test_a_colour_says_how_large_a_number_is():
    (image,) = draw(chart(heat())).axes[0].images
    shades = image.norm(np.array(TABLE))
    np.testing.assert_allclose(shades, [[0, 0.5, 1], [0.25, 0.75, 1]])


def test_a_table_drawn_over_leaves_nothing_behind():
    figure = draw(chart(heat(written=True), None))
    other = chart(heat(columns=("a", "b")), None)
    again = draw(other, figure)
    assert len(again.axes[0].images) == 1
    assert len(again.axes[0].child_axes) == 1
    assert png(again) == png(draw(other))
    assert svg(other) == svg(other)


def test_wrong_tables_are_refused():
    for argument, make in (
        ("values", lambda: Heat(((1.0,), (1.0, 2.0)), (0, 1))),
        ("scale", lambda: heat(scale="cubic")),
        ("emphasis", lambda: heat(emphasis="low")),
    ):
        with pytest.raises(ArgumentError) as error:
            make()
        assert error.value.argument == argument


SHARES = ((0.0, 0.25, 0.5, 1.0), (0.0, 0.75, 1.0, 1.0), (0.1, 0.9, 1.0, 1.0))


@pytest.mark.parametrize("place", np.linspace(-0.5, 3.5, 17))
@pytest.mark.parametrize("lean", [-0.8, 0.0, 0.8])
def test_numbers_stand_in_their_cells_and_clear_of_a_boundary(place, lean):
    line = (place + lean, place, place - lean)
    figure = draw(chart(Heat(SHARES, (0.0, 1.0), written=True, boundary=line)))
    axes, renderer = figure.axes[0], FigureCanvasAgg(figure).get_renderer()
    png(figure, 100)
    numbers = [text for text in axes.texts if text.get_text().startswith("0.")]
    assert [text.get_text() for text in numbers] == ["0.25", "0.50", "0.75", "0.10", "0.90"]
    points = axes.transData.transform(
        np.column_stack([np.interp(np.linspace(0, 2, 400), range(3), line), np.linspace(0, 2, 400)])
    )
    for text, column in zip(numbers, (1, 2, 1, 0, 1), strict=True):
        box = text.get_window_extent(renderer)
        assert not any(box.contains(*point) for point in points)
        low, high = axes.transData.transform([(column + side, 0) for side in (-0.5, 0.5)])
        assert low[0] <= box.x0
        assert box.x1 <= high[0]


def test_beside_a_boundary_all_and_nothing_are_not_written():
    words = [text.get_text() for text in draw(chart(Heat(SHARES, (0, 1), written=True))).axes[0].texts]
    assert {"0.00", "1.00"} < set(words)
    bounded = draw(chart(Heat(SHARES, (0, 1), written=True, boundary=(0.5, 0.5, 0.5)))).axes[0].texts
    assert not {"0.00", "1.00"} & {text.get_text() for text in bounded}
