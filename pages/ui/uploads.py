"""Uploads: from a file in the browser to a table that waits for its mapping."""

import hashlib
from pathlib import PurePath

import streamlit as st

from core.errors import MMMError
from pages.ui import file_reading, mapping_table, navigation, state
from pages.ui.findings import show_error

TYPES = ("csv", "tsv", "txt", "xlsx", "parquet")
MAX_MB = 200
EXPECTED = (
    "One row per week (or day, month, quarter) and, if there are several, per region. "
    "Columns: the date, the KPI, and for each channel its media units and its spend. "
    "CSV, XLSX or Parquet, up to 200 MB and a million rows."
)


def uploader(key: str, project: str | None = None) -> None:
    """A place to drop a file; on success the Data screen shows what is in it.

    Args:
        key: Key of the widget.
        project: The project whose data the file replaces; None for a new project.
    """
    file = st.file_uploader(
        "A table of media and sales",
        type=list(TYPES),
        max_upload_size=MAX_MB,
        key=f"{key}.{state.edition('upload')}",
        label_visibility="collapsed",
    )
    st.caption(EXPECTED)
    if file is None:
        return
    try:
        with st.spinner("Reading the file"):
            table = read(file, file.name, project, key)
    except MMMError as error:
        show_error(error)
        return
    if project is None:
        state.open_project(None)
    state.keep_upload(table)
    navigation.go(navigation.DATA)


def read(file, filename: str, project: str | None, key: str) -> state.Upload:
    """The uploaded file as a table with the roles that its columns seem to have.

    Args:
        file: The upload.
        filename: Its name.
        project: The project whose data it replaces; None for a new one.
        key: Key of the widget that it was dropped on.

    Raises:
        DataError: The file is not a table that can be read.
    """
    content = file.getvalue()
    frame = file_reading.loaded(content, PurePath(filename).name, key)
    return state.Upload(
        filename=PurePath(filename).name,
        frame=frame,
        rows=mapping_table.guessed(frame),
        project=project,
        digest=hashlib.sha256(content).hexdigest(),
    )
