"""Naming: what a column's name says it measures, and which channel it belongs to.

`Channel0_impression` measures media of Channel0, `Spend TV (EUR)` spend of TV,
`facebook_I` media of facebook, `Fernsehkosten` spend of Fernseh.
"""

from dataclasses import dataclass
from typing import Literal

from core.data.cells import words as vocabulary
from core.data.cells.words import Word, words
from core.text.units import unit_at_end

Measure = Literal["spend", "media", "reach", "frequency", "control"]

_MEASURES: tuple[tuple[Measure, frozenset[str]], ...] = (
    ("spend", vocabulary.SPEND),
    ("media", vocabulary.MEDIA),
    ("reach", vocabulary.REACH),
    ("frequency", vocabulary.FREQUENCY),
)
#: First words that leave all the rest to the channel's name.
_PREFIXES: dict[str, Measure] = {"mdip": "media", "mdsp": "spend"}
#: More words than this have a channel beside what is measured.
_OF_SPEND = 2
#: What a bracket closes.
_BRACKETS = {")": "(", "]": "["}
#: Words of which alone no channel is called.
_NO_CHANNEL = vocabulary.QUALIFIER | vocabulary.CURRENCY | vocabulary.TOTAL
#: The same wherever they stand.
_NOBODY = vocabulary.TOTAL | {"adv", "advertiser"}
#: What Display & Video 360 calls what it bills its advertiser.
_BILLED = {"revenue", "adv"}
#: Words before a letter that tells channels apart, and does not say what is measured.
_UNNAMED = vocabulary.ADVERTISING | set("channel channels kanal canal group".split())
#: Words of no weight at the end of a channel's name.
_LOOSE = vocabulary.FILLER | vocabulary.CURRENCY | vocabulary.TOTAL


@dataclass(frozen=True)
class Name:
    """A column's name, read.

    Attributes:
        column: The name as it stands.
        words: Its words, lower case and without accents.
        measure: What it says it measures, if it does.
        marker: The word that says so, as it stands.
        channel: What is left of the name without that word.
        key: The same for comparison.
        has_currency: Whether it names a currency.
    """

    column: str
    words: tuple[str, ...]
    measure: Measure | None
    marker: str
    channel: str
    key: str
    has_currency: bool

    def has(self, names: frozenset[str]) -> bool:
        """Whether any of its words is among the known ones."""
        return not names.isdisjoint(self.words)

    def is_all(self, names: frozenset[str]) -> bool:
        """Whether all of its words are among the known ones."""
        return bool(self.words) and names.issuperset(self.words)


def read_name(column: str) -> Name:
    """Read the name of a column."""
    tokens = words(column)
    texts = tuple(word.text for word in tokens)
    if len(tokens) > 1 and texts[0] in _PREFIXES:  # the rest is a code: mdsp_on
        return _prefixed(column, tokens)
    end = unit_at_end(column)
    before = [word for word in tokens if word.end <= end] or tokens
    rest, measure, marker = _strip_ends(column, before)
    if measure is None:
        rest, measure, marker = _take_from_middle(column, before)
    if measure is None and not vocabulary.MEDIA_NAME.isdisjoint(texts):
        rest, measure, marker = _take_count(column, rest, before)
    while measure and len(rest) > 1 and rest[-1].text in _LOOSE:
        if _ends_a_word(rest):
            break
        rest = rest[:-1]
    if measure and _names_nothing(column, rest):
        rest = []
    if measure is None and _BILLED <= set(texts):
        rest, measure, marker = [], "spend", "revenue"
    currency = not vocabulary.CURRENCY.isdisjoint(texts)
    if measure is None and not currency:
        rest = before
    channel = _without(column, tokens, rest)
    plain = [word for word in rest if word.text not in vocabulary.ADVERTISING]
    key = "".join(word.text for word in (plain if measure else rest) or rest)
    return Name(column, texts, measure, marker, channel or column, key, currency)


def _prefixed(column: str, tokens: list[Word]) -> Name:
    """A name whose first word says what is measured and whose rest is the channel."""
    first, rest = tokens[0], tokens[1:]
    marker = column[first.start : first.end]
    key = "".join(word.text for word in rest)
    texts = tuple(word.text for word in tokens)
    channel = column[rest[0].start :]
    return Name(column, texts, _PREFIXES[first.text], marker, channel, key, False)


def media_rank(name: Name) -> int:
    """How well a column describes media: impressions before views before clicks."""
    for rank, starts in enumerate(vocabulary.MEDIA_RANK):
        if any(word.startswith(starts) for word in name.words):
            return rank
    return len(vocabulary.MEDIA_RANK)


def _measure(column: str, word: Word, *, is_last: bool) -> Measure | None:
    """What a word at an end of a name says is measured."""
    for measure, word_set in _MEASURES:
        if word.text in word_set:
            return measure
    original = column[word.start : word.end]
    is_behind = word.start and column[word.start - 1] == "_"  # not so `Channel B`
    stem = {before.text for before in words(column[: word.start])}
    if is_last and is_behind and stem <= _UNNAMED:  # channel_A, channel_B
        return None
    if is_last and is_behind and original in vocabulary.LETTERS:
        return vocabulary.LETTERS[original]
    return None


def _strip_ends(
    column: str, tokens: list[Word]
) -> tuple[list[Word], Measure | None, str]:
    """The words without measure, currency and filler at either end."""
    rest = list(tokens)
    measure: Measure | None = None
    marker = ""
    if len(tokens) > _OF_SPEND and tokens[0].text in vocabulary.SPEND:
        last = _measure(column, tokens[-1], is_last=True)
        if last not in (None, "spend"):  # `Invest. Video Reach` is spend
            measure, marker = "spend", column[tokens[0].start : tokens[0].end]
            rest.pop(0)
    changed = True
    while rest and changed:
        changed = False
        for at in (-1, 0):
            word = rest[at]
            says = _measure(column, word, is_last=at == -1 and word is tokens[-1])
            if says is not None and measure in (None, says):
                measure, marker = says, column[word.start : word.end]
            elif word.text not in vocabulary.CURRENCY and (
                word.text not in vocabulary.FILLER
                or len(rest) == 1
                or (at == -1 and _ends_a_word(rest))
            ):
                continue
            rest.pop(at)
            changed = True
            break
    return rest, measure, marker


def _ends_a_word(rest: list[Word]) -> bool:
    """Whether the last word is filler that is no word of its own: LinkedIn."""
    last, before = rest[-1], rest[-2]
    return last.text in vocabulary.FILLER and last.start == before.end


def _names_nothing(column: str, rest: list[Word]) -> bool:
    """Whether words say no channel: `Total spent`, `Clicks (destination)`."""
    bracket = max(map(column.rfind, _BRACKETS.values()))
    said = [
        word.text in _NOBODY or (0 <= bracket < word.start and word.text in _NO_CHANNEL)
        for word in rest
    ]
    return all(said)


def _take_from_middle(
    column: str, tokens: list[Word]
) -> tuple[list[Word], Measure | None, str]:
    """The words without a word for spend or media inside the name."""
    for word in tokens[1:-1]:
        for measure, word_set in _MEASURES[:2]:
            if word.text in word_set:
                rest = [other for other in tokens if other is not word]
                return rest, measure, column[word.start : word.end]
    ends = [word for word in tokens if word.text not in vocabulary.CURRENCY]
    return ends, None, ""


def _take_count(
    column: str, rest: list[Word], before: list[Word]
) -> tuple[list[Word], Measure | None, str]:
    """The words of a medium without the one of which there were some: OOH panels."""
    for word in before:
        if word.text in vocabulary.MEDIA_COUNTS:
            others = [other for other in rest if other is not word]
            return others, "media", column[word.start : word.end]
    return rest, None, ""


def _without(column: str, tokens: list[Word], rest: list[Word]) -> str:
    """The name as it stands, without the words that are not in the rest."""
    if len(rest) == len(tokens) or not rest:
        return column if rest else ""
    parts: list[str] = []
    for word in rest:
        at = tokens.index(word)
        if parts:
            follows = tokens[at - 1] is rest[rest.index(word) - 1]
            before = tokens[at - 1].end
            parts.append(column[before : word.start] if follows else "_")
        parts.append(column[word.start : word.end])
    name = "".join(parts)
    closing = column[rest[-1].end : rest[-1].end + 1]
    if closing in _BRACKETS and name.count(_BRACKETS[closing]) > name.count(closing):
        name += closing
    return name
