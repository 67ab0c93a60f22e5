"""How files become one table: a sentence with its choices, a preview and the totals."""

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from core import text as fmt
from core.errors import MMMError
from core.service.data.layout import (
    Choice,
    Guess,
    channel_choices,
    channels,
    epoch_question,
    sentence,
    totals_table,
)
from core.service.records.columns import WEEKDAYS, Layout, Period, Source
from core.service.records.data import File
from core.text.languages.language import marked, say
from pages.data.draft import Source as Shown
from pages.ui import layout, navigation, state, tables, words
from pages.ui.findings import plain, show_error
from pages.upload import uploads

_PERIODS: dict[Period, str] = {
    "day": marked("days"),
    "week": marked("weeks"),
    "month": marked("months"),
    "as_is": marked("the files' own dates"),
}
_PATTERN = marked("what a pattern matches")
_ROWS = 8


def layout_box(source: Shown) -> None:
    """The layout of files that wait to be accepted, or of the project's table."""
    upload = source.upload
    if upload is None:
        if source.here is not None and source.here.project.layout is not None:
            names = dict.fromkeys(
                file.name for file in source.here.project.layout.sources
            )
            layout.remark(
                "Made from {names}. Files with the same columns are read the same "
                "way when you replace them; to change channels, weeks or geos, "
                "drop the same files there and change the layout.",
                names=plain(", ".join(names)),
            )
        return
    table = upload.table
    if table is None or table.layout is None:
        return
    with st.container(border=True, key="data.layout", gap="small"):
        st.markdown(plain(sentence(table.layout, table.files)))
        if upload.guess is not None and _wants_choices(upload):
            try:
                _choices(upload, upload.guess)
            except MMMError as error:
                show_error(error)
        _preview(upload)


def _wants_choices(upload: state.Upload) -> bool:
    """Whether the choices are shown: by demand where a project has made them."""
    if not upload.is_again:
        return True
    return st.toggle(
        say("Change the layout"),
        key=f"data.layout.change.{upload.origin}",
        help=navigation.tip(
            "The files were read the way the project's table was made."
        ),
    )


def _choices(upload: state.Upload, guessed: Guess) -> None:
    """The choices; another answer puts the table together again."""
    layout = guessed.layout
    sources = list(layout.sources)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for at, source in enumerate(layout.sources):
            if source.kind == "campaigns":
                sources[at] = _channel(source, guessed.files[at], upload.origin, at)
        sources = _epoch(sources, guessed.files, upload.origin)
        target = _calendar(replace(layout, sources=tuple(sources)), upload.origin)
    for at, source in enumerate(target.sources):
        if source.kind == "campaigns":
            sources[at] = _grouped(source, guessed.files[at], upload.origin, at)
    target = replace(target, sources=tuple(sources))
    if target == layout:
        return
    with st.spinner(say("Putting the table together")):
        files = list(dict.fromkeys(guessed.files))
        changed = uploads.made(Guess(target, guessed.files), upload.project, files)
    state.keep_upload(replace(changed, origin=upload.origin, query=upload.query))
    st.rerun()


def _channel(source: Source, file: File, origin: str, at: int) -> Source:
    """One channel per what: a column, the first word of it, or a pattern."""
    choices = channel_choices(source, file)
    labels = [choice.label for choice in choices]
    plain_source = replace(source, groups=())
    now = next((c.label for c in choices if c.source == plain_source), _PATTERN)
    label = st.selectbox(
        say("{called}: one channel per", called=plain(file.called)),
        [*labels, _PATTERN],
        index=[*labels, _PATTERN].index(now),
        format_func=lambda name: _label(name, choices),
        key=f"data.layout.channel.{at}.{origin}",
    )
    if label != _PATTERN:
        chosen = next(choice.source for choice in choices if choice.label == label)
        same = label == now
        return source if same else replace(chosen, groups=())
    pattern = st.text_input(
        say("Pattern"),
        source.pattern or r"^([^_\s]+)",
        key=f"data.layout.pattern.{at}.{origin}",
        help=navigation.tip(
            "A regular expression; the channel is what its first group matches in "
            "{channel}.",
            channel=" and ".join(source.channel),
        ),
    )
    return replace(source, pattern=pattern or None, first_word=False)


def _label(name: str, choices: list[Choice]) -> str:
    choice = next((choice for choice in choices if choice.label == name), None)
    return say(name) if choice is None else f"{name} ({choice.channels})"


def _epoch(sources: list[Source], files: Sequence[File], origin: str) -> list[Source]:
    """From which day date numbers count, where a file has such dates."""
    counted = {
        at: question
        for at, (source, file) in enumerate(zip(sources, files, strict=True))
        if (question := epoch_question(file.frame, source.date)) is not None
    }
    if not counted:
        return sources
    first, question = next(iter(counted.items()))
    meanings = dict(question.choices)
    now = sources[first].dates or question.usual
    epoch = st.selectbox(
        say("Dates such as {example} are", example=plain(question.example)),
        list(meanings),
        index=list(meanings).index(now),
        format_func=lambda epoch: say(
            "{meanings} (counted from {epoch})", meanings=meanings[epoch], epoch=epoch
        ),
        key=f"data.layout.dates.{origin}",
        help=navigation.tip("Excel for Mac used to count days from 1904."),
    )
    if epoch == now:
        return sources
    return [
        replace(source, dates=epoch) if at in counted else source
        for at, source in enumerate(sources)
    ]


def _calendar(layout: Layout, origin: str) -> Layout:
    """What one row covers, and what becomes of geos and of missing periods."""
    period = st.selectbox(
        say("Sum to"),
        list(_PERIODS),
        index=list(_PERIODS).index(layout.period),
        format_func=words.said(_PERIODS),
        key=f"data.layout.period.{origin}",
        help=navigation.tip("Partial weeks and months at the ends are left out."),
    )
    layout = replace(layout, period=period)
    if period == "week":
        begins = st.selectbox(
            say("Weeks begin on"),
            WEEKDAYS,
            index=WEEKDAYS.index(layout.week_begins),
            format_func=lambda day: say(day.capitalize()),
            key=f"data.layout.week_begins.{origin}",
        )
        layout = replace(layout, week_begins=begins)
    kinds = [source.kind for source in layout.sources]
    if any(source.geo for source in layout.sources):
        summed = st.toggle(
            say("Sum geos to one market"),
            layout.geos == "summed",
            key=f"data.layout.geos.{origin}",
        )
        layout = replace(layout, geos="summed" if summed else "kept")
    if "campaigns" in kinds and len(set(kinds)) > 1:
        zero = st.toggle(
            say("Zero outside a file's dates"),
            layout.outside == "zero",
            key=f"data.layout.outside.{origin}",
            help=navigation.tip(
                "Turn this on if nothing ran before the first and after the last "
                "row of a campaign file. Otherwise only dates that all files share "
                "are kept."
            ),
        )
        layout = replace(layout, outside="zero" if zero else "left_out")
    return layout


def _grouped(source: Source, file: File, origin: str, at: int) -> Source:
    """Channels put together by hand, in a table of names."""
    with st.expander(
        say("Group channels of {called} by hand", called=plain(file.called))
    ):
        single = replace(source, groups=())
        names = [_bare(name, source) for name in channels(file.frame, single)[1]]
        groups = {
            member: group for group, members in source.groups for member in members
        }
        files = pd.DataFrame(
            {"name": names, "channel": [groups.get(name, name) for name in names]}
        )
        edited = tables.edit(
            files,
            say("The channel that each name belongs to"),
            {
                "name": st.column_config.TextColumn(say("In the file"), disabled=True),
                "channel": st.column_config.TextColumn(say("Channel"), max_chars=64),
            },
            key=f"data.layout.groups.{at}.{origin}.{source.channel}.{source.first_word}",
        )
    together: dict[str, list[str]] = {}
    for name, channel in zip(edited["name"], edited["channel"], strict=True):
        channel = "" if pd.isna(channel) else str(channel).strip()
        if channel and channel != name:
            together.setdefault(channel, []).append(str(name))
    pairs = tuple((name, tuple(members)) for name, members in together.items())
    return source if pairs == source.groups else replace(source, groups=pairs)


def _bare(name: str, source: Source) -> str:
    """A channel's name without the platform before it, as groups compare it."""
    start = f"{source.prefix} "
    return name[len(start) :] if source.prefix and name.startswith(start) else name


def _preview(upload: state.Upload) -> None:
    """The first rows of the table, and what its columns sum to."""
    table = upload.table
    with st.expander(say("Preview and totals")):
        rows, columns = table.frame.shape
        size = f"{fmt.count(rows, 'row')}, {fmt.count(columns, 'column')}"
        layout.remark("{size}; the first {rows}:", size=size, rows=_ROWS)
        tables.grid(table.frame.head(_ROWS), say("First rows"))
        if table.totals:
            layout.remark("Sums before and after agree:")
            sums = totals_table(table.totals)
            config = {
                name: st.column_config.NumberColumn(format="localized")
                for name in sums.columns[2:]
            }
            tables.grid(sums, say("Totals"), config)
