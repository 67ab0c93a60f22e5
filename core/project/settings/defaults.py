"""Where a new project begins, and how many knots make sense for its periods."""

from dataclasses import replace
from typing import TYPE_CHECKING

from core.data.mapping import ColumnMapping
from core.model.spec import ChannelSpec, ModelSpec

if TYPE_CHECKING:
    import pandas as pd

#: Longest step between periods in days, and the periods that share one knot.
_PERIODS_PER_KNOT = ((3, 30), (10, 6), (45, 3))


def default_spec(mapping: ColumnMapping) -> ModelSpec:
    """The model options of a new project: every channel with its defaults."""
    return ModelSpec(tuple(ChannelSpec(c.name, c.kind) for c in mapping.channels))


def default_knots(frame: "pd.DataFrame", mapping: ColumnMapping) -> int | None:
    """Number of knots for the periods of a table; None if there are none.

    About one every six weeks, thirty days or three months, so that the baseline
    follows the seasons and leaves the rest to media.
    """
    import numpy as np

    from core.data.observations import dates_of

    if mapping.time not in frame.columns:
        return None
    values = dates_of(frame.drop_duplicates(mapping.time), mapping).values
    dates = np.unique(values[~np.isnat(values)])
    n_times = max(len(dates), 1)
    step = float(np.median(np.diff(dates).astype(int))) if n_times > 1 else 7.0
    share = next((n for longest, n in _PERIODS_PER_KNOT if step <= longest), 2)
    return min(max(1, round(n_times / share)), n_times)


def aligned(spec: ModelSpec, mapping: ColumnMapping) -> ModelSpec:
    """The options with one entry per channel of the mapping, in its order.

    A channel that keeps its name and kind keeps its options; others get defaults.
    """
    known = {channel.name: channel for channel in spec.channels}
    channels = []
    for columns in mapping.channels:
        channel = known.get(columns.name)
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


def _those_in(names: tuple[str, ...], known: set[str]) -> tuple[str, ...]:
    return tuple(name for name in names if name in known)
