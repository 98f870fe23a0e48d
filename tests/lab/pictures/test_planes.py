import numpy as np
import pytest

from workbench.charts.chart import Chart, Series
from workbench.charts.ellipses import circle, ellipse, plane
from workbench.lab.pictures.plots import draw, svg

TILTED = np.array([[4.0, 1.5], [1.5, 1.0]])


def test_an_ellipse_is_one_standard_deviation_away():
    line = ellipse("", TILTED, (3.0, -2.0))
    gaps = np.array([line.x, line.y]).T - (3.0, -2.0)
    np.testing.assert_allclose(np.einsum("ij,ij->i", gaps @ np.linalg.inv(TILTED), gaps), 1.0)
    assert (line.x[0], line.y[0]) == pytest.approx((line.x[-1], line.y[-1]))


def test_a_singular_matrix_is_a_line_and_a_circle_has_its_radius():
    flat = ellipse("", [[1.0, 1.0], [1.0, 1.0]])
    np.testing.assert_allclose(flat.x, flat.y, atol=1e-7)
    round_ = circle("", 2.5, (1.0, 0.0))
    np.testing.assert_allclose(np.hypot(np.array(round_.x) - 1.0, round_.y), 2.5)


@pytest.mark.parametrize("panels", [1, 2, 4])
def test_the_unit_is_the_same_in_both_directions(panels):
    shown = plane("Plane", [circle("", 1.0)], reach=2.0, centre=(5.0, 0.0))
    assert shown.ylim == (-2.0, 2.0)
    figure = draw(Chart("plane", "Plane", (shown,) * panels, alt="A circle."))
    for axes in figure.axes:
        (left, low), (right, high) = axes.transData.transform([(4.0, -1.0), (6.0, 1.0)])
        assert right - left == pytest.approx(high - low, rel=1e-6)


def test_rows_are_dots_without_a_line():
    rows = Series("rows", [1.0, 2.0], [0.5, 0.7], role="rows")
    chart = Chart("plane", "Plane", (plane("", [rows], reach=3.0),) * 2, alt="Rows.")
    (line,) = draw(chart).axes[0].lines
    assert line.get_linestyle() == "None"
    assert line.get_marker() == "."
    assert b"<svg" in svg(chart)
