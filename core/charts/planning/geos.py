"""Figures about a plan of geos: how spend changes by channel and geo."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from core import text as fmt
from core.charts.drawing import marks, style
from core.charts.planning.plan import hover_of_spend
from core.plan.record.parts import Cell, change_of_spend
from core.plan.record.plan_record import PlanRecord
from core.text.languages.language import say

#: Most channels whose cells still have room for a number.
_MOST_TEXTS = 8
#: Letters of names side by side above the columns, beside a table on a laptop.
_LETTERS = 24

_Cell = Cell | None


def change(
    plan: PlanRecord,
    *,
    geos: Sequence[str] | None = None,
    order: Sequence[str] | None = None,
    currency: str = "",
) -> go.Figure:
    """Change of spend, a row per geo and a column per channel; geos' own at the right.

    Args:
        plan: A plan over geos.
        geos: Rows from the top down; the plan's own order unless given.
        order: Every channel of the project; the plan's own order unless given.
        currency: Currency code.
    """
    lines = {line.name: line for line in plan.geos}
    names = list(geos or lines)
    own = [line.name for line in plan.channels]
    every = dict.fromkeys([*(order or ()), *own])
    channels = [name for name in every if name in own]
    cells = {(cell.geo, cell.channel): cell for cell in plan.cells}
    table = [[cells.get((geo, name)) for name in channels] for geo in names]
    figure = style.figure(
        say("Change of spend by geo and channel, %"),
        height=24 * len(names),
        note=say(
            "Right: all channels. ▲ ▼ firm (90\u00a0% sure), △ ▽ likely (75\u00a0%), "
            "◇ open. ×: beyond observed spend there."
        ),
    )
    figure.add_trace(_cells(table, currency, plan.horizon.heading))
    marks.row_axis(figure, [style.label(name, 18) for name in names])
    marks.row_texts(figure, [change_of_spend(lines[name]) for name in names])
    names_above, rows_above, angle = _names_above(channels)
    margin = figure.layout.margin.t + 4 + 16 * rows_above
    figure.update_layout(margin_t=margin, height=margin + 12 + 24 * len(names))
    figure.update_xaxes(
        tickmode="array",
        tickvals=list(range(len(channels))),
        ticktext=names_above,
        side="top",
        showgrid=False,
        showline=False,
        tickangle=angle,
    )
    return figure


def _names_above(channels: Sequence[str]) -> tuple[list[str], int, int]:
    """Names of columns, their rows and their angle: every other one a row higher.

    That is where one row would have them run into each other; slanted where two would.
    """
    names = [style.label(name, 12) for name in channels]
    letters = len(names) * max(map(len, names), default=0)
    if letters <= _LETTERS:
        return names, 1, 0
    if len(names) <= _MOST_TEXTS:
        return (
            [f"{name}<br>\u00a0" if at % 2 else name for at, name in enumerate(names)],
            2,
            0,
        )
    return names, 1, -45


def _cells(table: list[list[_Cell]], currency: str, ran: str) -> go.Heatmap:
    """The change of every cell, blue for more and brown for less."""
    values = np.array([[_share(cell) for cell in line] for line in table], dtype=float)
    ends = np.abs(values[np.isfinite(values)])
    # Plans that move little stay pale: full colour is a quarter, or the largest change.
    most = max(0.25, float(ends.max()) if len(ends) else 0.0)
    n_rows, n_columns = values.shape
    return go.Heatmap(
        x=list(range(n_columns)),
        y=list(range(n_rows)),
        z=values,
        zmin=-most,
        zmax=most,
        colorscale=style.diverging(),
        showscale=False,
        xgap=1,
        ygap=1,
        text=[[_cell_label(cell) for cell in line] for line in table],
        texttemplate="%{text}" if n_columns <= _MOST_TEXTS else None,
        textfont={"size": 12},
        customdata=[[_hover(cell, currency, ran) for cell in line] for line in table],
        hovertemplate="%{customdata}<extra></extra>",
        hoverongaps=False,
    )


def _share(cell: _Cell) -> float:
    is_new = cell is None or cell.multiplier is None
    return np.nan if is_new else cell.multiplier - 1


def _cell_label(cell: _Cell) -> str:
    if cell is None:
        return ""
    if cell.multiplier is None:
        return say("new") if cell.planned > 0 else ""
    mark = "× " if cell.beyond_seen else ""
    percent = f"{100 * _share(cell):+.0f}".replace("-", "\u2212")
    return mark + ("0" if percent[1:] == "0" else percent)


def _hover(cell: _Cell, currency: str, ran: str) -> str:
    if cell is None:
        return ""
    unit = fmt.currency_symbol(currency)
    name = f"{style.label(cell.channel, 40)}, {style.label(cell.geo, 40)}"
    parts = [f"<b>{name}</b>", *hover_of_spend(cell, unit, ran)]
    if cell.beyond_seen:
        parts.append(say("beyond observed spend"))
    return style.literal("<br>".join(parts))
