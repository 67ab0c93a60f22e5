"""Roles of columns as they seem to be or were chosen, with the reason of each."""

from dataclasses import replace

import pandas as pd

from core.data.layout.reading import Table, roles_of_table
from core.data.mapping import ColumnMapping, KpiType
from core.data.recognition.outcomes import guess_kpi_type, kind_explained, kind_of_kpi
from core.data.recognition.recognise import explain_mapping
from core.data.recognition.roles import ColumnRole, roles_of


def explained(frame: pd.DataFrame, mapping: ColumnMapping) -> list[ColumnRole]:
    """The role of each column under a mapping, with the reason of the guess behind it.

    Args:
        frame: The table.
        mapping: The role of each column; one that is not the guess was chosen.
    """
    reasons = explain_mapping(frame, mapping)
    return [
        replace(entry, reason=reasons[entry.column][1])
        for entry in roles_of([str(name) for name in frame.columns], mapping)
    ]


def guessed(table: Table) -> tuple[list[ColumnRole], KpiType]:
    """The roles that columns seem to have, and whether the KPI seems to be money."""
    entries = list(roles_of_table(table))
    has_value = any(entry.role == "revenue_per_kpi" for entry in entries)
    kpi = next((entry.column for entry in entries if entry.role == "kpi"), None)
    if kpi is None:
        return entries, "non_revenue"
    return entries, guess_kpi_type(table.frame, kpi, has_value)
