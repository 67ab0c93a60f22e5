"""Figures as they are sent to the browser."""

import json

import numpy as np
import plotly.io
import pytest

from core.charts.drawing import style
from pages.ui.drawn import Comparable


@pytest.fixture
def sent():
    drawn = style.figure("Sales", height=300, x="week", y="units")
    drawn.add_scatter(
        x=np.array(["2024-01-01", "2024-01-08"], "datetime64[ns]"),
        y=np.array([1.5, np.nan]),
        error_y={"array": np.array([1, 2])},
        customdata=np.ones((2, 2)),
        yaxis="y2",
    )
    drawn.update_layout(xaxis={"showgrid": True}, yaxis2={"overlaying": "y"})
    made = Comparable(drawn, "a name")
    return json.loads(plotly.io.to_json(made.to_dict(), validate=False))


def test_a_figure_is_sent_without_what_plotly_takes_for_new(sent):
    assert "template" not in sent["layout"]
    assert sent["layout"]["datarevision"] == "a name"
    assert "bdata" not in json.dumps(sent)
    (trace,) = sent["data"]
    assert trace["y"] == [1.5, None]
    assert trace["error_y"]["array"] == [1, 2]
    assert trace["customdata"] == [[1.0, 1.0], [1.0, 1.0]]
    assert trace["x"][1].startswith("2024-01-08")


def test_a_figure_says_what_its_template_said(sent):
    given = style.template().layout
    for axis in ("yaxis", "yaxis2"):
        assert sent["layout"][axis]["gridcolor"] == given.yaxis.gridcolor
        assert sent["layout"][axis]["showline"] is False
    assert sent["layout"]["xaxis"]["showgrid"] is True  # the figure's own word
    assert sent["layout"]["xaxis"]["title"]["text"] == "week"
    assert sent["layout"]["xaxis"]["title"]["standoff"] == 8
    assert sent["layout"]["title"]["font"]["size"] == given.title.font.size
    assert sent["layout"]["margin"] == {"l": 50, "r": 16, "t": 40, "b": 49}


def test_the_height_and_the_title_stay():
    drawn = style.figure("Sales", height=300)
    made = Comparable(drawn, "a name")
    assert made.layout.height == 300
    assert made.layout.title.text == "Sales"
