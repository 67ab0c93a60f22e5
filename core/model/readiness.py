"""Readiness: everything to know before a fit, of the table, the options and both.

Free of JAX: the command line, the Data and the Model screen ask the same function.
"""

from typing import TYPE_CHECKING

from core.data.assemble import checked
from core.data.findings import Finding
from core.data.input_data import InputData
from core.data.mapping import ColumnMapping
from core.data.validate import in_order
from core.errors import DataError
from core.model.shares.contradiction import contradictions
from core.model.shares.totals import totals
from core.model.spec import ModelSpec

if TYPE_CHECKING:
    import pandas as pd


def readiness(
    frame: "pd.DataFrame", mapping: ColumnMapping, spec: ModelSpec
) -> tuple[InputData | None, list[Finding]]:
    """The market, and everything worth knowing before it is fitted, errors first.

    Args:
        frame: The table as loaded.
        mapping: The roles of its columns.
        spec: The options of the model.

    Returns:
        None for the market where the table itself blocks a fit.
    """
    data, found = checked(frame, mapping, spec)
    if data is None or not mapping.channels:
        return data, found
    return data, in_order([*contradictions(spec, totals(data), mapping.kpi), *found])


def refuse_contradictions(spec: ModelSpec, data: InputData, kpi: str) -> None:
    """Refuse to fit where spend and KPI cannot be the same money.

    Raises:
        DataError: Carries every error; its message is the first.
    """
    errors = [
        finding
        for finding in contradictions(spec, totals(data), kpi)
        if finding.severity == "error"
    ]
    if errors:
        first = errors[0]
        raise DataError(
            first.message, hint=first.hint, where=first.where, findings=errors
        )
