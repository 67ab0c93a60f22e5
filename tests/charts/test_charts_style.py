import tomllib
from itertools import combinations
from pathlib import Path

import plotly.graph_objects as go
import plotly.io as pio
import pytest

from core import text as fmt
from core.charts.drawing import marks, style
from tests.charts import vision

THEMES = ("light", "dark")
CONFIG = Path(__file__).parents[2] / ".streamlit" / "config.toml"


def test_difference_agrees_with_published_pairs():
    # Black and white are 100 apart; a colour and itself are not apart.
    assert vision.difference("#000000", "#ffffff") == pytest.approx(100, abs=0.01)
    assert vision.difference("#235bdc", "#235bdc") == 0
    assert vision.contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize(
    ("seen", "least"), [("normal", 15), ("protan", 10), ("deutan", 10), ("tritan", 10)]
)
def test_channel_colours_differ_for_every_reader(seen, least):
    pairs = combinations(style.COLORWAY, 2)
    worst = min(pairs, key=lambda pair: vision.difference(*pair, seen))
    assert vision.difference(*worst, seen) >= least, worst


@pytest.mark.parametrize("theme", THEMES)
def test_contrast(theme):
    colours = style.palette(theme)
    for colour in style.COLORWAY:
        assert vision.contrast(colour, colours.background) >= 3, colour
    for text in (colours.ink, colours.muted, colours.accent):
        assert vision.contrast(text, colours.background) >= 4.5, text
    for mark in (colours.faint, colours.low, colours.high):
        assert vision.contrast(mark, colours.background) >= 3, mark


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("seen", list(vision.VISION))
def test_accent_is_no_channel(theme, seen):
    accent = style.palette(theme).accent
    assert min(vision.difference(accent, c, seen) for c in style.COLORWAY) >= 9


#: Buttons: the accent, but in the dark one that white text can be read on.
PRIMARY = {"light": style.palette("light").accent, "dark": "#4468dd"}


def test_streamlit_theme_has_the_same_colours():
    theme = tomllib.loads(CONFIG.read_text())["theme"]
    assert theme["chartCategoricalColors"] == list(style.COLORWAY)
    assert len(set(style.COLORWAY)) == 10
    for name in THEMES:
        colours = style.palette(name)
        assert theme[name]["primaryColor"] == PRIMARY[name]
        assert vision.contrast(PRIMARY[name], "#ffffff") >= 4.5  # text on a button
        # Borders and sliders; text on the page has its own colour (assets/style.css).
        assert vision.contrast(PRIMARY[name], colours.background) >= 3
        assert theme[name]["backgroundColor"] == colours.background
        assert theme[name]["textColor"] == colours.ink


def test_streamlit_theme_reaches_nothing_outside():
    config = CONFIG.read_text()
    assert "://" not in config
    assert tomllib.loads(config)["browser"]["gatherUsageStats"] is False


def test_channels_keep_their_colours():
    names = [f"c{i}" for i in range(23)]
    colours, patterns = style.channel_colours(names), style.channel_patterns(names)
    assert style.channel_colours(names[:4]) == {n: colours[n] for n in names[:4]}
    looks = [(colours[n], patterns[n]) for n in names]
    assert len(set(looks)) == len(looks)


@pytest.mark.parametrize("currency", ["USD", "GBP", "JPY", "INR", "EUR"])
def test_a_currency_stands_on_its_side_of_amounts_in_charts(currency):
    unit = fmt.units({"currency": currency, "outcome_unit": "revenue"}).outcome
    _, on_axis = marks.scaled(style.label(unit), 2e6)
    assert on_axis == fmt.money(2e6, currency).replace("2.00", "").strip()
    shown = fmt.exact(1234, style.label(unit))
    assert shown == fmt.cents(1234, currency)


def test_label_shows_markup_as_typed():
    assert style.label("<b>TV</b>") == "&lt;b&gt;TV&lt;/b&gt;"
    assert style.label("a & b") == "a &amp; b"
    assert style.label("one\n\ttwo\u202e") == "one two"
    assert style.label("=1+1") == "=1+1"
    assert style.label(" ") == "(no name)"
    assert style.label("") == ""  # no unit is not a thing without a name
    assert style.label("x" * 40, 10) == "x" * 9 + "…"
    assert style.label("A project of a long name: TV", 16) == "A project o…: TV"


@pytest.mark.parametrize("theme", THEMES)
def test_figures_do_not_depend_on_plotlys_default_template(theme, monkeypatch):
    with style.in_theme(theme):
        plain = style.figure("ROI, € per €", height=200).to_json()
        monkeypatch.setattr(pio.templates, "default", "plotly_dark")
        assert style.figure("ROI, € per €", height=200).to_json() == plain


def test_nothing_can_be_sent_to_the_cloud():
    assert style.CONFIG["showSendToCloud"] is False
    assert "sendChartToCloud" in style.CONFIG["modeBarButtonsToRemove"]


def test_plots_that_stand_side_by_side_begin_at_the_same_height():
    few, many = (
        style.figure("ROI", height=300, note=note)
        for note in ("Dot: mean.", "Bar: 90 % interval. " * 6)
    )
    assert few.layout.margin.t < many.layout.margin.t
    levelled = style.level(few, many)
    assert levelled.layout.margin.t == many.layout.margin.t
    assert style.level(many, few).layout.margin.t == many.layout.margin.t


def test_an_axis_does_not_repeat_the_unit_of_the_title():
    drawn = style.figure(
        "Spend by channel, M € per week", height=200, x="Week", y="M €"
    )
    assert drawn.layout.yaxis.title.text is None
    assert drawn.layout.xaxis.title.text == "Week"


@pytest.mark.parametrize(
    ("note", "lines"),
    [
        ("Dot: mean.", ["Dot: mean.", ""]),
        (
            "Dot: spent. Band: 90 % interval. Dashed: beyond observed spend.",
            ["Dot: spent. Band: 90 % interval.", "Dashed: beyond observed spend."],
        ),
        (
            "Dots: actual. Line: expected. Pale band: where 90 % of dots should lie; "
            "97 % do. Dark band: the expectation.",
            [
                "Dots: actual. Line: expected. Pale band: where 90 % of",
                "dots should lie; 97 % do. Dark band: the expectation.",
            ],
        ),
    ],
)
def test_notes_break_between_sentences_where_that_takes_no_more_lines(note, lines):
    drawn = style.figure("ROI", height=200, note=note)
    assert drawn.layout.title.subtitle.text.split("<br>") == lines


@pytest.mark.parametrize("theme", THEMES)
def test_a_figure_begins_valid_and_what_is_drawn_is_looked_at(theme):
    with style.in_theme(theme):
        drawn = style.figure("ROI, €", height=200, note="Dot.", x="a", y="b")
    assert go.Figure(drawn.to_plotly_json()) == drawn
    with pytest.raises(ValueError, match="Invalid"):
        drawn.update_layout(nothing_of_the_kind=1)
    with pytest.raises(ValueError, match="Invalid"):
        drawn.update_xaxes(nothing_of_the_kind=1)
    with pytest.raises(ValueError, match="Invalid"):
        drawn.add_scatter(nothing_of_the_kind=1)
    with pytest.raises(ValueError, match="Invalid"):
        drawn.update_layout(title={"nothing_of_the_kind": 1})


def test_a_figure_is_light_but_where_its_reader_is_dark():
    with style.in_theme("dark"):
        dark = style.figure("ROI", height=200).layout.template.layout.paper_bgcolor
    assert dark == style.palette("dark").background
    light = style.figure("ROI", height=200).layout.template.layout.paper_bgcolor
    assert light == style.palette("light").background
