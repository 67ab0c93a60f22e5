"""Guard: the one place where an error becomes a message.

What a user can put right (MMMError) is shown with its remedy. Anything else is a bug:
logged in full, one plain sentence on screen, and the rest of the app stays usable.
"""

import contextlib
import functools
import logging
import secrets
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import streamlit as st

from core.errors import MMMError
from core.service.workspace.events import changes, event
from core.text.languages.language import marked, say
from pages.ui import findings

_UNCHANGED: Final = marked("Nothing on disk was changed.")
_CHANGED: Final = marked(
    "Something was written before it happened: look at the project before you repeat "
    "what you did."
)
_LOGGER: Final = logging.getLogger("mixwright")


@dataclass
class Drawing:
    """What a body draws, for the event log.

    Attributes:
        page: The screen; empty for a part of one, which is logged only if it fails.
    """

    page: str = ""


@contextlib.contextmanager
def errors_shown() -> Iterator[Drawing]:
    """Show whatever is raised in the body as a message."""
    drawing = Drawing()
    before, began = changes(), time.monotonic()
    number = secrets.token_hex(3)
    failure: BaseException | None = None
    try:
        yield drawing
    except MMMError as error:
        failure = error
        findings.show_error(error)
    except Exception as error:
        failure = error
        _LOGGER.exception("Unexpected error %s", number)
        st.error(
            say(
                "This should not have happened, and it is not your fault. {unchanged} "
                "The details are in the log, under {number}.",
                unchanged=say(_UNCHANGED if changes() == before else _CHANGED),
                number=number,
            ),
            title=say("Something went wrong"),
            icon=":material/bug_report:",
        )
    finally:
        if drawing.page or failure is not None:
            event(
                "page",
                request=number,
                name=drawing.page,
                seconds=time.monotonic() - began,
                error=failure,
            )


def guarded(function: Callable[..., Any]) -> Callable[..., Any]:
    """A fragment's or dialog's body whose errors are shown where it stands."""

    @functools.wraps(function)
    def body(*args: Any, **keywords: Any) -> Any:
        with errors_shown():
            return function(*args, **keywords)
        return None

    return body
