"""Help: every page of docs, found by its words, opened at what it was asked on."""

import re

import pytest

from core.text.glossary import TERMS, meaning
from core.text.languages.language import say, spoken_in
from pages.help import documents
from pages.ui import navigation
from tests.pages import worlds
from tests.pages.said import is_sound, texts

GUIDES = ("marketers", "analysts")
PATHS = {name: documents.DOCS / path for name, path in documents.PAGES.items()}


def test_help_opens_at_the_first_guide_and_lists_every_page(screen, home):
    at = screen("help")
    assert is_sound(at)
    said = texts(at)
    assert "What do I need to start?" in said
    assert "](" not in said
    titles = [option.lower() for option in at.radio[0].options]
    assert len(titles) == len(documents.PAGES) + 1
    assert {"planning", "privacy", "glossary"} <= set(titles)


@pytest.mark.parametrize("name", documents.documents())
def test_every_page_opens_by_its_address(screen, home, name):
    document = documents.documents()[name]
    at = screen("help", read=name)
    assert is_sound(at)
    assert at.header[0].value.replace("\\", "") == document.title
    assert document.sections[-1].title in texts(at)


def test_pictures_are_a_click_away(screen, home):
    at = screen("help", read="marketers")
    labels = [each.label.replace("\\", "") for each in at.expander]
    assert "Plan: the split, its gain and its odds" in labels
    assert not any(each.proto.expanded for each in at.expander)
    assert len(labels) == 4


def test_help_opens_at_the_screen_it_is_asked_on(screen, home):
    at = screen("help", about="plan")
    assert at.radio[0].value == "about"
    assert at.header and not at.subheader  # no level of headings is left out
    said = texts(at)
    assert "How should I split the next budget?" in said
    assert "What do I need to start?" not in said
    assert not at.get("imgs") and "6. How" not in said
    # What other pages say of it is a click away, and its terms are explained.
    folded = [each.label.replace("\\", "") for each in at.expander]
    assert folded[0] == "Horizon · Planning" and "Approval · In a team" in folded
    assert f"| Goal | {meaning('Goal')} |" in said and "| R-hat |" not in said
    # A screen that no guide names, and one that there is not.
    assert screen("help", about="help").radio[0].value == "marketers"
    assert screen("help", about="<b>").radio[0].value == "marketers"


@pytest.mark.parametrize("name", ["data", "model", "fit", "channels", "plan"])
def test_the_question_mark_beside_a_title_leads_to_help_on_the_screen(
    screen, fitted, name
):
    at = screen(name, worlds.MARKET)
    told = at.caption[0].help
    assert told.startswith("[Help on ") and f"about={name})" in told
    assert "project=" in told


@pytest.mark.parametrize(
    ("name", "kind"),
    # The first is a field of the project, for planners only.
    [("model", "segmented_control"), ("report", "selectbox"), ("data", "toggle")],
)
def test_question_marks_of_fields_lead_to_help_on_their_screen(
    screen, fitted, name, kind
):
    at = screen(name, worlds.MARKET)
    told = [each.proto.help for each in getattr(at, kind) if each.proto.help]
    assert told
    for each in told:
        assert f"about={name})" in each and "[Help](" in each


def test_a_search_shows_titles_first_and_says_when_nothing_is_found(screen, home):
    at = screen("help")
    at.text_input(key="help.search").set_value("hidden demand").run()
    assert is_sound(at)
    found = list(documents.search("hidden demand"))
    assert found
    assert f"{len(found)} section" in texts(at)
    at.text_input(key="help.search").set_value("xyzzy").run()
    assert "Nothing found" in texts(at)


def test_every_screen_with_work_to_do_has_a_part_of_help():
    screens = [screen for screen in navigation.SCREENS if screen is not navigation.HELP]
    for screen in screens:
        parts = documents.about(screen.title)
        assert parts, screen.title
        shown = {section for _, section in parts}
        assert not shown & {section for _, section in documents.detail(screen.title)}


def test_titles_come_before_texts():
    found = [section for _, section in documents.search("goal")]
    in_title = ["goal" in section.title.casefold() for section in found]
    assert any(in_title)
    assert in_title == sorted(in_title, reverse=True)
    assert list(documents.search("a")) == []


def test_nothing_of_a_page_is_lost():
    for name, path in PATHS.items():
        document = documents.documents()[name]
        words = " ".join(f"{part.title} {part.text}" for part in document.sections)
        page = path.read_text().partition("\n")[2]
        assert sorted(words.split()) == sorted(
            word
            for line in page.splitlines()
            for word in re.sub(r"^## ", "", line).split()
        )


def test_there_are_ten_questions():
    text = PATHS["marketers"].read_text()
    assert len(re.findall(r"^## \d+\. .*\?$", text, flags=re.MULTILINE)) == 10


@pytest.mark.parametrize("name", GUIDES)
def test_what_guides_point_to_is_there(name):
    paths = re.findall(r"\]\((?!https?:)([^)#]+)", PATHS[name].read_text())
    assert paths
    folder = PATHS[name].parent
    assert [path for path in paths if not (folder / path).exists()] == []


@pytest.mark.parametrize("name", GUIDES)
def test_screens_that_guides_name_exist(name):
    titles = {screen.title for screen in navigation.SCREENS}
    text = PATHS[name].read_text()
    named = set(re.findall(r"\*\*([A-Z][a-z]+)\*\*(?:,| shows| writes| ranks)", text))
    assert named <= titles


def test_the_glossary_explains_each_term_in_a_sentence():
    assert all(text.endswith(".") and len(text) < 160 for text in TERMS.values())
    with pytest.raises(KeyError):
        meaning("Synergy")


@pytest.mark.parametrize("name", ["glossary", "planning"])
@pytest.mark.parametrize("language", ["de", "fr", "es"])
def test_a_page_in_english_says_so_to_readers_of_other_languages(
    screen, home, language, name
):
    at = screen("help", read=name, run=False)
    at.session_state["app.language"] = language
    at.run()
    with spoken_in(language):
        note = say("This guide is in English.")
    assert is_sound(at)
    assert (note in texts(at)) is (name != "glossary")


def test_a_guide_says_nothing_of_its_language_in_english(screen, home):
    assert "This guide is in English." not in texts(screen("help", read="planning"))
