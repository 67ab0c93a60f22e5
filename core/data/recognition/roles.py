"""Roles: a mapping as a table of columns, the way a person edits it.

`mapping_from_roles` and `roles_of` turn that table into a `ColumnMapping` and back.
What kind of channel a name is follows from the roles of its columns: media with spend
is paid, without spend organic; reach and frequency go together.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from core.data.mapping import ChannelColumns, ChannelKind, ColumnMapping, KpiType
from core.data.reading.findings import Finding
from core.errors import SchemaError
from core.text.sentences import listed

Role = Literal[
    "time",
    "geo",
    "kpi",
    "revenue_per_kpi",
    "population",
    "control",
    "media",
    "reach",
    "frequency",
    "spend",
    "non_media",
    "ignored",
]
#: Roles that belong to a channel.
CHANNEL_ROLES: tuple[Role, ...] = ("media", "reach", "frequency", "spend", "non_media")


@dataclass(frozen=True)
class ColumnRole:
    """What one column is used as.

    Attributes:
        column: Its name.
        role: Its part in the model.
        channel: The channel it belongs to, for roles of channels.
        reason: Why it was given this role, in one sentence.
    """

    column: str
    role: Role
    channel: str = ""
    reason: str = ""


def mapping_from_roles(
    roles: Iterable[ColumnRole], *, kpi_type: KpiType, value: float | None = None
) -> ColumnMapping:
    """The mapping that a table of roles stands for.

    Args:
        roles: One entry per column, in the order of the table.
        kpi_type: Whether the KPI is money.
        value: Value of a KPI unit, where no column holds it.

    Raises:
        SchemaError: The time or the KPI is missing or given twice, or a channel's
            columns do not go together; `findings` holds every fault.
    """
    entries = list(roles)
    findings: list[Finding] = []

    def only(role: Role, called: str, *, needed: bool = False) -> str | None:
        columns = [entry.column for entry in entries if entry.role == role]
        if len(columns) > 1:
            message = f"{listed(columns)} are all mapped as {called}."
            findings.append(
                Finding("error", f"column {columns[1]}", message, "Keep one.")
            )
        if needed and not columns:
            message = f"No column is mapped as {called}."
            hint = "Choose it in the column mapping."
            findings.append(Finding("error", "mapping", message, hint))
        return columns[0] if columns else None

    time = only("time", "the time", needed=True)
    kpi = only("kpi", "the KPI", needed=True)
    geo, population = only("geo", "the geo"), only("population", "the population")
    per_kpi = only("revenue_per_kpi", "the revenue per KPI")
    channels = tuple(_channels(entries, findings))
    if findings or time is None or kpi is None:
        raise SchemaError.of(findings)
    return ColumnMapping(
        time=time,
        kpi=kpi,
        geo=geo,
        kpi_type=kpi_type,
        revenue_per_kpi=per_kpi if per_kpi is not None else value,
        population=population,
        controls=tuple(entry.column for entry in entries if entry.role == "control"),
        channels=channels,
    )


def roles_of(columns: Iterable[str], mapping: ColumnMapping) -> list[ColumnRole]:
    """The role of every column of a table under a mapping, without reasons."""
    roles: dict[str, ColumnRole] = {}

    def note(column: str | float | None, role: Role, channel: str = "") -> None:
        if isinstance(column, str):
            roles.setdefault(column, ColumnRole(column, role, channel))

    note(mapping.time, "time")
    note(mapping.geo, "geo")
    note(mapping.kpi, "kpi")
    note(mapping.revenue_per_kpi, "revenue_per_kpi")
    note(mapping.population, "population")
    for column in mapping.controls:
        note(column, "control")
    for channel in mapping.channels:
        note(channel.spend, "spend", channel.name)
        note(channel.media, "media", channel.name)
        note(channel.reach, "reach", channel.name)
        note(channel.frequency, "frequency", channel.name)
        note(channel.column, "non_media", channel.name)
    return [roles.get(column, ColumnRole(column, "ignored")) for column in columns]


def _channels(
    entries: list[ColumnRole], findings: list[Finding]
) -> Iterable[ChannelColumns]:
    """Channels in the order in which the table first names them."""
    groups: dict[str, dict[str, str]] = {}
    for entry in entries:
        if entry.role not in CHANNEL_ROLES:
            continue
        name = entry.channel.strip() or entry.column
        group = groups.setdefault(name, {})
        if entry.role in group:
            message = (
                f"Channel {name} has two columns of {entry.role}: {group[entry.role]} "
                f"and {entry.column}."
            )
            hint = "Keep one, or give each its own channel."
            findings.append(Finding("error", f"channel {name}", message, hint))
        group.setdefault(entry.role, entry.column)
    for name, group in groups.items():
        channel = _channel(name, group)
        if channel is None:
            message = f"Channel {name} is mapped as {listed(sorted(group))}."
            hint = (
                "A channel has media units, or reach and frequency, with or without "
                "spend; or it is a non-media treatment alone."
            )
            findings.append(Finding("error", f"channel {name}", message, hint))
        else:
            yield channel


def _channel(name: str, group: dict[str, str]) -> ChannelColumns | None:
    """A channel from the columns of its roles; None where they do not go together."""
    spend = group.get("spend")
    has = set(group) - {"spend"}
    kind: ChannelKind
    if has == {"non_media"} and spend is None:
        return ChannelColumns(name, "non_media", column=group["non_media"])
    if has == {"reach", "frequency"}:
        kind = "reach_frequency" if spend else "organic_reach_frequency"
        reach, frequency = group["reach"], group["frequency"]
        return ChannelColumns(name, kind, reach=reach, frequency=frequency, spend=spend)
    if has == {"media"} or (not has and spend):
        kind = "media" if spend else "organic_media"
        return ChannelColumns(name, kind, media=group.get("media", spend), spend=spend)
    return None
