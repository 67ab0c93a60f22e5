"""Help: guides and glossary, true to what is there."""

import re

import pytest

from core.text.glossary import TERMS, meaning
from pages.help.screen import _GUIDES
from pages.ui import navigation
from tests.pages.said import is_sound, texts

GUIDES = sorted(_GUIDES.glob("*.md"))


def test_the_guides_open_from_the_app(screen, home):
    at = screen("help")
    assert is_sound(at)
    said = texts(at)
    assert "What do I need to start?" in said
    assert "Before the fit" in said
    assert "](../" not in said


def test_there_are_ten_questions():
    text = (_GUIDES / "marketers.md").read_text()
    assert len(re.findall(r"^## \d+\. .*\?$", text, flags=re.MULTILINE)) == 10


@pytest.mark.parametrize("guide", GUIDES, ids=lambda path: path.stem)
def test_what_guides_point_to_is_there(guide):
    text = guide.read_text()
    paths = re.findall(r"\]\((?!https?:)([^)#]+)", text)
    assert paths
    assert [path for path in paths if not (guide.parent / path).exists()] == []


@pytest.mark.parametrize("guide", GUIDES, ids=lambda path: path.stem)
def test_screens_that_guides_name_exist(guide):
    titles = {screen.title for screen in navigation.SCREENS}
    text = guide.read_text()
    named = set(re.findall(r"\*\*([A-Z][a-z]+)\*\*(?:,| shows| writes| ranks)", text))
    assert named <= titles


def test_the_glossary_explains_each_term_in_a_sentence():
    assert all(text.endswith(".") and len(text) < 160 for text in TERMS.values())
    with pytest.raises(KeyError):
        meaning("Synergy")
