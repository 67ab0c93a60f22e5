"""Other units: tables beside the data whose amounts are thousands, or cents, of it."""

import numpy as np

from core.data.input_data import InputData
from core.errors import ValueRangeError

#: Periods beyond so many times the largest of the data, or below such a part of the
#: smallest, are in another unit. A channel may be planned at many times what it was.
_MOST, _LEAST = 200.0, 200.0
#: The same of all of the KPI or all spend, which do not grow so: a hundred are cents.
IN_ALL = 20.0
_HINT = "Give it in the unit of the data: whole amounts, not thousands or cents."


def spend_in_all(data: InputData) -> np.ndarray:
    """Spend of each period, over geos and channels."""
    paid = (data.media, data.reach_frequency)
    each = [kind.spend.sum(axis=(0, 2)) for kind in paid if kind.spend is not None]
    return np.sum(each, axis=0) if each else np.zeros(0)


def refuse_other_unit(
    now: np.ndarray,
    past: np.ndarray,
    what: str,
    name: str,
    *,
    most: float = _MOST,
    both: bool = False,
) -> None:
    """Refuse a column whose periods are many times those of the data.

    Args:
        now: Totals of the periods of the table.
        past: Totals of the periods of the data.
        what: The table.
        name: The column.
        most: So many times the largest is another unit.
        both: Whether periods that are hundreds of times smaller are refused, too; of
            one channel they are not, because it may nearly stop.

    Raises:
        ValueRangeError: They are.
    """
    mean, usual, times = _compared(now, past, most, both=both)
    if times:
        raise ValueRangeError(
            f"Column {name} of the {what} has {mean:,.0f} a period, {times} the data's "
            f"usual {usual:,.0f}.",
            hint=_HINT,
            where=name,
        )


def refuse_other_total(now: np.ndarray, past: np.ndarray, what: str) -> None:
    """Refuse spend of all channels that is many times, or a small part of, the data's.

    Args:
        now: Spend of the periods of the table, over channels.
        past: The same of the periods of the data.
        what: The table.

    Raises:
        ValueRangeError: It is.
    """
    mean, usual, times = _compared(now, past, IN_ALL, both=True)
    if times:
        raise ValueRangeError(
            f"All channels of the {what} spend {mean:,.0f} a period, {times} the "
            f"data's usual {usual:,.0f}.",
            hint=_HINT,
            where="spend",
        )


def _compared(
    now: np.ndarray, past: np.ndarray, most: float, *, both: bool
) -> tuple[float, float, str]:
    """The mean of the table, what is usual, and in words how they differ, if so."""
    now, past = now[now > 0], past[past > 0]
    if not (len(now) and len(past)):
        return 0.0, 0.0, ""
    usual, mean = float(np.median(past)), float(now.mean())
    if mean > most * float(past.max()):
        return mean, usual, f"{mean / usual:,.0f} times as much as"
    if both and mean * _LEAST < float(past.min()):
        return mean, usual, f"a part in {usual / mean:,.0f} of"
    return mean, usual, ""
