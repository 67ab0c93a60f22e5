"""Reading: tools about files and columns, and the project that they become."""

from typing import Any

from core.errors import MMMError, WorkspaceError
from core.mcp import answers, arguments
from core.mcp.desk import Desk
from core.service import tables
from core.service.projects import columns, shelf
from core.service.projects import promises as kept

_READY = "Nothing blocks a fit."
_BLOCKED = "Settle the errors first: each finding's hint says how."


def check(desk: Desk, asked: arguments.Check) -> dict[str, Any]:
    """What is wrong with the data of a project, or with files."""
    if bool(asked.project) == bool(asked.files):
        raise WorkspaceError("Name a project or files, one of them.")
    folder = desk.project(asked.project) if asked.project else None
    paths = [desk.file(name) for name in asked.files]
    try:
        if folder is not None:
            found = tables.findings(folder)
        else:
            found = columns.findings(tables.opened(paths, asked.sheet))[1]
        listed = [finding.as_dict() for finding in found]
    except MMMError as error:
        first = {"severity": "error", "where": error.where, "message": error.message}
        listed = [finding.as_dict() for finding in error.findings]
        listed = listed or [first | {"hint": error.hint}]
    blocked = any(finding["severity"] == "error" for finding in listed)
    return answers.plain({"findings": listed}, _BLOCKED if blocked else _READY)


def recognise(desk: Desk, asked: arguments.Columns) -> dict[str, Any]:
    """What files are taken for, what they leave open; a project of them, if asked."""
    if asked.create:
        desk.permit("project created")
        desk.permit_new(asked.create)
    paths = [desk.file(name) for name in asked.files]
    files = tables.opened(paths, asked.sheet)
    table = columns.recognised(files, asked)
    if asked.create:
        folder = shelf.project_folder(asked.create)
        columns.create(folder, table)
        made = {"project": str(folder)} | table.as_dict()
        return answers.plain(made, "Check the project, then fit it.")
    _, found = columns.findings(files, asked)
    questions = [finding.as_dict() for finding in found]
    advice = (
        "Ask your user what the findings leave open; their hints name options, which "
        "are arguments here (--kpi-is money is kpi_is='money'). Then create."
    )
    return answers.plain(table.as_dict() | {"questions": questions}, advice)


def promises(desk: Desk, asked: arguments.InProject) -> dict[str, Any]:
    """What was promised, and what came of it."""
    folder = desk.project(asked.project)
    record = kept.record(folder, keeps=desk.may_write)
    texts = {"project": str(folder)} | record.as_dict()
    return answers.plain(texts, " ".join(texts["said"]))
