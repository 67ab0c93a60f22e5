"""Parts of the Data screen: verdict line, mapping table, findings, charts.

Remedies: a button for each finding that another role of a column fixes.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from core import text as fmt
from core.charts import data as figures
from core.service.records.columns import PAID, ColumnMapping, Finding
from core.service.tables import Extent, extent
from core.text.languages.language import marked, say, say_count
from core.text.languages.reworded import reworded
from pages.data import draft, problems, units
from pages.data.draft import Roles, Source
from pages.ui import demand_view, drawn, findings, navigation, state, tables
from pages.ui.fields import gated
from pages.ui.findings import plain
from pages.ui.reader.once import once
from pages.upload import mapping_table

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


def show(source: Source, checked: Sequence[Finding]) -> None:
    """The buttons below the findings."""
    with st.container(horizontal=True):
        for place, remedy in enumerate(_together(checked, source.rows)):
            names = fmt.listed(remedy.names, limit=2)
            gated.button(
                plain(say(remedy.label, names=names)),
                key=f"data.remedy.{place}",
                on_click=_apply,
                args=(source, remedy.roles),
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


def _apply(source: Source, roles: Roles) -> None:
    """Give columns their roles; what else was typed stays."""
    waiting = state.upload()
    if waiting is not None:
        rows = draft.with_roles(waiting.rows, roles)
        state.revise_upload(replace(waiting, rows=rows))
    else:
        draft.keep_roles(source.digest, roles)


_KINDS = {
    "media": marked("Paid media"),
    "reach_frequency": marked("Paid reach"),
    "organic_media": marked("Organic media"),
    "organic_reach_frequency": marked("Organic reach"),
    "non_media": marked("Treatments"),
}
#: Columns of a file that are mapped without scrolling inside the table.
_MOST_COLUMNS = 150
#: As many warnings and notes are all shown without a click.
_FEW = {"warning": 4, "info": 2}
#: Where there are more, the first of them.
_SHOWN = {"warning": 3, "info": 0}
#: Names of channels of a kind, and of controls, that are listed.
_NAMED = 12
_BELOW = (marked("Spend"), marked("Share"), marked("Correlation"), marked("Demand"))


def verdict(
    source: Source, mapping: ColumnMapping | None, findings: Sequence[Finding]
) -> None:
    """One line: whether a fit is possible, and what the table holds."""
    n_errors = sum(finding.severity == "error" for finding in findings)
    n_warnings = sum(finding.severity == "warning" for finding in findings)
    if n_errors:
        headline = say_count(
            n_errors,
            "{number} error blocks a fit.",
            "{number} errors block a fit.",
            number=n_errors,
        )
        text = f":red[:material/error:] **{headline}**"
    elif n_warnings:
        what = fmt.count(n_warnings, "warning")
        text = say(
            ":orange[:material/warning:] **Good enough for a fit, with {what}.**",
            what=what,
        )
    else:
        text = say(":green[:material/check_circle:] **Good enough for a fit.**")
    facts = "" if mapping is None else _facts(source, mapping)
    if source.upload is not None:
        guess, name = source.upload.guess, plain(source.upload.filename)
        others = len(guess.files) - 1 if guess else 0
        more = (
            say(
                "{name} and {others} are not saved yet: check the roles, then accept "
                "them.",
                name=name,
                others=say_count(
                    others, "{number} other file", "{number} other files", number=others
                ),
            )
            if others
            else say(
                "{name} is not saved yet: check the roles, then accept them.", name=name
            )
        )
        text = f"{text} {more}"
    st.markdown(f"{text} :gray[{facts}]")


def _facts(source: Source, mapping: ColumnMapping) -> str:
    """What the table holds: periods, geos, channels, controls."""
    sizes = _extent(source.digest, source.frame, mapping)
    is_one = sizes.n_geos == 1
    parts = [fmt.count(len(sizes.times), sizes.period)]
    parts.append(say("national") if is_one else fmt.count(sizes.n_geos, "geo"))
    parts.append(fmt.count(len(mapping.channels), "channel"))
    if mapping.controls:
        parts.append(fmt.count(len(mapping.controls), "control"))
    return " · ".join(part for part in parts if part)


@once(lambda digest, frame, mapping: (digest, mapping), most=16)
def _extent(digest: str, frame: pd.DataFrame, mapping: ColumnMapping) -> Extent:
    return extent(frame, mapping)


def mapping_editor(source: Source) -> pd.DataFrame:
    """The mapping table, all of it, editable in place; returns it as edited."""
    table = st.container()
    rows, hidden = _shown_rows(source)
    most = 220 if "why" in hidden else 170
    named = tables.width(source.rows["column"], 124, most)
    config = _columns(named)
    with table:  # above its switch, level with what stands beside it
        return gated.data_editor(
            rows,
            key=f"data.mapping.{state.edition('mapping')}",
            column_config=config,
            column_order=[name for name in config if name not in hidden],
            hide_index=True,
            height=tables.height(len(source.rows), most=_MOST_COLUMNS),
            width="stretch",
            placeholder="",
            alt=say("The role of each column"),
        )


def _columns(named: int) -> dict[str, Any]:
    """Columns of the mapping table; `named` is the width of the names, px."""
    text = st.column_config.TextColumn
    return {
        "column": text(say("Column"), pinned=True, disabled=True, width=named),
        "role": st.column_config.SelectboxColumn(
            say("Role"),
            options=list(mapping_table.ROLES),
            format_func=say,
            required=True,
            width=98,
            help=say(
                "What the column is in the model. Spend may stand per row, once for "
                "all geos of a period, or as one total: it is then spread by media "
                "units."
            ),
        ),
        "channel": text(
            say("Channel"),
            max_chars=64,
            width=88,
            help=say(
                "The channel that a media, spend, reach, frequency or treatment "
                "column belongs to. A channel without spend is organic."
            ),
        ),
        "why": text(
            say("Why"),
            disabled=True,
            width=264 - named,
            help=say(
                "What the column was recognised by, or what is wrong with it: ✕ "
                "blocks a fit, ⚠ is a warning."
            ),
        ),
        "example": text(say("First values"), disabled=True, width=84),
    }


def _shown_rows(source: Source) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """The rows, and the columns that are left out of them.

    A reason stands in a row only where something is wrong with it, and first values
    only until the roles are accepted; a switch shows all of both.
    """
    rows = problems.in_rows(source.rows)
    if st.toggle(
        say("Reasons and first values"),
        key="data.reasons",
        persist_state="session",
        help=navigation.tip(
            "What each column was recognised by, and the first values in it."
        ),
    ):
        return rows, ()
    is_wrong = rows.why.str.contains("[✕⚠]", na=False)
    hidden = () if is_wrong.any() else ("why",)
    if source.upload is None:
        hidden += ("example",)
    return rows.assign(why=rows.why.where(is_wrong, "")), hidden


def findings_box(
    source: Source,
    mapping: ColumnMapping | None,
    checked: Sequence[Finding],
) -> None:
    """Every finding, worst first, then what the table holds."""
    with st.container(border=True, key="data.findings", gap="small"):
        if checked:
            _findings(checked)
            units.answer(checked)
            show(source, checked)
        if mapping is not None:
            _contents(source, mapping)


def _findings(checked: Sequence[Finding]) -> None:
    """Errors and the first warnings; what else there is as one line."""
    first = [each for each in checked if each.severity == "error"]
    for severity, most in _FEW.items():
        alike = [each for each in checked if each.severity == severity]
        first += alike if len(alike) <= most else alike[: _SHOWN[severity]]
    findings.show_findings(first)
    rest = [each for each in checked if each not in first]
    if rest:
        label = findings.tally(rest, are_more=bool(first))
        with st.expander(label, icon=":material/more_horiz:", key="data.findings.more"):
            findings.show_findings(rest)


def _contents(source: Source, mapping: ColumnMapping) -> None:
    """What the table holds, in a few rows."""
    times = _extent(source.digest, source.frame, mapping).times
    n_rows, n_columns = source.frame.shape
    contents = {
        say("Table"): f"{fmt.count(n_rows, 'row')}, {fmt.count(n_columns, 'column')}"
    }
    if len(times):
        first, last = (fmt.date(str(times[place])) for place in (0, -1))
        contents[say("Dates")] = say("{first} to {last}", first=first, last=last)
    for kind, name in _KINDS.items():
        names = [channel.name for channel in mapping.of_kind(kind)]
        if names:
            contents[say(name)] = plain(fmt.listed(names, limit=_NAMED))
    if mapping.controls:
        contents[say("Controls")] = plain(fmt.listed(mapping.controls, limit=_NAMED))
    contents = {  # a heading takes one line
        name.replace(" ", "\u00a0"): text for name, text in contents.items()
    }
    st.table(contents, border="horizontal", alt=say("What the table holds"))


def kind(source: Source, mapping: ColumnMapping) -> None:
    """Whether the KPI is money, a count with a value or a count without, and why."""
    from core.service.data.roles import kind_explained

    explained, is_sure = kind_explained(source.frame, mapping)
    column = mapping.kpi or ""  # neither it nor a word of it is translated
    sentence = reworded(explained, [column, *re.findall(r"[^\W_]+", column.lower())])
    if not is_sure:
        is_count = mapping.kpi_type == "non_revenue"
        role = mapping_table.REVENUE if is_count else mapping_table.KPI
        more = say("If it is wrong, change its role to {kpi}.", kpi=say(role))
        sentence = f"{sentence} {more}"
    st.caption(plain(sentence))


def charts(source: Source, mapping: ColumnMapping, currency: str) -> None:
    """KPI over time, and below it spend, its shares, the correlation or demand."""
    frame = source.frame
    by_geo = bool(mapping.geo) and st.toggle(say("KPI by geo"), key="data.by_geo")
    key = (source.digest, mapping, currency)
    makers = {
        "Spend": partial(figures.spend, frame, mapping, currency=currency),
        "Share": partial(figures.spend_share, frame, mapping, currency=currency),
        "Correlation": partial(figures.correlation, frame, mapping),
    }
    make = partial(figures.kpi, frame, mapping, by_geo=by_geo, currency=currency)
    drawn.show("data.kpi", make, by_geo, *key)
    if not mapping.of_kind(*PAID):
        return  # no spend to draw
    choice = st.segmented_control(
        say("Chart"),
        _BELOW,
        default=_BELOW[0],
        format_func=say,
        required=True,
        key="data.chart",
        label_visibility="collapsed",
    )
    if choice == "Demand":
        demand_view.show(source.digest, frame, mapping)
    else:
        drawn.show("data.second", makers[choice], choice, *key)
