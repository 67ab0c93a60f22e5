"""The mapping as a table to edit: one row per column of the data, with its role."""

from collections.abc import Mapping

import pandas as pd

from core.data.findings import Finding
from core.data.mapping import ChannelColumns, ChannelKind, ColumnMapping
from core.errors import SchemaError

IGNORE = "Ignore"
DATE = "Date"
GEO = "Geo"
KPI = "KPI, units"
REVENUE = "KPI, revenue"
VALUE = "Value per KPI unit"
POPULATION = "Population"
CONTROL = "Control"
MEDIA = "Media"
SPEND = "Spend"
BOTH = "Media and spend"
REACH = "Reach"
FREQUENCY = "Frequency"
TREATMENT = "Non-media treatment"

ROLES = (
    DATE,
    GEO,
    KPI,
    REVENUE,
    VALUE,
    POPULATION,
    MEDIA,
    SPEND,
    BOTH,
    REACH,
    FREQUENCY,
    TREATMENT,
    CONTROL,
    IGNORE,
)
#: Roles that belong to a channel, which the table names beside them.
OF_CHANNEL = (MEDIA, SPEND, BOTH, REACH, FREQUENCY, TREATMENT)
_ONCE = (DATE, GEO, VALUE, POPULATION)
COLUMNS = ("column", "role", "channel", "example")


def rows_of(frame: pd.DataFrame, mapping: ColumnMapping | None) -> pd.DataFrame:
    """The table to edit: a row per column of the data."""
    roles = {} if mapping is None else _roles(mapping)
    rows = []
    for column in frame.columns:
        role, channel = roles.get(column, (IGNORE, None))
        rows.append((column, role, channel, example(frame[column])))
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    return table.astype({"channel": "object"})


def guessed(frame: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, str]]:
    """The table to edit with the roles that the columns seem to have, and why."""
    from core.data.recognise import explain_mapping, guess_mapping

    try:
        mapping = guess_mapping(frame)
    except SchemaError:
        return rows_of(frame, None), {}
    return rows_of(frame, mapping), explain_mapping(frame)


def example(column: pd.Series) -> str:
    """The first values of a column, to recognise it by."""
    values = [_shown(value) for value in column.dropna().head(3)]
    text = ", ".join(values)
    return text if len(text) <= 48 else f"{text[:47]}…"


def _shown(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.10g}"
    return str(value.date()) if isinstance(value, pd.Timestamp) else str(value)


def value_of(mapping: ColumnMapping | None) -> float | None:
    """The value of one KPI unit where it is a number, not a column."""
    given = None if mapping is None else mapping.revenue_per_kpi
    return given if isinstance(given, float | int) else None


def mapping_of(rows: pd.DataFrame, value: float | None = None) -> ColumnMapping:
    """The mapping that a table describes.

    Args:
        rows: The table as edited.
        value: Currency per KPI unit, where no column has it.

    Raises:
        SchemaError: Roles are missing, doubled or contradict each other; `findings`
            has every one.
    """
    found: list[Finding] = []
    by_role: dict[str, list[str]] = {role: [] for role in ROLES}
    for row in rows.itertuples():
        by_role[row.role if row.role in by_role else IGNORE].append(row.column)
    for role in _ONCE:
        _at_most_one(role, by_role[role], found)
    kpis = by_role[KPI] + by_role[REVENUE]
    _at_most_one("KPI", kpis, found)
    _needed(DATE, by_role[DATE], "date of each row", found)
    _needed("KPI", kpis, "outcome that media should explain", found)
    channels = _channels(rows, found)
    if found:
        raise SchemaError(
            found[0].message, hint=found[0].hint, where=found[0].where, findings=found
        )
    first = {role: next(iter(by_role[role]), None) for role in _ONCE}
    is_revenue = bool(by_role[REVENUE])
    return ColumnMapping(
        time=by_role[DATE][0],
        kpi=kpis[0],
        geo=first[GEO],
        kpi_type="revenue" if is_revenue else "non_revenue",
        revenue_per_kpi=None if is_revenue else first[VALUE] or value,
        population=first[POPULATION],
        controls=tuple(by_role[CONTROL]),
        channels=channels,
    )


def _roles(mapping: ColumnMapping) -> dict[str, tuple[str, str | None]]:
    roles: dict[str, tuple[str, str | None]] = {}
    for channel in mapping.channels:
        parts = (
            (channel.media, MEDIA),
            (channel.reach, REACH),
            (channel.frequency, FREQUENCY),
            (channel.column, TREATMENT),
            (channel.spend, SPEND),
        )
        for column, role in parts:
            if column is not None:
                role = BOTH if role == SPEND and column == channel.media else role
                roles[column] = (role, channel.name)
    for control in mapping.controls:
        roles[control] = (CONTROL, None)
    kpi = REVENUE if mapping.kpi_type == "revenue" else KPI
    value = mapping.revenue_per_kpi
    singles = (
        (mapping.geo, GEO),
        (mapping.population, POPULATION),
        (value if isinstance(value, str) else None, VALUE),
        (mapping.kpi, kpi),
        (mapping.time, DATE),
    )
    roles |= {column: (role, None) for column, role in singles if column is not None}
    return roles


def _at_most_one(role: str, columns: list[str], found: list[Finding]) -> None:
    if len(columns) > 1:
        shown = ", ".join(columns)
        found.append(
            Finding(
                "error",
                columns[1],
                f"{len(columns)} columns have the role {role}: {shown}.",
                f"Keep one and set the others to {IGNORE}.",
            )
        )


def _needed(role: str, columns: list[str], what: str, found: list[Finding]) -> None:
    if not columns:
        found.append(
            Finding(
                "error",
                role,
                f"No column has the role {role}.",
                f"Give it to the column with the {what}.",
            )
        )


def _channels(rows: pd.DataFrame, found: list[Finding]) -> tuple[ChannelColumns, ...]:
    parts: dict[str, dict[str, str]] = {}
    for row in rows.itertuples():
        if row.role not in OF_CHANNEL:
            continue
        name = "" if pd.isna(row.channel) else str(row.channel).strip()
        if not name and row.role == TREATMENT:
            name = str(row.column)
        if not name:
            message = f"Column {row.column} has the role {row.role} but no channel."
            hint = "Type the channel's name beside it."
            found.append(Finding("error", str(row.column), message, hint))
            continue
        roles = (MEDIA, SPEND) if row.role == BOTH else (row.role,)
        for role in roles:
            earlier = parts.setdefault(name, {}).get(role)
            if earlier is not None:
                message = f"Channel {name} has two {role} columns: "
                message += f"{earlier} and {row.column}."
                hint = f"Set one of them to {IGNORE}, or name another channel."
                found.append(Finding("error", name, message, hint))
            parts[name][role] = str(row.column)
    made = (_channel(name, columns, found) for name, columns in parts.items())
    return tuple(channel for channel in made if channel is not None)


def _channel(
    name: str, columns: Mapping[str, str], found: list[Finding]
) -> ChannelColumns | None:
    kind, hint = _kind(columns)
    if kind is None:
        message = f"Channel {name} has {', '.join(columns)}, which do not go together."
        found.append(Finding("error", name, message, hint))
        return None
    return ChannelColumns(
        name,
        kind,
        media=columns.get(MEDIA),
        reach=columns.get(REACH),
        frequency=columns.get(FREQUENCY),
        column=columns.get(TREATMENT),
        spend=columns.get(SPEND),
    )


def _kind(columns: Mapping[str, str]) -> tuple[ChannelKind | None, str]:
    """The kind of channel that a set of roles makes, or what would mend it."""
    roles, paid = set(columns), SPEND in columns
    if roles - {SPEND} == {MEDIA}:
        return ("media" if paid else "organic_media"), ""
    if roles - {SPEND} == {REACH, FREQUENCY}:
        return ("reach_frequency" if paid else "organic_reach_frequency"), ""
    if roles == {TREATMENT}:
        return "non_media", ""
    if roles == {SPEND}:
        return None, f"Add its media column, or set the role to {BOTH}."
    if roles & {REACH, FREQUENCY}:
        return None, "A channel has Media, or Reach and Frequency together."
    return None, "A channel has Media and Spend, or is a non-media treatment alone."
