"""Axes of a still picture: where they lie, how values become positions, their ticks."""

import math
import re
from calendar import month_abbr
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import numpy as np

from core.charts.drawing import style
from core.charts.still import markup
from core.text.languages.locale import locale, months

_COLOURS = style.palette("light")
#: Room beyond the outermost value, of the axis' length, where Plotly leaves some too.
_ROOM = 0.05


@dataclass
class Axis:
    """One axis of a figure.

    Attributes:
        options: As the figure's layout has it.
        kind: `number`, `date` or `category`.
        categories: Place of each name, in the order in which they came.
        extent: Lowest and highest position that is drawn.
        has_bars: Whether bars start at its zero.
    """

    options: Any
    kind: str
    categories: dict[str, int] = field(default_factory=dict)
    extent: tuple[float, float] = (math.inf, -math.inf)
    has_bars: bool = False

    def positions(self, values: Any) -> np.ndarray:
        """Values as places along the axis."""
        listed = np.atleast_1d(np.asarray(values))
        if self.kind == "date":
            return _days(listed)
        if self.kind == "category":
            categories = self.categories
            return np.array(
                [categories.setdefault(str(v), len(categories)) for v in listed]
            )
        return np.array([math.nan if v is None else float(v) for v in listed])

    def widen(self, *positions: np.ndarray) -> None:
        """Take note of what is drawn."""
        for each in positions:
            inside = each[np.isfinite(each)]
            if self.options.type == "log":
                inside = inside[inside > 0]
            if inside.size:
                low, high = float(inside.min()), float(inside.max())
                self.extent = min(self.extent[0], low), max(self.extent[1], high)

    def limits(self, *, is_padded: bool) -> tuple[float, float]:
        """First and last position that is shown."""
        if self.options.range is not None:
            first, last = self.positions(list(self.options.range))
            if self.options.type == "log":
                return 10.0**first, 10.0**last
            return float(first), float(last)
        low, high = self.extent
        if not low <= high:
            return 0.0, 1.0
        if self.kind == "category":
            return low - 0.5, high + 0.5
        if self.options.type == "log":
            return low / (1 + _ROOM), high * (1 + _ROOM)
        room = _ROOM * ((high - low) or abs(high) or 1.0)
        stands = self.has_bars or self.options.rangemode == "tozero"
        if stands and low >= 0:
            return 0.0, high + room
        if stands and high <= 0:
            return low - room, 0.0
        return (low - room, high + room) if is_padded else (low, high)


def axis_of(options: Any, samples: Sequence[Any]) -> Axis:
    """The axis, of the kind that its values are."""
    kind = "number"
    if options.type == "category":
        kind = "category"
    elif options.type == "date" or any(_is_date(sample) for sample in samples):
        kind = "date"
    elif any(isinstance(sample, str) for sample in samples):
        kind = "category"
    return Axis(options, kind)


def _is_date(sample: Any) -> bool:
    if isinstance(sample, (np.datetime64, datetime)):
        return True
    if not isinstance(sample, str):
        return False
    try:
        datetime.fromisoformat(sample)
    except ValueError:
        return False
    # fromisoformat takes 20240101 and 2024-W01, which may be names.
    return len(sample) >= len("2024-01-01")


def _days(values: np.ndarray) -> np.ndarray:
    """Dates as days since 1970, as Matplotlib counts them."""
    times = values.astype("datetime64[ms]")
    days = times.astype(np.int64) / 86_400_000
    return np.where(np.isnat(times), math.nan, days)


def set_scale(axes: Any, axis: Axis, *, along: str, is_padded: bool) -> None:
    """Limits, ticks, grid and title of one side of Matplotlib's axes.

    Args:
        axes: Matplotlib's axes.
        axis: What the figure says.
        along: `x` or `y`.
        is_padded: Whether there is room beyond the outermost values.
    """
    options, side = axis.options, getattr(axes, f"{along}axis")
    if options.type == "log":
        getattr(axes, f"set_{along}scale")("log")
    getattr(axes, f"set_{along}lim")(*axis.limits(is_padded=is_padded))
    _ticks(side, axis)
    font = options.tickfont
    axes.tick_params(
        axis=along,
        length=0,
        pad=4 + (options.ticklabelstandoff or 0),
        labelsize=font.size or 12,
        labelcolor=font.color or _COLOURS.muted,
        **{("labelbottom" if along == "x" else "labelleft"): shows(options)},
    )
    has_grid = options.showgrid if options.showgrid is not None else along == "y"
    if has_grid:
        side.grid(visible=True, color=_COLOURS.grid, linewidth=1)
    side.labelpad = 6
    title = options.title.text
    if title and options.visible is not False:
        side.set_label_text(markup.plain(title), fontsize=12, color=_COLOURS.muted)


def shows(options: Any) -> bool:
    """Whether the axis has labels."""
    return options.visible is not False and options.showticklabels is not False


def _ticks(side: Any, axis: Axis) -> None:
    from matplotlib import dates, ticker  # noqa: PLC0415

    options = axis.options
    if options.tickvals is not None:
        places = axis.positions(list(options.tickvals))
        texts = options.ticktext
        if texts is None:
            texts = [_text_of(axis, place) for place in places]
        side.set_ticks(places, [markup.plain(str(text)) for text in texts])
    elif axis.kind == "category":
        side.set_ticks(list(axis.categories.values()), list(axis.categories))
    elif axis.kind == "date":
        locator = dates.AutoDateLocator(minticks=3, maxticks=7)
        side.set_major_locator(locator)
        side.set_major_formatter(_dates(locator))
        side.get_offset_text().set_visible(True)
    elif options.type != "log":
        count = options.nticks or 6
        side.set_major_locator(ticker.MaxNLocator(count, steps=[1, 2, 5, 10]))
        side.set_major_formatter(ticker.FuncFormatter(lambda v, _: _text_of(axis, v)))
    else:
        side.set_major_formatter(ticker.FuncFormatter(lambda v, _: _text_of(axis, v)))
        side.set_minor_formatter(ticker.NullFormatter())


def _dates(locator: Any) -> Any:
    """Dates as matplotlib writes them, with months in the language in force."""
    from matplotlib import dates  # noqa: PLC0415

    names = dict(zip(month_abbr[1:], months(), strict=True))
    month = re.compile(rf"\b({'|'.join(names)})\b")

    def spoken(text: str) -> str:
        return month.sub(lambda match: names[match[0]], text)

    class Spoken(dates.ConciseDateFormatter):
        def format_ticks(self, values: Any) -> list[str]:
            return [spoken(text) for text in super().format_ticks(values)]

        def get_offset(self) -> str:
            return spoken(super().get_offset())

    return Spoken(locator)


def _text_of(axis: Axis, place: float) -> str:
    options = axis.options
    if axis.kind == "date":
        day = np.datetime64(round(place), "D").astype(datetime)
        form = options.tickformat or "%-d %b %Y"
        return day.strftime(form.replace("%b", months()[day.month - 1]))
    text = locale().written(f"{round(place, 10):,.10g}")
    return f"{options.tickprefix or ''}{text}{options.ticksuffix or ''}"
