"""Remedies: a button for each finding that another role of a column fixes."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import pandas as pd
import streamlit as st

from core import text as fmt
from core.service.records.columns import Finding
from core.text.languages.language import marked, say
from pages.data import draft
from pages.data.draft import Roles, Source
from pages.ui import state
from pages.ui.fields import gated
from pages.ui.findings import plain

_ALL_GEOS, _IGNORE, _SPEND = "Spend, all geos", "Ignore", "Spend"
_ONCE = marked("Count {names} once")
#: Findings of channels or controls that leaving one out fixes.
_IDLE = re.compile(r"Channel .+ never (ran|changes)")
_TWICE = re.compile(r"Channel .+ spends (what all other channels|[\d.e+]+ times)")
_SAME = re.compile(r".+ say the same \(")
_MOVED = re.compile(r"Controls? (?P<names>.+?) (is|are) something that media move")
#: Spend that is in no channel, and spend that stands in the table twice.
_UNUSED = re.compile(r"Column .+ holds .+ and no channel uses it")
_CONTROL = re.compile(r".+ is a control, since its name says nothing")
_COPY = re.compile(r"Column (?P<column>.+) is .+ times (?P<used>.+) in every row: ")
_REPEATS = re.compile(r"Column (?P<column>.+) has the same number in every geo")
#: Words of a column's name that are no part of its channel's.
_OF_MONEY = re.compile(r"\b(spend|spent|cost|costs|amount|media)\b", re.IGNORECASE)


@dataclass(frozen=True)
class _Remedy:
    """What a button does: the role and the channel of some columns.

    Attributes:
        label: Of the button, with a place for `names`.
        names: What it is about; remedies with the same label share a button where
            several findings are of one kind.
        roles: Role and channel by column; None leaves the channel as it is.
        is_shared: Whether they do.
    """

    label: str
    names: tuple[str, ...]
    roles: Roles
    is_shared: bool = False


def show(shown: Source, checked: Sequence[Finding]) -> None:
    """The buttons below the findings."""
    with st.container(horizontal=True):
        for place, remedy in enumerate(_together(checked, shown.rows)):
            names = fmt.listed(remedy.names, limit=2)
            gated.button(
                plain(say(remedy.label, names=names)),
                key=f"data.remedy.{place}",
                on_click=_apply,
                args=(shown, remedy.roles),
            )


def _together(checked: Sequence[Finding], rows: pd.DataFrame) -> list[_Remedy]:
    """Each remedy once; those that share a button as one."""
    buttons: dict[object, _Remedy] = {}
    for finding in checked:
        for remedy in _remedies(finding, rows):
            key = remedy.label if remedy.is_shared else remedy.roles
            first = buttons.get(key)
            if first is not None and remedy.is_shared:
                names = dict.fromkeys((*first.names, *remedy.names))
                roles = dict.fromkeys((*first.roles, *remedy.roles))
                remedy = replace(first, names=tuple(names), roles=tuple(roles))
            buttons[key] = remedy
    return list(buttons.values())


def _remedies(finding: Finding, rows: pd.DataFrame) -> Iterator[_Remedy]:
    """What would fix a finding; nothing where only another file would."""
    message = finding.message
    if match := _REPEATS.match(message):
        column = match.group("column")
        yield _Remedy(_ONCE, (column,), ((column, _ALL_GEOS, None),), is_shared=True)
    elif _IDLE.match(message) and finding.severity == "error":
        yield from _without(finding.where, rows, is_shared=True)
    elif _SAME.match(message) or _TWICE.match(message):
        for place in finding.where.split(", "):
            yield from _without(place, rows)
    elif match := _MOVED.match(message):
        controls = rows.column[rows.role == "Control"].astype(str)
        for name in controls:
            if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", match.group("names")):
                yield from _without(f"control {name}", rows)
    elif _UNUSED.match(message) or _CONTROL.match(message):
        column = finding.where.removeprefix("column ")
        roles = ((column, _SPEND, _channel_of(column)),)
        yield _Remedy(marked("Make {names} spend of a channel"), (column,), roles)
    elif match := _COPY.match(message):
        column, used = match.group("column"), match.group("used")
        channel = next(iter(rows.channel[rows.column == used].dropna()), None)
        both = ((column, _SPEND, channel), (used, _IGNORE, None))
        yield _Remedy(marked("Use {names} instead"), (column,), both)


def _without(
    place: str, rows: pd.DataFrame, *, is_shared: bool = False
) -> Iterator[_Remedy]:
    """Leave a channel or a control out, by where a finding is."""
    kind, _, name = place.partition(" ")
    is_it = rows.channel == name if kind == "channel" else rows.column == name
    columns = rows.column[is_it & (rows.role != _IGNORE)].astype(str)
    if len(columns):
        roles = tuple((column, _IGNORE, None) for column in columns)
        yield _Remedy(marked("Leave out {names}"), (name,), roles, is_shared)


def _channel_of(column: str) -> str:
    """The channel that a column of spend is of, by its name."""
    words = _OF_MONEY.sub(" ", re.sub(r"[_\W]+", " ", column))
    return " ".join(words.split()) or column


def _apply(shown: Source, roles: Roles) -> None:
    """Give columns their roles; what else was typed stays."""
    waiting = state.upload()
    if waiting is not None:
        rows = draft.with_roles(waiting.rows, roles)
        state.revise_upload(replace(waiting, rows=rows))
    else:
        draft.keep_roles(shown.digest, roles)
