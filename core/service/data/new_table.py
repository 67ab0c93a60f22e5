"""A project's table replaced by what its layout makes of new files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from core.data.checks.validate import check_table
from core.data.files.isolated import kept_table
from core.data.layout.again import fitting, read_again, read_as_answered, with_answers
from core.data.layout.kinds.exports import File
from core.data.layout.tables.wide import Table
from core.data.reading.findings import Finding, blocks
from core.errors import SchemaError
from core.project.settings.definition import Project
from core.project.settings.project import data_file, load_project
from core.project.settings.project_data import replace_table
from core.service.projects.columns import gone


@dataclass(frozen=True)
class NewTable:
    """What new files made of a project's table.

    Attributes:
        table: How they were read, and what is new of it.
        findings: What blocks a fit, which leaves the project as it was; else what is
            to be known of the new table and was not of the one before.
        is_refused: Whether the project keeps its table.
    """

    table: Table
    findings: tuple[Finding, ...]
    is_refused: bool = False


def new_table(
    folder: Path,
    files: Sequence[File],
    answers: Mapping[str, Any],
    rates: Mapping[str, float],
    *,
    base: str,
) -> NewTable:
    """Replace a project's table by what its layout makes of new files.

    Args:
        folder: The project's.
        files: They are read as those of the project were.
        answers: What a person says about them, where the layout does not.
        rates: What units of other currencies are worth.
        base: SHA-256 of the settings that the files were read by.

    Raises:
        SchemaError: The table was one file and now there are several.
        DataError: The files are not as those of the project were.
        WorkspaceError: The project was changed meanwhile, or cannot be written.
    """
    project = load_project(folder)
    if project.layout is not None:
        layout = with_answers(project.layout, answers, rates)
        project = replace(project, layout=layout)
    table = _read(project, files, answers)
    findings = _findings(project, table.frame)
    if blocks(findings):
        errors = [finding for finding in findings if finding.severity == "error"]
        return NewTable(table, tuple(errors), is_refused=True)
    earlier = kept_table(data_file(folder, project))
    before = _findings(project, earlier)
    fresh = [f for f in findings if f.severity == "warning" and f not in before]
    fresh += gone(earlier, table.frame, project.mapping)
    replace_table(folder, table.frame, project, base_sha=base)
    return NewTable(replace(table, findings=(*table.findings, *fresh)), tuple(fresh))


def _findings(project: Project, frame: pd.DataFrame) -> list[Finding]:
    """What is wrong with a table, but for columns that mediators pay for."""
    return check_table(project.own_table(frame), project.mapping, project.spec)


def _read(project: Project, files: Sequence[File], answers: Mapping[str, Any]) -> Table:
    if project.layout is not None:
        currency = project.currency or ""
        return read_again(project.layout, files, project.mapping, currency)
    if len(files) > 1:
        raise SchemaError(
            f"The table of {project.name} was one file; now there are {len(files)}.",
            hint="Name one file, or make a new project of them with init.",
            where=project.name,
        )
    [file] = files
    frame = read_as_answered(file.frame, project.mapping, answers)
    table = Table(frame, None, (file,), findings=file.findings)
    return fitting(table, project.mapping)
