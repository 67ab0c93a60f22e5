"""Still pictures of every figure of the house, drawn without a browser."""

import re
from calendar import month_abbr
from xml.etree import ElementTree

import numpy as np
import plotly.graph_objects as go
import pytest
from test_charts_figures import figures

from core.charts.drawing import style
from core.charts.still import markup, picture
from core.text import written_in
from core.text.languages.language import spoken_in
from core.text.languages.locale import months

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def as_text(monkeypatch):
    """Labels as text, to be read; a document has them as outlines."""
    monkeypatch.setitem(picture.SETTINGS, "svg.fonttype", "none")


def words(svg: bytes) -> str:
    page = ElementTree.fromstring(svg)
    found = ("".join(text.itertext()) for text in page.iter(f"{SVG}text"))
    return " ".join(" ".join(found).split())


def labels(figure) -> list[str]:
    """What a figure writes beside its marks."""
    axes = [figure.layout[name] for name in figure.layout if name[1:5] == "axis"]
    texts = [a.text for a in figure.layout.annotations if a.text]
    texts += [t for axis in axes if axis.ticktext is not None for t in axis.ticktext]
    texts += [axis.title.text for axis in axes if axis.title.text]
    pieces = [p for text in texts for row in markup.lines(str(text)) for p in row]
    return [" ".join(piece.text.split()) for piece in pieces if piece.text.strip()]


def test_every_figure_has_all_its_labels(as_text):
    missing = {}
    for name, build in figures().items():
        figure = build()
        said = words(picture.svg(figure))
        lost = [label for label in labels(figure) if label not in said]
        if lost:
            missing[name] = lost
    assert not missing


def test_bars_reach_as_far_as_they_say():
    figure = style.figure("Spend, €", height=200)
    figure.add_bar(x=[10, 20, 40], y=[0, 1, 2], orientation="h", width=0.5)
    figure.update_xaxes(range=[0, 40])
    page = ElementTree.fromstring(picture.svg(figure))
    path = re.compile(r"M ([\d.]+) [\d.]+ *\n? *L ([\d.]+)")
    widths = []
    for mark in page.iter(f"{SVG}path"):
        ends = path.search(mark.get("d", ""))
        if ends and "fill: #1c3d8f" in (mark.get("style") or ""):
            widths.append(abs(float(ends[2]) - float(ends[1])))
    assert np.allclose(np.array(widths) / max(widths), [0.25, 0.5, 1.0])


def test_numbers_on_axes_are_the_readers(as_text):
    figure = style.figure("Spend", height=200)
    figure.add_scatter(x=[0, 1], y=[0, 12_000.0], mode="lines")
    with written_in("de"):
        assert "10.000" in words(picture.svg(figure))


def test_names_are_no_markup_and_no_formula(as_text):
    figure = style.figure("ROI", height=200)
    figure.add_trace(go.Bar(x=[1.0], y=[0], orientation="h"))
    name = style.label("$a_b$ <b>&amp")
    figure.update_yaxes(tickvals=[0], ticktext=[name])
    assert "$a_b$ <b>&amp" in words(picture.svg(figure))


def test_a_label_keeps_its_pieces_apart():
    rows = markup.lines('<b>TV</b><br>1.2 <span style="color:#112233">(low)</span>')
    assert [[piece.text for piece in row] for row in rows] == [
        ["TV"],
        ["1.2 ", "(low)"],
    ]
    assert rows[0][0].bold
    assert rows[1][1].colour == "#112233"


@pytest.mark.parametrize(
    ("name", "said"),
    [("de", {"Mai", "Okt"}), ("fr", {"mai", "oct."}), ("es", {"may", "oct"})],
)
def test_months_are_in_the_language_of_the_report(as_text, name, said):
    with spoken_in(name):
        wanted = {month.lower() for month in months()}
        svgs = [picture.svg(build()) for build in over_time().values()]
    found = {word.lower() for svg in svgs for word in words(svg).split()}
    foreign = {month.lower() for month in month_abbr[1:]} - wanted
    assert svgs and found & wanted and not found & foreign


def over_time() -> dict:
    """Figures whose horizontal axis is time."""
    return {
        name: build
        for name, build in figures().items()
        if name in ("over_time", "expected", "kpi", "spend", "residuals")
    }


@pytest.mark.parametrize("name", ["en", "de", "fr", "es"])
def test_parts_of_the_baseline_are_not_cut(as_text, name):
    with spoken_in(name):
        said = words(picture.svg(figures()["waterfall_parts"]()))
    assert "…" not in said


@pytest.mark.parametrize("size", [11, 13, 18])
@pytest.mark.parametrize("lines", [1, 2, 3])
def test_a_label_above_the_axes_is_whole(as_text, lines, size):
    """What has several lines takes as much room at the top of the picture."""
    figure = style.figure("Spend, €", height=240)
    figure.add_scatter(x=[0, 1], y=[0, 1])
    text = "<br>".join(f"line {place}" for place in range(lines))
    figure.add_annotation(
        x=0, y=1, xref="paper", yref="paper", xanchor="left", yanchor="bottom",
        yshift=3, text=text, showarrow=False, font={"size": size},
    )  # fmt: skip
    page = ElementTree.fromstring(picture.svg(figure))
    tops = [
        float(row.get("y")) - 0.8 * size
        for row in page.iter(f"{SVG}text")
        if "line" in "".join(row.itertext())
    ]
    assert len(tops) == lines and min(tops) >= 0
