"""Plotly's own words, of its buttons and months, in the language in force.

Plotly names months itself, in the browser; it takes other names and other words from
its configuration, chart by chart, or registered once for a page.
"""

from typing import Any

from core.text.languages.language import SOURCE, language, marked, say
from core.text.languages.locale import months

#: Of the buttons that our charts have, and of its notes on what they do.
_WORDS = (
    marked("Download plot as a PNG"),
    marked("Zoom"),
    marked("Pan"),
    marked("Reset axes"),
    marked("Double-click to zoom back out"),
    marked("Double-click on legend to isolate one trace"),
    marked("Taking snapshot - this may take a few seconds"),
    marked("Snapshot succeeded"),
)


def spoken() -> dict[str, Any]:
    """Words and months as Plotly takes them; empty in English, which it speaks."""
    if language() == SOURCE:
        return {}
    names = list(months())
    return {
        "dictionary": {word: say(word) for word in _WORDS},
        "format": {"months": names, "shortMonths": names},
    }


def in_language(config: dict[str, Any]) -> dict[str, Any]:
    """A chart's configuration with the words of the language in force."""
    words = spoken()
    if not words:
        return config
    return config | {"locale": language(), "locales": {language(): words}}
