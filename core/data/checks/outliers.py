"""Outliers: single KPI values far away from the periods around them."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from core.data.checks.findings import Finding
from core.data.checks.values import window
from core.data.observations import Observations
from core.text.sentences import listed

#: Distance from the periods around, in robust standard deviations.
_FAR = 8.0
#: Distance from the periods around, relative to them.
_LARGE = 0.5
_AROUND = 13
_SHOWN = 3


def check_outliers(observed: Observations) -> Iterator[Finding]:
    """KPI values far from the median of the 13 periods around them."""
    if not observed.fills_grid:
        return
    column = observed.mapping.kpi
    values = window(observed, column)
    if values.shape[1] < _AROUND:
        return
    usual = _usual(values)
    distance = np.abs(values - usual)
    # The median absolute deviation, as a standard deviation of a Normal: outliers do
    # not widen it.
    spread = 1.4826 * pd.DataFrame(distance).median(axis=1).to_numpy()[:, None]
    far = (distance > _FAR * spread) & (distance > _LARGE * np.abs(usual))
    far &= (spread > 0) & (usual != 0)
    outliers = np.argwhere(far)
    if not len(outliers) or len(outliers) > 0.02 * values.size + 1:
        return
    ratio = values[far] / usual[far]
    order = np.argsort(-np.abs(np.log(np.maximum(ratio, 1e-6))))
    times = observed.times[observed.n_history :]
    shown = []
    for at in order[:_SHOWN]:
        geo, time = outliers[at]
        place = f"{observed.geos[geo]}, " if len(observed.geos) > 1 else ""
        shown.append(f"{place}{times[time]} ({ratio[at]:.2g} times its surroundings)")
    places = listed([*shown, *order[_SHOWN:]], limit=_SHOWN)
    message = f"The KPI {column} stands out on {places}."
    hint = "If it was an event, add a control for it; if it is a mistake, correct it."
    yield Finding("warning", f"column {column}", message, hint)


def _usual(values: np.ndarray) -> np.ndarray:
    """Median of the periods around each period, per geo."""
    around = pd.DataFrame(values.T).rolling(_AROUND, center=True, min_periods=4)
    return around.median().to_numpy().T
