"""Uploads: from files in the browser to one table that waits for its mapping."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING

import streamlit as st

from core.errors import DataError, MMMError, SchemaError
from core.service.data.elsewhere import is_model_file
from core.service.projects.shelf import project_folder
from core.service.records.columns import Finding
from core.text.languages.language import marked, say
from core.text.languages.reworded import reworded
from pages.ui import navigation, reading, state
from pages.ui.fields import gated
from pages.ui.findings import plain, show_error
from pages.upload import file_reading, mapping_table, query_form, questions

if TYPE_CHECKING:
    from core.service.data.layout import Guess, Load
    from core.service.records.data import File, Table

MAX_MB = 200
#: In a word, and in full.
EXPECTED = marked(
    "One table, or several files of one market: CSV, XLSX, Parquet or ZIP."
)
IN_FULL = marked(
    "A date, the KPI and spend per channel, in one file or several: exports of ad "
    "platforms, orders, controls. A model file of Robyn, PyMC-Marketing or Meridian "
    "may come with them."
)


def uploader(
    key: str, project: str | None = None, *, to: state.Upload | None = None
) -> None:
    """A place to drop files; on success the Data screen shows what is in them.

    Args:
        key: Key of the widget.
        project: The project whose data the files replace; None for a new project.
        to: Files that wait already, which these are added to.
    """
    folder = None if project is None else project_folder(project)
    if gated.is_refused(folder):
        return
    key = f"{key}.{state.edition('upload')}"
    files = st.file_uploader(
        say("Tables of media and sales"),
        accept_multiple_files=True,
        max_upload_size=MAX_MB,
        key=key,
        label_visibility="collapsed",
    )
    st.caption(say(EXPECTED), help=say(IN_FULL))
    try:
        query = query_form.asked(f"{key}.query", project)
        if not files and query is None:
            return
        models = [file for file in files if is_model_file(file.name)]
        opened = opened_files([file for file in files if file not in models], key)
        if opened is None:
            return
        if query is not None:
            opened.append(query[1])
        waiting = _waiting(to)
        with st.spinner(say("Putting the table together")):
            upload = read([*waiting, *opened], project, key, models)
    except MMMError as error:
        show_error(error)
        return
    if upload is None:
        return
    earlier = None if to is None else to.query
    upload = replace(upload, query=query[0] if query else earlier)
    query_form.forget()
    if project is None:
        state.open_project(None)
    state.keep_upload(upload)
    navigation.go(navigation.DATA)


def _waiting(to: state.Upload | None) -> "list[File]":
    if to is None or to.table is None:
        return []
    return list(dict.fromkeys(to.table.files))


def _with_progress(key: str) -> "Load":
    def load(source, name: str, part: str | None):
        place = f"{key}.{part or 0}"  # one of its own for every table
        return file_reading.loaded(source, name, place, part=part)

    return load


def opened_files(files: Sequence, key: str) -> "list[File] | None":
    """The tables in what was dropped; None while a choice among parts is open.

    Raises:
        DataError: A file is not a table.
    """
    from core.service.data.layout import SeveralTables, open_file

    opened: list[File] = []
    names = [PurePath(file.name).name for file in files]
    for at, (file, name) in enumerate(zip(files, names, strict=True)):
        # Two files may have one name: from two folders, or one that was dropped twice.
        place = f"{name}.{names[:at].count(name)}"
        load = _with_progress(f"{key}.{place}")
        try:
            opened += open_file(file.getvalue(), name, (), load)
            continue
        except SeveralTables as several:
            parts = several.parts
        chosen = _chosen(name, parts, f"{key}.parts.{place}")
        if not chosen:
            return None
        opened += open_file(file.getvalue(), name, chosen, load)
    return opened


def _chosen(name: str, parts: Sequence[str], key: str) -> list[str]:
    """Those tables of a file that belong to the market; none until that is said."""
    last = state.draft(key, [])  # perhaps of another file of that name
    usual = last if set(last) <= set(parts) else []
    chosen = st.multiselect(
        say(
            "{name} holds {n_parts} tables. Which belong to this market?",
            name=plain(name),
            n_parts=len(parts),
        ),
        parts,
        default=usual or parts,
        key=key,
        placeholder=say("Choose"),
    )
    if chosen == usual:
        return usual
    label = say("Use these tables")
    if not st.button(label, key=f"{key}.use", type="primary", disabled=not chosen):
        return []
    state.keep(key, chosen)
    return chosen


def read(
    files: "Sequence[File]", project: str | None, key: str, models: Sequence = ()
) -> state.Upload | None:
    """The files as one table, with the roles that its columns seem to have.

    Next month's files of a project are read by its layout, and its mapping stays.

    Args:
        files: The tables.
        project: The project whose data they replace; None for a new one.
        key: Key of the widget that they were dropped on.
        models: Model files of other programs that were dropped with them.

    Returns:
        The upload; None while dates or rates of currencies are asked for.

    Raises:
        DataError: The files are not tables, or do not go together.
    """
    from core.service.data.layout import guess
    from core.service.records.columns import StatedColumns
    from core.service.records.data import Doubtful

    if len(models) > 1:
        names = " and ".join(model.name for model in models[:2])
        raise SchemaError(
            say("{names} are both models.", names=names), hint=say("Drop one of them.")
        )
    if models:
        return _by_model(files, project, models[0])
    note: tuple[Finding, ...] = ()
    if project is not None:
        again, note = _again(files, project)
        if again is not None:
            return again
    if len(files) == 1 and files[0].date is None:
        file = questions.dated(files[0], key)
        return None if file is None else read([file], project, key)
    answers = questions.answered(key)
    try:
        guessed = guess(files, StatedColumns(**answers))
        if guessed.is_plain:
            table = _plain_table(guessed.files[0])
            upload = _upload(table, None, project, files, note)
            return _with_roles_of(project, upload)
        guessed = questions.rated(guessed, key)
        return None if guessed is None else made(guessed, project, files, note)
    except Doubtful as doubt:
        questions.ask_doubt(doubt, key)
        return None
    except DataError:  # files whose dates are four years apart do not go together
        questions.ask_epoch(files, key)
        raise


def made(
    guessed: "Guess",
    project: str | None,
    files: "Sequence[File]",
    note: tuple[Finding, ...] = (),
) -> state.Upload:
    """The upload that a layout makes of files.

    Raises:
        DataError: The files do not fit the layout, or each other.
    """
    from core.service.data.layout import made

    table = made(guessed)
    upload = _upload(table, guessed, project, files, note)
    return _with_roles_of(project, upload)


def _with_roles_of(project: str | None, upload: state.Upload) -> state.Upload:
    """The upload with the roles that its project has; new columns have guessed ones.

    A column that the project leaves out stays left out. Where one that it uses is not
    in the files, all roles are guessed.
    """
    if project is None:
        return upload
    here = reading.open_folder(project)
    mapping = here.project.mapping
    used = {name for channel in mapping.channels for name in channel.columns()}
    used |= {mapping.time, mapping.kpi, *mapping.controls}
    used |= {mapping.geo} - {None}
    if not used <= {*upload.frame.columns}:
        return upload
    before = {*reading.table(here).columns} if here.has_data else set()
    rows = mapping_table.rows_of(upload.frame, mapping)
    return replace(upload, rows=mapping_table.with_new(rows, upload.rows, before))


def _by_model(files: "Sequence[File]", project: str | None, model) -> state.Upload:
    """The table with the mapping, options and priors of a model file.

    Raises:
        DataError: The model does not fit the table.
    """
    from core.service.data.elsewhere import modelled
    from core.service.records.data import read_files

    name = PurePath(model.name).name
    brought = modelled(model.getvalue(), name, read_files(files) if files else None)
    table = brought.table
    return state.Upload(
        filename=files[0].name if files else name,
        frame=table.frame,
        rows=mapping_table.rows_of(table.frame, brought.mapping),
        project=project,
        digest=hashlib.sha256(model.getvalue()).hexdigest(),
        table=table,
        spec=brought.spec,
    )


def _plain_table(file: "File") -> "Table":
    from core.service.records.data import Table

    return Table(file.frame, None, (file,), findings=file.findings)


def _again(
    files: "Sequence[File]", project: str
) -> tuple[state.Upload | None, tuple[Finding, ...]]:
    """The project's layout on new files; else why it does not fit them."""
    from core.service.data.layout import matched, read_again

    before = reading.open_folder(project).project
    if before.layout is None:
        return None, ()
    try:
        ours = before.currency or ""
        table = read_again(before.layout, files, before.mapping, ours)
    except DataError as error:
        message = say(
            "The files were not read by the project's layout: {message}",
            message=reworded(error.message),
        )
        return None, (Finding("warning", error.where, message, error.hint),)
    layout = matched(before.layout, files)
    upload = _upload(table, layout, project, files)
    roles = mapping_table.rows_of(table.frame, before.mapping)
    return replace(upload, rows=roles, is_again=True), ()


def _upload(
    table: "Table",
    guessed: "Guess | None",
    project: str | None,
    files: "Sequence[File]",
    note: tuple[Finding, ...] = (),
) -> state.Upload:
    origin = hashlib.sha256()
    for file in files:
        origin.update(f"{file.called} {len(file.frame)} {id(file.frame)}".encode())
    layout = repr(table.layout)
    digest = hashlib.sha256(f"{origin.hexdigest()} {layout}".encode()).hexdigest()
    return state.Upload(
        filename=files[0].name,
        frame=table.frame,
        rows=mapping_table.guessed(table),
        project=project,
        digest=digest,
        table=replace(table, findings=(*note, *table.findings)),
        guess=guessed,
        origin=origin.hexdigest()[:12],
    )
