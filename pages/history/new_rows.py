"""New rows: dropped or asked for, looked at, and fitted."""

import hashlib
from typing import Any

import pandas as pd
import streamlit as st

from core.errors import MMMError
from core.service import refreshes, runs
from core.service.records.data import Doubtful
from core.service.records.fit import Run
from core.service.refreshes import Incoming
from core.service.runs import status
from core.text.languages.language import marked, say
from core.text.languages.reworded import reworded
from pages.ui import layout, navigation, state, tables, words
from pages.ui.fields import gated
from pages.ui.findings import plain, show_error
from pages.ui.guard import guarded
from pages.ui.reading import Opened
from pages.upload import questions, uploads

_DRAFT = "refresh"
_EXPECTED = marked(
    "Files with the same columns as before: only the new rows, or the whole history."
)


def show(here: Opened, last: Run | None) -> None:
    """Where new rows are given; while a fit is at work, how far it is."""
    with st.container(border=True, key="history.refresh"):
        live = runs.live(here.folder, "fit")
        if live is not None:
            st.fragment(_at_work, run_every="1s")(live)
            return
        if gated.is_refused(here.folder):
            return
        incoming_rows = _given(here)
        if incoming_rows is None:
            _as_it_is(here, last)
            return
        _look(incoming_rows)
        if _may_go(incoming_rows):
            _begin(here, incoming_rows)


def _given(here: Opened) -> Incoming | None:
    """What was dropped, or what the query brings, beside the project's table."""
    files = st.file_uploader(
        say("New rows"),
        accept_multiple_files=True,
        key=f"history.upload.{state.edition('history')}",
    )
    layout.remark(_EXPECTED)
    if here.project.query is not None and st.button(
        say("Run the query again"), key="history.query", icon=":material/database:"
    ):
        state.keep(_DRAFT, (here.sha, "query", _queried(here)))
    answers = questions.answered("history.upload")
    try:
        if files:
            parts = [hashlib.sha256(file.getvalue()).hexdigest() for file in files]
            parts += [f"{kind} {answer}" for kind, answer in sorted(answers.items())]
            return _looked_at(here, files, "".join(parts), answers)
    except Doubtful as doubt:
        questions.ask_doubt(doubt, "history.upload")
        return None
    except MMMError as error:
        show_error(error)
        return None
    memo = state.draft(_DRAFT)
    return memo[2] if memo and memo[:2] == (here.sha, "query") else None


def _queried(here: Opened) -> Incoming:
    from core.service.tables import of_query

    with st.spinner(say("Running the query")):
        return refreshes.new_rows(here.folder, [of_query(here.project.query)])


def _looked_at(
    here: Opened, files: list[Any], digest: str, answers: dict[str, str]
) -> Incoming | None:
    """The files beside the table; read once for the same files and table."""
    memo = state.draft(_DRAFT)
    if memo and memo[:2] == (here.sha, digest):
        return memo[2]
    opened = uploads.opened_files(files, "history.upload")
    if opened is None:
        return None
    with st.spinner(say("Looking for what is new")):
        incoming_rows = refreshes.new_rows(here.folder, opened, answers)
    state.keep(_DRAFT, (here.sha, digest, incoming_rows))
    return incoming_rows


def _look(new_rows: Incoming) -> None:
    """What came, and what changed in old rows."""
    st.markdown(f"**{plain(reworded(new_rows.summary))}**")
    for finding in new_rows.findings:
        st.caption(plain(f"{reworded(finding.message)} {reworded(finding.hint)}"))
    if new_rows.came.absent:
        n = len(new_rows.came.absent)
        layout.remark(
            "{n} old rows are missing from the files. They stay in the project.",
            n=n,
        )
    if new_rows.came.changed:
        about = say("Old rows that changed")
        tables.grid(_cells(new_rows), about, key="history.changed")


def _cells(new_rows: Incoming) -> pd.DataFrame:
    """Changed cells; the geo where there are several."""
    geo = new_rows.project.mapping.geo
    return pd.DataFrame(
        {
            say("Period"): cell.date,
            **({geo: cell.geo} if geo else {}),
            say("Column"): cell.column,
            say("Before"): cell.before,
            say("After"): cell.after,
        }
        for cell in new_rows.came.changed[:1000]
    )


def _may_go(new_rows: Incoming) -> bool:
    """Whether everything that needs a yes has one."""
    if new_rows.came.is_empty:
        layout.remark("There are no new rows, so nothing changes.")
        return False
    if not new_rows.questions:
        return True
    if not new_rows.came.changed:
        st.caption(plain(new_rows.questions[-1]))
    return st.checkbox(say("Accept these changes to old rows"), key="history.yes")


def _begin(here: Opened, new_rows: Incoming | None) -> None:
    """The button, and what it does."""
    if not st.button(
        say("Refresh"),
        key="history.start",
        type="primary",
        icon=":material/sync:",
        shortcut="Ctrl+Enter",
    ):
        return
    if new_rows is not None:
        refreshes.take(new_rows)
    refreshes.start_next(here.folder)
    state.keep(_DRAFT, None)
    state.start_afresh("history")
    state.open_run(None)
    state.note(say("The refresh is running"), ":material/sync:")
    st.rerun()


def _as_it_is(here: Opened, last: Run | None) -> None:
    """What can be done without new rows."""
    if last is None:
        layout.remark("There is no fit yet: the first refresh is the first fit.")
        _begin(here, None)
    elif not refreshes.is_fitted(here.folder):
        layout.remark("The project changed since its last fit.")
        _begin(here, None)


@guarded
def _at_work(run: Run) -> None:
    now = status(run.folder)
    if not now.is_live:
        st.rerun()
    text = say("A fit is running: {phase}", phase=words.at_work(now))
    st.progress(now.fraction, text)
    layout.remark(
        "You can leave this screen; what moved is shown here when it is done."
    )
    navigation.go_button(navigation.FIT, say("Watch it"), primary=False)
