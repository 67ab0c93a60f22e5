"""Where a new project begins, and what makes sense for its periods."""

from dataclasses import replace
from typing import TYPE_CHECKING

from core.data.mapping import ColumnMapping
from core.model.spec import ChannelSpec, ModelSpec

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

#: Longest step between periods in days, and the periods that share one knot.
_PERIODS_PER_KNOT = ((3, 30), (10, 6), (45, 3))
#: Longest carryover of daily data: as long as that of weeks is by default.
DAYS = 7 * ModelSpec.max_lag


def default_spec(
    mapping: ColumnMapping, frame: "pd.DataFrame | None" = None
) -> ModelSpec:
    """The model options of a new project: every channel with its defaults.

    Args:
        mapping: The role of each column.
        frame: The table; where its rows are days, media carry over for `DAYS` of them
            rather than as many days as weeks.
    """
    spec = ModelSpec(tuple(ChannelSpec(c.name, c.kind) for c in mapping.channels))
    if frame is not None and _step(_dates(frame, mapping)) == 1.0:
        return replace(spec, max_lag=DAYS)
    return spec


def default_knots(frame: "pd.DataFrame", mapping: ColumnMapping) -> int | None:
    """Number of knots for the periods of a table; None if there are none.

    About one every six weeks, thirty days or three months, so that the baseline
    follows the seasons and leaves the rest to media.
    """
    if mapping.time not in frame.columns:
        return None
    dates = _dates(frame, mapping)
    n_times = max(len(dates), 1)
    step = _step(dates)
    share = next((n for longest, n in _PERIODS_PER_KNOT if step <= longest), 2)
    return min(max(1, round(n_times / share)), n_times)


def _dates(frame: "pd.DataFrame", mapping: ColumnMapping) -> "np.ndarray":
    """Dates of the table, each once, in order; none without a column of them."""
    import numpy as np

    from core.data.observations import dates_of

    if mapping.time not in frame.columns:
        return np.array([], "datetime64[D]")
    values = dates_of(frame.drop_duplicates(mapping.time), mapping).values
    return np.unique(values[~np.isnat(values)])


def _step(dates: "np.ndarray") -> float:
    """Days from one period to the next; a week where there is only one."""
    import numpy as np

    return float(np.median(np.diff(dates).astype(int))) if len(dates) > 1 else 7.0


def aligned(spec: ModelSpec, mapping: ColumnMapping) -> ModelSpec:
    """The options with one entry per channel of the mapping, in its order.

    A channel that keeps its name and kind keeps its options; others get defaults.
    """
    names = {channel.name: channel for channel in spec.channels}
    channels = []
    for columns in mapping.channels:
        channel = names.get(columns.name)
        if channel is None or channel.kind != columns.kind:
            channel = ChannelSpec(columns.name, columns.kind)
        channels.append(channel)
    treatments = {channel.name for channel in mapping.of_kind("non_media")}
    return replace(
        spec,
        channels=tuple(channels),
        population_scaled_controls=_those_in(
            spec.population_scaled_controls, set(mapping.controls)
        ),
        population_scaled_non_media=_those_in(
            spec.population_scaled_non_media, treatments
        ),
    )


def _those_in(names: tuple[str, ...], words: set[str]) -> tuple[str, ...]:
    return tuple(name for name in names if name in words)
