"""Remedies: a button for each finding about an uploaded table that a role can fix."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from core import text as fmt
from core.service.records.columns import Finding
from core.text.languages.language import say
from pages.data.draft import Source
from pages.ui import state
from pages.ui.fields import gated
from pages.ui.findings import plain

_ALL_GEOS, _IGNORE = "Spend, all geos", "Ignore"


def show(shown: Source, checked: Sequence[Finding]) -> None:
    """The buttons below the findings; none where a mapping is saved already."""
    if shown.upload is None:
        return
    channels = shown.rows.channel
    repeated = [
        row.column
        for row in shown.rows.itertuples()
        if any(_repeats(finding, str(row.column)) for finding in checked)
    ]
    idle = [
        name
        for name in dict.fromkeys(channels.dropna())
        if any(_is_idle(finding, str(name)) for finding in checked)
    ]
    with st.container(horizontal=True):
        if repeated:
            label = say("Count {columns} once", columns=fmt.listed(repeated, limit=2))
            _button(label, "all_geos", shown.rows.column.isin(repeated), _ALL_GEOS)
        if idle:
            label = say("Leave out {channels}", channels=fmt.listed(idle, limit=2))
            _button(label, "leave_out", channels.isin(idle), _IGNORE)


def _repeats(finding: Finding, column: str) -> bool:
    """Whether a column of spend has the same number in every geo."""
    return finding.message.startswith(
        f"Column {column} has the same number in every geo"
    )


def _is_idle(finding: Finding, channel: str) -> bool:
    """Whether a channel never ran or never changed, which blocks a fit."""
    said = (f"Channel {channel} never ran", f"Channel {channel} never changes")
    return finding.severity == "error" and finding.message.startswith(said)


def _button(label: str, key: str, rows, role: str) -> None:
    gated.button(
        plain(label), key=f"data.remedy.{key}", on_click=_give, args=(rows, role)
    )


def _give(rows, role: str) -> None:
    """Give some rows of the mapping a role; what else was typed stays."""
    waiting = state.upload()
    if waiting is not None:
        roles = waiting.rows.role.mask(rows, role)
        state.revise_upload(replace(waiting, rows=waiting.rows.assign(role=roles)))
