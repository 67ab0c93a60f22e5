"""Units of places: one geo whose money is in another unit than that of all others.

Cents or thousands of one geo in all periods change no level. What a geo spends for each
unit of its KPI does show it: geos differ by a few times there, not by a hundred.
"""

from collections.abc import Iterator

import numpy as np

from core.data.checks.findings import Finding
from core.data.checks.levels import UNITS, shown
from core.data.checks.values import window
from core.data.mapping import money_columns
from core.data.observations import Observations

#: Geos that a typical one can be told from, at least.
_FEWEST = 3
#: How far from all others a geo is, and how far they are from their middle, at most.
_FAR, _ALIKE = UNITS[0] / 3.2, 4.0


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
        if abs(away) < np.log(_FAR) or np.ptp(others) > 2 * np.log(_ALIKE):
            continue
        period = observed.periods.period
        own = np.nan_to_num(np.abs(window(observed, column)))
        amount, rest = own[geo].mean(), np.delete(own, geo, axis=0).mean()
        times, way = np.exp(abs(away)), "much" if away > 0 else "little"
        yield Finding(
            "warning",
            f"column {column}",
            f"Column {column} of {observed.geos[geo]} is {shown(amount)} a {period}, "
            f"where other geos have {shown(rest)} on average: beside the other amounts "
            f"of each geo about {times:,.0f} times too {way}.",
            "Is it in another unit there, such as cents or thousands? Give all geos in "
            "the same one.",
        )
