"""Outliers: single KPI values far from the periods around them, geos in another unit.

Cents or thousands of one geo in all periods change no level. What a geo spends for each
unit of its KPI does show it: geos differ by a few times there, not by a hundred.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from core.data.checks.levels import UNITS, shown
from core.data.checks.values import window
from core.data.mapping import money_columns
from core.data.observations import Observations
from core.data.reading.findings import Finding
from core.text.sentences import listed

#: Distance from the periods around, in robust standard deviations.
_FAR = 8.0
#: Distance from the periods around, relative to them.
_LARGE = 0.5
_AROUND = 13
_SHOWN = 3
#: Geos that a typical one can be told from, at least.
_FEWEST = 3
#: How far from all others a geo is, and how far they are from their middle, at most.
_UNIT, _ALIKE = UNITS[0] / 3.2, 4.0


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
    named = []
    for at in order[:_SHOWN]:
        geo, time = outliers[at]
        place = f"{observed.geos[geo]}, " if len(observed.geos) > 1 else ""
        named.append(f"{place}{times[time]} ({ratio[at]:.2g} times its surroundings)")
    places = listed([*named, *order[_SHOWN:]], limit=_SHOWN)
    message = f"The KPI {column} stands out on {places}."
    hint = "If it was an event, add a control for it; if it is a mistake, correct it."
    yield Finding("warning", f"column {column}", message, hint)


def _usual(values: np.ndarray) -> np.ndarray:
    """Median of the periods around each period, per geo."""
    around = pd.DataFrame(values.T).rolling(_AROUND, center=True, min_periods=4)
    return around.median().to_numpy().T


def check_place_units(observed: Observations) -> Iterator[Finding]:
    """Columns of money of which one geo has hundreds of times its share, or less."""
    columns = money_columns(observed.mapping)
    if len(observed.geos) < _FEWEST or len(columns) < 2 or not observed.fills_grid:
        return
    sums = np.array(
        [np.nansum(np.abs(window(observed, column)), axis=1) for column in columns]
    )
    if not sums.all():
        return
    # By column and geo, beside what the column and the geo have otherwise: medians, so
    # that one cell moves none of them. Of two columns the KPI is the one believed.
    levels = np.log(sums) - np.median(np.log(sums), axis=1, keepdims=True)
    levels -= levels[0] if len(columns) == 2 else np.median(levels, axis=0)
    for relative, column in zip(levels, columns, strict=True):
        geo = int(np.argmax(np.abs(relative - np.median(relative))))
        others = np.delete(relative, geo)
        middle = float(np.median(others))
        away = relative[geo] - middle
        if abs(away) < np.log(_UNIT) or np.ptp(others) > 2 * np.log(_ALIKE):
            continue
        period = observed.periods.period
        own = np.nan_to_num(np.abs(window(observed, column)))
        amount, rest = own[geo].mean(), np.delete(own, geo, axis=0).mean()
        times, way = np.exp(abs(away)), "much" if away > 0 else "little"
        # Where its own amounts are like those elsewhere, the geo's others may be odd.
        is_usual = amount and rest and abs(np.log(amount / rest)) < np.log(_UNIT)
        other = "little" if away > 0 else "much"
        or_others = f", or its others too {other}" if is_usual else ""
        yield Finding(
            "warning",
            f"column {column}",
            f"Column {column} of {observed.geos[geo]} is {shown(amount)} a {period}, "
            f"where other geos have {shown(rest)} on average: beside the other amounts "
            f"of each geo about {times:,.0f} times too {way}{or_others}.",
            "Is it in another unit there, such as cents or thousands? Give all geos in "
            "the same one.",
        )
