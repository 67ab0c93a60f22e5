"""Bars that lie in rows: intervals, and the steps of a waterfall."""

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
import plotly.graph_objects as go

from core.charts.drawing import marks


def intervals(
    at: Any,
    low: Any,
    high: Any,
    colours: str | Sequence[str],
    *,
    width: float = 0.3,
    hover: Sequence[str] | None = None,
    is_rounded: bool = True,
) -> go.Bar:
    """A bar from the lower to the upper end of each interval.

    Args:
        at: Rows, from the top down.
        low: Lower ends, in units of the axis.
        high: Upper ends.
        colours: One for all bars, or each bar's own.
        width: Of a bar, in rows.
        hover: What each says when pointed at; None for nothing.
        is_rounded: Whether its corners are.
    """
    return go.Bar(
        y=at,
        x=np.asarray(high) - np.asarray(low),
        base=low,
        orientation="h",
        width=width,
        marker={
            "color": colours,
            "line_width": 0,
            "cornerradius": 3 if is_rounded else None,
        },
        **marks.hovering(hover),
    )


def steps(
    base: Sequence[float], length: Sequence[float], colours: Sequence[str], by: Real
) -> go.Bar:
    """The steps of a waterfall, one a row, each from where the one before ended.

    Args:
        base: Where each begins.
        length: How far it goes.
        colours: Of each.
        by: What the axis divides both by.
    """
    return go.Bar(
        y=np.arange(len(length)),
        x=np.array(length) / by,
        base=np.array(base) / by,
        orientation="h",
        width=0.62,
        marker={"color": colours, "line_width": 0},
        hoverinfo="skip",
    )
