"""Model files of other programs: whose one is, and what it says of a table."""

import itertools
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

import pandas as pd

from core.data.layout.tables.wide import Table
from core.data.mapping import ColumnMapping
from core.errors import SchemaError
from core.model.spec import ModelSpec
from core.project.elsewhere.brought import Brought
from core.project.elsewhere.meridian import is_meridian, read_meridian
from core.project.elsewhere.pymc_marketing import is_pymc, read_pymc
from core.project.elsewhere.robyn import is_robyn, read_robyn


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


#: Ends of names of files that may be models.
ENDS = (".json", ".yaml", ".yml")
#: Bytes of a YAML file; Robyn's JSON may hold the table.
_MOST_YAML = 1024**2
#: Brackets within each other in a YAML file; its reader takes seconds for thousands.
_DEEPEST = 100

_Is = Callable[[Mapping[str, Any]], bool]
_Read = Callable[[Mapping[str, Any], str, pd.DataFrame | None], Brought]
_KNOWN: tuple[tuple[_Is, _Read], ...] = (
    (is_robyn, read_robyn),
    (is_pymc, read_pymc),
    (is_meridian, read_meridian),
)


def is_model_file(filename: str) -> bool:
    """Whether a file may be a model: what it is follows when it is read."""
    return PurePath(filename).suffix.lower() in ENDS


def read_model_file(
    content: bytes, filename: str, frame: pd.DataFrame | None = None
) -> Brought:
    """The mapping, options and priors of a model file, and what it left behind.

    Args:
        content: The file.
        filename: Its name.
        frame: The table; None where the file may hold it.

    Raises:
        SchemaError: The file is damaged or of no known program, or does not fit the
            table.
    """
    document = _document(content, filename)
    for is_its, reader in _KNOWN:
        if is_its(document):
            return reader(document, filename, frame)
    raise SchemaError(
        f"{filename} is not a model of Robyn, PyMC-Marketing or Meridian.",
        hint="Expected are paid_media_spends (Robyn), model with channel_columns "
        "(PyMC-Marketing), or coord_to_columns and model_spec (Meridian).",
        where=filename,
    )


def _document(content: bytes, filename: str) -> Mapping[str, Any]:
    """The parsed file.

    Raises:
        SchemaError: It is damaged, too large, or not a table of keys.
    """
    is_json = PurePath(filename).suffix.lower() == ".json"
    try:
        document = json.loads(content) if is_json else _yaml(content)
    except (ValueError, RecursionError) as error:
        said = " ".join(str(error).split())[:200]
        raise SchemaError(
            f"{filename} is not complete {'JSON' if is_json else 'YAML'}: {said}.",
            hint="Export it again.",
            where=filename,
        ) from error
    if not isinstance(document, dict):
        raise SchemaError(
            f"{filename} is not the model of another program: it has no keys.",
            hint="Rows of a table are read from CSV, XLSX or Parquet: save them so.",
            where=filename,
        )
    return document


def _yaml(content: bytes) -> Any:
    """Plain YAML; references are refused, because a few lines can stand for gigabytes.

    Raises:
        ValueError: It is no YAML, too large, or has references.
    """
    import yaml  # noqa: PLC0415  rarely needed

    if len(content) > _MOST_YAML:
        raise ValueError("it has more than a megabyte")
    if _depth(content) > _DEEPEST:
        raise ValueError("it has more than a hundred brackets within each other")
    try:
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(content)):
            raise ValueError("it refers to parts of itself (*name)")
        return yaml.safe_load(content)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error


def _depth(content: bytes) -> int:
    """How many brackets are open at once, whatever they stand in."""
    steps = [1 if mark in b"[{" else -1 for mark in re.findall(rb"[\[\]{}]", content)]
    return max(itertools.accumulate(steps), default=0)
