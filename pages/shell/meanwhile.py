"""Meanwhile: what to do about two edits of a project at once."""

from dataclasses import replace

import streamlit as st

from core import text as fmt
from core.service.projects.settings import Conflict
from core.text.languages.language import say
from core.text.languages.reworded import reworded
from pages.ui import layout, reading, state, tables, words
from pages.ui.fields import gated
from pages.ui.findings import plain


def ask() -> None:
    """Ask which of two edits it shall be, if one could not be saved."""
    conflict = state.conflict()
    if conflict is None:
        return
    both = conflict.merged()
    with st.container(border=True, key="meanwhile"):
        _tell(conflict, can_merge=both is not None)
        with st.container(horizontal=True):
            if st.button(say("Keep theirs"), key="meanwhile.theirs"):
                state.keep_conflict(None)
                st.rerun()
            if both is not None and gated.button(
                say("Add my change to theirs"), key="meanwhile.mine", type="primary"
            ):
                state.keep_conflict(None)
                _save(both, conflict)


def _tell(conflict: Conflict, *, can_merge: bool) -> None:
    name = plain(conflict.who or say("Another window"))
    text = say(
        "{name} changed this project while you were editing. Your change is not saved "
        "yet.",
        name=name,
    )
    ago = f" :gray[{words.ago(conflict.when)}]" if conflict.when else ""
    st.markdown(f":orange[:material/call_split:] **{text}**{ago}")
    theirs = {change.name: change for change in conflict.their_changes}
    mine = {change.name: change for change in conflict.my_changes}
    changes = [
        {
            say("Setting"): reworded(setting),
            say("Before"): (theirs.get(setting) or mine[setting]).before,
            say("Theirs"): theirs[setting].after if setting in theirs else "",
            say("Yours"): mine[setting].after if setting in mine else "",
        }
        for setting in dict.fromkeys([*theirs, *mine])
    ]
    tables.grid(changes, say("Settings that differ"), key="meanwhile.table")
    if conflict.contested:
        st.caption(
            plain(
                say(
                    "You both changed {settings}. If you add your change, your value "
                    "is used.",
                    settings=fmt.listed(list(map(reworded, conflict.contested))),
                )
            )
        )
    if not can_merge:
        layout.remark("Your change no longer fits the project. Make it again.")


def _save(both, conflict: Conflict) -> None:
    """Save the merged project over what is on disk, if that is still theirs."""
    here = reading.opened()
    if here is None:
        return
    if here.project != conflict.theirs:  # changed once more: ask again
        reading.ask_which(replace(here, project=conflict.theirs), both)
        st.rerun()
    reading.save(here, both)
    state.start_afresh(*state.EDITORS)
    state.note(say("Both changes are saved"))
    st.rerun()
