"""Figure about fit: the expected outcome with its interval against the actual one."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import plotly.graph_objects as go
import xarray as xr

from core import text as fmt
from core.charts import marks, style
from core.charts.style import Theme


def expected(
    weeks: xr.Dataset,
    *,
    geo: str | None = None,
    accuracy: Mapping[str, Any] | None = None,
    theme: Theme = "light",
) -> go.Figure:
    """Expected and actual outcome over time, with the 90 % interval as a band.

    Args:
        weeks: weeks.nc.
        geo: One geo; None for the sum.
        accuracy: `accuracy` of summary.json, written below the title.
        theme: Light or dark.
    """
    units = fmt.units(weeks.attrs)
    colours = style.palette(theme)
    actual, middle, low, high = _series(weeks, geo)
    times = weeks["time"].values
    unit = style.label(units.outcome)
    divisor, shown = marks.scaled(unit, float(np.nanmax(np.abs(high))))
    word = marks.period(times)
    place = f" in {style.label(geo)}" if geo else ""
    drawn = style.figure(
        f"Expected and actual {style.label(units.outcome_name.lower())}{place}, "
        f"{shown} per {word}",
        theme=theme,
        height=300,
        note=_note(accuracy),
        y=f"{shown} per {word}",
    )
    hovers = [
        f"<b>{fmt.date(str(t)[:10])}</b><br>actual {fmt.exact(float(a), unit)}"
        f"<br>expected {fmt.exact(float(m), unit)}"
        f"<br>90 %: {fmt.exact(float(lo), unit)} to {fmt.exact(float(hi), unit)}"
        for t, a, m, lo, hi in zip(times, actual, middle, low, high, strict=True)
    ]
    drawn.add_trace(marks.band(times, low / divisor, high / divisor, colours.accent))
    drawn.add_trace(marks.line(times, middle / divisor, colours.accent))
    drawn.add_scatter(
        x=times,
        y=actual / divisor,
        mode="markers",
        marker={"size": 4.5, "color": colours.ink, "opacity": 0.75},
        **marks.hovering(hovers),
    )
    _end_labels(
        drawn, actual / divisor, middle / divisor, colours, (low, high), divisor
    )
    return drawn


def _series(weeks: xr.Dataset, geo: str | None) -> tuple[np.ndarray, ...]:
    """Actual, expected, and both ends of the interval."""
    if geo is None:
        names, source = ("actual", "expected", "expected_ci"), weeks
    else:
        names = ("actual_geo", "expected_geo", "expected_geo_ci")
        source = weeks[list(names)].sel(geo=geo)
    actual, middle, ends = (source[name] for name in names)
    return (
        actual.values,
        middle.values,
        ends.sel(ci="lo").values,
        ends.sel(ci="hi").values,
    )


def _note(accuracy: Mapping[str, Any] | None) -> str:
    if not accuracy:
        return "Dots: actual. Line: expected. Band: 90 % interval."
    return (
        (
            f"R² {fmt.ratio(accuracy['r2'])}, "
            f"MAPE {accuracy['mape']:.1%}, wMAPE {accuracy['wmape']:.1%}. "
            "Band: 90 % interval."
        )
        .replace("%,", "\u00a0%,")
        .replace("%.", "\u00a0%.")
    )


def _end_labels(drawn, actual, middle, colours, ends, divisor) -> None:
    low = float(min(np.nanmin(actual), np.nanmin(ends[0]) / divisor))
    high = float(max(np.nanmax(actual), np.nanmax(ends[1]) / divisor))
    room = 0.05 * (high - low or 1.0)
    floor = 0.0 if 0 <= low < 0.4 * high else low - room
    labels = [
        (float(middle[-1]), marks.keyed("expected", colours.accent, "━")),
        (float(actual[-1]), marks.keyed("actual", colours.ink, "●")),
    ]
    marks.end_labels(drawn, labels, (floor, high + room))
