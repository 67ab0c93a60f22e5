"""The channels view of the Model screen: the table, and one prior looked at closely."""

from typing import get_args

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import text as fmt
from core.charts.data import channel_order
from core.charts.drawing import style
from core.errors import MMMError, SpecError
from core.service import runs
from core.service.records.model import (
    CHANNEL_STEMS,
    Adstock,
    Effectiveness,
    Market,
    ModelSpec,
    Saturation,
)
from core.text.languages.language import marked, say
from pages.model.channel import form, table
from pages.model.channel.parameters import explained
from pages.model.options import EFFECTIVENESS
from pages.ui import demand_view, layout, reading, state, tables, words
from pages.ui.fields import gated
from pages.ui.findings import plain, show_error
from pages.ui.reading import Opened

#: Fewer channels than this are rows, alike or not.
_SEVERAL = 3
#: What the sentence says of a channel; the rest is for analysts.
_SAID = ("about", "low", "likely", "high", "effectiveness")
_KEY = "model.each"


def edit(
    here: Opened, options: ModelSpec, about: Market, *, is_analyst: bool
) -> tuple[ModelSpec, list[str]]:
    """Draw the table and one channel; returns the options as edited.

    Args:
        here: The project.
        options: The options, kinds of priors settled by the data.
        about: The market.
        is_analyst: Whether every prior is shown as family and parameters.
    """
    mapping = here.project.mapping
    rows_of = table.analyst_rows if is_analyst else table.marketer_rows
    before = rows_of(options, about)
    after = _channels_table(before, options, about, is_analyst=is_analyst)
    place = st.container()
    error = None
    try:
        spec, edited = table.apply(options, before, after, about)
    except SpecError as caught:
        error, spec, edited = caught, options, []
    with place:
        if error is not None:
            show_error(error)
        if is_analyst:
            layout.remark(
                "Priors are written like LogNormal(0.2, 0.9), 0.5 to 3, or mean "
                "1.5, sd 0.8; blank is the default."
            )
        row = st.container(horizontal=True, vertical_alignment="bottom")
        name = _choose(options, row)
        if name is not None:
            colours = style.channel_colours(channel_order(mapping))
            followings = demand_view.judged(here.data_sha, reading.table(here), mapping)
            bought = demand_view.choice(
                options,
                options.channel(name),
                followings.get(name),
                _fitted(here, name),
                row,
            )
            changed = options
            if bought != options.channel(name):
                changed = options.with_channel(bought)
            closely = form.edit(
                changed, name, about, colours.get(name), is_analyst=is_analyst
            )
            if not edited and closely != options:
                state.start_afresh("channels")
                spec = closely
    if edited:
        state.start_afresh("closely")
    return spec, edited


def _channels_table(
    before: pd.DataFrame, options: ModelSpec, about: Market, *, is_analyst: bool
) -> pd.DataFrame:
    """Draw the table of channels, or say once what they share; as it was edited."""
    mode = "analyst" if is_analyst else "marketer"
    rows = before if is_analyst else said_once(before, about)
    if rows.empty:
        return before
    part = "" if len(rows) == len(before) else ".some"
    edited = gated.data_editor(
        rows,
        key=f"model.channels.{state.edition('channels')}.{mode}{part}",
        column_config=_columns(about),
        column_order=_order(options, rows, is_analyst, bool(about.geos)),
        hide_index=True,
        height=tables.height(len(rows)),
        placeholder="",
        alt=say("Assumptions about each channel"),
    )
    return with_rows(before, edited)


def _fitted(here: Opened, name: str) -> str:
    """What the newest fit says of whether a channel's spend follows demand."""
    run = runs.latest_fit(here.folder)
    if run is None:
        return ""
    try:
        channels = reading.fit(run.folder).channels
    except MMMError:  # a damaged result is told on Fit
        return ""
    demands = (channel.demand for channel in channels if channel.name == name)
    demand = next(demands, None)
    return demand.sentence if demand else ""


def _choose(spec: ModelSpec, row: DeltaGenerator) -> str | None:
    """The channel to look at closely."""
    names = [channel.name for channel in spec.channels]
    if not names:
        layout.remark("There are no channels. Give columns a role on the Data screen.")
        return None
    edited = state.draft("edited")
    if edited in names:
        state.put("model.channel", edited)
        state.keep("edited", None)
    return row.selectbox(say("Channel"), names, key="model.channel", width=200)


def _order(
    spec: ModelSpec, rows: pd.DataFrame, is_analyst: bool, has_geos: bool
) -> list[str]:
    """Columns of the table; to marketers only what fits on a phone, unless rows differ.

    Form and length of carryover are no question of theirs, and whether effects may
    drift is one for all channels, under Options.
    """
    shape = table.SHAPE
    if not is_analyst:
        differs = rows["effectiveness"].dropna().nunique() > 1
        return ["channel", *table.RANGE, "about", *["effectiveness"] * differs]
    used = {stem for c in spec.channels for stem in table.stems_of(c)}
    used -= set() if has_geos else {"eta"}
    stems = [stem for stem in CHANNEL_STEMS if stem in used]
    return ["channel", "about", "prior", *shape, *stems]


#: The ends and the peak of a prior: heads and what they mean.
_RANGE = {
    "low": (marked("Low"), marked("5 % lie below.")),
    "likely": (marked("Most likely"), marked("Where the peak is.")),
    "high": (marked("High"), marked("5 % lie above.")),
}
#: What a grid puts before the head of a column to type in, px.
_PENCIL = 20


def _typed_in(head: str) -> int:
    """Width of a column to type numbers in, px."""
    return _PENCIL + tables.width([head])


def _columns(about: Market) -> dict:
    number, text = st.column_config.NumberColumn, st.column_config.TextColumn
    choice = st.column_config.SelectboxColumn
    unit = about.units.roi
    return {
        "channel": text(say("Channel"), pinned=True, disabled=True, width=86),
        "about": choice(
            say("Prior on"),
            options=list(table.ABOUT),
            format_func=say,
            required=True,
            width=108,
            help=say(
                "What you know something about. ROI is in {unit}, a contribution is in "
                "percent of the outcome.",
                unit=unit,
            ),
        ),
        **{
            end: number(
                say(head), format="%.3g", width=_typed_in(say(head)), help=say(meaning)
            )
            for end, (head, meaning) in _RANGE.items()
        },
        "prior": text(say("Prior"), help=say("Family and parameters.")),
        **{stem: text(stem, help=explained(stem)) for stem in CHANNEL_STEMS},
        **_shapes(),
    }


def _shapes() -> dict:
    number, choice = st.column_config.NumberColumn, st.column_config.SelectboxColumn
    return {
        "adstock": choice(
            say("Adstock"),
            options=list(get_args(Adstock)),
            width=92,
            help=say(
                "How the effect carries over: geometric fades at once, binomial "
                "later, delayed and weibull_pdf may peak late."
            ),
        ),
        "saturation": choice(
            say("Saturation"),
            options=list(get_args(Saturation)),
            width=96,
            help=say("hill: each further contact adds less; none: in proportion."),
        ),
        "max_lag": number(
            say("Max lag"),
            min_value=0,
            max_value=104,
            step=1,
            width=80,
            help=say("Longest carryover in periods."),
        ),
        "effectiveness": choice(
            say("Over the years"),
            options=list(get_args(Effectiveness)),
            format_func=words.said(EFFECTIVENESS),
            width=104,
            help=say(
                "Whether what its media does may change over the years: constant or "
                "drifting."
            ),
        ),
    }


def said_once(rows: pd.DataFrame, about: Market) -> pd.DataFrame:
    """Say what most channels share; returns the rows that remain to be shown.

    Args:
        rows: The table of assumptions, a row per channel.
        about: The market.
    """
    if rows.empty:
        return rows
    groups = rows.groupby(list(_SAID), dropna=False, sort=False).groups
    largest = max(groups.values(), key=len)
    if len(largest) < _SEVERAL:
        return rows
    row = rows.loc[largest[0]]
    every = len(largest) == len(rows)
    names = list(rows.loc[largest, "channel"])
    who = say("All {number} channels", number=len(rows)) if every else fmt.listed(names)
    st.markdown(plain(fmt.named(who, _sentence(row, about))))
    is_each = st.toggle(say("Channel by channel"), key=_KEY, persist_state="session")
    return rows if is_each else rows.drop(index=largest)


def with_rows(rows: pd.DataFrame, part: pd.DataFrame) -> pd.DataFrame:
    """The table with the rows that were shown as they are now.

    Args:
        rows: Every channel.
        part: Some of the rows, as edited.
    """
    if len(part) == len(rows):
        return part
    return pd.concat([part, rows.drop(index=part.index)]).sort_index()


def _sentence(row: pd.Series, about: Market) -> str:
    """The prior that they share, and whether effects may change."""
    unit = {"ROI": f" {about.units.roi}", "Marginal ROI": f" {about.units.roi}"}
    write = fmt.roi if row.about in unit else fmt.number
    low, likely, high = (write(row[key]) for key in ("low", "likely", "high"))
    what = str(row.about).partition(",")[0]
    percent = "\u00a0%" if "%" in str(row["about"]) else unit.get(row["about"], "")
    drifts = {
        "drifting": say("Effects may drift over the years."),
        "constant": say("Effects stay the same over the years."),
    }
    sentence = say(
        "before the data speak, {what} is most likely {likely}{unit} "
        "(90\u00a0% interval: {low} – {high}).",
        what=say(what if what.isupper() else what.lower()),
        likely=likely,
        unit=percent,
        low=low,
        high=high,
    )
    return f"{sentence} {drifts.get(row['effectiveness'], '')}".rstrip()
