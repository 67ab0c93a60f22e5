"""Annotations: what happened at a date, as somebody noted it for the time charts.

annotations.json    {"annotations": [{"date": "2023-03-06", "text": "TV strike"}]}
"""

from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from core.errors import WorkspaceError
from core.store.atomic import write_json
from core.store.locks import alone
from core.store.rewritten import object_before
from core.store.stored import read_object
from core.team.gate import gated
from core.team.roles import Role

#: Letters of a note, and notes of a project.
LONGEST, MOST = 60, 100
_FILE = "annotations.json"


class Annotation(NamedTuple):
    """One note.

    Attributes:
        date: ISO date.
        text: One line.
    """

    date: str
    text: str


def annotations(project_folder: Path) -> tuple[Annotation, ...]:
    """The notes of a project in order of time, without what is none."""
    return _notes(read_object(project_folder / _FILE))


def _notes(content: dict[str, Any]) -> tuple[Annotation, ...]:
    """The notes in what the file holds, in order of time."""
    listed = content.get("annotations")
    notes = {
        Annotation(str(row["date"]), _one_line(row["text"]))
        for row in (listed if isinstance(listed, list) else ())
        if isinstance(row, dict) and _is_date(row.get("date")) and row.get("text")
    }
    return tuple(sorted(notes))[:MOST]


@gated("note on charts added", Role.PLANNER)
def annotate(project_folder: Path, day: str, text: str) -> None:
    """Note what happened at a date.

    Args:
        project_folder: The project.
        day: ISO date.
        text: One line; what is longer than `LONGEST` is cut.

    Raises:
        WorkspaceError: There is no text or no date, there are `MOST` notes already, or
            the disk is full.
    """
    note = Annotation(day, _one_line(text))
    if not _is_date(day) or not note.text:
        raise WorkspaceError(
            "The note needs a date and a text.", hint="Type what happened.", where=day
        )
    with alone(project_folder):
        notes = {*_notes(object_before(project_folder / _FILE)), note}
        if len(notes) > MOST:
            raise WorkspaceError(
                f"The project has {MOST} notes on charts already.",
                hint="Delete one first.",
                where=day,
            )
        _write(project_folder, notes)


@gated("note on charts deleted", Role.PLANNER)
def delete_annotation(project_folder: Path, note: Annotation) -> None:
    """Take a note off the charts; nothing happens where it is gone already.

    Raises:
        WorkspaceError: The disk is full or read-only.
    """
    with alone(project_folder):
        notes = {*_notes(object_before(project_folder / _FILE))}
        _write(project_folder, notes - {note})


def _write(project_folder: Path, notes: set[Annotation]) -> None:
    listed = [note._asdict() for note in sorted(notes)]
    write_json(project_folder / _FILE, {"annotations": listed})


def _one_line(text: object) -> str:
    return " ".join(str(text).split())[:LONGEST]


def _is_date(text: object) -> bool:
    try:
        return date.fromisoformat(str(text)).isoformat() == text
    except ValueError:
        return False
