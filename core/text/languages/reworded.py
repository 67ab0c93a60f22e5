"""Reworded: a sentence that a fit or a plan keeps, in the language of the reader.

What a worker writes beside its numbers (reasons of a verdict, notes, reasons of an
advice) is in English, the language of whoever computes. The same message is in the
catalogue with named places; so the sentence is matched against the messages, its places
are read off, and the translation is filled with them. What no message explains is shown
as it was kept.
"""

import re
from functools import cache

from core.text.languages.language import (
    SOURCE,
    language,
    messages,
    missed,
    say,
    say_count,
)

_PLACE = re.compile(r"\{(\w+)\}")
#: Between two sentences.
_BETWEEN = re.compile(r"(?<=[.!?])\s+(?=[A-Z×])")
#: Letters that a message with places has of its own, to be recognised by them.
_LETTERS = 4


def reworded(text: str) -> str:
    """A kept text in the language in force.

    Args:
        text: One sentence or several, in English.
    """
    if language() == SOURCE or not text:
        return text
    whole = _said(text)
    if whole is not None:
        return whole
    sentences = _BETWEEN.split(text)
    if len(sentences) == 1:
        missed(text)
        return text
    return " ".join(_of_several(sentences))


def _of_several(sentences: list[str]) -> list[str]:
    """Sentences reworded; as many at once as one message holds."""
    said: list[str] = []
    while sentences:
        for n in range(len(sentences), 0, -1):
            found = _said(" ".join(sentences[:n]))
            if found is not None:
                break
        else:
            n, found = 1, sentences[0]
            missed(found)
        said.append(found)
        sentences = sentences[n:]
    return said


def _said(text: str) -> str | None:
    """A text that one message explains, reworded; None where none does.

    A message that is part of a sentence is kept with a capital and a full stop.
    """
    bare = text.removesuffix(".")
    small = bare[:1].lower() + bare[1:]
    for form, ends in ((text, ""), (bare, "."), (small, ".")):
        found = _one(form)
        if found is None:
            continue
        if form is small and small != bare:
            found = found[:1].upper() + found[1:]
        return f"{found}{ends if text != bare else ''}"
    return None


def _one(text: str) -> str | None:
    known = _messages()
    if text in known:
        return say(text)
    for pattern, message, several in _patterns():
        if found := pattern.fullmatch(text):
            places = {name: _part(part) for name, part in found.groupdict().items()}
            if not several:
                return say(message, **places)
            number = int(re.sub(r"\D", "", places["number"]) or 0)
            return say_count(number, message, several, **places)
    return None


def _part(text: str) -> str:
    """What stands in a place: a message itself, or as it is."""
    found = _one(text)
    return text if found is None else found


@cache
def _messages() -> frozenset[str]:
    """Messages without places."""
    return frozenset(one for one, _ in messages() if not _PLACE.search(one))


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str, str], ...]:
    """Messages with places as patterns, those with most letters of their own first.

    With each the message, and its form of several where it counts something.
    """
    kept = []
    for one, several in messages():
        for form in filter(None, (one, several)):
            own = len(re.sub(r"[\W\d_]", "", _PLACE.sub("", form)))
            if _PLACE.search(form) and own >= _LETTERS:
                kept.append((own, _pattern(form), one, several))
    kept.sort(key=lambda each: -each[0])
    return tuple((pattern, one, several) for _, pattern, one, several in kept)


def _pattern(message: str) -> re.Pattern[str]:
    parts, seen = [], set()
    for place, piece in enumerate(_PLACE.split(message)):
        if place % 2 == 0:
            parts.append(re.escape(piece))
        elif piece in seen:
            parts.append(f"(?P={piece})")
        else:
            seen.add(piece)
            parts.append(f"(?P<{piece}>.*?)")
    return re.compile("".join(parts), re.DOTALL)
