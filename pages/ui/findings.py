"""Findings and errors as people read them: what is wrong, where, and the remedy."""

import re
from collections.abc import Sequence
from functools import cache

import streamlit as st

from core import text as fmt
from core.errors import MMMError
from core.service.records.columns import Finding
from core.text.escaping import plain
from core.text.languages.language import counted, messages, say
from core.text.languages.reworded import reworded

#: How each severity is shown: icon, colour, and word for one and for several.
LOOK = {
    "error": (":material/error:", "red", ("error", "errors")),
    "warning": (":material/warning:", "orange", ("warning", "warnings")),
    "info": (":material/info:", "blue", ("note", "notes")),
}
_ORDER = tuple(LOOK)
#: What `tally` counts, by the words of `LOOK`.
_COUNTED = (
    counted("{number} error", "{number} errors"),
    counted("{number} warning", "{number} warnings"),
    counted("{number} note", "{number} notes"),
    counted("{number} more error", "{number} more errors"),
    counted("{number} more warning", "{number} more warnings"),
    counted("{number} more note", "{number} more notes"),
)
_FEW = 6
#: A role as project.toml has it, such as ` (spend_level = "time")`.
_SETTING = re.compile(r' \(spend_level = "\w+"\)')
#: Words before a date that shows how to write dates, in every language; it stays.
_EXAMPLE = "such as|like|as|wie|etwa|als|comme|como|--start"
_DAY = r"(?<![\w-])\d{4}-\d\d-\d\d(?![\w-])"
#: A date, or what may hold one and is typed as it stands: a cell in quotes, a range.
_DATE = re.compile(
    r'"[^"]*"|\b\d[\d-]+\.\.\d[\d-]+|'
    rf"(?P<before>(?<!\w)(?:{_EXAMPLE}) )?(?P<day>{_DAY})"
)


def tally(findings: Sequence[Finding], *, are_more: bool = False) -> str:
    """How many findings of each severity: `1 error, 2 warnings`.

    Args:
        findings: The findings.
        are_more: Whether others stand above: `2 more warnings, 1 more note`.
    """
    parts = []
    for severity in _ORDER:
        number = sum(finding.severity == severity for finding in findings)
        if number:
            words = LOOK[severity][2]
            if are_more:
                words = tuple(f"more {word}" for word in words)
            parts.append(fmt.count(number, *words))
    return ", ".join(parts)


def by_severity(findings: Sequence[Finding]) -> list[Finding]:
    """Findings in the order of their severity."""
    return sorted(findings, key=lambda finding: _ORDER.index(finding.severity))


def show_findings(findings: Sequence[Finding]) -> None:
    """Every finding, worst first, each with its remedy."""
    for finding in by_severity(findings):
        show_finding(finding)


def show_finding(finding: Finding) -> None:
    """One finding: what, and below it where and the remedy."""
    icon, colour, _ = LOOK[finding.severity]
    text = f":{colour}[{icon}] {plain(said(finding.message))}"
    if finding.hint:
        text += f"  \n:gray[{plain(said(finding.hint))}]"
    st.markdown(text)


def said(text: str) -> str:
    """What a check says, in the reader's language, its dates as all dates are written.

    What stands in quotes is a cell of the table and stays as it is, as does a date that
    shows how to write dates. How the project's file says a role is for whoever writes
    that file.
    """
    return _DATE.sub(_written, _SETTING.sub("", reworded(text)))


def _written(match: re.Match[str]) -> str:
    day, before = match["day"], match["before"] or ""
    if day is None or (before and day in _examples()):
        return match[0]
    try:
        return before + fmt.date(day)
    except ValueError:  # no day of any calendar
        return match[0]


@cache
def _examples() -> frozenset[str]:
    """Days that messages have of their own; all others are those of somebody's data."""
    forms = "\n".join(text for pair in messages() for text in pair)
    return frozenset(re.findall(_DAY, forms))


def show_error(error: MMMError) -> None:
    """An error with its remedy, and what else was found."""
    others = [f for f in error.findings if f.message not in error.message]
    lines = [plain(said(error.message))]
    if error.hint:
        lines.append(plain(said(error.hint)))
    for finding in others[:_FEW]:
        message, hint = said(finding.message), said(finding.hint)
        lines.append(f"- {plain(message)} {plain(hint)}")
    if len(others) > _FEW:
        lines.append(say("- and {n_others} more", n_others=len(others) - _FEW))
    st.error("\n\n".join(lines[:2]) + "\n".join(["", *lines[2:]]))
