"""One row per channel: interval bar, dot, prior band, true value, numbers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import xarray as xr

from core import text as fmt
from core.charts.drawing import bars, interval, marks, style
from core.text.languages.language import marked, say

_NOTE = marked("Dot: {centre}. Bar: 90 % interval.")
#: What the dot may be.
CENTRES = (marked("mean"), marked("median"))


@dataclass(frozen=True)
class Measure:
    """How one quantity is drawn.

    Attributes:
        variable: Its name in channels.nc.
        title: Title of the figure with the unit.
        unit: Title of the axis.
        show: Text of an estimate (`mean`: the dot, `lo`, `hi`) beside its row.
        full: Exact text of one number for hovering.
        centre: What the dot shows.
        divide: Whether the axis may use k, M, bn or a logarithm.
        percent: Whether a share is drawn as percent.
        reference: Where a dotted line means something.
        note: What that line is.
        ascending: Smallest first.
    """

    variable: str
    title: str
    unit: str
    show: Callable[[Mapping[str, float]], str]
    full: Callable[[float], str]
    centre: interval.Centre = "mean"
    divide: bool = False
    percent: bool = False
    reference: float | None = None
    note: str = ""
    ascending: bool = False


def draw(
    channels: xr.Dataset | pd.DataFrame,
    measure: Measure,
    prior: Mapping[str, tuple[float, float]] | None = None,
    truth: Mapping[str, float] | None = None,
    order: Sequence[str] = (),
) -> go.Figure:
    """Channels as rows: an interval bar with its dot, sorted, the numbers beside it.

    Args:
        channels: channels.nc, or a table of `mid`, `lo` and `hi` by channel, in the
            order of results.
        measure: What to draw.
        prior: Both ends of the prior by channel, drawn as a grey band.
        truth: True values by channel, drawn as diamonds.
        order: Channels from top to bottom, as in a figure beside; empty for their own.
    """
    is_table = isinstance(channels, pd.DataFrame)
    frame = channels if is_table else _frame(channels, measure)
    # Before they are sorted: colours go by the project's order.
    colours = style.channel_colours([str(name) for name in frame.index])
    frame = _sorted(frame, measure)
    if order:
        places = {name: place for place, name in enumerate(order)}
        last = len(places)
        frame = frame.loc[sorted(frame.index, key=lambda n: places.get(n, last))]
    priors = {n: prior[n] for n in frame.index if n in (prior or {})}
    true = {n: truth[n] for n in frame.index if n in (truth or {})}
    figure = style.figure(
        measure.title,
        height=marks.rows_height(len(frame)),
        note=_note(measure, bool(priors), bool(true)),
        x=measure.unit,
    )
    log = _needs_log(frame, measure)
    divisor = _divisor(frame, measure, log)
    _prior_bands(figure, list(frame.index), priors, divisor)
    _interval_bars(figure, frame / divisor, colours)
    _truth_marks(figure, list(frame.index), true, divisor)
    _hover_dots(figure, frame, colours, measure, divisor)
    marks.row_axis(figure, [style.label(name, marks.ROW) for name in frame.index])
    marks.row_texts(
        figure,
        [
            measure.show(row)
            for row in frame.rename(columns={"mid": "mean"}).to_dict("records")
        ],
    )
    if measure.divide and divisor != 1:
        unit = fmt.scale(divisor)[1]
        figure.update_xaxes(title_text=style.literal(f"{unit}\u00a0{measure.unit}"))
    ends = [high / divisor for _, high in priors.values()]
    _value_axis(figure, frame / divisor, ends, measure, log)
    if measure.reference is not None and not log:
        marks.reference(figure, measure.reference)
    return figure


def order_of(channels: xr.Dataset, measure: Measure) -> tuple[str, ...]:
    """Channels from top to bottom, as `draw` has them."""
    return tuple(map(str, _sorted(_frame(channels, measure), measure).index))


def _frame(channels: xr.Dataset, measure: Measure) -> pd.DataFrame:
    """`mid`, `lo` and `hi` by channel."""
    names = [str(name) for name in channels["channel"].values]
    table = interval.estimates(channels[measure.variable], measure.centre)
    return table.assign_coords(channel=names).to_dataframe()[["mid", "lo", "hi"]]


def _sorted(frame: pd.DataFrame, measure: Measure) -> pd.DataFrame:
    """Channels with an estimate, the best first."""
    finite = frame[np.isfinite(frame).all(axis=1)]
    return finite.sort_values("mid", ascending=measure.ascending)


def _note(measure: Measure, has_prior: bool, has_truth: bool) -> str:
    parts = [say(_NOTE, centre=say(measure.centre))]
    parts += [say("Grey: prior.")] if has_prior else []
    parts += [say("◇: truth.")] if has_truth else []
    return " ".join([*parts, measure.note]).strip()


def _needs_log(frame: pd.DataFrame, measure: Measure) -> bool:
    """Whether the values span so much that a linear axis would hide most."""
    if not measure.divide or frame.empty or (frame["lo"] <= 0).any():
        return False
    return bool(frame["mid"].max() > 30 * frame["mid"].min())


def _divisor(frame: pd.DataFrame, measure: Measure, log: bool) -> float:
    if measure.percent:
        return 0.01
    if not measure.divide or log or frame.empty:
        return 1.0
    return fmt.scale(float(frame["mid"].abs().max()))[0]


def _prior_bands(figure, names, priors, divisor: float) -> None:
    bands = [(row, *priors[name]) for row, name in enumerate(names) if name in priors]
    if not bands:
        return
    at, low, high = (np.array(column, float) for column in zip(*bands, strict=True))
    hover = [
        say(
            "{name}<br>prior, 90 %: {low} to {high}",
            name=style.label(names[int(row)]),
            low=fmt.number(a),
            high=fmt.number(b),
        )
        for row, a, b in bands
    ]
    ends, shade = (low / divisor, high / divisor), style.palette().faint
    shade = style.fade(shade, 0.22)
    figure.add_trace(
        bars.intervals(at, *ends, shade, width=0.78, hover=hover, is_rounded=False)
    )


def _interval_bars(
    figure: go.Figure, frame: pd.DataFrame, colours: Mapping[str, str]
) -> None:
    low, high = (frame[end].to_numpy() for end in ("lo", "hi"))
    shades = [style.fade(colours[name], 0.45) for name in frame.index]
    figure.add_trace(bars.intervals(np.arange(len(frame)), low, high, shades))
    figure.update_layout(barmode="overlay")


def _hover_dots(
    figure: go.Figure,
    frame: pd.DataFrame,
    colours: Mapping[str, str],
    measure: Measure,
    divisor: float,
) -> None:
    texts = [
        marks.interval_words(
            name, measure.full, (row.mid, row.lo, row.hi), measure.centre
        )
        for name, row in frame.iterrows()
    ]
    x, y = (frame["mid"] / divisor).to_numpy(), np.arange(len(frame))
    own, edge = [colours[n] for n in frame.index], (style.palette().background, 1.5)
    figure.add_trace(marks.dots(x, y, own, 11, texts, edge=edge))


def _truth_marks(figure, names, marked, divisor: float) -> None:
    points = [(row, marked[name]) for row, name in enumerate(names) if name in marked]
    if not points:
        return
    colours = style.palette()
    texts = [
        say(
            "{name}<br>true value {value}",
            name=style.label(names[row]),
            value=fmt.roi(value),
        )
        for row, value in points
    ]
    at, rows = [value / divisor for _, value in points], [row for row, _ in points]
    look = {"edge": (colours.ink, 2), "symbol": "diamond-tall"}
    figure.add_trace(marks.dots(at, rows, colours.background, 15, texts, **look))


def _value_axis(
    figure: go.Figure,
    frame: pd.DataFrame,
    ends: list[float],
    measure: Measure,
    log: bool,
) -> None:
    if measure.percent:
        marks.percent_axis(figure.layout.xaxis)
    if log:
        figure.update_xaxes(type="log", tickformat="~g", dtick=1)
        return
    if frame.empty:
        return
    high = float(frame["hi"].max())
    low = float(min(frame["lo"].min(), 0.0))
    if measure.centre == "median":  # a ratio may run away; show where it is firm
        high = min(high, 4 * float(frame["mid"].abs().max()))
        low = max(low, -high / 4)
    if ends:
        # A wide prior may make the axis longer, but the estimates keep half of it.
        high = max(high, min(1.8 * high, max(ends)))
    room = 0.04 * (high - low or 1.0)
    figure.update_xaxes(range=[low - room * (low < 0), high + room])
