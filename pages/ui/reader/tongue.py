"""The reader's language: chosen once, kept by their browser as its theme is.

English until somebody chooses; the browser's language is offered, never taken. Numbers
and dates stay as the project writes them, so that two readers see the same ones.
"""

import functools
import json
from collections.abc import Callable
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.text.languages import language as spoken
from core.text.languages.language import LANGUAGES, SOURCE, language, say, spoken_in
from pages.ui import state

#: Where the browser keeps it.
COOKIE = "mixwright_language"
_YEAR = 365 * 86_400
#: What is offered to a browser of that language, in its own words.
_OFFERS = {
    "de": "Auf Deutsch anzeigen",
    "fr": "Afficher en français",
    "es": "Mostrar en español",
}


def chosen() -> str:
    """The language of whoever reads: what they chose here or before, else English.

    Outside of a session, as in the thread of a download, it is English.
    """
    if get_script_run_ctx(suppress_warning=True) is None:
        return SOURCE
    return _named() or SOURCE


def _named() -> str:
    """What was chosen in this tab, else in this browser; empty where nothing was."""
    named = state.draft_of_app("language") or st.context.cookies.get(COOKIE)
    return named if named in spoken.ON_SCREENS else ""


def offered() -> str:
    """The browser's language where it is one of ours and nobody chose; else empty."""
    own = (st.context.locale or "").partition("-")[0].lower()
    is_ours = own in spoken.ON_SCREENS and own != SOURCE
    return own if is_ours and not _named() else ""


def choose(name: str) -> None:
    """Take a language from now on."""
    state.keep_of_app("language", name)
    state.keep_of_app("language.untold", True)


def choice() -> None:
    """The menu of languages, for the side bar; tells the browser what was chosen."""
    if len(spoken.ON_SCREENS) < 2:  # noqa: PLR2004
        return
    if state.draft_of_app("language.untold"):
        state.keep_of_app("language.untold", None)
        cookie = f"{COOKIE}={chosen()}; path=/; max-age={_YEAR}; SameSite=Lax"
        st.html(
            f"<script>document.cookie = {cookie!r}</script>",
            unsafe_allow_javascript=True,
        )
    own = offered()
    if own:
        st.button(
            _OFFERS[own],
            key="language.offer",
            type="tertiary",
            icon=":material/translate:",
            on_click=choose,
            args=(own,),
        )
    picked = st.menu_button(
        LANGUAGES[chosen()],
        spoken.ON_SCREENS,
        key="language.menu",
        type="tertiary",
        icon=":material/language:",
        format_func=LANGUAGES.get,
    )
    if picked and picked != chosen():
        choose(picked)
        st.rerun()


def own_words() -> None:
    """Words that Streamlit writes itself, where a style can put others there."""
    if language() == SOURCE:
        return
    words = say("Enter applies it"), say("Ctrl+Enter applies it"), say("Choose files")
    enter, area, upload = (json.dumps(each, ensure_ascii=False) for each in words)
    typed = '[data-testid="InputInstructions"] > span:first-child'
    button = '[data-testid="stFileUploaderDropzone"] button p'
    # A size in English, beside what is expected in the reader's language.
    size = '[data-testid="stFileUploaderDropzoneInstructions"]'
    st.html(
        f"<style>{typed}, {button} {{ font-size: 0; }} {size} {{ display: none; }}"
        f"{typed}::after {{ content: {enter}; font-size: 0.75rem; }}"
        f'[data-testid="stTextArea"] {typed}::after {{ content: {area}; }}'
        f"{button}::after {{ content: {upload}; font-size: 0.875rem; }}</style>"
    )


def kept(make: Callable[[], Any]) -> Callable[[], Any]:
    """The same in the language that is spoken now: what a download's thread makes."""
    return functools.partial(_spoken, language(), make)


def _spoken(name: str, make: Callable[[], Any]) -> Any:
    with spoken_in(name):
        return make()


def in_english(work: Callable[..., Any]) -> Callable[..., Any]:
    """The same worked out in English: what is kept, on disk or between readers.

    What of it is a sentence is reworded where it is shown.
    """

    @functools.wraps(work)
    def worked(*args: Any, **keywords: Any) -> Any:
        with spoken_in(SOURCE):
            return work(*args, **keywords)

    return worked


class Later(str):
    """A constant that Streamlit says when it shows it: of a cache that waits."""

    def __str__(self) -> str:
        """The same in the language in force."""
        return say(str.__str__(self))
