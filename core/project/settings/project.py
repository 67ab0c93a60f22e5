"""A project on disk: project.toml read, written and guarded against a lost edit.

A project is a folder with project.toml (columns, model options, priors, sampler
settings), the data, its runs and its plans. The browser edits the file and the
command line reads it, so that both share work.
"""

import contextlib
import hashlib
import os
from dataclasses import replace
from pathlib import Path

from core import PROGRAM
from core.data.files.limits import MAX_BYTES
from core.errors import ConflictError, MMMError, WorkspaceError
from core.project.settings.definition import Project, spec_sha256
from core.project.settings.project_file import parse_project
from core.project.settings.project_render import render_project, updated_text
from core.store.atomic import write_bytes
from core.store.locks import alone
from core.store.places import confined
from core.store.stored import read_regular
from core.team.gate import Role, gated
from core.text.languages.language import SOURCE
from core.text.locale import STANDARD

__all__ = [
    "FILE",
    "Project",
    "data_file",
    "language_of",
    "load_project",
    "locale_of",
    "parse_project",
    "project_sha256",
    "render_project",
    "save_project",
    "spec_sha256",
]

FILE = "project.toml"
#: Bytes of a project.toml; one with a holdout of every cell has some hundred thousand.
_MOST = 1024**2


def load_project(folder: Path) -> Project:
    """The project in a folder.

    Raises:
        WorkspaceError: There is none, or its file cannot be read.
        SpecError: Keys or values are wrong; `findings` has every one.
    """
    project = parse_project(_read(folder).decode(), where=FILE)
    return project if project.name else replace(project, name=folder.resolve().name)


def locale_of(folder: Path) -> str:
    """How to write what is about a project: its `locale`, the standard without one.

    Args:
        folder: Of the project, or of a run of it. The project as it is now counts, as a
            run's frozen copy says how it was estimated, not how it is read.
    """
    owner = folder.parent.parent if folder.parent.name == "runs" else folder
    for place in (owner, folder):
        with contextlib.suppress(MMMError):
            return load_project(place).locale
    return STANDARD


def language_of(folder: Path) -> str:
    """What reports about a project speak: its `language` under [report], else English.

    Args:
        folder: See `locale_of`.
    """
    owner = folder.parent.parent if folder.parent.name == "runs" else folder
    for place in (owner, folder):
        with contextlib.suppress(MMMError):
            return load_project(place).language
    return SOURCE


def project_sha256(folder: Path) -> str:
    """What project.toml is now: give it to `save_project` to guard an edit."""
    return hashlib.sha256(_read(folder)).hexdigest()


@gated("project saved", Role.PLANNER)
def save_project(folder: Path, project: Project, *, base_sha: str | None = None) -> str:
    """Write project.toml; comments and order of a file that is there are kept.

    Args:
        folder: The project's folder.
        project: What to write.
        base_sha: `project_sha256` from when the edit began; None overwrites.

    Returns:
        The new `project_sha256`.

    Raises:
        ConflictError: The file changed meanwhile; it is as it was.
        WorkspaceError: It is damaged or cannot be written; it is as it was.
    """
    path = folder / FILE
    with alone(folder):
        old = _read(folder) if os.path.lexists(path) else None
        now = None if old is None else hashlib.sha256(old).hexdigest()
        if base_sha is not None and base_sha != now:
            raise ConflictError(
                f"{FILE} of {project.name} was changed meanwhile, in another window "
                "or by hand.",
                hint="Load the project again and repeat your last change.",
                where=str(path),
            )
        text = render_project(project) if old is None else _merged(old, project)
        if text.encode() != old:
            write_bytes(path, text.encode())
    return hashlib.sha256(text.encode()).hexdigest()


def data_file(folder: Path, project: Project) -> Path:
    """The project's data file.

    Raises:
        WorkspaceError: It is missing, or leads out of the folder.
    """
    path = confined(folder / project.file, folder)
    if not os.path.isfile(path):
        raise WorkspaceError(
            f"{project.name} has no data: {project.file} is missing.",
            hint="Upload a table on the Data screen, or put the file back.",
            where=str(folder / project.file),
        )
    if path.stat().st_size > MAX_BYTES:
        raise WorkspaceError(
            f"{project.file} of {project.name} is larger than "
            f"{MAX_BYTES / 1024**2:,.0f} MB, which no table of a project is.",
            hint="Upload the table again on the Data screen.",
            where=str(folder / project.file),
        )
    return path


def _read(folder: Path) -> bytes:
    path = folder / FILE
    try:
        text = read_regular(confined(path, folder), most=_MOST)
        text.decode()
        return text
    except (FileNotFoundError, NotADirectoryError) as error:
        raise WorkspaceError(
            f"{folder} is not a project: it has no {FILE}.",
            hint=f"Make one with: {PROGRAM} init DATA.csv --out {folder}",
            where=str(path),
        ) from error
    except UnicodeDecodeError as error:
        raise WorkspaceError(
            f"{FILE} is not text: byte {error.start} is not UTF-8.",
            hint="Save it as UTF-8, or put back an earlier copy.",
            where=str(path),
        ) from error
    except OSError as error:
        is_closed = isinstance(error, PermissionError)
        hint = "Put back an earlier copy, or delete the project."
        raise WorkspaceError(
            f"{FILE} could not be read: {error.strerror}.",
            hint=f"Ask who may read {path}." if is_closed else hint,
            where=str(path),
        ) from error


def _merged(old: bytes, project: Project) -> str:
    """The old text with the project's values, or a new text where that fails."""
    try:
        parse_project(old.decode())
    except WorkspaceError:
        raise
    except MMMError:
        pass  # readable, though something in it is wrong: this edit may mend it
    text = updated_text(old.decode(), project)
    try:
        if parse_project(text) == project:
            return text
    except MMMError:
        pass
    return render_project(project)
