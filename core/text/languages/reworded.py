"""Reworded: a sentence that a fit or a plan keeps, in the language of the reader.

What a worker writes beside its numbers (reasons of a verdict, notes, reasons of an
advice) is in English, the language of whoever computes. The same message is in the
catalogue with named places; so the sentence is matched against the messages, its places
are read off, and the translation is filled with them. What no message explains is shown
as it was kept.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import date as Date
from functools import cache, cached_property
from itertools import chain

from core.text.languages.language import (
    SOURCE,
    language,
    marked,
    messages,
    missed,
    say,
    say_count,
)
from core.text.languages.locale import MONTHS, date, locale
from core.within import Within

_PLACE = re.compile(r"\{(\w+)\}")
_TWO_PLACES = re.compile(r"\{\w+\} \{\w+\}")
#: A number as it is written, or a date.
_NUMBER = re.compile(r"[\d.,\u00a0%+−-]+")
#: A decimal point that no locale takes for anything else: not before three digits.
_POINT = re.compile(r"(?<![\d.,])(\d+)\.(\d{1,2}|\d{4,})(?![\d.,])")
#: A date as a worker writes it, the day or the month first.
_DAY = r"\d{1,2}"
_DATE = re.compile(
    rf"\b(?:(?P<day>{_DAY})\.? (?P<month>{'|'.join(MONTHS)})"
    rf"|(?P<first>{'|'.join(MONTHS)}) (?P<second>{_DAY}),) (?P<year>\d{{4}})\b"
)
#: Thousands, millions and more behind a number.
_SCALE = re.compile(r"(?<=\d)\u00a0(k|M|bn)(?=[\s(),.;]|$)")
#: Between the parts of a parameter's name.
_DOT = " · "
#: Words that a kept sentence chooses between, by how many it is about.
VERBS = (marked("is"), marked("are"), marked("has"), marked("have"))
#: What a limit is of, before its name: `group Online`.
_LIMITED = (
    marked("group"),
    marked("project"),
    marked("kind"),
    marked("geo"),
    marked("week"),
)
#: Between two sentences.
_BETWEEN = re.compile(r"(?<=[.!?])\s+(?=[A-Z×])")
#: Names of channels that a text may hold.
_names: Within[frozenset[str]] = Within("names in a text", frozenset())
#: Letters that a message with places has of its own, to be recognised by them: a whole
#: sentence that begins with one of its words, one that begins with a place, and a part.
_LETTERS, _LETTERS_OF_END, _LETTERS_OF_PART = 3, 6, 9


def reworded(text: str, names: Collection[str] = ()) -> str:
    """A kept text in the language in force.

    Args:
        text: One sentence or several, in English.
        names: Of channels: they stay as they are, and lists of them are known by them.
    """
    if language() == SOURCE or not text:
        return text
    with _names.during(frozenset(names)):
        return _reworded(text)


def _reworded(text: str) -> str:
    whole = _reworded_whole(text)
    if whole is not None:
        return whole
    pieces = _of_several(_BETWEEN.split(text))
    if any(piece is None for _, piece in pieces):
        # "St. Gallen" looks like the end of a sentence.
        loose = _reworded_whole(text, is_loose=True)
        if loose is not None:
            return loose
    lines = []
    for original, piece in pieces:
        if piece is None:
            missed(original)
        lines.append(original if piece is None else piece)
    return " ".join(lines)


def _of_several(sentences: list[str]) -> list[tuple[str, str | None]]:
    """Sentences with what they are reworded, as many at once as one message holds."""
    lines: list[tuple[str, str | None]] = []
    while sentences:
        for n in range(len(sentences), 0, -1):
            original = " ".join(sentences[:n])
            translation = _reworded_whole(original)
            if translation is not None:
                break
        lines.append((original, translation))
        sentences = sentences[n:]
    return lines


def _reworded_whole(text: str, *, is_loose: bool = False) -> str | None:
    """A text that one message explains, reworded; None where none does.

    A message that is part of a sentence is kept with a capital and a full stop. The one
    with most letters of its own explains it, whichever form it is of; but a part that
    begins with a place, which any words before it would fill, only where no whole
    sentence does.
    """
    bare = text.removesuffix(".")
    small = bare[:1].lower() + bare[1:]
    best, rank = None, len(_patterns())
    for form, end in {text: "", bare: ".", small: "."}.items():
        of_words = best is not None
        matched = _matched(form, rank, is_loose=is_loose, of_words=of_words)
        if matched is None:
            continue
        translation, rank = matched
        if form == small != bare:
            translation = translation[:1].upper() + translation[1:]
        best = f"{translation}{end if text != bare else ''}"
    return best


def _one(text: str) -> str | None:
    matched = _matched(text, len(_patterns()))
    return None if matched is None else matched[0]


def _matched(
    text: str, most: int, *, is_loose: bool = False, of_words: bool = False
) -> tuple[str, int] | None:
    """A text reworded, and the place of its message: the first has most letters.

    Args:
        text: As one message has it.
        most: Messages that are looked at; none for a text that was found at place 0.
        is_loose: Whether a place may hold what looks like two sentences.
        of_words: Whether the message is to begin with a word of its own.
    """
    if most and text in _messages():
        return say(text), 0
    for rank, filled in _alike(text, most):
        match = filled.pattern.fullmatch(text)
        if not match or (of_words and filled.one.startswith("{")):
            continue
        parts = match.groupdict()
        if filled.is_short and not all(map(_is_known, parts.values())):
            continue
        if not is_loose and any(map(_BETWEEN.search, parts.values())):
            continue
        counted = parts.get("number", "") if filled.several else ""
        if counted and not _NUMBER.fullmatch(counted):  # "Last 52" weeks
            continue
        places = {name: _in_place(name, part) for name, part in parts.items()}
        if not filled.several:
            return say(filled.one, **places), rank
        digits = re.sub(r"\D", "", counted)
        number = 1 if filled.is_one else int(digits or 2)
        return say_count(number, filled.one, filled.several, **places), rank
    return None


def _is_known(text: str) -> bool:
    """Whether a place of a message with few words of its own is surely read right."""
    if _NUMBER.fullmatch(text) or text in _names.get() or text in _messages():
        return True
    return any(
        match is not None and all(map(_NUMBER.fullmatch, match.groups()))
        for match in (
            filled.pattern.fullmatch(text)
            for _, filled in _alike(text, len(_patterns()))
        )
    )


def _in_place(name: str, text: str) -> str:
    """What stands in a place of this name: R-hat is never above a thousand."""
    if name == "rhat" and _NUMBER.fullmatch(text):
        return text.replace(".", locale().decimal)
    return _part(text)


def _part(text: str) -> str:
    """What stands in a place: a message itself, names, or as it is."""
    if text in _names.get():
        return text
    first, _, last = text.rpartition(" and ")
    if first and {*first.split(", "), last} <= _names.get():
        return say("{names} and {last}", names=first, last=last)
    for between in (marked("; or "), marked("; ")):
        pieces = text.split(between)
        if len(pieces) > 1 and all(map(_one, pieces)):
            return say(between).join(map(_part, pieces))
    translation = _one(text)
    if translation is None and _DOT in text:  # TV · carryover
        return _DOT.join(map(_part, text.split(_DOT)))
    what, _, name = text.partition(" ")
    if translation is None and name and (small := what.lower()) in _LIMITED:
        word = say(small)
        word = word if what == small else word.capitalize()
        return say("{what} {name}", what=word, name=name)
    return _numbers(text) if translation is None else translation


def _numbers(text: str) -> str:
    """Dates and numbers of a text as the locale writes them."""
    text = _POINT.sub(_decimal, _DATE.sub(_date, text))
    how = locale()
    scales = {"k": how.thousand, "M": how.million, "bn": how.billion}
    return _SCALE.sub(lambda match: f"\u00a0{scales[match[1]]}", text)


def _date(match: re.Match[str]) -> str:
    month = MONTHS.index(match["month"] or match["first"]) + 1
    day = int(match["day"] or match["second"])
    try:
        return date(Date(int(match["year"]), month, day))
    except ValueError:  # no day of the calendar
        return match[0]


def _decimal(number: re.Match[str]) -> str:
    return f"{number[1]}{locale().decimal}{number[2]}"


@cache
def _messages() -> frozenset[str]:
    """Messages without places."""
    return frozenset(one for one, _ in messages() if not _PLACE.search(one))


@dataclass(frozen=True)
class _Filled:
    """A message with places, to be known again when it is filled.

    Attributes:
        form: The message, or its form of several.
        has_verb: Whether a place after another, with a space between, is a verb.
        one: The message.
        several: Its form of several where it counts something, else empty.
        is_one: Whether `form` is that of one.
        is_short: Whether only numbers may stand in its places.
    """

    form: str
    has_verb: bool
    one: str
    several: str
    is_one: bool
    is_short: bool

    @cached_property
    def own(self) -> tuple[str, str, str]:
        """What stands before its first place, between (the longest), and at the end."""
        first, *between, last = _pieces(self.form)[::2]
        return first, max(between, key=len, default=""), last

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What it looks like; compiled for the first text that may be it."""
        return _pattern(self.form, has_verb=self.has_verb)


@cache
def _patterns() -> tuple[_Filled, ...]:
    """Messages with places, those with most letters of their own first."""
    ranked = []
    for one, several in messages():
        for form in filter(None, (one, several)):
            bare = _PLACE.sub("", form)
            own = len(re.sub(r"[\W\d_]", "", bare))
            if _PLACE.search(form) and own >= 2:
                about = (one, several, form is one, own < _fewest(form))
                if _TWO_PLACES.search(form):
                    ranked.append(((own, len(bare) + 1), _Filled(form, True, *about)))
                ranked.append(((own, len(bare)), _Filled(form, False, *about)))
    ranked.sort(key=lambda each: each[0], reverse=True)
    return tuple(filled for _, filled in ranked)


@cache
def _by_ends() -> dict[tuple[str, str], list[int]]:
    """Ranks of messages by their first and last letter; empty where a place stands."""
    ranks: dict[tuple[str, str], list[int]] = {}
    for rank, filled in enumerate(_patterns()):
        first, _, last = filled.own
        ranks.setdefault((first[:1], last[-1:]), []).append(rank)
    return ranks


def _alike(text: str, most: int) -> Iterator[tuple[int, _Filled]]:
    """Messages whose own words a text has, where it has them, and their ranks.

    A text is compared with a thousand of them; few need their pattern.

    Args:
        text: As one message has it.
        most: Messages that are looked at.
    """
    letters = {(first, last) for first in ("", text[:1]) for last in ("", text[-1:])}
    ranks = chain.from_iterable(_by_ends().get(each, ()) for each in letters)
    for rank in sorted(ranks):
        if rank >= most:
            return
        filled = _patterns()[rank]
        first, between, last = filled.own
        if between in text and text.startswith(first) and text.endswith(last):
            yield rank, filled


def _pieces(message: str) -> list[str]:
    """What stands around its places, with the places' names between."""
    pieces = _PLACE.split(message)
    pieces[::2] = [each.replace("{{", "{").replace("}}", "}") for each in pieces[::2]]
    return pieces


def _fewest(message: str) -> int:
    """How many letters of its own make a message known."""
    if not message.endswith("."):
        return _LETTERS_OF_PART
    return _LETTERS_OF_END if message.startswith("{") else _LETTERS


def _pattern(message: str, *, has_verb: bool = False) -> re.Pattern[str]:
    """What a message looks like when it is filled.

    Args:
        message: With places.
        has_verb: A place after another, with a space between, is a verb.
    """
    parts, names = [], set()
    for place, piece in enumerate(_pieces(message)):
        if place % 2 == 0:
            parts.append(re.escape(piece))
        elif piece in names:
            parts.append(f"(?P={piece})")
        else:
            names.add(piece)
            is_verb = has_verb and place > 1 and parts[-1] == re.escape(" ")
            parts.append(f"(?P<{piece}>{'|'.join(VERBS) if is_verb else '.*?'})")
    return re.compile("".join(parts), re.DOTALL)
