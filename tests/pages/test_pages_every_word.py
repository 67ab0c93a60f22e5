"""Every word of every screen comes out of a catalogue."""

import pytest

from core.text.languages import language as spoken
from pages.ui import navigation
from tests.charts import synthetic
from tests.pages import worlds
from tests.pages.brackets import Bracketed, outside, said
from tools import languages

#: What screens show that is nobody's language.
NAMES = frozenset(
    {
        *synthetic.NAMES,
        *"Mixwright North South CSV XLSX PPTX PDF TOML KPI ROI".split(),
        *"English Brackets hat knot values roi sigma ec alpha".split(),
        *"Deutsch Français Español Mio mil float alpha lam ec eta theta slope".split(),
        *"LogNormal HalfNormal Beta TruncatedNormal Gamma Normal ESS".split(),
        # Of the table: its columns, and words that their names hold
        *"TV Orders Revenue week spend impressions opens temperature".split(),
        *"revenue promotion".split(),
    }
)


@pytest.fixture
def brackets(monkeypatch):
    """A language of the screens that puts every message in brackets."""
    real = spoken.catalogue
    monkeypatch.setattr(
        spoken,
        "catalogue",
        lambda name: Bracketed() if name == "brackets" else real(name),
    )
    monkeypatch.setattr(spoken, "ON_SCREENS", ("en", "brackets"))
    monkeypatch.setitem(spoken.LANGUAGES, "brackets", "Brackets")
    known = tuple(
        text if isinstance(text, tuple) else (text, "")
        for _, text in languages.messages()
    )
    monkeypatch.setattr(spoken, "messages", lambda: known)


def strays(at) -> dict[str, list[str]]:
    found = {}
    for kind, text in said(at):
        if "MIXWRIGHT_DATA" in text or worlds.MARKET in text or "SELECT" in text:
            continue
        words = outside(text, NAMES)
        if words:
            found.setdefault(f"{kind}: {text}"[:160], words)
    return found


@pytest.mark.parametrize(
    "name", [screen.name for screen in navigation.SCREENS if screen.name != "help"]
)
def test_no_word_of_a_screen_stands_outside(screen, fitted, brackets, name):
    at = screen(name, project=worlds.MARKET, run=False)
    at.session_state["app.language"] = "brackets"
    at.run()
    assert not at.exception
    import os

    if os.environ.get("STRAYS"):
        with open(os.environ["STRAYS"], "a") as file:
            for text, words in strays(at).items():
                file.write(f"{name}| {text!r} {words}\n")
    assert strays(at) == {}
