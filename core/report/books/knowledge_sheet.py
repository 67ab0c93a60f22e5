"""The sheet of a plan for outcome and knowledge: cost, promise, and why which weeks."""

from datetime import date
from typing import Any

from core.plan.record.plan_record import PlanRecord
from core.plan.record.teaching import Teaching
from core.report.books.workbook import ESTIMATE, Formats, notes
from core.text.languages.language import say
from core.view.weeks import teaching_words


def knowledge_sheet(book: Any, plan: PlanRecord, forms: Formats) -> None:
    """Add the sheet; nothing for a plan that only earns.

    Args:
        book: The workbook.
        plan: The plan.
        forms: What `formats` gives.
    """
    teaching = plan.teaching
    if teaching is None:
        return
    sheet = book.add_worksheet(say("Knowledge"))
    sheet.set_column(0, 0, 34)
    sheet.set_column(1, 5, 17)
    sheet.set_column(6, 6, 70)
    row = notes(sheet, 0, [teaching_words.headline(plan)], forms, (0, 5))
    row = _estimates(sheet, row + 1, plan, forms)
    row = _channels(sheet, row + 1, teaching, forms)
    row = notes(sheet, row + 1, teaching_words.told_apart(plan), forms, (0, 5))
    _changes(sheet, row + 1, plan, forms)


def _estimates(sheet: Any, row: int, plan: PlanRecord, forms: Formats) -> int:
    teaching = plan.teaching
    form = forms.whole if plan.units.is_money else forms.number
    for column, title in enumerate(("", say("Mean"), "5 %", "95 %")):
        sheet.write_string(row, column, title, forms.number_head)
    labels = [line.label for line in teaching_words.rows(plan)]
    for label, estimate in zip(labels, (teaching.cost, teaching.later), strict=False):
        row += 1
        sheet.write_string(row, 0, label)
        for column, key in enumerate(ESTIMATE, start=1):
            sheet.write_number(row, column, estimate[key], form)
    amounts = (teaching.certainty, teaching.bound)
    for label, amount in zip(labels[2:], amounts, strict=True):
        row += 1
        sheet.write_string(row, 0, label)
        sheet.write_number(row, 1, amount, form)
    return row + 1


def _channels(sheet: Any, row: int, teaching: Teaching, forms: Formats) -> int:
    """How much the interval of each channel's return is expected to narrow."""
    heads = (
        say("Interval of the return narrows by"),
        say("This plan"),
        say("Plan that only earns"),
    )
    for column, title in enumerate(heads):
        sheet.write_string(
            row, column, title, forms.number_head if column else forms.head
        )
    for line in teaching.channels:
        row += 1
        sheet.write_string(row, 0, line.channel)
        sheet.write_number(row, 1, line.teaching, forms.percent)
        sheet.write_number(row, 2, line.earning, forms.percent)
    return row + 1


def _changes(sheet: Any, row: int, plan: PlanRecord, forms: Formats) -> None:
    """Weeks that differ from the plan that only earns, and why."""
    heads = (
        say("Weeks that differ"),
        say("First week"),
        say("Last week"),
        say("Weeks"),
        say("Change"),
        "",
        say("Why"),
    )
    for column, title in enumerate(heads):
        sheet.write_string(row, column, title, forms.head)
    for change in plan.teaching.changes:
        row += 1
        sheet.write_string(row, 0, change.channel)
        for column, day in enumerate((change.first, change.last), start=1):
            sheet.write_datetime(row, column, date.fromisoformat(day), forms.date)
        sheet.write_number(row, 3, change.weeks)
        sheet.write_number(row, 4, round(change.spend, 6), forms.money)
        why = teaching_words.why_this_week(plan, change.channel, change.first)
        sheet.write_string(row, 6, why)
