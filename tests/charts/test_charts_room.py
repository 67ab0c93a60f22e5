"""Margins that hold the labels."""

import pytest

from core.charts.fits.room import room, width

#: Labels of 12 px, and their pixels in Chromium.
MEASURED = {
    "Channel0": 52,
    "gamma_trend_g": 91,
    "Expected revenue": 96,
    "100\u00a0%": 30,
}


@pytest.mark.parametrize("label", MEASURED)
def test_labels_fit_without_much_to_spare(label):
    assert MEASURED[label] <= width(label) <= 1.25 * MEASURED[label]


def test_markup_takes_no_room_and_the_widest_line_counts():
    assert width("<b>TV</b>") == width("TV")
    assert width("A &amp; B") == width("A & B")
    assert width("TV<br>Search") == width("Search")


def test_names_numbers_and_titles():
    bars = [{"type": "bar", "y": ["TV", "Expected revenue"], "x": [1, 2]}]
    plain = {"xaxis": {}, "yaxis": {}, "margin": {"l": 8, "b": 8}}
    named = {"xaxis": {"title": {"text": "€"}}, "yaxis": {}, "margin": {"l": 8, "b": 8}}
    assert room([], plain) == {"l": 44, "b": 32}
    assert room(bars, named)["l"] >= 111  # what Chromium takes
    assert room(bars, named)["b"] >= 44


def test_labels_of_the_axis_go_before_the_data():
    line = [{"x": [1, 2], "y": ["long name of a category", "b"]}]
    axis = {"ticktext": ["a", "b"], "tickvals": [0, 1]}
    short = room(line, {"yaxis": axis, "margin": {"l": 8, "b": 8}})
    assert short["l"] < room(line, {"yaxis": {}, "margin": {"l": 8, "b": 8}})["l"]


def test_only_what_is_shown_on_the_left_and_below_counts():
    hidden = {"showticklabels": False}
    gone = {"visible": False, "title": {"text": "density"}}
    right = {"side": "right"}
    given = {"l": 8, "b": 8}
    assert room([], {"yaxis": hidden, "xaxis": hidden, "margin": given}) == given
    assert room([], {"yaxis": gone, "yaxis2": right, "margin": given}) == given
    titled = hidden | {"title": {"text": "density"}}
    assert room([], {"yaxis": titled, "margin": given}) == {"l": 29, "b": 8}


def test_a_margin_that_is_wider_stays():
    assert room([], {"yaxis": {}, "margin": {"l": 90, "b": 60}}) == {"l": 90, "b": 60}
