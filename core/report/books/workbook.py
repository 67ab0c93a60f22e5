"""Workbook: what every spreadsheet of ours has: formats, notes, pages, odds.

Names come from uploaded files, so nothing that is text may run: XLSX cells are
written as text.
"""

import io
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple

import xlsxwriter
from xlsxwriter.utility import xl_col_to_name

from core import text as fmt
from core.plan.record.plan_record import PlanRecord
from core.report.books.room import LINE, fit_heads, fit_numbers, wide
from core.text.currency import cell_format
from core.text.escaping import printable
from core.text.languages.language import language, say
from core.view import plan_words
from core.view.advice import compared_with
from core.view.sections import of_plan

#: Nothing that is text becomes a formula, a link or a number.
OPTIONS = {
    "in_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}
#: What the ends of its interval are called.
ENDS = ("5\u00a0%", "95\u00a0%")
_A4 = 9
#: Letters of a text that stand where a digit would: columns are measured in digits.
_DENSE = 1.15
#: Characters across a page that can still be read.
_ACROSS = 150
#: What a number format takes off the end: thousands, millions, ...
_COMMAS = {1.0: "", 1e3: ",", 1e6: ",,", 1e9: ",,,"}
#: Colours of titles and lines, and of the ground of heads.
_ACCENT, _HEAD_GROUND = "#1C3D8F", "#EEF2F8"
#: Letters of a name above a page.
_MOST_IN_HEADER = 80
#: Percent as `core.text` writes it, with a space; odds with its ends as well.
_WHOLE_PERCENT, _PERCENT = '0" "%', '0.0" "%'
_ODDS = f'[>=0.995]"> 99 %";[<=0.005]"< 1 %";{_WHOLE_PERCENT}'
#: Codes of languages in formats of dates.
_ENGLISH = "409"
_LANGUAGES = {"de": "407", "fr": "40C", "es": "C0A"}
#: Lines of a chart behind its bars.
GRID = {"visible": True, "line": {"color": "#E6EAEF"}}


def set_pages(book: Any, name: str) -> None:
    """Have every sheet print on A4, wide ones over a few pages side by side.

    What is read like a page, as the report in front, stands upright. Each page names
    the report and the sheet; lines between cells are those of tables.

    Args:
        book: The workbook, its sheets written.
        name: Of the project or of the plan.
    """
    called = fmt.brief(printable(name), _MOST_IN_HEADER).replace("&", "&&")
    for sheet in book.worksheets():
        if sheet.get_name() != say("Report"):
            sheet.set_landscape()
        sheet.set_paper(_A4)
        if sheet.is_chartsheet:
            continue
        fit_numbers(sheet)
        across = wide(sheet, range((sheet.dim_colmax or 0) + 1))
        pages = max(1, round(across / _ACROSS))
        sheet.fit_to_pages(pages, 0)
        if pages > 1:
            sheet.repeat_columns(0)
        sheet.hide_gridlines(2)
        place = say("Page {page} of {pages}", page="&P", pages="&N")
        sheet.set_header(f"&L{called}&R&A")
        sheet.set_footer(f"&LMixwright&R{place}")


@dataclass(frozen=True)
class Formats:
    """Formats of the cells of a book, as xlsxwriter has them; totals have a line above.

    Attributes:
        title: Of a sheet.
        note: A text that wraps.
        bold: The beginning of a note.
        date: A day.
        whole: Money without cents.
        ratio: Two digits.
        share: Percent without digits.
        head: Of a column of texts.
        number_head: Of a column of numbers.
        text: Plain.
        figure: A number as text, at the right.
        number: Two digits, thousands apart.
        count: No digits, thousands apart.
        money: In the currency of the book.
        fine: The same of what costs less than a few cents.
        percent: One digit.
        probability: Never 0 % or 100 %.
        total_text: The same below a column, and so on.
    """

    title: Any
    note: Any
    bold: Any
    date: Any
    whole: Any
    ratio: Any
    share: Any
    head: Any
    number_head: Any
    text: Any
    figure: Any
    number: Any
    count: Any
    money: Any
    fine: Any
    percent: Any
    probability: Any
    total_text: Any
    total_money: Any
    total_percent: Any
    total_whole: Any
    total_number: Any
    total_count: Any
    total_ratio: Any

    def named(self, name: str) -> Any:
        """A format by its name."""
        return getattr(self, name)

    def total(self, name: str) -> Any:
        """The format of a total below cells of a format."""
        return self.named(f"total_{name}")


#: Amounts from which cents, and parts of what is counted, are left out.
WHOLE = 1000


#: Costs below this are written finely, currency: cents would be one digit of them.
FINE = 0.1


def outcome_form(units: fmt.Units, largest: float) -> str:
    """The format of cells of the outcome: parts of a unit only where they count.

    Args:
        units: Of the outcome.
        largest: Of the table.
    """
    if units.is_money:
        return "whole"
    return "count" if largest >= WHOLE else "number"


def date_format() -> str:
    """The format of a day, its month in the language of the book, whoever opens it."""
    return f"[$-{_LANGUAGES.get(language(), _ENGLISH)}]{fmt.locale().cell}"


def formats(book: Any, currency: str) -> Formats:
    """Formats of cells; money in its currency."""
    money, whole = cell_format(currency), cell_format(currency, "#,##0")
    head = {"bold": True, "text_wrap": True, "valign": "vcenter"}
    head |= {"bg_color": _HEAD_GROUND, "bottom": 1, "bottom_color": _ACCENT}
    total = {"bold": True, "top": 1, "top_color": _ACCENT}
    return Formats(
        title=book.add_format({"bold": True, "font_size": 14, "font_color": _ACCENT}),
        note=book.add_format({"text_wrap": True, "valign": "top"}),
        bold=book.add_format({"bold": True}),
        date=book.add_format({"num_format": date_format(), "align": "left"}),
        whole=book.add_format({"num_format": whole}),
        ratio=book.add_format({"num_format": "0.00"}),
        share=book.add_format({"num_format": _WHOLE_PERCENT}),
        head=book.add_format(head),
        number_head=book.add_format(head | {"align": "right"}),
        text=book.add_format(),
        figure=book.add_format({"align": "right", "valign": "top"}),
        number=book.add_format({"num_format": "#,##0.00"}),
        count=book.add_format({"num_format": "#,##0"}),
        money=book.add_format({"num_format": money}),
        fine=book.add_format({"num_format": cell_format(currency, "#,##0.0000")}),
        percent=book.add_format({"num_format": _PERCENT}),
        probability=book.add_format({"num_format": _ODDS}),
        total_text=book.add_format(total),
        total_money=book.add_format(total | {"num_format": money}),
        total_percent=book.add_format(total | {"num_format": _PERCENT}),
        total_whole=book.add_format(total | {"num_format": whole}),
        total_number=book.add_format(total | {"num_format": "#,##0.00"}),
        total_count=book.add_format(total | {"num_format": "#,##0"}),
        total_ratio=book.add_format(total | {"num_format": "0.00"}),
    )


def chart_sheet(book: Any, chart: Any, name: str = "") -> None:
    """A chart on a page of its own: below a table a page would end within it."""
    book.add_chartsheet(name or say("Chart")).set_chart(chart)


def money_axis(name: str, currency: str, largest: float) -> dict[str, Any]:
    """An axis of money in thousands, millions ..., its unit in its title."""
    divisor, prefix = fmt.scale(largest)
    digits = "0.0" if largest / divisor < 10 else "#,##0"
    unit = fmt.scaled_unit(prefix, fmt.currency_symbol(currency))
    return {
        "name": fmt.titled(name, unit),
        "num_format": digits + _COMMAS[divisor],
        "major_gridlines": GRID,
    }


def ends_of(estimate: Mapping[str, float]) -> list[float]:
    """An estimate in the order of columns: its mean and the ends of its interval."""
    return [estimate[key] for key in ("mean", "lo", "hi")]


def blank_total(sheet: Any, row: int, columns: Iterable[int], forms: Formats) -> None:
    """The line of a row of totals where it has no number.

    Args:
        sheet: The sheet.
        row: Of the totals.
        columns: Without a number.
        forms: What `formats` gives.
    """
    for column in columns:
        sheet.write_blank(row, column, None, forms.total_text)


def write_heads(
    sheet: Any, row: int, heads: Sequence[str], forms: Formats, texts: int = 1
) -> None:
    """Heads of a table, as high as their lines; those of numbers stand right.

    Args:
        sheet: The sheet; the widths of its columns are set.
        row: Of the heads, from zero.
        heads: By column.
        forms: What `formats` gives.
        texts: How many columns are of text, the first ones.
    """
    write_cells(sheet, row, heads, *[forms.head] * texts, forms.number_head)
    fit_heads(sheet, row, heads)


class Live(NamedTuple):
    """A formula, and its value for who opens the file without working it out."""

    formula: str
    value: float | str


#: What a cell can hold; nothing is written for None and for NaN or infinity.
CellContent = str | float | date | Live | None


def write_cells(
    sheet: Any, row: int, cells: Iterable[CellContent], *forms: Any, first: int = 0
) -> None:
    """Cells beside each other.

    Args:
        sheet: The sheet.
        row: From zero.
        cells: What they hold, from the first column on.
        forms: A format for each; the last one is that of all that follow.
        first: Column of the first, from zero.
    """
    for at, cell in enumerate(cells):
        form = forms[min(at, len(forms) - 1)] if forms else None
        if isinstance(cell, Live):
            sheet.write_formula(row, first + at, cell.formula, form, cell.value)
        elif isinstance(cell, str):
            sheet.write_string(row, first + at, cell, form)
        elif isinstance(cell, date):
            sheet.write_datetime(row, first + at, cell, form)
        elif cell is not None and math.isfinite(cell):
            sheet.write_number(row, first + at, cell, form)


def write_sum(
    sheet: Any, rows: tuple[int, int], column: int, value: float, form: Any
) -> None:
    """The sum of a column below it.

    Args:
        sheet: The sheet.
        rows: The first that is summed, and that of the sum, from zero.
        column: From zero.
        value: What it is, for who opens the file without working it out.
        form: A format.
    """
    letter, (first, row) = xl_col_to_name(column), rows
    formula = f"=SUM({letter}{first + 1}:{letter}{row})"
    sheet.write_formula(row, column, formula, form, value)


def written(name: str, currency: str, write: Callable[[Any, Formats], None]) -> bytes:
    """A workbook, ready to be printed.

    Args:
        name: Above each page.
        currency: Of its amounts.
        write: Adds its sheets.
    """
    file = io.BytesIO()
    with xlsxwriter.Workbook(file, OPTIONS) as book:
        write(book, formats(book, currency))
        set_pages(book, name)
    return file.getvalue()


def notes(
    sheet: Any,
    row: int,
    texts: Sequence[str | tuple[str, str]],
    forms: Formats,
    columns: tuple[int, int],
) -> int:
    """Texts below each other, wrapped within columns; the row after them.

    Args:
        sheet: The sheet, its columns set.
        row: The first row.
        texts: What to write, or what it begins with in bold and the rest; empty ones
            are left out.
        forms: What `formats` gives.
        columns: The first and the last column that a text may fill.
    """
    first, last = columns
    across = wide(sheet, range(first, last + 1))
    for text in filter(None, texts):
        sheet.merge_range(row, first, row, last, "", forms.note)
        if isinstance(text, str):
            sheet.write_string(row, first, text, forms.note)
        else:
            sheet.write_rich_string(row, first, forms.bold, *text, forms.note)
        size = len("".join(text))
        sheet.set_row(row, LINE * max(1, math.ceil(size / (_DENSE * across))))
        row += 1
    return row


def odds_sheet(
    sheet: Any,
    plan: PlanRecord,
    forms: Formats,
    *,
    more: Sequence[tuple[str, Mapping[str, float]]] = (),
) -> None:
    """What media bring and the gain, with intervals, the bound, the advice.

    Args:
        sheet: A new sheet.
        plan: The plan.
        forms: What `formats` gives.
        more: Further estimates.
    """
    sheet.set_column(0, 0, 60)
    for at in range(1, 4):
        sheet.set_column(at, at, 18)
    write_cells(sheet, 0, ("", say("Mean"), *ENDS), forms.number_head)
    name, over = (
        say("{outcome} from spend", outcome=plan.units.outcome_name),
        compared_with(plan),
    )
    estimates = (
        (f"{name}, {over}", plan.outcome.current),
        (plan_words.brought(plan.units), plan.outcome.planned),
        (say("Gain over {over}", over=over), plan.gain),
        *more,
    )
    for row, (label, estimate) in enumerate(estimates, start=1):
        form = forms.named(outcome_form(plan.units, abs(estimate["mean"])))
        write_cells(sheet, row, (label, *ends_of(estimate)), None, form)
    at = len(estimates) + 1
    odds = plan.gain.probability_positive
    write_cells(sheet, at, (say("Odds of a gain"), odds), None, forms.probability)
    below = say("At most this far below the best plan"), plan_words.gap(plan)
    write_cells(sheet, at + 1, below, None, forms.percent)
    sheet.write_string(at + 2, 0, say("Advice"), forms.note)
    notes(sheet, at + 2, of_plan.in_sentences(plan), forms, (1, 3))
