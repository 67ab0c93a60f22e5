"""A table without media, or without spend: what it cannot be used for, and what it can.

No media-mix model can be fitted without media, whatever else there is. A table of a KPI
by geo and date, alone or with spend that names no channel, looks like the rows of a geo
test. Media without spend can be fitted, but neither a return nor a budget follows.
"""

from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

import pandas as pd

from core.data.mapping import PAID, ColumnMapping
from core.data.reading.findings import Finding
from core.data.recognition.naming import read_name
from core.errors import SchemaError
from core.text.sentences import listed

#: Why spend that names no channel is none, in a table of geos.
OF_A_TEST = "It names no channel: in a table of geos, that is a geo test's spend."


def has_media(mapping: ColumnMapping) -> bool:
    """Whether any channel is media, paid or organic: treatments alone are none."""
    return any(channel.kind != "non_media" for channel in mapping.channels)


def media_finding(
    frame: pd.DataFrame, mapping: ColumnMapping, called: str = "The table"
) -> Finding | None:
    """The error of a table without media; None where there is a channel.

    Args:
        frame: The table.
        mapping: The roles of its columns.
        called: The table, at the beginning of a sentence.
    """
    if has_media(mapping):
        return None
    message = (
        f"{called} has no media: no column is the spend or exposure of a channel, so "
        "it cannot be fitted as a media-mix model."
    )
    if mapping.geo is None or mapping.channels:
        hint = (
            "Add a file with spend or impressions per channel, name columns like "
            "TV_spend and TV_impressions, or choose their roles on the Data screen."
        )
        return Finding("error", "channels", message, hint)
    spend = _nameless_spend(frame, mapping)
    if spend:
        message += f" Column {spend} does not say which channel it was spent on."
    hint = (
        f"If {mapping.kpi} by {mapping.geo} is a geo test, read it with: python -m "
        "core tests read. For a model, add a file with spend per channel"
    )
    named = (
        f", or rename {spend} after its channel, such as TV_{spend}" if spend else ""
    )
    return Finding("error", "channels", message, f"{hint}{named}.")


def _nameless_spend(frame: pd.DataFrame, mapping: ColumnMapping) -> str:
    """The column that is called spend and nothing else; empty where there is none."""
    used = {mapping.time, mapping.kpi, mapping.geo, *mapping.controls}
    for column in map(str, frame.columns):
        name = read_name(column)
        if column not in used and name.measure == "spend" and not name.key:
            return column
    return ""


def spend_finding(mapping: ColumnMapping) -> Finding | None:
    """The warning of a table whose media have no spend; None where some have."""
    media = mapping.of_kind("organic_media", "organic_reach_frequency")
    if not media or mapping.of_kind(*PAID):
        return None
    message = (
        "No channel has spend, so all are taken for organic: a fit tells what each "
        "contributes, but no return on spend, and no budget can be planned."
    )
    columns = [channel.media for channel in media if channel.media]
    hint = "Add a column of spend per channel"
    if columns:
        hint += (
            f"; or plan in units of exposure: --paid {columns[0]} with core init (may "
            "repeat, * stands for any text), or the role Spend on the Data screen"
        )
    return Finding("warning", "channels", message, f"{hint}.")


def with_paid(mapping: ColumnMapping, columns: Sequence[str]) -> ColumnMapping:
    """The mapping with exposure that takes the place of spend, in its own unit.

    Args:
        mapping: As guessed.
        columns: Columns of media without spend; `*` stands for any text.

    Raises:
        SchemaError: Nothing is called so, or it has spend.
    """
    if not columns:
        return mapping
    free = [c.media for c in mapping.of_kind("organic_media") if c.media]
    for wanted in columns:
        if not any(fnmatchcase(name, wanted) for name in free):
            raise SchemaError(
                f"{wanted} is not exposure without spend.",
                hint=f"The table has {listed(free, limit=12) or 'none'}.",
                where=wanted,
            )
    channels = tuple(
        replace(channel, kind="media", spend=channel.media)
        if channel.kind == "organic_media"
        and any(fnmatchcase(channel.media or "", wanted) for wanted in columns)
        else channel
        for channel in mapping.channels
    )
    return replace(mapping, channels=channels, spend_unit=mapping.spend_unit or "other")
