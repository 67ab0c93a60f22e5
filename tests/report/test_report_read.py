"""Reports as they are read: a summary first, contents, no page without need."""

import io
from dataclasses import replace

import openpyxl
import pypdf
import pytest
from many_channels import plan_of_many, with_channels
from msgspec import structs
from pptx import Presentation
from test_report_html import Page, run_folder

from core.plan.record.plan_record import with_details
from core.report import content as told
from core.report.assumptions import assumptions
from core.report.books.report_book import report_workbook
from core.report.deck.slides import slides
from core.report.html import render
from core.report.paper.pdf import pdf
from core.view import plan_words
from core.view.plan_claim import plan_claim
from tests.charts import synthetic
from tests.plan.records import line


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    folder = tmp_path_factory.mktemp("market") / "20240102-030405-0a1b2c3d"
    return told.read(run_folder(folder, has_forecast=True))


@pytest.fixture(scope="module")
def plan():
    """A plan of the 13 weeks after the data."""
    made = synthetic.plan()
    horizon = replace(
        made.horizon, periods=13, start="2024-01-01", end="2024-03-25", as_fitted=False
    )
    return with_details(made, name="Spring", horizon=horizon)


def texts_of(slide) -> list[str]:
    said = [shape.text_frame.text for shape in slide.shapes if shape.has_text_frame]
    tables = [shape.table for shape in slide.shapes if shape.has_table]
    return said + [c.text for table in tables for row in table.rows for c in row.cells]


def test_a_page_begins_with_its_summary_and_contents(content, plan):
    html = render(content, plan)
    page = Page(html)
    ids = [about["id"] for tag, about in page.tags if tag in ("section", "h2")
           and "id" in about]  # fmt: skip
    links = [about["href"][1:] for tag, about in page.tags if tag == "a"]
    assert ids[:2] == ["summary", "contents"]
    assert links == ids[2:] and {"plan", "returns", "assumptions"} <= set(links)
    said = page.said()
    first = said[: said.index("Contents")]
    for words in (
        plan_claim(plan, content.units),
        told.sentence(content),
        told.verdict(content).advice,
        told.headline(content)[1].value,
    ):
        assert words.replace("\u00a0", " ") in first, words


def test_equal_priors_are_one_sentence_on_one_slide(content):
    facts = assumptions(content)
    paid = [row for row in facts.priors if row.about == "ROI"]
    assert facts.shared.startswith(f"{len(paid)} channels have the same prior on ROI")
    assert {row.name for row in facts.different} == (
        set(content.names) - {row.name for row in paid}
    )
    many = with_channels(content, 25)  # of four paid channels with one prior
    assert assumptions(many).different == []
    deck = Presentation(io.BytesIO(slides(many)))
    rest = [slide for slide in deck.slides if "rests on" in slide.shapes.title.text]
    assert len(rest) == 1
    said = " ".join(texts_of(rest[0]))
    assert "All 25 channels have the same prior" in said
    assert "Versions" not in said and "mixwright 0" not in said
    assert len(Page(render(many)).said()) > 1000


def test_channels_whose_prior_differs_keep_a_row(content):
    many = with_channels(content, 25)
    first, *rest = many.fit.channels
    prior = structs.replace(first.prior, text="LogNormal(0.1, 0.3)")
    own = structs.replace(first, prior=prior)
    changed = replace(many, fit=structs.replace(many.fit, channels=(own, *rest)))
    facts = assumptions(changed)
    assert facts.shared.startswith("24 channels have the same prior on ROI: ")
    assert [row.prior for row in facts.different] == ["LogNormal(0.1, 0.3)"]
    deck = Presentation(io.BytesIO(slides(changed)))
    about = "What this rests on"
    rest = [slide for slide in deck.slides if about in " ".join(texts_of(slide))]
    titles = [slide.shapes.title.text for slide in rest]
    assert titles[0].startswith("24 of 25 channels share one prior; others: ")
    assert len(rest) == 2 and "24 channels" in " ".join(texts_of(rest[0]))


def test_slides_of_a_plan_name_its_period(content, plan):
    deck = Presentation(io.BytesIO(slides(content, plan)))
    period = plan_words.horizon(plan)
    named = [slide for slide in deck.slides if period in " ".join(texts_of(slide)[:2])]
    assert "13 weeks" in period or "13 periods" in period
    assert len(named) >= 2


@pytest.mark.parametrize("language", ["en", "de"])
def test_heads_of_tables_on_slides_are_whole(content, plan, language):
    """No word of a head is broken: Arial Bold needs 0.62 of its size for a letter."""
    spoken = replace(content, language=language, locale=language)
    deck = Presentation(io.BytesIO(slides(spoken, plan)))
    tables = [s.table for slide in deck.slides for s in slide.shapes if s.has_table]
    assert len(tables) >= 3
    for table in tables:
        for column, cell in zip(table.columns, table.rows[0].cells, strict=True):
            size = cell.text_frame.paragraphs[0].font.size
            word = max(map(len, cell.text.split()), default=0)
            room = column.width - cell.margin_left - cell.margin_right
            assert 0.62 * size * word <= room, cell.text


def test_a_workbook_has_the_forecast_and_the_weeks_of_a_plan(content, plan):
    file = io.BytesIO(report_workbook(content, plan))
    book = openpyxl.load_workbook(file, data_only=True)
    ahead, weeks = book["Forecast"], book["Planned spend"]
    assert ahead["A1"].value == "Forecast of revenue with the plan Spring."
    assert ahead.max_row == 3 + 13
    for row in ahead.iter_rows(min_row=4, values_only=True):
        mean, low, inner_low, inner_high, high = row[1:6]
        assert low < inner_low < mean < inner_high < high
    total = [cell.value for cell in weeks[weeks.max_row]]
    heads = [cell.value for cell in weeks[3]]
    assert total[0] == "Total" and weeks.max_row == 4 + 13
    # As much more or less of last year's weeks as the plan has of last year's spend.
    lines = {line.name: line for line in plan.channels}
    usual = content.forecast["spend"].isel(time=slice(13)).sum("time")
    assert {*heads[1:]} >= {*lines}
    for name, planned in zip(heads, total, strict=True):
        if name not in lines:
            continue
        times = lines[name].planned / lines[name].current
        assert planned == pytest.approx(float(usual.sel(paid=name)) * times)
    live = openpyxl.load_workbook(file)["Planned spend"]
    assert live.cell(live.max_row, 2).value == f"=SUM(B4:B{live.max_row - 1})"


def test_the_forecast_of_a_workbook_has_channels_without_history(content, plan):
    belief = {"belief": {"Podcast": {"spend": 1.3e6, "roi": [2.0, 4.0]}}}
    new = line("Podcast", 1.3e6, 0.0, is_belief=True)
    more = structs.replace(
        plan, channels=(*plan.channels, new), scenario=plan.scenario | belief
    )
    books = [
        openpyxl.load_workbook(
            io.BytesIO(report_workbook(content, each)), data_only=True
        )
        for each in (plan, more)
    ]
    totals = [
        sum(row[1] for row in book["Forecast"].iter_rows(min_row=4, values_only=True))
        for book in books
    ]
    assert totals[1] - totals[0] == pytest.approx(1.3e6 * 2.9, rel=0.1)
    weeks = books[1]["Planned spend"]
    heads = [cell.value for cell in weeks[3]]
    place = heads.index("Podcast")
    spent = [row[place].value for row in weeks.iter_rows(min_row=4)]
    assert spent == [1e5] * 13 + [pytest.approx(1.3e6)]


def test_a_workbook_without_a_plan_forecasts_last_years_media(content):
    book = openpyxl.load_workbook(io.BytesIO(report_workbook(content)))
    said = book["Forecast"]["A1"].value
    assert said.endswith("with the media of the same weeks last year.")
    assert "Planned spend" not in book.sheetnames
    short = content.forecast.assign_attrs(horizon_repeated=1)
    book = openpyxl.load_workbook(
        io.BytesIO(report_workbook(replace(content, forecast=short)))
    )
    said = book["Forecast"]["A1"].value
    assert said.endswith("with the media of the data's weeks as they ran.")
    bare = replace(content, forecast=None)
    book = openpyxl.load_workbook(io.BytesIO(report_workbook(bare)))
    assert "Forecast" not in book.sheetnames


def test_a_document_ends_with_what_it_says(content, plan):
    """No last page for one line: who made it stands at the foot of every page."""
    pages = [page.extract_text() for page in pypdf.PdfReader(
        io.BytesIO(pdf(content, plan))).pages]  # fmt: skip
    assert len(pages) <= 12
    assert all("Made with Mixwright" in text for text in pages)
    assert "Chains and draws" in pages[-1]


def test_thirty_channels_of_long_names_fit_on_paper(content):
    many = with_channels(content, 30)
    file = pypdf.PdfReader(io.BytesIO(pdf(many, plan_of_many(30))))
    assert len(file.pages) <= 12
    said = "".join("".join(page.extract_text().split()) for page in file.pages)
    for name in many.names:
        assert name.replace(" ", "") in said, name
