"""Printed lists: tables drawn with bars and dashes, as SAP saves them.

Each page repeats the header between two rules, and each line begins and ends with a
bar. What is left is a table of cells between bars.
"""

import re

_RULE = re.compile(r"^[\s|]*[-=+][-=+| :]{5,}$")
_ROW = re.compile(r"^\s*\|.*\|\s*$")
#: Rules, and columns between bars, at least.
_RULES, _BARS = 2, 3
#: Share of the lines with text that are rows.
_ROWS = 0.5
_SAMPLE = 64 * 1024


def without_rules(data: bytes) -> bytes:
    """UTF-8 text without rules, pages and their headers; as it is where it has none."""
    if not _is_list(data[:_SAMPLE].decode("utf-8", errors="ignore").splitlines()):
        return data
    header, rows = "", []
    for line in data.decode("utf-8", errors="replace").splitlines():
        if not _ROW.match(line) or _RULE.match(line):
            continue
        cells = [cell.strip() for cell in line.strip()[1:-1].split("|")]
        row = "|".join(cells)
        if row != header:
            rows.append(row)
        header = header or row
    return "\n".join(rows).encode()


def _is_list(lines: list[str]) -> bool:
    filled = [line for line in lines if line.strip()]
    rules = sum(bool(_RULE.match(line)) for line in filled)
    rows = [line for line in filled if _ROW.match(line) and not _RULE.match(line)]
    barred = [line for line in rows if line.count("|") >= _BARS]
    texts = len(filled) - rules
    # A rule of a Markdown table has bars, too.
    has_rules = rules >= _RULES or (rules == 1 and bool(rows) and rows[0] == filled[0])
    return has_rules and len(barred) > _ROWS * texts
