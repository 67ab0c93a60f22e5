"""A table with the roles, options and priors that a model of another program has."""

from dataclasses import dataclass, replace

from core.data.layout.tables.wide import Table
from core.data.mapping import ColumnMapping
from core.model.spec import ModelSpec
from core.project.elsewhere.model_file import is_model_file, read_model_file


@dataclass(frozen=True)
class Modelled:
    """A table as a model of another program has it.

    Attributes:
        table: The table, with what the model left behind among its findings.
        mapping: The role of each column.
        spec: Options and priors.
    """

    table: Table
    mapping: ColumnMapping
    spec: ModelSpec


def modelled(content: bytes, filename: str, table: Table | None = None) -> Modelled:
    """What a model file of another program says of a table.

    Args:
        content: The file.
        filename: Its name.
        table: The table; None where the file may hold it.

    Raises:
        SchemaError: The file is damaged or of no known program, or does not fit the
            table.
    """
    frame = None if table is None else table.frame
    model = read_model_file(content, filename, frame)
    table = table or Table(model.frame, None)
    table = replace(table, findings=(*table.findings, *model.findings))
    return Modelled(table, model.mapping, model.spec)
