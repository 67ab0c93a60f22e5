"""A section that is listed once is drawn by every medium."""

import html
import io
import re
from dataclasses import replace

import msgspec
import numpy as np
import openpyxl
import pytest
from streamlit.testing.v1 import AppTest
from test_report_html import run_folder
from test_report_slides import texts

from core import text as fmt
from core.charts.drawing import style
from core.cli.fits.results import summary_text
from core.cli.section_text import section_text
from core.estimate import Estimate
from core.plan.record.actuals import (
    Change,
    ChannelChanges,
    GeoChanges,
    NamedChange,
    PlanBesideActuals,
)
from core.project.promises.record import LEVELS, Outcome, Promise, Score, claim
from core.project.refresh.record import RefreshRecord, ScoredPlan
from core.report import content as contents
from core.report.books.report_book import report_workbook
from core.report.deck.slides import slides
from core.report.html import render
from core.report.paper.pdf import document
from core.view import promises, refresh_words, what_happened
from core.view.sections import of_fit
from core.view.sections.section import Figure, Note, Section, Table
from tests.charts import synthetic
from tests.plan.records import about, refresh_record

NOTE, CELL = "Weather explains <some> of it", "Seven sunny weeks"
DRAWN, IN_NUMBERS = "Sun by week", "Eight sunny weeks"


def sunny():
    return style.figure(DRAWN, height=200)


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


def promise_kept():
    """A plan's promise, and that it held."""
    number = claim("total", np.linspace(90.0, 110.0, 101))
    promise = Promise(
        kind="plan",
        name="Spring",
        start="2024-01-01",
        end="2024-03-25",
        claims=(number,),
        unit="revenue",
        currency="EUR",
        created="2023-12-27T10:00:00Z",
    )
    outcome = Outcome(about="total", actual=101.0, mean=1, lo=0, hi=2, below=0.5)
    chances = {str(each): (1 - each / 100, each / 100) for each in LEVELS}
    return promise, Score(
        state="scored", outcomes=(outcome,), counted=1, chances=chances
    )


def beside_actuals():
    """A plan of which more came than it expected."""
    number = {"mean": 12e4, "median": 12e4, "sd": 1e4, "lo": 1e5, "hi": 14e4}
    change = Change(is_firm=True, **number)
    usual = {"wanders": 0.1}
    return PlanBesideActuals(
        name="Spring",
        start="2024-01-01",
        end="2024-03-25",
        periods=13,
        currency="EUR",
        actual=48e4,
        planned=Estimate(**number),
        expected=Estimate(**number),
        difference=Estimate(**number),
        probability_below=0.4,
        parts=tuple(
            NamedChange(name=name, is_firm=True, **number)
            for name in ("spend", "response", "baseline")
        ),
        priors={"response": usual, "level": usual},
        channels=(
            ChannelChanges(
                name="TV",
                planned_spend=5e4,
                actual_spend=77e3,
                spend=change,
                response=change,
                is_valued=True,
            ),
        ),
    )


@pytest.mark.usefixtures("blank_pictures")
def test_a_refresh_and_promises_are_told_by_every_report(content, monkeypatch):
    from pptx import Presentation

    settled = [promise_kept()]
    monkeypatch.setattr(contents, "settle", lambda project: settled)
    moves = msgspec.convert(synthetic.refresh("a", "b"), RefreshRecord)
    moves = msgspec.structs.replace(moves, actuals=beside_actuals())
    content = replace(content, refresh=moves)
    told = refresh_words.sections(moves, "text") + promises.sections(settled, "text")
    terminal = "\n".join(map(section_text, told))
    page, (paper, _) = render(content), document(content)
    book = "\n".join(map(str, cells(report_workbook(content))))
    deck = texts(Presentation(io.BytesIO(slides(content))))
    for said in (
        "Since the last fit",
        "TV's ROI moved most: 3.13 to 3.65, within its uncertainty.",
        "by old rows that changed",
        "Plan against actuals",
        "77.0 k €",
        "Firm beyond spend: TV's response rose and the baseline rose.",
        "What was promised, and what came",
        "Of 1 interval of 90 %, 1 held.",
        "27 Dec 2023",
    ):
        for medium in (terminal, html.unescape(page), str(paper), book, deck):
            assert said in medium.replace("\\xa0", " ").replace("\u00a0", " ")
    assert [each["title"] for each in paper["sections"]][:3] == [
        "Since the last fit",
        "Plan against actuals",
        "What was promised, and what came",
    ]


def test_a_report_lists_the_newest_promises_and_the_screen_what_is_open():
    kept = [promise_kept()] * 30
    promise, score = kept[0]
    nothing = {"outcomes": (), "counted": 0, "chances": {}}
    later = msgspec.structs.replace(score, state="open", why="Not yet.", **nothing)
    settled = [*kept, (promise, later)]
    (listed,) = promises.sections(settled, "slides")
    first, before, unscored = promises.sections(settled, "screen")
    tables = [each.words[-1] for each in (listed, first, before)]
    assert [len(each.rows) for each in tables] == [20, 6, 25]
    assert before.title == "Other promises (25)"
    assert len(promises.sections(kept[:6], "screen")) == 1
    assert tables[0].note.startswith("The newest 20 of 31. Each period counts once")
    (note,) = unscored.blocks
    assert (note.about, note.text) == ("Spring, made 27 Dec 2023", "Not yet.")


def on_screen():
    import streamlit as st

    from pages.ui import sections

    sections.draw(st.session_state["sections"])


def drawn_on_screen(sections):
    at = AppTest.from_function(on_screen, default_timeout=300)
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


@pytest.mark.usefixtures("blank_pictures")
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

    plain = synthetic.summary()
    fit = as_record(plain | {"experiments": synthetic.experiments()})
    for medium in ("text", "workbook", "slides"):
        (told,) = [
            each for each in of_fit.sections(fit, medium) if each.name == "lift-tests"
        ]
        (table,) = told.blocks
        assert [row[0] for row in table.rows] == ["TV", "Newsletter"]
        assert table.rows[1][2] == "in tension"
        assert table.rows[1][1].startswith("1 Mar 2021 to ")
    drawn = {each.name for each in of_fit.sections(fit, "page")}
    assert "lift-tests" not in drawn and "best-frequency" not in drawn
    assert not of_fit.sections(as_record(plain), "screen")


def test_where_geos_are_not_told_the_plans_shares_are_said_to_stand_for_them():
    told = msgspec.structs.replace(beside_actuals(), as_planned=("TV",))
    notes = " ".join(what_happened.notes(told))
    assert "These actuals do not say what was spent in each geo, so the plan's" in notes
    number = {"mean": 1e4, "median": 1e4, "sd": 1e3, "lo": 8e3, "hi": 12e3}
    north = GeoChanges(
        name="North",
        planned_spend=5e4,
        actual_spend=6e4,
        spend=Change(is_firm=True, **number),
        brought=Estimate(**number),
    )
    notes = " ".join(what_happened.notes(msgspec.structs.replace(told, geos=(north,))))
    assert "The data do not say what TV spent in each geo" in notes
    assert "do not say" not in " ".join(what_happened.notes(beside_actuals()))


SHORT = "the data's weeks as they ran"
YEAR = "the same weeks last year"


@pytest.mark.parametrize(("is_repeated", "ran"), [(False, YEAR), (True, SHORT)])
@pytest.mark.parametrize("over", ["channels", "weeks", "geos"])
def test_what_ran_before_a_plan_is_last_years_only_where_the_data_have_a_year(
    over, is_repeated, ran
):
    record = beside_actuals()
    idle = msgspec.structs.replace(record.channels[0], is_valued=False)
    told = msgspec.structs.replace(
        record, plan_of=over, is_repeated=is_repeated, channels=(idle,)
    )
    notes = " ".join(what_happened.notes(told))
    assert notes.count(ran) == 2
    assert not re.search("last year|year earlier", notes.replace(YEAR, ""))


@pytest.mark.parametrize(("is_repeated", "ran"), [(False, YEAR), (True, SHORT)])
def test_a_plan_of_record_is_compared_with_what_ran(is_repeated, ran):
    plan = ScoredPlan(
        name="Spring",
        before=about(100.0),
        after=about(90.0),
        gain=about(1.0),
        start="2024-01-01",
        end="2024-03-25",
        periods=13,
        is_repeated=is_repeated,
    )
    record = msgspec.structs.replace(refresh_record(), plan=plan)
    said = refresh_words.plan_of_record(record, fmt.Units("revenue", "EUR"))
    assert f"it beats the split of {ran}, at the same budget" in said
