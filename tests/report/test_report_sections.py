"""A section that is listed once is drawn by every medium."""

import io

import openpyxl
import pytest
from streamlit.testing.v1 import AppTest
from test_report_html import run_folder
from test_report_slides import texts

from core.charts.drawing import style
from core.cli.fits.results import summary_text
from core.report import content as contents
from core.report.books.report_book import report_workbook
from core.report.deck.slides import slides
from core.report.html import render
from core.report.paper.blocks import document
from core.view.sections import of_fit
from core.view.sections.section import Figure, Note, Section, Table

NOTE, CELL = "Weather explains <some> of it", "Seven sunny weeks"
DRAWN, IN_NUMBERS = "Sun by week", "Eight sunny weeks"


def sunny(theme="light"):
    return style.figure(DRAWN, theme=theme, height=200)


def weather(fit, elsewhere=None):
    table = Table("", ["Season", fit.units.roi], [[CELL, "1.5"]], texts=1)
    instead = Table("In numbers", ["Season"], [[IN_NUMBERS]], texts=1)
    figure = Figure(sunny, "sun", instead)
    blocks = [Note(NOTE, "Sun", "small"), figure, table]
    return Section("weather", "Weather", blocks, elsewhere or {})


@pytest.fixture
def content(tmp_path, monkeypatch):
    monkeypatch.setattr(of_fit, "_SECTIONS", (weather,))
    return contents.read(run_folder(tmp_path / "20240102-030405-00000000"))


def on_screen():
    import streamlit as st

    from pages.ui import sections

    sections.draw(st.session_state["sections"])


def drawn_on_screen(sections):
    at = AppTest.from_function(on_screen)
    at.session_state["sections"] = sections
    at.run()
    assert not at.exception
    (frame,) = at.dataframe
    assert len(at.get("plotly_chart")) == 1
    said = [each.value for each in (*at.markdown, *at.caption)]
    return [each.label for each in at.expander] + said + frame.value.iloc[0].tolist()


def cells(book):
    sheet = openpyxl.load_workbook(io.BytesIO(book)).worksheets[0]
    return [cell for row in sheet.iter_rows(values_only=True) for cell in row if cell]


def test_every_medium_draws_a_listed_section(content):
    from pptx import Presentation

    page, (paper, _) = render(content), document(content)
    (section,) = [one for one in paper["sections"] if one["title"] == "Weather"]
    book = "\n".join(map(str, cells(report_workbook(content))))
    deck = texts(Presentation(io.BytesIO(slides(content))))
    screen = drawn_on_screen(of_fit.sections(content.fit, "screen"))
    text = summary_text(content.fit, "1")
    for said in ("Weather", NOTE, CELL):
        assert said in text and said in book and said in deck
        assert said in str(section)
        assert said.replace("<", "&lt;").replace(">", "&gt;") in page
    assert "Weather" in screen and CELL in screen
    assert any(NOTE.split(" <")[0] in each for each in screen)
    assert '<h2 id="weather">' in page and 'href="#weather"' in page
    for medium in (text, book, deck):
        assert IN_NUMBERS in medium and DRAWN not in medium
    for medium in (str(section), page):
        assert DRAWN in medium and IN_NUMBERS not in medium


def test_a_section_may_be_told_elsewhere(content, monkeypatch):
    def hidden(fit):
        return weather(fit, {"slides": "there is no room", "text": "nor here"})

    monkeypatch.setattr(of_fit, "_SECTIONS", (hidden, lambda fit: None))
    assert of_fit.sections(content.fit, "page")
    assert not of_fit.sections(content.fit, "slides")
    assert CELL not in summary_text(content.fit, "1")


def test_lift_tests_and_frequencies_are_in_workbook_and_slides():
    from core.analysis.record.fit_record import as_record
    from tests.charts import synthetic

    plain = synthetic.summary()
    fit = as_record(plain | {"experiments": synthetic.experiments()})
    for medium in ("text", "workbook", "slides"):
        (told,) = [
            each for each in of_fit.sections(fit, medium) if each.name == "lift-tests"
        ]
        (table,) = told.blocks
        assert [row[0] for row in table.rows] == ["TV", "Newsletter"]
        assert table.rows[1][4] == "in tension"
        assert table.rows[1][1].startswith("1 Mar 2021 to ")
    drawn = {each.name for each in of_fit.sections(fit, "page")}
    assert "lift-tests" not in drawn and "best-frequency" not in drawn
    assert not of_fit.sections(as_record(plain), "screen")
