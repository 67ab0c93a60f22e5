"""Guard: the one place where an error becomes a message.

What a user can put right (MMMError) is shown with its remedy. Anything else is a bug:
logged in full, one plain sentence on screen, and the rest of the app stays usable.
"""

import contextlib
import functools
import logging
import secrets
from collections.abc import Callable, Iterator
from typing import Any, Final

import streamlit as st

from core.errors import MMMError
from core.workspace.atomic import changes
from pages.ui import findings

_UNCHANGED: Final = "Nothing on disk was changed."
_CHANGED: Final = (
    "Something was written before it happened: look at the project before you repeat "
    "what you did."
)
_LOGGER: Final = logging.getLogger("mixwright")


@contextlib.contextmanager
def errors_shown() -> Iterator[None]:
    """Show whatever is raised in the body as a message."""
    before = changes()
    try:
        yield
    except MMMError as error:
        findings.show_error(error)
    except Exception:
        number = secrets.token_hex(3)
        _LOGGER.exception("Unexpected error %s", number)
        st.error(
            "This should not have happened, and it is not your doing. "
            f"{_UNCHANGED if changes() == before else _CHANGED} "
            f"The details are in the log, under {number}.",
            title="Something went wrong",
            icon=":material/bug_report:",
        )


def guarded(function: Callable[..., Any]) -> Callable[..., Any]:
    """A fragment's or dialog's body whose errors are shown where it stands."""

    @functools.wraps(function)
    def body(*args: Any, **keywords: Any) -> Any:
        with errors_shown():
            return function(*args, **keywords)
        return None

    return body
