"""How files became one table, in words: the sentence, totals, and what was done."""

from typing import TYPE_CHECKING

from core.cli.answer import clean, table
from core.service.records.columns import Finding

if TYPE_CHECKING:
    from core.service.records.data import Table

_MARKS = {"error": "error", "warning": "warning", "info": "info"}


def findings_text(findings: list[Finding]) -> str:
    """Findings for people, each with its remedy below it."""
    if not findings:
        return "No findings: the data are ready for a fit."
    lines = []
    for finding in findings:
        where = f" [{finding.where}]" if finding.where else ""
        lines.append(f"{_MARKS[finding.severity]:<8}{where} {finding.message}")
        if finding.hint:
            lines.append(f"{'':<8} {finding.hint}")
    return clean("\n".join(lines))


def in_words(data: "Table") -> str:
    """How the table was made, in one sentence."""
    from core.service.projects.columns import in_words

    return clean(in_words(data))


def layout_text(data: "Table") -> str:
    """How the table was made: the sentence, totals before and after, what was done."""
    parts = [findings_text(list(data.findings))] if data.findings else []
    if data.layout is None:
        return "\n".join(parts)
    rows = [
        (
            total.file,
            total.column,
            *(f"{value:,.2f}" for value in (total.before, total.left_out, total.after)),
        )
        for total in data.totals
    ]
    heads = ("File", "Column", "In the file", "Left out", "In the table")
    sums = [clean(table(heads, rows, texts=2))] if rows else []
    return "\n\n".join([in_words(data), *sums, *parts])
