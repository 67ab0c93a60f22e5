"""Figures about the table, before any model: KPI, spend, shares, what follows what.

They read the table as imported with its column mapping, also where a check found
errors: what cannot be read as a number is left out. Columns of the same name as in
the mapping must be there; a role whose column is missing is skipped.
"""

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from core import text as fmt
from core.charts.drawing import marks, stack, style
from core.data.demand.comparison import Comparison
from core.data.mapping import KINDS, PAID, ChannelColumns, ColumnMapping
from core.data.observations import dates_of, numbers_of
from core.text.languages.language import say


def channel_order(mapping: ColumnMapping) -> list[str]:
    """Channels in the order of results: by kind, then as mapped. It fixes colours."""
    ranked = sorted(mapping.channels, key=lambda channel: KINDS.index(channel.kind))
    return [channel.name for channel in ranked]


def kpi(
    table: pd.DataFrame,
    mapping: ColumnMapping,
    *,
    by_geo: bool = False,
    currency: str = "",
) -> go.Figure:
    """KPI over time: the sum over geos, or each geo as a thin line.

    Args:
        table: The table as imported.
        mapping: Its column mapping.
        by_geo: One thin line per geo instead of their sum.
        currency: Currency code, for a KPI in money.
    """
    colours = style.palette()
    money = mapping.kpi_type == "revenue"
    unit = (
        fmt.currency_symbol(currency) if money else style.label(fmt.spoken(mapping.kpi))
    )
    wide = _by_time(table, mapping, mapping.kpi, by_geo)
    divisor, axis_unit = marks.on_axis(unit if money else "", _largest(wide.to_numpy()))
    is_alone = wide.shape[1] == 1
    figure = style.figure(
        marks.per_period(
            style.label(_heading(mapping.kpi)),
            wide.index.to_numpy(),
            axis_unit if money and unit else "",
        ),
        height=280,
        note="" if is_alone else say("One line per geo ({n}).", n=wide.shape[1]),
        y=axis_unit,
    )
    x, y, hover = _strands(wide, unit)
    stroke = {"hover": hover, "width": 1.75 if is_alone else 1}
    colour = colours.accent if is_alone else colours.faint
    figure.add_trace(marks.line(x, y / divisor, colour, **stroke))
    figure.update_yaxes(rangemode="tozero")
    return figure


def spend(
    table: pd.DataFrame, mapping: ColumnMapping, *, currency: str = ""
) -> go.Figure:
    """Spend over time, stacked by channel, summed over geos."""
    unit = fmt.currency_symbol(currency)
    wide = _spend_by_time(table, mapping)
    word = marks.period(wide.index.to_numpy())
    peak = _largest(wide.sum(axis=1).to_numpy())
    divisor, axis_unit = marks.scaled(unit, peak)
    figure = style.figure(
        say("Spend by channel, {shown} per {word}", shown=axis_unit, word=say(word)),
        height=280,
        y=say("{shown} per {word}", shown=axis_unit, word=say(word)),
    )
    layers = stack.channel_layers(
        list(wide.columns), wide.to_numpy(float), channel_order(mapping)
    )
    stack.draw(figure, wide.index.to_numpy(), layers, unit=unit, divisor=divisor)
    return figure


def spend_share(
    table: pd.DataFrame, mapping: ColumnMapping, *, currency: str = ""
) -> go.Figure:
    """Share of total spend by channel, largest first."""
    totals = _spend_by_time(table, mapping).sum().sort_values(ascending=False)
    # A table may have columns of spend and no spend in them.
    shares = (totals / (totals.sum() or 1.0)).to_numpy(float)
    colours = style.channel_colours(channel_order(mapping))
    figure = style.figure(
        say("Share of spend, % of {sum}", sum=fmt.money(float(totals.sum()), currency)),
        height=marks.rows_height(len(totals), frame=84),
        x=say("% of spend"),
    )
    figure.add_bar(
        y=np.arange(len(totals)),
        x=100 * shares,
        orientation="h",
        width=0.62,
        marker={"color": [colours[name] for name in totals.index], "cornerradius": 3},
        **marks.hovering(
            [
                f"<b>{style.label(name, 60)}</b><br>"
                f"{fmt.exact(float(totals[name]), fmt.currency_symbol(currency))}"
                for name in totals.index
            ]
        ),
    )
    marks.row_axis(figure, [style.label(name, marks.ROW) for name in totals.index])
    marks.row_texts(
        figure,
        [
            marks.light(f"{fmt.share(s)} ({fmt.money(float(v), currency)})")
            for s, v in zip(shares, totals, strict=True)
        ],
    )
    marks.percent_axis(figure.layout.xaxis)
    return figure


def correlation(table: pd.DataFrame, mapping: ColumnMapping) -> go.Figure:
    """Correlation between channels, controls and the KPI, within geos.

    Each geo's own average is taken out first, so that large geos do not make
    everything look alike.
    """
    columns = {channel.name: _exposure(channel) for channel in mapping.channels}
    columns |= {name: name for name in mapping.controls}
    columns[mapping.kpi] = mapping.kpi
    values = pd.DataFrame(
        {
            n: _numbers(table, mapping, c)
            for n, c in columns.items()
            if c in table.columns
        }
    )
    if mapping.geo in table.columns:
        # Large geos have more of everything; within geos, what moves together shows.
        values = values - values.groupby(table[mapping.geo]).transform("mean")
    # A column that never changes correlates with nothing: its cells stay empty.
    with np.errstate(all="ignore"):
        matrix = values.corr().to_numpy(copy=True)
    np.fill_diagonal(matrix, np.nan)
    texts = [style.label(name, 18) for name in values.columns]
    return _heat_map(matrix, texts)


def _heat_map(matrix: np.ndarray, texts: list[str]) -> go.Figure:
    size = len(texts)
    cell = 30 if size <= 12 else 20
    figure = style.figure(
        say("Correlation within geos, −1 to 1"),
        height=150 + cell * size,
        note=say("Pairs above 0.9 are hard to tell apart."),
    )
    cells = [
        [
            say(
                "{first} and {second}<br>{v}",
                first=texts[i],
                second=texts[j],
                v=fmt.ratio(v),
            )
            for j, v in enumerate(row)
        ]
        for i, row in enumerate(matrix)
    ]
    numbers = [[fmt.ratio(v) if np.isfinite(v) else "" for v in row] for row in matrix]
    figure.add_heatmap(
        z=matrix,
        zmin=-1,
        zmax=1,
        colorscale=style.diverging(),
        xgap=2,
        ygap=2,
        text=numbers if size <= 12 else None,
        texttemplate="%{text}" if size <= 12 else None,
        textfont={"size": 11},
        showscale=size > 12,
        colorbar={"thickness": 10, "outlinewidth": 0, "tickvals": [-1, 0, 1]},
        customdata=cells,
        hovertemplate="%{customdata}<extra></extra>",
    )
    ticks = {"tickmode": "array", "tickvals": list(range(size)), "ticktext": texts}
    figure.update_xaxes(**ticks, tickangle=-40, showline=False)
    figure.update_yaxes(**ticks, autorange="reversed", showgrid=False)
    return figure


def _exposure(channel: ChannelColumns) -> str | None:
    return channel.media or channel.reach or channel.column or channel.spend


def _numbers(table: pd.DataFrame, mapping: ColumnMapping, column: str) -> pd.Series:
    return pd.Series(numbers_of(table, mapping, column).values, index=table.index)


def _times(table: pd.DataFrame, mapping: ColumnMapping) -> pd.Series:
    values = dates_of(table, mapping).values
    # Checks may not have run: a mistyped year can lie beyond nanoseconds (2262).
    return pd.Series(values.astype("datetime64[s]"), index=table.index)


def _heading(column: str) -> str:
    """A column's name at the beginning of a title."""
    name = fmt.spoken(column)
    return name[:1].upper() + name[1:]


def _by_time(
    table: pd.DataFrame, mapping: ColumnMapping, column: str, by_geo: bool
) -> pd.DataFrame:
    """Sum of a column by period, one column in all or one per geo."""
    split = by_geo and mapping.geo in table.columns
    geo = table[mapping.geo].astype(str) if split else pd.Series("", table.index)
    values = _numbers(table, mapping, column)
    keys = [_times(table, mapping).rename("time"), geo.rename("geo")]
    # A period without any number is a gap, not zero.
    return values.groupby(keys).sum(min_count=1).unstack("geo").sort_index()


def _spend_by_time(table: pd.DataFrame, mapping: ColumnMapping) -> pd.DataFrame:
    """Spend by period and paid channel, summed over geos."""
    times = _times(table, mapping).rename("time")
    paid = {c.name: c for c in mapping.of_kind(*PAID) if c.spend in table.columns}
    series = {
        name: _numbers(table, mapping, paid[name].spend).fillna(0).groupby(times).sum()
        for name in channel_order(mapping)
        if name in paid
    }
    return pd.DataFrame(series).sort_index()


def _largest(values: np.ndarray) -> float:
    finite = np.abs(values[np.isfinite(values)]) if values.size else values
    return float(finite.max()) if finite.size else 0.0


def _strands(wide: pd.DataFrame, unit: str) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Every column as one line after the other in one trace, with gaps between."""
    x, y, hover = [], [], []
    for name in wide.columns:
        values = wide[name].to_numpy(float)
        head = f"<b>{style.label(str(name))}</b><br>" if name else ""
        x += [wide.index.to_numpy(), np.array(["NaT"], wide.index.dtype)]
        y += [values, [np.nan]]
        hover += [
            f"{head}{fmt.date(str(time)[:10])}<br>{fmt.exact(value, unit)}"
            for time, value in zip(wide.index, values, strict=True)
        ]
        hover.append("")
    if not x:
        return np.array([]), np.array([]), []
    return np.concatenate(x)[:-1], np.concatenate(y)[:-1], hover[:-1]


def spend_and_kpi(
    comparison: Comparison, *, kpi: str, colour: str | None = None
) -> go.Figure:
    """Log spend of a channel and the KPI, each by its distance from its trend.

    In percent of its largest distance, so that both fill the figure.

    Args:
        comparison: Both series.
        kpi: Name of the KPI.
        colour: Of the channel.
    """
    colours = style.palette()
    colour = colour or colours.accent
    figure = style.figure(
        say(
            "{channel} and {kpi}: from trend, % of the largest",
            channel=style.label(comparison.channel, 18),
            kpi=style.label(kpi, 18),
        ),
        height=280,
        note=say("Log of spend and KPI; gaps are periods without spend."),
        y=say("% of the largest"),
    )
    days = [fmt.date(str(day)) for day in comparison.times.astype("datetime64[D]")]
    lines = (
        (style.label(kpi, 18), _share(comparison.kpi), colours.faint),
        (style.label(comparison.channel, 18), _share(comparison.spend), colour),
    )
    for name, values, shade in lines:
        hover = [
            f"{name}, {day}<br>{value:.0f} %" if np.isfinite(value) else ""
            for day, value in zip(days, values, strict=True)
        ]
        figure.add_trace(
            marks.line(comparison.times, values, shade, hover=hover, width=1.75)
        )
    ends = [(_last(values), marks.keyed(name, shade)) for name, values, shade in lines]
    marks.end_labels(figure, ends, (-108, 108))
    return figure


def _share(values: np.ndarray) -> np.ndarray:
    """Percent of the largest distance from zero."""
    largest = np.nanmax(np.abs(values), initial=0.0)
    return 100 * values / largest if largest > 0 else values


def _last(values: np.ndarray) -> float:
    finite = values[np.isfinite(values)]
    return float(finite[-1]) if len(finite) else 0.0
