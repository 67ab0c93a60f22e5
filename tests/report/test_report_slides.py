"""The report as slides: native charts, the same numbers, nothing that runs."""

import io

import openpyxl
import pytest
from pptx import Presentation
from test_report_html import run_folder

from core.plan.record.plan_record import with_details
from core.report import content as told
from core.report.assumptions import assumptions
from core.report.deck.slides import slides
from core.report.html import render
from tests.charts import synthetic


def deck_of(folder, plan=None):
    return Presentation(io.BytesIO(slides(told.read(folder), plan)))


def texts(deck):
    found = []
    for slide in deck.slides:
        for shape in slide.shapes:
            if shape.has_text_frame:
                found.append(shape.text_frame.text)
            if shape.has_table:
                found += [c.text for row in shape.table.rows for c in row.cells]
    return "\n".join(found)


def charts(deck):
    return [s.chart for slide in deck.slides for s in slide.shapes if s.has_chart]


@pytest.fixture
def folder(tmp_path):
    return run_folder(tmp_path / "20240102-030405-00000000")


def test_verdict_numbers_and_assumptions(folder):
    content = told.read(folder)
    said = texts(deck_of(folder))
    verdict = told.verdict(content)
    assert verdict.advice in said
    for card in told.headline(content):
        assert card.value in said and card.ci in said
    for row in told.table(content):
        assert f"{row.roi.value} {row.roi.ci}".strip() in said
    for row in assumptions(content).priors:
        assert row.prior in said


def test_charts_are_native_and_hold_the_numbers(folder):
    deck = deck_of(folder)
    roi = charts(deck)[0]
    fit = told.read(folder).fit
    means = [channel.roi.mean for channel in fit.channels if channel.has_roi]
    assert list(roi.plots[0].series[0].values) == pytest.approx(means)
    book = openpyxl.load_workbook(io.BytesIO(roi.part.chart_workbook.xlsx_part.blob))
    assert book.active["B2"].value == pytest.approx(means[0])


def test_a_plan_with_its_budgets(folder, tmp_path):
    plan = synthetic.plan()
    bounds = {line.name: line for line in plan.channels}
    scenario = {
        "budget": plan.budget,
        "objective": "mean",
        "channel": {n: {"min": r.low, "max": r.high} for n, r in bounds.items()},
    }
    plan = with_details(plan, name="Spring", scenario=scenario)
    deck = deck_of(folder, plan)
    said = texts(deck)
    page = render(told.read(folder), plan)
    assert "Spring" in said
    assert "The best plan at other budgets" in said
    assert "The best plan at other budgets" in page
    assert "over the budget" in page
    spend = charts(deck)[0]
    planned = [line.planned for line in plan.channels]
    assert list(spend.plots[0].series[1].values) == pytest.approx(planned)


def test_names_that_would_run_or_break(tmp_path):
    names = ("=1+1", "@A\x07", "<b>&", "中文", *synthetic.NAMES[4:])
    folder = run_folder(tmp_path / "20240102-030405-00000000", names)
    deck = deck_of(folder)
    for chart in charts(deck):
        blob = chart.part.chart_workbook.xlsx_part.blob
        sheet = openpyxl.load_workbook(io.BytesIO(blob)).active
        assert not any(cell.data_type == "f" for row in sheet for cell in row)
    assert "<b>&" in texts(deck)
