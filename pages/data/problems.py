"""Problems: what is wrong with a column, in its row of the mapping table.

The check reads the table as it was edited, and so comes after it: what it finds is kept
for the next run of the script, which follows at once.
"""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.service.records.columns import Finding
from pages.ui import findings, state

_MARKS = {"error": "✕", "warning": "⚠"}
_NAME = "data.problems"


def note(checked: Sequence[Finding]) -> None:
    """Have the mapping table show these findings in the rows that they are about."""
    marks = tuple(
        (finding.where, f"{_MARKS[finding.severity]} {finding.message}")
        for finding in findings.by_severity(checked)
        if finding.severity in _MARKS and finding.where
    )
    if marks != state.draft(_NAME, ()):
        state.keep(_NAME, marks)
        st.rerun()


def in_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """The mapping table with problems in the place of reasons, worst first."""
    marks = state.draft(_NAME, ())
    why = [
        findings.said(
            next((text for where, text in marks if _is_about(where, names)), reason)
            or ""
        )
        for *names, reason in zip(
            rows["column"], rows["channel"], rows["why"], strict=True
        )
    ]
    return rows.assign(why=why)


def _is_about(where: str, names: Sequence[str | None]) -> bool:
    """Whether a place names the column of a row, or its channel."""
    places = where.removeprefix("column ").split(", ")
    return any(name in places for name in names if name)
