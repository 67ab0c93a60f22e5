"""Day: the order in which a date is typed, which is the browser's.

Streamlit's own is year, month, day: 03/04/2024, typed as Americans do, became the year
304.
"""

import streamlit as st

_ISO = "YYYY-MM-DD"
_BY_LANGUAGE = {"de": "DD.MM.YYYY", "pl": "DD.MM.YYYY", "tr": "DD.MM.YYYY"}
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
