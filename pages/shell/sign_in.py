"""Sign-in: the screen before every other, and the way out."""

import logging
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.errors import Error

from core.errors import WorkspaceError
from core.service.projects.access import Role, Settings, may, settings_of
from core.service.projects.shelf import projects
from core.service.workspace.audit import Outcome, note_sign_in
from core.text.languages.language import marked, say
from pages.access.signed_in import standing
from pages.ui import layout, state
from pages.ui.findings import plain

_LOGGER = logging.getLogger("mixwright")
_ASSETS = Path(__file__).parents[2] / "assets"
#: Of the card, px.
_WIDE = 420
#: Seconds that a provider may take to say that it is there.
_PATIENCE = 3.0
_NOT_SET_UP = marked(
    "Sign-in is not set up on this server: its administrator finds the steps in "
    "docs/team.md, and the reason in the server's log."
)


def is_open() -> bool:
    """Whether this person may see the app; draws what they see instead, if not."""
    settings = settings_of()
    if settings.sign_in == "off":
        return True
    visitor = standing(settings)
    if not visitor.person.name:
        _ask(settings, visitor.why)
        return False
    if not may(None, Role.VIEWER) and not projects():
        _turn_away(visitor.person.name, settings)
        return False
    _log("done")
    return True


def show_person() -> None:
    """Who is signed in, and the way out, for the side bar."""
    settings = settings_of()
    if settings.sign_in == "off":
        return
    with st.container(key="person", gap="xsmall"):
        st.caption(plain(standing(settings).person.name))
        if settings.sign_in == "oidc":
            st.button(
                say("Log out"), key="sign.out", type="tertiary", on_click=_log_out
            )


def _ask(settings: Settings, why: str) -> None:
    with _box(say("Sign in")):
        if settings.sign_in == "closed":
            _LOGGER.error("access.toml: %s", " ".join(settings.problems))
            st.error(say(_NOT_SET_UP))
            return
        if why:
            st.warning(why)
        if settings.sign_in == "proxy":
            layout.remark(
                "Sign-in is through your organisation's proxy: open Mixwright at "
                "its address."
            )
            return
        layout.remark("What media spend returned, and how to split the next budget.")
        problem = state.draft_of_app("sign_in.problem")
        if problem:
            st.error(problem)
        label = say("Sign in with your organisation's account")
        if st.button(label, key="sign.in", type="primary", width="stretch"):
            _go()


def _go() -> None:
    """Go to the provider if it is there."""
    state.keep_of_app("sign_in.problem", _problem())
    if state.draft_of_app("sign_in.problem"):
        st.rerun()
    try:
        st.login()
    except Error:
        _LOGGER.exception("Sign-in is not set up")
        st.error(say(_NOT_SET_UP))


def _problem() -> str:
    """Why nobody can sign in now; empty where they can."""
    try:
        import httpx

        address = str(st.secrets["auth"]["server_metadata_url"])
        httpx.get(address, timeout=_PATIENCE).raise_for_status()
    except (ImportError, KeyError, FileNotFoundError):
        _LOGGER.exception("Sign-in is not set up")
        return say(_NOT_SET_UP)
    except httpx.HTTPError as error:
        _LOGGER.warning("The sign-in provider does not answer: %s", error)
        return say("The sign-in provider does not answer. Try again in a few minutes.")
    return ""


def _turn_away(name: str, settings: Settings) -> None:
    _log("refused")
    with _box(say("No access yet")):
        layout.remark(
            "You are signed in as {name}, who has no role in this workspace. Ask "
            "one of its admins to add you to a project.",
            name=plain(name),
        )
        if settings.sign_in == "oidc":
            st.button(say("Log out"), key="sign.out", on_click=_log_out)


def _log_out() -> None:
    _write("logged out", "done")
    st.logout()


def _log(outcome: Outcome) -> None:
    """A line of the log for each browser tab that signs in."""
    if state.draft_of_app("sign_in.logged") != outcome:
        _write("signed in", outcome)
        state.keep_of_app("sign_in.logged", outcome)


def _write(action: str, outcome: Outcome) -> None:
    person = standing(settings_of()).person
    try:
        note_sign_in(person, action, outcome)
    except WorkspaceError:
        _LOGGER.exception("The audit log was not written")


def _box(title: str) -> DeltaGenerator:
    """A card in the middle of an empty page, under the product's name."""
    st.space("large")
    with st.container(horizontal_alignment="center"):
        card = st.container(border=True, key="sign", width=_WIDE)
    card.image(str(_ASSETS / f"logo-{layout.theme()}.svg"), width=150, alt="Mixwright")
    card.header(title, anchor=False)
    return card
