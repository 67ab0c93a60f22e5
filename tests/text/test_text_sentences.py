import pytest

from core.text.languages.language import spoken_in
from core.text.sentences import (
    brief,
    brief_name,
    count,
    listed,
    periods,
    periods_heading,
    sentence,
    verb,
)


def test_nouns_agree_with_their_number():
    assert count(1, "row") == "1 row"
    assert count(1234, "row") == "1,234 rows"
    assert count(1, "error blocks", "errors block") == "1 error blocks"
    assert count(2, "error blocks", "errors block") == "2 errors block"


def test_several_periods_are_words_of_their_own_in_every_language():
    assert (periods("week"), periods_heading("month")) == ("weeks", "Months")
    with spoken_in("de"):
        assert (periods("week"), periods_heading("day")) == ("Wochen", "Tage")


def test_lists():
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed("abcdefg", limit=2) == "a, b and 5 more"
    assert listed("abc", limit=2) == "a, b and c"
    assert listed("abcd", limit=2) == "a, b and 2 more"


def test_sentences_begin_large_and_end_once():
    assert sentence("it stopped") == "It stopped."
    assert sentence("Why? ") == "Why?"
    assert sentence("") == ""


def test_brief():
    assert brief("abc", 3) == "abc"
    assert brief("abc def", 5) == "abc…"


@pytest.mark.parametrize(
    ("several", "one"),
    [("are", "is"), ("have", "has"), ("lack", "lacks"), ("were", "was")],
)
def test_a_verb_agrees_with_its_number(several, one):
    assert verb(1, several) == one
    assert verb(0, several) == verb(2, several) == several


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Brand A: TV", "Brand A: TV"),
        ("Brand A, Austria and South Tyrol: TV", "Brand A, Austria…: TV"),
        ("A channel whose name says very much", "A channel whose name…"),
        ("Brand: a channel whose name says very much", "Brand: a channel who…"),
    ],
)
def test_a_name_that_is_cut_still_ends_in_its_channel(name, shown):
    assert brief_name(name, 21) == shown
