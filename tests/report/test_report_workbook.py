import csv
import io
import re
import textwrap
import zipfile

import openpyxl
import pytest
import xlsxwriter
from msgspec import structs
from openpyxl.utils import get_column_letter

from core import text as fmt
from core.analysis.record.fit_record import as_record
from core.plan.plan import plan
from core.plan.record.plan_record import with_details
from core.plan.record.tables import csv_text
from core.plan.response.curves import response_curves
from core.plan.scenario.table import of_table
from core.report.books.report_book import plan_workbook
from core.report.books.results_book import results_workbook
from core.report.books.room import fit_texts
from core.report.books.workbook import OPTIONS
from core.text.languages.language import spoken_in
from core.view import beside_words
from core.view.advice import advice_lines
from core.view.sections.returns import ranked
from tests.charts import synthetic

HOSTILE = ["=1+1", "+SUM(A1)", "@cmd", "-2", "Ünïcode"]


@pytest.fixture(scope="module")
def made():
    stored = synthetic.curves()
    stored = stored.assign_coords(channel=HOSTILE[:4])
    curves = response_curves(stored)
    return plan(curves, of_table({"channel": {"=1+1": {"lock": True}}}, curves))


def opened(content: bytes, **options):
    return openpyxl.load_workbook(io.BytesIO(content), **options)


def test_amounts_sums_and_names(made):
    live = opened(plan_workbook(with_details(made, name="=HYPERLINK(1)")))
    sheet = live["Plan"]
    assert sheet["A1"].value == "=HYPERLINK(1)"
    assert sheet["A1"].data_type == "s"
    names = [sheet.cell(row, 1) for row in range(5, 9)]
    assert [cell.value for cell in names] == HOSTILE[:4]
    assert {cell.data_type for cell in names} == {"s"}
    assert sheet["C9"].value == "=SUM(C5:C8)"
    assert sheet["D5"].value == "=C5-B5"
    planned = [sheet.cell(row, 3).value for row in range(5, 9)]
    assert planned == [line.planned for line in made.channels]
    assert round(sum(planned), 2) == made.budget == sheet["C2"].value
    assert [sheet.cell(row, 8).value for row in range(5, 9)][0] == "yes"


def test_formulas_hold_their_values_for_viewers_that_do_not_compute(made):
    sheet = opened(plan_workbook(made), data_only=True)["Plan"]
    assert sheet["C9"].value == pytest.approx(made.budget)
    assert sheet["C3"].value == 0
    assert sheet["D9"].value == pytest.approx(sheet["C9"].value - sheet["B9"].value)


def test_only_the_workbooks_own_formulas_are_formulas(made):
    for sheet in opened(plan_workbook(made)):
        formulas = [c for row in sheet for c in row if c.data_type == "f"]
        for cell in formulas:
            assert cell.value.startswith(("=SUM(", "=IF(B", "=ROUND(C", "=C"))


def test_chart_is_native_and_reads_the_cells(made):
    (chart,) = opened(plan_workbook(made))["Chart"]._charts
    references = [series.val.numRef.f for series in chart.series]
    columns = [f"Plan!${get_column_letter(at)}$5" for at in (2, 3)]
    assert [each.replace("'", "").split(":")[0] for each in references] == columns


def test_odds(made):
    sheet = opened(plan_workbook(made))["Odds"]
    assert sheet["B4"].value == pytest.approx(made.gain.mean)
    assert sheet["B5"].value == made.gain.probability_positive
    assert sheet["B7"].value == advice_lines(made)[0]
    texts = [str(cell.value) for cell in sheet["B"]]
    assert beside_words.against_what_ran(made, made.units) in texts


def test_csv_adds_up_and_runs_nothing(made):
    rows = list(csv.DictReader(io.StringIO(csv_text(made))))
    assert [row["channel"] for row in rows] == [
        *("'=1+1", "'+SUM(A1)", "'@cmd", "'-2"),
        "Total",
    ]
    cents = [round(100 * float(row["planned"])) for row in rows]
    assert sum(cents[:-1]) == cents[-1] == round(100 * made.budget)


def test_results_have_every_channel_and_its_intervals():
    fit = as_record(synthetic.summary())
    book = opened(results_workbook(fit))
    assert book.sheetnames == ["Channels", "ROI", "Channel details"]
    sheet, details = book["Channels"], book["Channel details"]
    titles = [cell.value for cell in sheet[1]]
    assert titles[:3] == ["Channel", "Spend", "Incremental revenue"]
    assert titles[5:] == ["ROI", "ROI, 5\u00a0%", "ROI, 95\u00a0%", None, None]
    hidden = sheet.column_dimensions["I"]  # and J: columns alike are one
    assert hidden.hidden and hidden.max == 10
    kept = [cell.value for cell in details[1]]
    cost = "Cost per incremental KPI"
    assert not any("last year" in str(head) for head in kept)  # no channel has one
    for name in ("Share of revenue", "Marginal ROI", cost):
        ends = ("", ", 5\u00a0%", ", 95\u00a0%")
        assert [f"{name}{end}" in kept for end in ends] == 3 * [True]
    for each in (sheet, details):  # one page across
        assert each.page_setup.fitToWidth in (None, 1)
    first, *others = ranked(fit.channels, fit.units)
    best_first = [channel.name for channel in (first, *others)]
    for each in (sheet, details):
        assert [each.cell(row, 1).value for row in range(2, 8)] == best_first
    assert sheet.cell(2, 6).value == pytest.approx(first.roi.mean)
    assert sheet.cell(2, 8).value == pytest.approx(first.roi.hi)


def test_returns_are_drawn_with_their_intervals():
    """From cells: LibreOffice draws no intervals that a chart has itself."""
    fit = as_record(synthetic.summary())
    content = results_workbook(fit)
    with zipfile.ZipFile(io.BytesIO(content)) as parts:
        chart = parts.read("xl/charts/chart1.xml").decode()
    assert '<c:plotVisOnly val="1"/>' not in chart
    bars = chart.split("<c:errBars>")[1].split("</c:errBars>")[0]
    sheet = opened(content, data_only=True)["Channels"]
    above, below = (
        [cell.value for (cell,) in sheet[re.search(r"<c:f>.*?!(.*?)</c:f>", side)[1]]]
        for side in bars.split("<c:minus>")
    )
    shown = [each for each in ranked(fit.channels, fit.units) if each.has_roi]
    assert above == pytest.approx([each.roi.hi - each.roi.mean for each in shown])
    assert below == pytest.approx([each.roi.mean - each.roi.lo for each in shown])
    axis = float(re.search(r'<c:max val="(.*?)"/>', chart)[1])
    assert axis >= max(each.roi.hi for each in shown)


def test_odds_read_as_in_every_other_report(made):
    """The format of a cell rounds where `fmt.probability` does, and has its space."""
    cell = opened(plan_workbook(made))["Plan"]["I6"]
    high, low, between = cell.number_format.split(";")
    ends = [float(re.search(r"[\d.]+", part)[0]) for part in (high, low)]
    for end, text in zip(ends, (high, low), strict=True):
        assert fmt.probability(end).replace("\u00a0", " ") in text
    assert fmt.probability(ends[0] - 1e-9) == "99\u00a0%"
    assert fmt.probability(ends[1] + 1e-9) == "1\u00a0%"
    assert between == '0" "%'


@pytest.mark.parametrize("language", ["en", "de", "fr", "es"])
def test_no_head_is_cut(made, language):
    with spoken_in(language):
        sheet = opened(plan_workbook(made))["Plan"]
    for cell in sheet[4]:
        column = sheet.column_dimensions[get_column_letter(cell.column)]
        words = textwrap.wrap(cell.value or "", int(column.width / 1.1))
        assert len(words) * 15 <= sheet.row_dimensions[4].height
        assert max(map(len, (cell.value or "").split()), default=0) < column.width


def test_texts_that_wrap_do_not_run_into_the_next_row():
    book = xlsxwriter.Workbook(io.BytesIO(), OPTIONS)
    sheet = book.add_worksheet()
    sheet.set_column(0, 1, 18)
    for row, text in enumerate(
        ("short", "mostly assumed, not seen", 9 * "many words ")
    ):
        fit_texts(sheet, row, ["TV", text])
    heights = [sheet.row_sizes.get(row, [20])[0] for row in range(3)]
    assert heights[0] == 20 and heights[1] == 40 and heights[2] >= 100
    book.close()


@pytest.mark.parametrize(("cost", "digits"), [(0.0173, 4), (0.42, 2), (17.3, 2)])
def test_costs_of_hundredths_have_more_than_one_digit(cost, digits):
    summary = synthetic.summary()
    for channel in summary["channels"]:
        if channel["cpik"] and channel["cpik"]["median"]:
            channel["cpik"] = {key: cost for key in channel["cpik"]}
    details = opened(results_workbook(as_record(summary)))["Channel details"]
    titles = [cell.value for cell in details[1]]
    cell = details.cell(2, 1 + titles.index("Cost per incremental KPI"))
    assert cell.value == cost
    assert cell.number_format.startswith(f"#,##0.{digits * '0'} ")


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_no_number_is_wider_than_its_column(scale):
    """From hundredths to billions: where one is, a spreadsheet shows ####."""
    curves = response_curves(synthetic.curves())
    made = plan(curves, of_table({"budget": 1.2e7}, curves))
    summary = synthetic.summary()
    for channel in summary["channels"]:
        channel["spend"] = channel["spend"] and scale * channel["spend"]
        ends = channel["contribution"]
        channel["contribution"] = {key: scale * ends[key] for key in ends}
    lines = tuple(
        structs.replace(line, planned=scale * line.planned) for line in made.channels
    )
    large = structs.replace(made, channels=lines, budget=scale * made.budget)
    for content in (plan_workbook(large), results_workbook(as_record(summary))):
        book = opened(content, data_only=True)
        for sheet in book.worksheets:
            for row in sheet.iter_rows():
                for cell in row:
                    assert _letters(cell) <= _width(sheet, cell), (sheet, cell)


def _letters(cell) -> int:
    """Of a number as a spreadsheet writes it, with its unit."""
    if not isinstance(cell.value, int | float) or "#,##0" not in cell.number_format:
        return 0
    decimals = len(re.sub(r'".*?"', "", cell.number_format).partition(".")[2].strip())
    return len(f"{cell.value:,.{decimals}f}") + len("€ ")


def _width(sheet, cell) -> float:
    for dimension in sheet.column_dimensions.values():
        if dimension.min <= cell.column <= dimension.max:
            return dimension.width
    return 9.1


def test_what_is_counted_in_billions_has_no_hundredths():
    summary = synthetic.summary()
    for channel in summary["channels"]:
        ends = channel["contribution"]
        channel["contribution"] = {key: 1e3 * ends[key] for key in ends}
    units = {"outcome_unit": "kpi", "kpi_name": "orders"}
    sheet = opened(results_workbook(as_record(summary | units)))["Channels"]
    assert sheet["C2"].number_format == "#,##0"
