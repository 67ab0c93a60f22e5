"""Adequacy: is there enough data for the model that is asked for?"""

from collections.abc import Iterator
from typing import Literal, Protocol, runtime_checkable

import numpy as np

from core.data.checks.exposure import media_units, people
from core.data.checks.values import window
from core.data.observations import Observations
from core.data.reading.findings import Finding
from core.text import count, listed, verb

#: Cells per parameter below which the data has little to say.
_FEW_CELLS = 3.0
#: Spread over geos below which a column is national, relative to its size.
_SAME_IN_GEOS = 1e-9


@runtime_checkable
class KnotChoice(Protocol):
    """What data must know of a model: a `ModelSpec`, which is a later stage."""

    @property
    def knots(self) -> int | tuple[int, ...] | Literal["auto"] | None:
        """Number of knots, their positions, `auto`, or None for the default."""

    @property
    def is_structural(self) -> bool:
        """Whether the baseline has no knots, and scales that it learns."""


def check_adequacy(observed: Observations, spec: KnotChoice) -> Iterator[Finding]:
    """Knots against periods and cells, and national columns against a knot per period.

    With `spec.knots` left open a geo model has one knot per period and a national
    model has one.
    """
    n_times = len(observed.times) - observed.n_history
    n_geos = len(observed.geos)
    if not observed.fills_grid or n_times < 2 or spec.knots == "auto":
        return  # knots chosen automatically never are too many
    if spec.is_structural:  # its terms shrink to what the data support
        yield from _cells(observed, 1, n_times)
        return
    where = "model.knots"
    period = observed.periods.period
    if isinstance(spec.knots, tuple):
        n_knots = len(spec.knots)
        beyond = [at for at in spec.knots if not 0 <= at < n_times]
        if beyond:
            message = f"Knots at {listed(beyond)} lie outside the data."
            hint = f"Positions run from 0 to {n_times - 1}."
            yield Finding("error", where, message, hint)
    else:
        n_knots = spec.knots or (n_times if n_geos > 1 else 1)
    if n_knots > n_times:
        message = f"{n_knots:,} knots are asked for {count(n_times, period)}."
        hint = f"Use at most {count(n_times, 'knot')}."
        yield Finding("error", where, message, hint)
        return
    yield from _cells(observed, n_knots, n_times)
    if n_geos > 1 and n_knots == n_times:
        yield from _national_columns(observed)


def _cells(observed: Observations, n_knots: int, n_times: int) -> Iterator[Finding]:
    """Cells against parameters."""
    n_geos = len(observed.geos)
    n_effects = len(observed.mapping.channels) + len(observed.mapping.controls)
    n_parameters = n_geos - 1 + n_knots + n_effects
    cells = n_geos * n_times
    if cells >= _FEW_CELLS * n_parameters:
        return
    message = (
        f"{count(cells, 'value')} of the KPI {verb(cells, 'are')} few for "
        f"{count(n_parameters, 'effect')} "
        f"({count(n_knots, 'knot')}, {count(n_effects, 'channel or control')}"
        + (f", {n_geos:,} geos" if n_geos > 1 else "")
        + ")."
    )
    few = max(1, n_times // 6)
    hint = f"Use fewer knots, such as {few}, or more history."
    if n_knots <= few:
        hint = "Use more history, or fewer channels and controls."
    severity = "error" if cells < n_effects + 2 else "warning"
    yield Finding(severity, "model.knots", message, hint)


def _national_columns(observed: Observations) -> Iterator[Finding]:
    """Columns that are the same in every geo, which a knot per period explains away."""
    per_geo = people(observed)[:, None]
    same = []
    for channel in observed.mapping.channels:
        units = media_units(observed, channel)[:, observed.n_history :]
        scaled = units if channel.kind == "non_media" else units / per_geo
        if _is_national(scaled):
            same.append(f"channel {channel.name}")
    for name in observed.mapping.controls:
        if _is_national(window(observed, name)):
            same.append(f"control {name}")
    if same:
        is_one = len(same) == 1
        message = (
            f"{listed(same)[0].upper()}{listed(same)[1:]} "
            f"{'is' if is_one else 'are'} the same in every geo, and a knot for every "
            f"{observed.periods.period} explains all that geos have in common."
        )
        hint = "Use fewer knots."
        yield Finding("error", "model.knots", message, hint)


def _is_national(values: np.ndarray) -> bool:
    """Whether a column that varies over time is the same in every geo."""
    if np.isnan(values).any() or np.ptp(values) == 0:
        return False
    spread = values.max(axis=0) - values.min(axis=0)
    return bool((spread <= _SAME_IN_GEOS * np.abs(values).max()).all())
