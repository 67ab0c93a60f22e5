"""Error bars of native charts, for which python-pptx has no words."""

from collections.abc import Sequence
from typing import Any

import numpy as np

_NS = "http://schemas.openxmlformats.org/drawingml/2006/chart"


def error_bars(series: Any, low: Sequence[float], high: Sequence[float]) -> None:
    """Draw the 90 % interval of every bar.

    Args:
        series: Of a bar chart.
        low: Lower ends, one per bar.
        high: Upper ends.
    """
    from pptx.oxml import parse_xml

    middle = np.asarray(list(series.values), float)
    sides = {"plus": np.asarray(high) - middle, "minus": middle - np.asarray(low)}
    parts = "".join(
        f"<c:{side}><c:numLit><c:formatCode>General</c:formatCode>"
        f'<c:ptCount val="{len(sizes)}"/>'
        + "".join(
            f'<c:pt idx="{i}"><c:v>{max(float(size), 0.0)!r}</c:v></c:pt>'
            for i, size in enumerate(sizes)
            if np.isfinite(size)
        )
        + f"</c:numLit></c:{side}>"
        for side, sizes in sides.items()
    )
    drawn = parse_xml(
        f'<c:errBars xmlns:c="{_NS}"><c:errBarType val="both"/>'
        f'<c:errValType val="cust"/><c:noEndCap val="0"/>{parts}</c:errBars>'
    )
    series._element.find(f"{{{_NS}}}cat").addprevious(drawn)


def make_room(axis: Any, lengths: Sequence[Sequence[float]]) -> None:
    """Make room for error bars, which an axis by itself does not mind."""
    sizes = np.concatenate([np.asarray(list(each), float) for each in lengths])
    low, high = min(float(sizes.min()), 0.0), max(float(sizes.max()), 0.0)
    if high == low:
        return
    raw = (high - low) / 5
    power = 10.0 ** np.floor(np.log10(raw))
    step = float(next(s for s in (1, 2, 2.5, 5, 10) if s * power >= raw) * power)
    axis.major_unit = step
    axis.minimum_scale = float(np.floor(low / step) * step)
    axis.maximum_scale = float(np.ceil(high / step) * step)
