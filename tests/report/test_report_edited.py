"""The workbook of a plan comes back: in any language, and with what people type."""

import io

import openpyxl
import pytest
from test_report_grid import plan_of_geos, plan_of_weeks

from core.data.files.load import workbook_cells
from core.errors import PlanError
from core.plan.plan import plan
from core.plan.response.curves import response_curves
from core.plan.scenario.table import of_table
from core.plan.scenario.workbook.edited import edited_plan
from core.plan.scenario.workbook.geos import edited_geos
from core.plan.scenario.workbook.weeks import edited_weeks
from core.report.books.report_book import plan_workbook
from core.text.languages.language import LANGUAGES, spoken_in
from tests.charts import synthetic

GEOS = ("North", "East", "South", "West")


@pytest.fixture(scope="module")
def channels():
    curves = response_curves(synthetic.curves())
    name = synthetic.PAID[0]
    return plan(curves, of_table({"channel": {name: {"lock": True}}}, curves))


def names_of(made) -> tuple[str, ...]:
    return tuple(line.name for line in made.channels)


def read(made, content: bytes):
    sheets, names = workbook_cells(content, "p.xlsx"), names_of(made)
    return edited_plan(sheets, "p.xlsx", names, made.currency)


def written(made, language: str = "en", changes=(), copy: bool = False) -> bytes:
    with spoken_in(language):
        content = plan_workbook(made)
    book = openpyxl.load_workbook(io.BytesIO(content))
    for cell, value in dict(changes).items():
        book.worksheets[0][cell] = value
    if copy:
        book.copy_worksheet(book.worksheets[0])
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("reader", ["en", "de"])
def test_a_plan_over_channels_is_read_in_every_language(channels, language, reader):
    amounts = {line.name: line.planned for line in channels.channels}
    with spoken_in(reader):
        same = read(channels, written(channels, language))
        most = read(channels, written(channels, language, {"F6": 1.0, "H5": None}))
    assert same.is_evaluated
    assert {n: row["lock"] for n, row in same.scenario["channel"].items()} == amounts
    assert not most.is_evaluated
    first, second = names_of(channels)[:2]
    assert most.scenario["channel"][second]["min"] == 1.0
    assert "lock" not in most.scenario["channel"][first]


@pytest.mark.parametrize("language", LANGUAGES)
def test_plans_of_geos_and_weeks_are_read_in_every_language(language):
    geos, weeks = plan_of_geos(), plan_of_weeks()
    sheets = workbook_cells(written(geos, language), "p.xlsx")
    names = names_of(geos), tuple(line.name for line in geos.geos)
    assert edited_geos(sheets, "p.xlsx", names, geos.currency).is_evaluated
    sheets = workbook_cells(written(weeks, language), "p.xlsx")
    table = edited_weeks(sheets, "p.xlsx", names_of(weeks), weeks.currency)
    assert {*table["spend"]} == {*names_of(weeks)}


@pytest.mark.parametrize("word", ["yes", "ja", "oui", "sí", "X", True, "Wahr"])
def test_yes_is_yes_in_every_language(channels, word):
    name = names_of(channels)[1]
    edited = read(channels, written(channels, changes={"H6": word}))
    assert "lock" in edited.scenario["channel"][name]
    assert not edited.is_evaluated


@pytest.mark.parametrize(
    ("changes", "said", "hint"),
    [
        ({"H6": "maybe"}, "locked with 'maybe', which is not yes or no", "Type yes"),
        ({"C6": "=B6*1.1"}, "cell C6", "once a spreadsheet program has saved"),
        ({"F6": "=B6"}, "cell F6", "once a spreadsheet program has saved"),
        ({"C6": "#REF!"}, "cell C6", "Type a number"),
    ],
)
def test_a_cell_that_says_nothing_sure_is_named(channels, changes, said, hint):
    if "F6" in changes:  # a limit counts where the amounts are as they were
        changes = changes | {"G6": 1e9}
    with pytest.raises(PlanError) as caught:
        read(channels, written(channels, changes=changes))
    assert said in caught.value.message
    assert hint in caught.value.hint


def test_thousands_by_a_format_are_no_whole_amounts(channels):
    content = written(channels, changes={"C6": 30.0})
    book = openpyxl.load_workbook(io.BytesIO(content))
    book.worksheets[0]["C6"].number_format = '#,##0 "TEUR"'
    file = io.BytesIO()
    book.save(file)
    with pytest.raises(PlanError, match="C6: .* is shown in units of 1,000"):
        read(channels, file.getvalue())


def test_a_copied_sheet_is_asked_about(channels):
    with pytest.raises(PlanError, match="Several sheets hold the plan: Plan and Plan"):
        read(channels, written(channels, copy=True))
