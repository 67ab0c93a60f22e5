"""A project on disk: project.toml read, written and guarded against a lost edit.

A project is a folder with project.toml (columns, model options, priors, sampler
settings), the data, its runs and its plans. The browser edits the file and the
command line reads it, so that both share work.

project.toml, written: a `Project` as text, and an old text brought up to date.

Defaults are left out, except those that help a reader. Where a file is there, what
did not change keeps its comments, its order and its wording: a prior that someone
wrote as a range stays a range.
"""

import contextlib
import hashlib
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.container import Container
from tomlkit.items import AoT, InlineTable, Item, Table

from core import PROGRAM, as_text, quoted
from core.data.files.limits import MAX_BYTES
from core.errors import ConflictError, MMMError, SpecError, WorkspaceError
from core.project.settings.definition import Project
from core.project.settings.prior_table import KEYS as PRIOR_KEYS
from core.project.settings.prior_table import prior_of
from core.project.settings.project_file import parse_project
from core.project.settings.project_table import project_table
from core.store.atomic import write_bytes
from core.store.locks import alone
from core.store.places import confined
from core.store.stored import read_regular
from core.team.gate import gated
from core.team.roles import Role
from core.text.languages.language import SOURCE
from core.text.languages.locale import STANDARD
from core.text.sentences import listed

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
    return (
        project
        if project.name
        else replace(project, name=as_text(folder.resolve().name))
    )


def locale_of(folder: Path) -> str:
    """How to write what is about a project: its `locale`, the standard without one.

    Args:
        folder: Of the project, or of a run of it. The project as it is now counts, as a
            run's frozen copy says how it was estimated, not how it is read.
    """
    return _as_it_is_now(folder, "locale", STANDARD)


def language_of(folder: Path) -> str:
    """What reports about a project speak: its `language` under [report], else English.

    Args:
        folder: See `locale_of`.
    """
    return _as_it_is_now(folder, "language", SOURCE)


def _as_it_is_now(folder: Path, setting: str, otherwise: str) -> str:
    """A setting of the project that a folder is of; the folder's own without one."""
    owner = folder.parent.parent if folder.parent.name == "runs" else folder
    for place in (owner, folder):
        with contextlib.suppress(MMMError):
            return getattr(load_project(place), setting)
    return otherwise


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
        SpecError: The mapping and the model options are of different channels.
        WorkspaceError: It is damaged or cannot be written; it is as it was.
    """
    _refuse_other_channels(project)
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


def _refuse_other_channels(project: Project) -> None:
    """Refuse to write channels of which only the mapping or only the model knows.

    Raises:
        SpecError: They differ, or are of different kinds.
    """
    mapped = {each.name: each.kind for each in project.mapping.channels}
    modelled = {each.name: each.kind for each in project.spec.channels}
    names = [
        name for name in (*mapped, *modelled) if mapped.get(name) != modelled.get(name)
    ]
    if names:
        raise SpecError(
            f"The column mapping and the model options of {project.name} differ in "
            f"{listed(list(dict.fromkeys(names)), limit=6)}.",
            hint="Give spec.channels the channels of the mapping: in Python, "
            "spec=aligned(spec, mapping) of core.service.projects.settings.",
            where="channels",
        )


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
            hint=f"Make one with: {PROGRAM} init DATA.csv --out {quoted(folder)}",
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
        pass  # what the edit left of the old text contradicts it: all is written again
    return render_project(project)


#: Tables that are written in one line.
_INLINE = ("parameters", "holdout", "amounts", "groups", "rates", "price_index")


def render_project(project: Project) -> str:
    """The project as the text of a new project.toml."""
    document = tomlkit.document()
    for key, value in project_table(project).items():
        document.append(key, _item(value))
    return tomlkit.dumps(document).strip() + "\n"


def updated_text(text: str, project: Project) -> str:
    """An existing project.toml with the project's values, comments kept."""
    document = tomlkit.parse(text)
    full = project_table(project, "full")
    _update(document, full, project_table(project, "least"))
    return tomlkit.dumps(document)


def _item(value: Any, key: str = "") -> Item:
    if isinstance(value, dict) and key in _INLINE:
        inline = tomlkit.inline_table()
        inline.update(value)
        return inline
    if isinstance(value, dict):
        table = tomlkit.table(is_super_table=key == "priors")
        for name, entry in value.items():
            table.append(name, _item(entry, name))
        return table
    if isinstance(value, list) and value and isinstance(value[0], dict):
        array = tomlkit.aot()
        for entry in value:
            array.append(_item(entry))
        return array
    if key == "query" and "\n" in value:
        return tomlkit.string(value, multiline=True, escape=True)
    item = tomlkit.item(value)
    if isinstance(value, list) and len(str(value)) > 70:
        item.multiline(True)
    return item


def _update(
    old: Container | Table | InlineTable, full: dict[str, Any], least: dict[str, Any]
) -> None:
    """Bring a parsed table up to date, touching only what differs.

    Args:
        old: The table as parsed, changed in place.
        full: Every value: what is there is compared with it.
        least: What must be written where it is not there.
    """
    for key in [key for key in old if key not in full]:
        del old[key]
    for key, value in full.items():
        present = old.get(key)
        if present is None:
            if key in least:
                _insert(old, key, least[key])
        elif key == "layout":
            if _unwrapped(present) != value:
                old[key] = _item(value, key)
                old[key]["source"][-1].add(tomlkit.nl())
        elif isinstance(value, dict) and isinstance(present, dict):
            if not _same_prior(_unwrapped(present), value):
                _update(present, value, least.get(key, {}))
        elif isinstance(value, list) and isinstance(present, AoT):
            _update_tables(present, value, least[key])
        elif _unwrapped(present) != value:
            old[key] = value if isinstance(old, InlineTable) else _item(value, key)


def _insert(old: Container | Table | InlineTable, key: str, value: Any) -> None:
    """Add a key; plain values go above the tables that a table holds."""
    if isinstance(old, InlineTable):
        old[key] = value
        return
    item = _item(value, key)
    is_plain = not isinstance(item, Table | AoT)
    below = {}
    if is_plain:
        below = {name: old[name] for name in old if isinstance(old[name], Table | AoT)}
    for name in below:
        del old[name]
    old.append(key, item)
    for name, table in below.items():
        old.append(name, table)


def _update_tables(
    old: AoT, full: list[dict[str, Any]], least: list[dict[str, Any]]
) -> None:
    """Bring an array of tables up to date, matched by name."""
    key = next(name for name in ("name", "channel", "mediator") if name in full[0])
    present = {str(table.get(key)): table for table in old}
    in_place = [str(table.get(key)) for table in old] == [x[key] for x in full]
    tables = []
    for entry, short in zip(full, least, strict=True):
        table = present.pop(entry[key], None)
        if table is None:
            table = _item(short)
        else:
            _update(table, entry, short)
        tables.append(table)
    if not in_place:
        while len(old):
            del old[0]
        for table in tables:
            old.append(table)


def _same_prior(old: dict[str, Any], new: dict[str, Any]) -> bool:
    """Whether an old prior table says the same, in whatever words."""
    if not set(PRIOR_KEYS) & set(old) & {"family", "low", "mean"}:
        return False
    return old.get("kind") == new.get("kind") and prior_of(old) == prior_of(new)


def _unwrapped(value: Any) -> Any:
    return value.unwrap() if hasattr(value, "unwrap") else value
