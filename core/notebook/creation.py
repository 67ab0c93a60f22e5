"""A project from a table and the roles of its columns."""

import os
from pathlib import Path
from typing import Any

from core.errors import WorkspaceError
from core.notebook.records import Table
from core.service import tables
from core.service.places import typed_path
from core.service.projects.columns import check_media, currency_of_table
from core.service.projects.settings import FILE, load_project
from core.service.projects.shelf import init_project, project_folder


def created(where: str | Path, table: Table, **options: Any) -> Path:
    """Make a project, or find the one that this has made before.

    So that a notebook can be run again from its first cell.

    Args:
        where: Its folder; a bare name is that of a project of the app.
        table: Its data, with the roles of the columns.
        options: Fields of `Project` (of the workspace) that are not the default.

    Returns:
        Its folder.

    Raises:
        SchemaError: The table has no media.
        WorkspaceError: There is something else in the folder, or it cannot be written.
    """
    check_media(table.frame, table.mapping)
    is_name = isinstance(where, str) and Path(where).name == where
    folder = project_folder(where) if is_name else typed_path(where).resolve()
    if os.path.isfile(folder / FILE):
        return _the_same(folder, table)
    settings = {"layout": table.layout} | options
    if "currency" not in options:
        currency = currency_of_table(table.frame, table.mapping, table.layout)
        settings["currency"] = currency
    return init_project(folder, table.frame, table.mapping, **settings)


def _the_same(folder: Path, table: Table) -> Path:
    """The project that is there, if it is that of the table.

    Raises:
        WorkspaceError: It has another table, or columns have other roles.
    """
    project = load_project(folder)
    frame = tables.kept(folder, project)
    is_same = project.mapping == table.mapping and frame.equals(table.frame)
    if not is_same:
        raise WorkspaceError(
            f"There is a project {folder.name} with another table or other roles.",
            hint="Open it without a table, or choose another name.",
            where=str(folder),
        )
    return folder
