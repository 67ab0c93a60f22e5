"""Running totals: new periods that hold sums to date, where the old ones have amounts.

Two or three new periods are too few to see a total rise and begin again. But the steps
of a total look like earlier amounts, and its values do not; single amounts do the
reverse. So both are weighed by what the column's own past makes likely.
"""

from collections.abc import Iterator, Mapping

import numpy as np

#: Odds of totals against single amounts from which a question is asked.
ODDS = 10.0
#: Periods of the past that an amount is compared with.
_PAST = 104
_ENOUGH = 13
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
    known: np.ndarray,
    times: np.ndarray,
) -> Iterator[str]:
    """Columns whose new values are sums to date; where all columns agree, all of them.

    Args:
        past: Amounts so far by column and period, in order.
        new: Those of the new periods.
        known: Periods so far, datetime64[D].
        times: New ones.
    """
    weighed = {
        name: evidence(past[name], new[name], known, times)
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
    past: np.ndarray, new: np.ndarray, known: np.ndarray, times: np.ndarray
) -> float:
    """Logarithm of the odds that new amounts are sums to date, from one column.

    Args:
        past: Amounts so far, by period.
        new: Those of the new periods, in order.
        known: Periods so far, datetime64[D].
        times: New ones.
    """
    before = np.nan_to_num(past)[-_PAST:]
    came = np.nan_to_num(new)
    if (before > 0).sum() < _ENOUGH or (came < 0).any() or not (came > 0).any():
        return 0.0
    usual = _Usual(before)
    own = max(usual.log_density(came), usual.log_density_after(came, before[-1]))
    totals = [*_totals(usual, past, came, known, times)]
    return float(_mean_exp(totals) - own)


def _totals(usual, past, came, known, times) -> Iterator[float]:
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
    old = known.astype("datetime64[M]").astype(np.int64)
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
