"""A layout in words: one sentence that says how the table is made, and the choices."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd

from core.data.layout.grouping import channels
from core.data.layout.kinds.contents import columns_of
from core.data.layout.kinds.exports import File
from core.data.layout.kinds.platforms import schema_of
from core.data.layout.kinds.vocabulary import LEVELS, level
from core.data.layout.recipe import Layout, Source
from core.data.layout.tables.recognise import naming_columns
from core.text.languages.language import marked
from core.text.sentences import count, listed

_LEVEL_NAMES = {
    "platform": "platform",
    "type": "campaign type",
    "campaign": "campaign",
    "ad_group": "ad group",
    "ad": "ad",
}


@dataclass(frozen=True)
class Choice:
    """One way to name the channels of a file of campaigns.

    Attributes:
        label: What it is called: `first word of campaign`.
        source: The source read that way.
        channels: Number of channels that it gives.
    """

    label: str
    source: Source
    channels: int


def sentence(layout: Layout, files: Sequence[File]) -> str:
    """How some files become one table, in one sentence."""
    parts = [
        _source_in_words(source, file)
        for source, file in zip(layout.sources, files, strict=True)
    ]
    return f"{'; '.join(parts)}{_together(layout)}."


def _source_in_words(source: Source, file: File) -> str:
    schema = schema_of(file)
    named = f"{file.called} is {schema} with" if schema else f"{file.called} has"
    if source.kind == "table":
        each = " and geo" if source.geo else ""
        if source.repeats:
            shown = listed([name for name, _ in source.amounts] + [*source.averages])
            return f"{shown} of {file.called} once per date"
        return f"{named} a row per date{each}"
    if source.kind == "campaigns":
        names = channels(file.frame, source)[1]
        number = count(len(names), "channel")
        return (
            f"{named} a row per {_finest(file)} and date: one channel per "
            f"{how(source)} ({number}: {listed(names, limit=4)})"
        )
    if source.kind == "variables":
        values = file.frame[str(source.variable)].dropna().astype("str").unique()
        about = f" of each {listed(source.channel)}" if source.channel else ""
        return (
            f"{named} a row per variable and date: one column per value of "
            f"{source.variable}{about} ({listed(list(values), limit=6)})"
        )
    summed = [
        name if name == column else f"{name} from {column}"
        for name, column in source.amounts
    ]
    if source.count:
        summed.append(f"{source.count} counted")
        return f"{named} a row per order, summed by date: {listed(summed)}"
    if file.frame[source.date].is_unique:
        return f"{named} rows on some days only, which are summed: {listed(summed)}"
    return f"{named} several rows per date, which are summed: {listed(summed)}"


def _finest(file: File) -> str:
    """What one row of a file of campaigns is about."""
    columns = columns_of(file)
    levels = [own for name in columns.texts if (own := level(name)) in LEVELS]
    finest = max(levels, key=LEVELS.index, default="campaign")
    return _LEVEL_NAMES[finest]


def how(source: Source) -> str:
    """What one channel is: `platform`, `first word of campaign_name`."""
    names = " and ".join(source.channel)
    if source.pattern:
        return f"match of {source.pattern} in {names}"
    if source.first_word:
        return f"first word of {names}"
    return f"group of {names}" if source.groups else names


def _together(layout: Layout) -> str:
    several = len(layout.sources) > 1
    words = []
    if layout.period == "week":
        begins = layout.week_begins.capitalize()
        words.append(f"summed to weeks that begin on {begins}")
    elif layout.period == "month":
        words.append(marked("summed to months"))
    elif layout.period == "day" and not several:
        words.append(marked("summed to days"))
    if several:
        by = {"week": "week", "month": "month", "day": "day"}.get(layout.period, "date")
        keys = f"{by} and geo" if _has_geos(layout) else by
        words.append(f"joined by {keys}")
    if layout.geos == "summed":
        words.append("geos summed to one market")
    return f"; {', '.join(words)}" if words else ""


def _has_geos(layout: Layout) -> bool:
    return layout.geos == "kept" and any(source.geo for source in layout.sources)


def channel_choices(source: Source, file: File) -> list[Choice]:
    """The ways to name channels of a file of campaigns, from few to many channels."""
    if source.kind != "campaigns":
        return []
    columns = columns_of(file)
    naming = naming_columns(columns)
    plain = replace(source, first_word=False, pattern=None, groups=())
    ways: list[tuple[str, Source]] = []
    for name, own_level in naming.items():
        if columns.distinct[name] < 1:
            continue
        ways.append((name, replace(plain, channel=(name,))))
        if own_level == "campaign" and columns.distinct[name] > 1:
            first = replace(plain, channel=(name,), first_word=True)
            ways.append((f"first word of {name}", first))
    platforms = [name for name, own_level in naming.items() if own_level == "platform"]
    finer = [
        name for name, own_level in naming.items() if own_level in ("type", "campaign")
    ]
    if platforms:
        for name in finer:
            both = replace(plain, channel=(platforms[0], name))
            ways.append((f"{platforms[0]} and {name}", both))
    if not any(replace(source, groups=()) == way for _, way in ways):
        ways.insert(0, (how(source), source))
    return [_choice(label, way, file) for label, way in ways]


def _choice(label: str, source: Source, file: File) -> Choice:
    names = channels(file.frame, source)[1]
    return Choice(label, source, len(names))


def totals_table(totals: Sequence) -> pd.DataFrame:
    """Sums before and after, one row per file and column."""
    rows = [
        (total.file, total.column, total.before, total.left_out, total.after)
        for total in totals
    ]
    return pd.DataFrame(
        rows, columns=["File", "Column", "In the file", "Left out", "In the table"]
    )
