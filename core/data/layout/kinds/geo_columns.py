"""Places in columns: `revenue_Bayern`, `revenue_Hessen`, one column each.

A channel is not a place, but only the names tell them apart. So columns that differ by
a place, or a KPI and its spend that differ by the same words, are a question. Places
become rows; what is there once for all of them counts for the whole market.

Places: countries, states, large cities and points of the compass, by name and code.

Not complete, and need not be: columns of places that are not here are recognised by
their pattern (`geo_columns`), and a place alone decides nothing without a question.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from core.data.cells import words as vocabulary
from core.data.cells.words import word_sets, words
from core.data.layout.kinds.contents import columns_of
from core.data.layout.kinds.exports import Doubtful, File
from core.data.layout.kinds.geo_totals import without_geo_totals
from core.data.layout.kinds.vocabulary import is_total, measure
from core.data.layout.recipe import GeoColumns, Source
from core.data.reading.doubts import Question
from core.data.reading.numbers import as_numbers
from core.text.languages.language import marked
from core.text.sentences import count, listed

#: Words of a name, `NewYork` being two of them.
_WORD = re.compile(r"[A-Z]+(?![a-z])|[^\W\d_][^\W\d_A-Z]*|\d+", re.UNICODE)
_SIGNS = " _-.:|/"
#: A place has at most so many words: `Rheinland-Pfalz`, `Île-de-France`.
_LONGEST = 3
_OUTCOME = vocabulary.KPI_REVENUE | vocabulary.KPI_COUNT | vocabulary.KPI_OPEN
#: Words that tell channels, measures, currencies or parts of a KPI apart, not places.
_NO_PLACE = vocabulary.SPEND | vocabulary.MEDIA | vocabulary.REACH | _OUTCOME
_NO_PLACE |= vocabulary.FREQUENCY | vocabulary.CURRENCY | vocabulary.MEDIA_NAME
_NO_PLACE |= vocabulary.ORGANIC | vocabulary.RATIO | vocabulary.VALUE_MARK
_NO_PLACE |= vocabulary.ADVERTISING | vocabulary.TOTAL | vocabulary.CONTROL
_NO_PLACE |= vocabulary.NON_MEDIA | vocabulary.PER | vocabulary.TIME
_SAME = 1e-3


@dataclass(frozen=True)
class ByPlace:
    """The columns of a file that are about one place each.

    Attributes:
        places: In the order of the file.
        columns: By what they measure, the column of every place that has one.
    """

    places: tuple[str, ...]
    columns: dict[str, dict[str, str]]


def rows_of_places(
    file: File, answer: GeoColumns | None
) -> tuple[File, tuple[str, ...], bool]:
    """A file with a row per place, what is there once for all, and whether it had any.

    Raises:
        Doubtful: Columns may be about places, and nobody has said.
    """
    split = by_place(file)
    if split is None:
        return file, (), False
    if answer is None:
        raise _question(file, split)
    if answer == "apart":
        return file, (), True
    file, once = _melted(file, split)
    return without_geo_totals(file), once, True


def apart(source: Source, once: Sequence[str]) -> list[Source]:
    """A source by place, and one for what is there once for all places."""
    amounts = tuple(pair for pair in source.amounts if pair[1] in once)
    averages = tuple(name for name in source.averages if name in once)
    if not amounts and not averages:
        return [source]
    market = source.beside(
        "table",
        geo=None,
        repeats=True,
        amounts=amounts,
        averages=averages,
        currency=source.currency,
        currency_column=source.currency_column,
        money=tuple(name for name in source.money if name in once),
        dates=source.dates,
        decimal=source.decimal,
    )
    rest = replace(
        source,
        amounts=tuple(pair for pair in source.amounts if pair not in amounts),
        averages=tuple(name for name in source.averages if name not in averages),
        money=tuple(name for name in source.money if name not in once),
    )
    return [rest, market]


def by_place(file: File) -> ByPlace | None:
    """Columns that differ by a place; None where there are none."""
    if file.date is None:
        return None
    columns = columns_of(file)
    if columns.geo is not None:
        return None
    stems = _stems(columns.numbers)
    candidates = [_places(group, stems, columns.numbers) for group in _sets(stems)]
    results = [one for one in candidates if one is not None and _adds_up(file, one)]
    return max(
        results, key=lambda one: sum(map(len, one.columns.values())), default=None
    )


def _adds_up(file: File, places: ByPlace) -> bool:
    """Whether names that nobody knows are parts of what is there for all of them."""
    if all(map(_is_known, places.places)):
        return True
    whole = [s for s in places.columns if _is_outcome(s) and s in file.frame.columns]
    return set(whole) <= set(_sums(file, places, whole))


def _stems(names: Sequence[str]) -> dict[str, dict[str, str]]:
    """By what is left of a name without one to three words: these, and the column."""
    stems: dict[str, dict[str, str]] = {}
    for name in names:
        for stem, place in _splits(name):
            stems.setdefault(stem, {}).setdefault(place, name)
    return {stem: places for stem, places in stems.items() if len(places) > 1}


def _splits(name: str) -> Iterator[tuple[str, str]]:
    spans = [match.span() for match in _WORD.finditer(name)]
    for first in range(len(spans)):
        for last in range(first, min(first + _LONGEST, len(spans))):
            start, end = spans[first][0], spans[last][1]
            stem = _joined(name[:start], name[end:])
            if stem:
                yield stem, name[start:end]


def _joined(before: str, after: str) -> str:
    """What is left of a name, with one sign where the place was."""
    sign = "_" if "_" in before + after or " " not in before + after else " "
    before, after = before.rstrip(_SIGNS), after.lstrip(_SIGNS)
    if before.endswith(("(", "[")) and after.startswith((")", "]")):
        before, after = before[:-1].rstrip(_SIGNS), after[1:].lstrip(_SIGNS)
    whole = f"{before}{sign}{after}" if before and after else before + after
    return whole.strip(_SIGNS)


def _sets(stems: dict[str, dict[str, str]]) -> list[frozenset[str]]:
    """The sets of places that a KPI, or spend alone, has columns for."""
    amounts = [stem for stem in stems if _is_outcome(stem) or _is_media(stem)]
    return list(dict.fromkeys(frozenset(stems[stem]) for stem in amounts))


def _places(
    group: frozenset[str], stems: dict[str, dict[str, str]], names: Sequence[str]
) -> ByPlace | None:
    """The columns of a set of places, if it is one."""
    own = {place for place in group if not is_total(place)}
    full = [
        stem
        for stem, places in stems.items()
        if own <= set(places) and all(p in own or is_total(p) for p in places)
    ]
    part = [
        stem
        for stem in stems
        if stem not in full and _is_media(stem) and set(stems[stem]) <= group
    ]
    outcomes = [stem for stem in full if _is_outcome(stem)]
    media = [stem for stem in (*full, *part) if _is_media(stem)]
    if len(own) < 2 or not (outcomes or media):
        return None
    chosen = {
        stem: {place: stems[stem][place] for place in stems[stem] if place in own}
        for stem in (*full, *part)
    }
    of_places = {column for columns in chosen.values() for column in columns.values()}
    if not all(map(_is_known, own)):
        totals = {name for stem in full for name in stems[stem].values()}
        others = [n for n in names if n not in of_places | totals and n not in outcomes]
        is_pattern = bool(outcomes and media) and not any(map(_is_outcome, others))
        if not is_pattern or any(_is_no_place(place) for place in own):
            return None
    order = {name: at for at, name in enumerate(names)}
    first = chosen[(outcomes or media)[0]]
    places = sorted(own, key=lambda place: order[first.get(place, names[-1])])
    return ByPlace(tuple(places), chosen)


def _is_outcome(stem: str) -> bool:
    spoken = {word.text for word in words(stem)}
    return bool(spoken & _OUTCOME) and not spoken & (
        vocabulary.SPEND | vocabulary.MEDIA | vocabulary.MEDIA_NAME | vocabulary.PER
    )


def _is_media(stem: str) -> bool:
    """Whether columns are amounts of media, by their measure or their channel."""
    if measure(stem) not in (None, "ratio", "outcome"):
        return True
    spoken = {word.text for word in words(stem)}
    return bool(spoken & vocabulary.MEDIA_NAME) and measure(stem) is None


def _is_known(text: str) -> bool:
    """Whether a text is a place by its name, or says that it is one: `Region 2`."""
    spoken = {word.text for word in words(text)}
    is_called = bool(spoken & vocabulary.GEO) and any(map(str.isdigit, text))
    return is_place(text) or is_called


def _is_no_place(text: str) -> bool:
    spoken = {word.text for word in words(text)}
    return bool(spoken & _NO_PLACE)


def _question(file: File, split: ByPlace) -> Doubtful:
    names = list(next(iter(split.columns.values())).values())
    message = (
        f"{file.called} has columns for {listed(split.places, limit=6)} each: "
        f"{listed(names, limit=4)}. They could be places of one market, or KPIs and "
        "channels of their own."
    )
    places = ("places", marked("places, each with rows of its own"))
    alone = ("apart", marked("columns that stand for themselves"))
    shown = listed(split.places)
    question = Question(names[0], shown, len(split.places), (places, alone))
    return Doubtful("geo_columns", question, file, message)


def _melted(file: File, split: ByPlace) -> tuple[File, tuple[str, ...]]:
    """The file with a row per date and place, and its columns of numbers for all."""
    of_places = {
        name for columns in split.columns.values() for name in columns.values()
    }
    every = [str(name) for name in file.frame.columns if str(name) not in of_places]
    sums = _sums(file, split, every)
    rest = [name for name in every if name not in sums]
    names = {s: f"{s} by place" if s in rest else s for s in split.columns}
    used = {*rest, *names.values()}
    geo = next(name for name in ("geo", "place", "geo name") if name not in used)
    parts = []
    for place in split.places:
        part = file.frame[rest].assign(**{geo: place})
        for stem, columns in split.columns.items():
            nothing = 0.0 if _is_media(stem) else np.nan
            has_one = place in columns
            part[names[stem]] = file.frame[columns[place]] if has_one else nothing
        parts.append(part)
    frame = pd.concat(parts).sort_index(kind="stable")
    number = count(len(of_places), "column")
    message = (
        f"{number} of {file.called} became rows of {listed(split.places, limit=6)}: "
        f"{listed(list(names.values()))}."
    )
    numbers = columns_of(file).numbers
    once = tuple(name for name in rest if name in numbers)
    file = file.noted(message, frame=frame)
    for name in sums:
        message = (
            f"Column {name} of {file.called} is the sum of its places, so it is left "
            "out: it would count twice."
        )
        file = file.noted(message, name)
    return file, once


def _sums(file: File, places: ByPlace, names: Sequence[str]) -> list[str]:
    """Columns for all places (`revenue`, `revenue_Total`) that are the sum of each."""
    sums = []
    for stem, columns in places.columns.items():
        parts = [as_numbers(file.frame[name]).values for name in columns.values()]
        whole = np.sum(np.nan_to_num(parts), axis=0)
        for name in names:
            own = [rest for rest, place in _splits(name) if is_total(place)]
            if name != stem and stem not in own:
                continue
            values = np.nan_to_num(as_numbers(file.frame[name]).values)
            if np.allclose(values, whole, rtol=_SAME, atol=0.01 * len(parts)):
                sums.append(name)
    return list(dict.fromkeys(sums))


_PLACES = word_sets("places")
_SHORT = _PLACES.pop("codes")
_NAMES = frozenset().union(*_PLACES.values())


def is_place(text: str) -> bool:
    """Whether a text is the name of a place, or its code in capitals."""
    plain = unicodedata.normalize("NFKD", text.casefold().replace("ß", "ss"))
    letters = "".join(char for char in plain if char.isalpha())
    return letters in _NAMES or (text.isupper() and letters in _SHORT)
