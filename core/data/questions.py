"""Questions: what a table does not answer, with what is taken until somebody does."""

from collections.abc import Iterator

import pandas as pd

from core.data.findings import Finding
from core.data.mapping import ColumnMapping
from core.data.recognise import explain_kpi_type


def guess_findings(frame: pd.DataFrame, mapping: ColumnMapping) -> list[Finding]:
    """What was guessed about a table, as findings for who did not make the mapping.

    Args:
        frame: The table.
        mapping: As guessed.
    """
    return list(_kind(frame, mapping))


def _kind(frame: pd.DataFrame, mapping: ColumnMapping) -> Iterator[Finding]:
    """Whether the KPI is money, where its name does not say."""
    has_value = isinstance(mapping.revenue_per_kpi, str)
    kind, reason, is_sure = explain_kpi_type(frame, mapping.kpi, has_value)
    if is_sure or kind != mapping.kpi_type:
        return
    taken = "an amount of money" if kind == "revenue" else "a count, not money"
    message = f"{mapping.kpi} is taken for {taken}. {reason}"
    hint = (
        "Say what it is: --kpi-is money or --kpi-is count with core init, kpi_type in "
        "project.toml, or Units on the Data screen."
    )
    yield Finding("warning", f"column {mapping.kpi}", message, hint)
