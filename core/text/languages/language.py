"""Language: reports and screens speak their reader's; English is the source.

`say("Gain over {what}", what=name)` is a whole sentence with named places, looked up in
the catalogue of the language in force (`<language>.po` beside this module, compiled to
.mo by `tools/languages.py`). It is English until the door of a report says otherwise:

    with spoken_in("de"):
        ...

That holds for one context, thread or session, as the locale of numbers does, which
follows it in reports (`languages.locale.locale_in`). Outside of such a body the source
that `set_language` names is asked: on screens, the reader's choice.
"""

import contextlib
import gettext
import struct
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from core.within import Within

#: What may be spoken, by the names that project.toml takes, each in its own words.
LANGUAGES = {"en": "English", "de": "Deutsch", "fr": "Français", "es": "Español"}
#: The language of the source, and of whatever nobody chose another for.
SOURCE = "en"
#: What screens offer: only languages whose catalogue has all their words.
ON_SCREENS = tuple(LANGUAGES)
#: Where the catalogues are.
CATALOGUES = Path(__file__).parent

_spoken: Within[str | None] = Within("language", None)
_source: Callable[[], str] = lambda: SOURCE  # noqa: E731
_missing: Within[set[str] | None] = Within("missing messages", None)


def language() -> str:
    """The language in force, by its name."""
    return _spoken.get() or _source()


def set_language(source: Callable[[], str] | None) -> None:
    """Say where the language comes from outside of `spoken_in`.

    Args:
        source: Returns its name, asked at every message: a web process serves many.
            None for English.
    """
    global _source
    _source = source or (lambda: SOURCE)


def spoken_in(name: str) -> contextlib.AbstractContextManager[None]:
    """Speak a language in the body: at the door of a report or a screen.

    Args:
        name: Of `LANGUAGES`.
    """
    return _spoken.during(name)


def say(text: str, /, **values: object) -> str:
    """A message in the language in force.

    Args:
        text: The message in English, with named places: `Gain over {what}`.
        values: What stands in its places.
    """
    if language() != SOURCE:
        text = _looked_up(text)
    return text.format(**values) if values else text


def say_count(number: int, one: str, several: str, /, **values: object) -> str:
    """A message that depends on a number, in the language in force.

    Args:
        number: The number, which decides between the forms.
        one: The message of one, in English, with named places.
        several: The message of several.
        values: What stands in their places.
    """
    name = language()
    text = one if number == 1 else several
    if name != SOURCE:
        translation = catalogue(name).ngettext(one, several, number)
        if translation is text:
            missed(text)
        text = translation
    return text.format(**values) if values else text


def marked(text: str, /) -> str:
    """A constant that is said later: extracted here, looked up where it is shown."""
    return text


def counted(one: str, several: str, /) -> tuple[str, str]:
    """Both forms of a message whose text is put together later; see `marked`."""
    return one, several


@cache
def catalogue(name: str) -> gettext.NullTranslations:
    """The messages of a language.

    Raises:
        OSError: There is no such catalogue.
    """
    with open(CATALOGUES / f"{name}.mo", "rb") as file:
        return gettext.GNUTranslations(file)


@cache
def messages() -> tuple[tuple[str, str], ...]:
    """Every message in English: its form of one and that of several, or empty.

    Read from the table of originals of a catalogue, which all have the same.
    """
    name = next(name for name in LANGUAGES if name != SOURCE)
    content = (CATALOGUES / f"{name}.mo").read_bytes()
    n, first = struct.unpack_from("<II", content, 8)
    forms = []
    for place in range(n):
        length, start = struct.unpack_from("<II", content, first + 8 * place)
        one, _, several = content[start : start + length].decode().partition("\0")
        if one:  # the head of the catalogue has no text
            forms.append((one, several))
    return tuple(forms)


@contextlib.contextmanager
def missing_messages() -> Iterator[set[str]]:
    """What is asked for in the body and is in no catalogue, for the tests."""
    missing: set[str] = set()
    with _missing.during(missing):
        yield missing


def _looked_up(text: str) -> str:
    if not text:  # which gettext keeps for the head of the catalogue
        return text
    translation = catalogue(language()).gettext(text)
    if translation is text:
        missed(text)
    return translation


def missed(text: str) -> None:
    """Note that a text is in no catalogue, for the tests."""
    if (missing := _missing.get()) is not None:
        missing.add(text)
