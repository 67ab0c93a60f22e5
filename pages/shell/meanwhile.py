"""Meanwhile: who else has the project open, and what to do about two edits of it."""

import hashlib
import secrets
import time
from dataclasses import replace

import streamlit as st

from core import text as fmt
from core.project.shelf.merging import Conflict
from core.store.presence import Presence, note_presence, others
from core.team.identity import who
from pages.ui import reading, state, words
from pages.ui.fields import gated
from pages.ui.findings import plain
from pages.ui.guard import guarded
from pages.ui.reading import Opened

_HEARTBEAT = "30s"
#: Seconds within which somebody counts as at work, and as editing.
_AWAY, _EDITING = 300.0, 120.0
_MANY = 12


def presence(here: Opened, screen: str) -> None:
    """Say that this window has the project open, and who else has."""
    if state.draft_of_app("window") is None:
        state.keep_of_app("window", _window())
    state.keep_of_app("acted", time.time())
    st.fragment(_presence, run_every=_HEARTBEAT)(here, screen)


def _window() -> str:
    """What tells this browser from others: its tabs, and a page loaded again, are one.

    Streamlit's own cookie is the browser's. Its token is masked anew for every page, as
    `2|mask|token under the mask|time`; only a hash of the token is kept.
    """
    cookie = st.context.cookies.get("_streamlit_xsrf", "").strip('"')
    try:
        version, *parts, _ = cookie.split("|")
        mask, masked = map(bytes.fromhex, parts)
    except ValueError:
        return secrets.token_hex(8)
    if version != "2" or not mask:
        return secrets.token_hex(8)
    token = bytes(byte ^ mask[i % len(mask)] for i, byte in enumerate(masked))
    return hashlib.sha256(token).hexdigest()[:16]


@guarded
def _presence(here: Opened, screen: str) -> None:
    window = str(state.draft_of_app("window"))
    person = who()
    note_presence(
        here.folder,
        window,
        who=person.name if person.source in ("sign-in", "proxy") else "",
        screen=screen,
        acted=state.draft_of_app("acted"),
        edited=state.draft("edited_at"),
    )
    present = others(here.folder, window)
    if present:
        lines = [plain(_in_words(window)) for window in present[:_MANY]]
        lines += [f"and {len(present) - _MANY} more"] if len(present) > _MANY else []
        st.caption("  \n".join(f":material/person: {line}" for line in lines))


def _in_words(window: Presence) -> str:
    """One window in a line: `Anna is editing on Model`."""
    name = window.who or "Another window"
    if window.edited is not None and window.edited < _EDITING:
        return f"{name} is editing on {window.screen}"
    if window.idle < _AWAY:
        return f"{name} is on {window.screen}"
    return f"{name} is on {window.screen}, idle for {window.idle / 60:.0f} min"


def ask() -> None:
    """Ask which of two edits it shall be, if one could not be saved."""
    conflict = state.conflict()
    if conflict is None:
        return
    both = conflict.merged()
    with st.container(border=True, key="meanwhile"):
        _tell(conflict, can_merge=both is not None)
        with st.container(horizontal=True):
            if st.button("Keep theirs", key="meanwhile.theirs"):
                state.keep_conflict(None)
                st.rerun()
            if both is not None and gated.button(
                "Add my change to theirs", key="meanwhile.mine", type="primary"
            ):
                state.keep_conflict(None)
                _save(both, conflict)


def _tell(conflict: Conflict, *, can_merge: bool) -> None:
    name = plain(conflict.who or "Another window")
    ago = f", {words.ago(conflict.when)}" if conflict.when else ""
    st.markdown(
        f":orange[:material/call_split:] **{name} changed this project while you were "
        f"editing{ago}. Your change is not saved yet.**"
    )
    theirs = {change.name: change for change in conflict.their_changes}
    mine = {change.name: change for change in conflict.my_changes}
    changes = [
        {
            "Setting": setting,
            "Before": (theirs.get(setting) or mine[setting]).before,
            "Theirs": theirs[setting].after if setting in theirs else "",
            "Yours": mine[setting].after if setting in mine else "",
        }
        for setting in dict.fromkeys([*theirs, *mine])
    ]
    st.dataframe(changes, hide_index=True, width="stretch", key="meanwhile.table")
    if conflict.contested:
        both = f"You both changed {fmt.listed(conflict.contested)}"
        st.caption(plain(f"{both}. If you add your change, your value is used."))
    if not can_merge:
        st.caption("Your change no longer fits the project. Make it again.")


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
    state.note("Both changes are saved")
    st.rerun()
