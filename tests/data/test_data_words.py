"""Every list of words that columns are recognised by has one reader."""

import re
from pathlib import Path

from core.data.cells import words

CORE = Path(words.__file__).parents[2]
LISTS = {f"{table}.{name}" for table, lists in words._lists().items() for name in lists}


def test_every_list_of_words_is_read():
    """A list that nobody reads is dead, and a name without a list is a typo."""
    code = "".join(path.read_text("utf-8") for path in CORE.rglob("*.py"))
    single = set(re.findall(r'(?:word_set|phrases)\("([\w.]+)"\)', code))
    tables = set(re.findall(r'word_sets\("(\w+)"\)', code))
    assert single <= LISTS
    unread = {each for each in LISTS - single if each.split(".")[0] not in tables}
    assert not unread


def test_lists_have_words_in_the_spelling_that_names_are_compared_in():
    """A capital or an accent in a list would never be met in a name."""
    for name in LISTS - {"lift_tests.geos"}:
        read = words.word_set(name)
        assert read
        assert read == {words.plain(word) for word in read}
