"""Day: the order in which a date is typed, which is the browser's.

Streamlit's own is year, month, day: 03/04/2024, typed as Americans do, became the year
304.
"""

import streamlit as st

from core import text as fmt

_ISO = "YYYY-MM-DD"
_BY_LANGUAGE = {"de": "DD.MM.YYYY", "pl": "DD.MM.YYYY", "tr": "DD.MM.YYYY"}
#: By the locale of a project.
_OF_LOCALE = {"en-US": "MM/DD/YYYY", "de": "DD.MM.YYYY"}
_DAY_FIRST = ("en", "fr", "es", "it", "pt", "nl", "da", "el", "id", "vi")


def typed() -> str:
    """Format of a date field, as the reader writes dates; ISO where that is unknown."""
    locale = str(st.context.locale or "")
    language, _, region = locale.replace("_", "-").partition("-")
    if region.upper() in ("US", "PH") and language == "en" or locale == "en":
        return "MM/DD/YYYY"
    if region.upper() in ("CA", "ZA", "SE"):  # by law or habit: year, month, day
        return _ISO
    slashes = "DD/MM/YYYY" if language in _DAY_FIRST else _ISO
    return _BY_LANGUAGE.get(language, slashes)


def of_project() -> str:
    """Format of a date field, as the open project writes dates."""
    return _OF_LOCALE.get(fmt.locale().name, "DD/MM/YYYY")


def of_column() -> str:
    """Format of a column of dates, as the open project writes them: `23 Aug 2021`."""
    return fmt.locale().cell.upper()
