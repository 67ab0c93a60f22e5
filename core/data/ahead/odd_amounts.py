"""Odd amounts: what new periods hold that none of the old ones makes likely.

Another unit, a single amount far out, a KPI of 0, sums to date: each is a question of
a refresh, in words.

Running totals: new periods that hold sums to date, where the old ones have amounts.

Two or three new periods are too few to see a total rise and begin again. But the steps
of a total look like earlier amounts, and its values do not; single amounts do the
reverse. So both are weighed by what the column's own past makes likely.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from core.data.checks.levels import FAR_OUT, other_unit, shown
from core.data.mapping import ColumnMapping, money_columns
from core.dims import NATIONAL_GEO
from core.text.sentences import listed

#: Odds of totals against single amounts from which a question is asked.
ODDS = 10.0
_PAST = 104
#: How far new budgets may lie from old ones, standard deviations of a logarithm, and
#: the levels that are summed over, of it.
_SHIFT, _SHIFTS = 0.4, np.linspace(-2.0, 2.0, 17)
#: A week of sales or a launch is so many times what is usual, at most.
_BURST = 12.0
#: Share and spread of amounts like none before.
_ELSE, _WIDE = 0.05, 1.5
#: Of a total that began on a day nobody knows, its first value, as a logarithm's range.
_UNKNOWN = np.log(100.0)


def running_columns(
    past: Mapping[str, np.ndarray],
    new: Mapping[str, np.ndarray],
    earlier: np.ndarray,
    times: np.ndarray,
) -> Iterator[str]:
    """Columns whose new values are sums to date; where all columns agree, all of them.

    Args:
        past: Amounts so far by column and period, in order.
        new: Those of the new periods.
        earlier: Periods so far, datetime64[D].
        times: New ones.
    """
    weighed = {
        name: evidence(past[name], new[name], earlier, times)
        for name in new
        if name in past
    }
    sure = {name for name, odds in weighed.items() if odds > np.log(ODDS)}
    # A report to date is one in all its columns: their evidence adds up.
    likely = {name for name, odds in weighed.items() if odds > 0}
    if len(likely) > 1 and sum(weighed.values()) > np.log(ODDS):
        sure |= likely
    yield from (name for name in weighed if name in sure)


def evidence(
    past: np.ndarray, new: np.ndarray, earlier: np.ndarray, times: np.ndarray
) -> float:
    """Logarithm of the odds that new amounts are sums to date, from one column.

    Args:
        past: Amounts so far, by period.
        new: Those of the new periods, in order.
        earlier: Periods so far, datetime64[D].
        times: New ones.
    """
    before = np.nan_to_num(past)[-_PAST:]
    came = np.nan_to_num(new)
    if (before > 0).sum() < _ENOUGH or (came < 0).any() or not (came > 0).any():
        return 0.0
    usual = _Usual(before)
    own = max(usual.log_density(came), usual.log_density_after(came, before[-1]))
    totals = [*_totals(usual, past, came, earlier, times)]
    return float(_mean_exp(totals) - own)


def _totals(usual, past, came, earlier, times) -> Iterator[float]:
    """Log density of new values as totals, for each day that they may begin on."""
    steps = np.diff(came)
    yield usual.log_density(np.concatenate([came[:1], steps]))
    # One value from a day that nobody knows tells of nothing, unless it is far beyond.
    if came[0] > 0 and (len(steps) or usual.is_beyond(came[0])):
        yield usual.log_density(steps) - np.log(came[0]) - np.log(_UNKNOWN)
    else:
        yield -np.inf
    past = np.nan_to_num(past)
    months = times.astype("datetime64[M]").astype(np.int64)
    old = earlier.astype("datetime64[M]").astype(np.int64)
    for length in (1, 3, 12):
        group = months // length
        starts = np.concatenate([[0.0], came[:-1]])
        starts[1:][group[1:] != group[:-1]] = 0.0
        starts[0] = past[old // length == group[0]].sum()
        yield usual.log_density(came - starts)
    starts = np.concatenate([[past.sum()], came[:-1]])
    yield usual.log_density(came - starts)


class _Usual:
    """How likely amounts are by what a column has had so far."""

    def __init__(self, before: np.ndarray):
        logs = np.log(before[before > 0])
        self._zero = (np.sum(before == 0) + 0.5) / (len(before) + 1)
        self._logs = logs
        self._width = max(0.05, 1.06 * np.std(logs) * len(logs) ** -0.2)
        self._wide = (logs.mean(), max(_WIDE, 2 * np.std(logs)))
        steps = np.diff(logs)
        self._step = max(0.05, np.std(steps))

    def is_beyond(self, amount: float) -> bool:
        """Whether an amount is more than a burst of what was usual."""
        return bool(np.log(amount / _BURST) > np.median(self._logs))

    def log_density(self, amounts: np.ndarray) -> float:
        """Of amounts, each alone, over a common shift of their level."""
        if (amounts < 0).any():
            return -np.inf
        ran = amounts[amounts > 0]
        zeros = (len(amounts) - len(ran)) * np.log(self._zero)
        logs = np.log(ran)
        plain = len(ran) * np.log1p(-self._zero) - logs.sum() + zeros
        if not len(ran):
            return float(plain)
        shifted = logs - _SHIFT * _SHIFTS[:, None]
        kernels = _normal(shifted[..., None] - self._logs, self._width).mean(axis=-1)
        mean, spread = self._wide
        mixed = (1 - _ELSE) * kernels + _ELSE * _normal(shifted - mean, spread)
        prior = np.exp(-0.5 * _SHIFTS**2)
        each = np.log(mixed).sum(axis=1) + np.log(prior / prior.sum())
        return float(plain + np.logaddexp.reduce(each))

    def log_density_after(self, amounts: np.ndarray, last: float) -> float:
        """Of amounts of which each follows from the one before it."""
        ran = amounts[amounts > 0]
        zeros = (len(amounts) - len(ran)) * np.log(self._zero)
        if not len(ran):
            return float(len(amounts) * np.log(self._zero))
        first = last if last > 0 else np.exp(self._logs[-1])
        logs = np.log(np.concatenate([[first], ran]))
        steps = np.diff(logs)
        mixed = (1 - _ELSE) * _normal(steps, self._step) + _ELSE * _normal(steps, _WIDE)
        plain = len(ran) * np.log1p(-self._zero) - logs[1:].sum() + zeros
        return float(plain + np.log(mixed).sum())


def _normal(values: np.ndarray, spread: float) -> np.ndarray:
    return np.exp(-0.5 * (values / spread) ** 2) / (spread * np.sqrt(2 * np.pi))


def _mean_exp(logs: list[float]) -> float:
    return float(np.logaddexp.reduce(np.array(logs)) - np.log(len(logs)))


#: Rows that ran, at least, before a single one can stand out.
_ENOUGH = 13
#: How far below all others a spend of a channel that goes on is a mistake.
_NEARLY = 100.0


@dataclass(frozen=True)
class Rows:
    """A table by row: where each row belongs, and its numbers by column."""

    frame: pd.DataFrame
    keys: pd.MultiIndex
    numbers: dict[str, np.ndarray]

    @property
    def dates(self) -> np.ndarray:
        """Period of each row, datetime64[D]."""
        return self.keys.get_level_values(0).to_numpy().astype("datetime64[D]")

    @property
    def geos(self) -> np.ndarray:
        """Geo of each row."""
        return self.keys.get_level_values(1).to_numpy()


def row_name(date: pd.Timestamp, geo: str) -> str:
    """A row by its period and geo, for messages."""
    place = "" if geo == NATIONAL_GEO else f" {geo}"
    return f"{date:%Y-%m-%d}{place}"


def jumps(
    old: Rows, new: Rows, is_new: np.ndarray, mapping: ColumnMapping
) -> Iterator[str]:
    """Columns whose new periods look like another unit than the old ones.

    Of all geos together, else of one: its mistake drowns in the sum of all.
    """
    for column in money_columns(mapping):
        if column not in new.numbers or not is_new.any():
            continue
        every = _Amounts(old.numbers[column], old.dates, old.geos)
        came = _Amounts(
            new.numbers[column][is_new], new.dates[is_new], new.geos[is_new]
        )
        jump = _jump(every.by_period(), came.by_period(), column)
        if jump:
            yield jump
            continue
        for geo in np.unique(came.geos) if len(np.unique(every.geos)) > 1 else ():
            before, after = every.of(geo).by_period(), came.of(geo).by_period()
            yield from filter(None, [_jump(before, after, f"{column} of {geo}")])


def running(
    old: Rows, new: Rows, is_new: np.ndarray, mapping: ColumnMapping
) -> Iterator[str]:
    """Columns whose new periods, the last of all, hold sums to date."""
    times, earlier = np.unique(new.dates[is_new]), np.unique(old.dates)
    columns = [name for name in money_columns(mapping) if name in new.numbers]
    past = {
        c: _Amounts(old.numbers[c], old.dates, old.geos).by_period() for c in columns
    }
    rows = {c: (new.numbers[c], new.dates, new.geos) for c in columns}
    came = {c: _Amounts(*(v[is_new] for v in rows[c])).by_period() for c in columns}
    if len(times) and times[0] > earlier[-1]:
        yield from running_columns(past, came, earlier, times)


class _Amounts(NamedTuple):
    """Amounts of a column with their dates and geos."""

    values: np.ndarray
    dates: np.ndarray
    geos: np.ndarray

    def of(self, geo: str) -> "_Amounts":
        here = self.geos == geo
        return _Amounts(*(each[here] for each in self))

    def by_period(self) -> np.ndarray:
        return pd.Series(self.values).groupby(self.dates).sum().to_numpy()


def _jump(before: np.ndarray, after: np.ndarray, what: str) -> str:
    """What changed its unit, with both levels; empty where it did not."""
    if other_unit(before, after) is None:
        return ""
    usual, now = (float(np.median(v[v != 0])) for v in (before, after))
    return f"{what}: {shown(now)} a period in the new rows, {shown(usual)} before"


def spikes(
    old: Rows, new: Rows, is_new: np.ndarray, mapping: ColumnMapping
) -> Iterator[str]:
    """Single amounts that are far out, and periods without a KPI, in words."""
    yield from _far(old, new, is_new, mapping)
    yield from _unsold(old, new, is_new, mapping)


def _far(
    old: Rows, new: Rows, is_new: np.ndarray, mapping: ColumnMapping
) -> Iterator[str]:
    """Single amounts among the new that are far beyond all before and beside them.

    By cell and geo, so that the mistake of one region does not drown in the others.
    """
    for column in money_columns(mapping):
        if column not in new.numbers or not is_new.any():
            continue
        for geo in np.unique(new.geos[is_new]):
            here = is_new & (new.geos == geo)
            before = np.abs(old.numbers[column][old.geos == geo])
            came = np.where(here, np.abs(new.numbers[column]), 0.0)
            is_kpi = column == mapping.kpi
            yield from _far_out(new, column, before[before > 0], came, is_kpi=is_kpi)


def _unsold(
    old: Rows, new: Rows, is_new: np.ndarray, mapping: ColumnMapping
) -> Iterator[str]:
    """New periods with a KPI of 0 everywhere, where no earlier one had that."""
    kpi = mapping.kpi

    def sums(table: Rows, rows: np.ndarray) -> pd.Series:
        values = pd.Series(np.abs(np.nan_to_num(table.numbers[kpi][rows])))
        return values.groupby(table.dates[rows]).sum()

    if kpi not in new.numbers or not is_new.any():
        return
    before, came = sums(old, np.ones(len(old.keys), dtype=bool)), sums(new, is_new)
    unsold = [str(pd.Timestamp(day).date()) for day in came.index[came == 0]]
    if unsold and (before > 0).all():
        yield f"{kpi} is 0 on {listed(unsold)}, as it never was before"


def _far_out(
    new: Rows, column: str, before: np.ndarray, came: np.ndarray, *, is_kpi: bool
) -> Iterator[str]:
    """Amounts of a geo that are far beyond its own so far.

    Args:
        new: The new table.
        column: Of the amounts.
        before: The geo's amounts so far, those above zero.
        came: Its new ones, zero in other rows.
        is_kpi: Whether a little too little is odd, too; spend may nearly stop.
    """
    if len(before) < _ENOUGH or other_unit(before, came) is not None:
        return
    for at in np.flatnonzero(came > FAR_OUT * before.max()):
        yield (
            f"{column} of {row_name(*new.keys[at])} is {shown(came[at])}, where no row "
            f"so far has more than {shown(before.max())}"
        )
    factor = FAR_OUT if is_kpi else _NEARLY
    low = np.flatnonzero((came > 0) & (came < before.min() / factor))
    if not is_kpi:  # a channel that stops ends with a small amount
        low = np.array(
            [at for at in low if not _stops(new.dates, came, int(at))], dtype=int
        )
    if len(low):
        at = int(low[np.argmin(came[low])])
        yield (
            f"{column} of {row_name(*new.keys[at])} is {shown(came[at])}, where no row "
            f"so far has less than {shown(before.min())}"
        )


def _stops(dates: np.ndarray, came: np.ndarray, at: int) -> bool:
    """Whether nothing follows an amount although there are later periods."""
    is_later = dates > dates[at]
    return bool(is_later.any() and not came[is_later].any())
