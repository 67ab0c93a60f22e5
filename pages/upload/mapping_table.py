"""The mapping as a table to edit: one row per column of the data, with its role."""

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

import pandas as pd

from core.errors import SchemaError
from core.service.records.columns import ColumnMapping, Finding, KpiType, SpendLevel
from core.service.records.data import (
    CHANNEL_ROLES,
    ColumnRole,
    Role,
    mapping_from_roles,
)
from core.text.languages.language import marked, say

if TYPE_CHECKING:
    from core.service.records.data import Table

KPI = marked("KPI, units")
REVENUE = marked("KPI, revenue")
#: What a number of a spend column is about, as the table names the role.
SPEND: dict[str, SpendLevel] = {
    marked("Spend"): "geo_time",
    marked("Spend, all geos"): "time",
    marked("Spend, total"): "total",
}
#: Every role as the table names it; the KPI has two names, by what it counts, and
#: spend three.
ROLES: dict[str, Role] = {
    marked("Date"): "time",
    marked("Geo"): "geo",
    KPI: "kpi",
    REVENUE: "kpi",
    marked("Value per KPI unit"): "revenue_per_kpi",
    marked("Population"): "population",
    marked("Media"): "media",
    **dict.fromkeys(SPEND, "spend"),
    marked("Reach"): "reach",
    marked("Frequency"): "frequency",
    marked("Non-media treatment"): "non_media",
    marked("Control"): "control",
    marked("Ignore"): "ignored",
}
_NAMES = {role: name for name, role in ROLES.items() if name != REVENUE} | {
    "spend": "Spend"
}
_LEVEL_NAMES = {level: name for name, level in SPEND.items()}
COLUMNS = ("column", "role", "channel", "example", "why")


def rows_of(frame: pd.DataFrame, mapping: ColumnMapping) -> pd.DataFrame:
    """The table to edit for a mapping, with the reasons of the guess behind it."""
    from core.service.data.roles import explained

    entries = explained(frame, mapping)
    return with_spend_levels(_role_rows(frame, entries, mapping.kpi_type), mapping)


def with_new(
    rows: pd.DataFrame, guessed: pd.DataFrame, before: Collection[str]
) -> pd.DataFrame:
    """The table to edit where channels and controls that are new have guessed roles.

    Args:
        rows: By the mapping that a project has, which leaves new columns out.
        guessed: The same columns with the roles that they seem to have.
        before: Columns that the project's table had.
    """
    guesses = guessed.set_index("column")
    roles, channels = list(rows["role"]), list(rows["channel"])
    for at, name in enumerate(rows["column"]):
        if ROLES.get(str(roles[at]), "ignored") != "ignored" or name in before:
            continue
        guess = ROLES.get(str(guesses["role"][name]), "ignored")
        if guess in CHANNEL_ROLES or guess == "control":
            roles[at], channels[at] = guesses["role"][name], guesses["channel"][name]
    return rows.assign(role=roles, channel=pd.Series(channels, dtype="object"))


def with_spend_levels(columns: pd.DataFrame, mapping: ColumnMapping) -> pd.DataFrame:
    """The table with the spend levels that a mapping has, by channel."""
    levels = {
        mapped.name: _LEVEL_NAMES[mapped.spend_level] for mapped in mapping.channels
    }
    roles = [
        levels.get(channel, role) if role == "Spend" else role
        for role, channel in zip(columns["role"], columns["channel"], strict=True)
    ]
    return columns.assign(role=roles)


def guessed(table: "Table") -> pd.DataFrame:
    """The table to edit with the roles that the columns seem to have."""
    from core.service.data import roles

    return _role_rows(table.frame, *roles.guessed(table))


def _role_rows(
    frame: pd.DataFrame, entries: list[ColumnRole], kind: KpiType
) -> pd.DataFrame:
    table_rows = []
    for entry in entries:
        name = _NAMES[entry.role]
        if entry.role == "kpi" and kind == "revenue":
            name = REVENUE
        example = _example(frame[entry.column])
        table_rows.append(
            (entry.column, name, entry.channel or None, example, entry.reason)
        )
    return pd.DataFrame(table_rows, columns=list(COLUMNS)).astype({"channel": "object"})


def _example(column: pd.Series) -> str:
    """The first values of a column, to recognise it by."""
    text = ", ".join(_sample(value) for value in column.dropna().head(500).unique()[:3])
    return text if len(text) <= 40 else f"{text[:39]}…"


def _sample(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.10g}"
    return str(value.date()) if isinstance(value, pd.Timestamp) else str(value)


def value_of(mapping: ColumnMapping | None) -> float | None:
    """The value of one KPI unit where it is a number, not a column."""
    value = None if mapping is None else mapping.revenue_per_kpi
    return value if isinstance(value, float | int) else None


def roles_in(roles: pd.DataFrame) -> ColumnMapping | None:
    """The mapping that a table describes; None where it is not complete."""
    try:
        return mapping_of(roles)
    except SchemaError:
        return None


def mapping_of(roles: pd.DataFrame, value: float | None = None) -> ColumnMapping:
    """The mapping that a table describes.

    Args:
        roles: The table as edited.
        value: Currency per KPI unit, where no column has it.

    Raises:
        SchemaError: Roles are missing, doubled or contradict each other; `findings`
            has every one.
    """
    entries, nameless, levels = [], [], {}
    for row in roles.itertuples():
        role = ROLES.get(str(row.role), "ignored")
        channel = "" if pd.isna(row.channel) else str(row.channel).strip()
        if role in CHANNEL_ROLES and not channel and role != "non_media":
            nameless.append(_nameless(str(row.column), str(row.role)))
        entries.append(ColumnRole(str(row.column), role, channel))
        levels[str(row.column)] = SPEND.get(str(row.role), "geo_time")
    is_revenue = bool((roles["role"] == REVENUE).any())
    findings = list(nameless)
    try:
        mapping = mapping_from_roles(
            entries,
            kpi_type="revenue" if is_revenue else "non_revenue",
            value=None if is_revenue else value,
        )
    except SchemaError as error:
        findings += error.findings
    if findings:
        raise SchemaError.of(findings)
    channels = tuple(
        replace(mapped, spend_level=levels[mapped.spend]) if mapped.spend else mapped
        for mapped in mapping.channels
    )
    return replace(mapping, channels=channels)


def _nameless(column: str, role: str) -> Finding:
    return Finding(
        "error",
        column,
        say(
            "Column {column} has the role {role} but no channel.",
            column=column,
            role=role,
        ),
        say("Type the channel's name beside it."),
    )
