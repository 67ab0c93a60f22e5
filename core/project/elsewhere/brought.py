"""What a model file of another program gives, and how its columns are checked."""

from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from core.data.mapping import ColumnMapping
from core.data.reading.findings import Finding
from core.errors import SchemaError
from core.model.spec import ModelSpec
from core.text.sentences import listed


@dataclass(frozen=True)
class Brought:
    """What a model file says.

    Attributes:
        mapping: The roles of columns.
        spec: Options and priors.
        findings: What was taken over, and what has no counterpart.
        frame: The table, where the file holds it.
    """

    mapping: ColumnMapping
    spec: ModelSpec
    findings: tuple[Finding, ...]
    frame: pd.DataFrame | None = None


def not_taken(names: Iterable[object]) -> list[str]:
    """The line on what of a model file has no counterpart; none where all has."""
    if not (lost := tuple(map(str, names))):  # keys of YAML may be numbers
        return []
    return [f"Without a counterpart, and not taken over: {listed(lost, limit=12)}."]


def check_columns(names: Iterable[str], frame: pd.DataFrame, filename: str) -> None:
    """Refuse a model whose columns the table lacks.

    Raises:
        SchemaError: It names them.
    """
    absent = [name for name in dict.fromkeys(names) if name not in frame.columns]
    if absent:
        raise SchemaError(
            f"{filename} uses {listed(absent)}, which the table lacks.",
            hint="Name the table that the model was fitted to.",
            where=f"{filename}, column {absent[0]}",
        )


def needs_table(filename: str) -> SchemaError:
    """The error of a model file that came alone."""
    return SchemaError(
        f"{filename} does not hold the table itself.",
        hint=f"Name the table too: init data.csv {filename} --out PROJECT.",
        where=filename,
    )
