"""A query on the Data screen: its SELECT, its databases, and a button that runs it."""

from pathlib import Path
from typing import TYPE_CHECKING, get_args

import pandas as pd
import streamlit as st

from core.service.projects.shelf import data_folders
from core.service.records.columns import FILES, Database, DatabaseKind, Query
from core.text.languages.language import marked, say
from pages.ui import layout, navigation, reading, state, tables
from pages.ui.findings import plain
from pages.upload import file_reading

if TYPE_CHECKING:
    from core.service.records.data import File

_DRAFT = "query"
_EXAMPLE = "SELECT day, sum(amount) AS revenue\nFROM 'orders/*.csv'\nGROUP BY day"


def asked(key: str, project: str | None) -> "tuple[Query, File] | None":
    """Draw the form; the query and its table, once it was run.

    They are kept until `forget`, because what the table leaves open is asked in later
    runs of the script.

    Args:
        key: Key of the widgets.
        project: The project whose data it replaces, and whose query it begins with.

    Raises:
        MMMError: The query or one of its databases is at fault.
    """
    before = reading.open_folder(project).project.query if project else None
    with st.expander(say("From a query or a database"), icon=":material/database:"):
        query = _form(key, before)
        if st.button(
            say("Run query"),
            key=f"{key}.run",
            icon=":material/play_arrow:",
            disabled=query is None,
        ):
            from core.service.tables import of_query

            place = st.empty()
            watch = file_reading.Progress(place, say("the query"), key, "upload")
            state.keep(_DRAFT, (query, of_query(query, watch=watch)))
            place.empty()
    return state.draft(_DRAFT)


def forget() -> None:
    """Drop the table of a query that has become an upload."""
    state.keep(_DRAFT, None)


_SQL = marked(
    "One SELECT in DuckDB's SQL over CSV and Parquet files, folders of them "
    "('orders/*.csv') and the databases below."
)


def _form(key: str, before: Query | None) -> Query | None:
    """The query as typed; None while there is none.

    Raises:
        SchemaError: A database is described wrongly.
    """
    sql = st.text_area(
        say("Query"),
        before.sql if before else "",
        key=f"{key}.sql",
        placeholder=_EXAMPLE,
        height=130,
        help=navigation.tip(_SQL),
    )
    listed = [
        (database.name, database.kind, database.file or database.secret)
        for database in (before.databases if before else ())
    ]
    edited = tables.edit(
        pd.DataFrame(listed, columns=["name", "kind", "place"], dtype="str"),
        say("Databases of the query"),
        {
            "name": st.column_config.TextColumn(
                say("Database"), help=say("Its name in the SQL.")
            ),
            "kind": st.column_config.SelectboxColumn(
                say("Kind"), options=list(get_args(DatabaseKind))
            ),
            "place": st.column_config.TextColumn(
                say("File or secret"),
                help=say(
                    "The path of a SQLite file or workbook; for Postgres and MySQL the "
                    "name of the environment variable, or of the key in Streamlit's "
                    "secrets, that holds the connection string. Never the string "
                    "itself."
                ),
            ),
        },
        grows=True,
        key=f"{key}.databases",
    )
    folders = ", ".join(str(Path(folder)) for folder in data_folders())
    layout.remark(
        "Files are read from {folders} (MIXWRIGHT_DATA).", folders=plain(folders)
    )
    databases = []
    for name, kind, place in edited.fillna("").itertuples(index=False):
        if name and kind and place:
            where = "file" if kind in FILES else "secret"
            databases.append(Database(name.strip(), kind, **{where: place.strip()}))
    return Query(sql, tuple(databases)) if sql.strip() else None
