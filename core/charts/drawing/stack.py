"""Stacked areas over time with a label at the right end of every layer."""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real

import numpy as np
import plotly.graph_objects as go

from core import text as fmt
from core.charts.drawing import marks, style


@dataclass(frozen=True)
class Layer:
    """One layer of a stack.

    Attributes:
        text: Its name, safe to draw.
        values: One value per period, in units of the data.
        colour: Its colour.
        pattern: Its fill pattern; none for the first ten channels.
    """

    text: str
    values: np.ndarray
    colour: str
    pattern: str = ""


def channel_layers(
    names: Sequence[str], values: np.ndarray, order: Sequence[str]
) -> list[Layer]:
    """Layers of channels in their own colours; of very many, the small ones in one.

    Args:
        names: The channels to draw, bottom up.
        values: time channel.
        order: Every channel of the project; fixes the colours.
    """
    colours, patterns = style.channel_colours(order), style.channel_patterns(order)
    large, small = marks.large_and_small(np.nansum(np.abs(values), axis=0))
    layers = [
        Layer(
            style.label(names[i]), values[:, i], colours[names[i]], patterns[names[i]]
        )
        # In the project's order, so that a channel lies in one place in every stack.
        for i in sorted(large)
    ]
    if small.size:
        grey = style.palette().grid
        rest = np.nansum(values[:, small], axis=1)
        layers.append(Layer(marks.smaller(small.size), rest, grey))
    return layers


def draw(
    figure: go.Figure,
    times: np.ndarray,
    layers: Sequence[Layer],
    *,
    unit: str,
    divisor: Real,
) -> None:
    """Add the layers bottom up; hovering a period lists all of them.

    Args:
        figure: The figure; its right margin and y range are set.
        times: Period starts.
        layers: From the bottom up.
        unit: Unit of the exact numbers in the hover text.
        divisor: What the axis divides by.
    """
    for layer in layers:
        figure.add_scatter(
            x=times,
            y=layer.values / divisor,
            mode="lines",
            stackgroup="one",
            line={"width": 0.5, "color": layer.colour},
            fillcolor=style.fade(layer.colour, 0.85),
            fillpattern={"shape": layer.pattern} if layer.pattern else None,
            **marks.hovering(
                [fmt.named(layer.text, fmt.exact(float(v), unit)) for v in layer.values]
            ),
        )
    figure.update_layout(hovermode="x unified")
    figure.update_xaxes(unifiedhovertitle_text=f"%{{x|{fmt.locale().axis}}}")
    table = np.array([layer.values for layer in layers]).T / divisor
    if not table.size:
        return
    sums = np.nancumsum(table, axis=1)
    low, high = min(0.0, float(sums.min())), float(sums.max())
    ends = sums[-1] - np.nan_to_num(table[-1]) / 2
    labels = [
        (float(end), marks.keyed(layer.text, layer.colour))
        for end, layer in zip(ends, layers, strict=True)
    ]
    # A stack of zeros needs an axis, too.
    marks.end_labels(figure, labels, (low, (high or 1.0) * 1.03))
