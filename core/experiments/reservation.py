"""Reservation: what planned tests fix of a plan's spend, by geo and period.

In the weeks of a test its channel spends the test's multiple of usual spend in treated
geos, and usual spend in the others: a geo whose spend moves cannot be a control. Usual
spend is that of the same weeks a year earlier, as in the test's brief and in plans.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from core.data.ahead.horizon import ahead
from core.data.input_data import InputData
from core.data.mapping import PAID
from core.errors import SpecError
from core.experiments.kept import KeptTest
from core.plan.scenario.reserved import Reserved


@dataclass(frozen=True)
class UsualSpend:
    """Usual spend of periods to come: that of the same periods a year earlier.

    Attributes:
        geos: Names.
        starts: First days of the periods, and of the one after the last.
        spend: Of each paid channel, currency.
    """

    geos: tuple[str, ...]
    starts: np.ndarray
    spend: Mapping[str, Float[np.ndarray, "geo period"]]


def usual_spend(data: InputData, start: str, n: int) -> UsualSpend:
    """Usual spend of the periods of a plan.

    Args:
        data: The market that the plan's fit saw.
        start: First day of the plan, ISO; a period to come begins on it.
        n: Periods of the plan.
    """
    first = np.datetime64(start, "D")
    step = int(np.median(np.diff(data.times).astype(int)))
    until = int((first - data.times[-1]).astype(int)) // step + n + 2
    future = ahead(data, until)
    place = int(np.searchsorted(future.times, first))
    part = slice(place, place + n)
    spend = {}
    for kind in PAID:
        if treatments := getattr(future, kind):
            for i, name in enumerate(treatments.names):
                spend[name] = np.asarray(treatments.spend[:, part, i], float)
    starts = future.times[place : place + n + 1]
    return UsualSpend(tuple(data.geos), starts, spend)


def reservations(usual: UsualSpend, tests: Sequence[KeptTest]) -> tuple[Reserved, ...]:
    """What tests fix of a plan, one entry per test and channel.

    Tests that are read already, undated, or outside of the plan fix nothing.

    Args:
        usual: Usual spend of the plan's periods.
        tests: As the workspace keeps them.

    Raises:
        SpecError: Two tests want different spend of a channel in the same cell.
    """
    planned_cells = []
    owner: dict[str, np.ndarray] = {}
    planned = {name: money.copy() for name, money in usual.spend.items()}
    shares = {name: np.zeros(money.shape) for name, money in usual.spend.items()}
    waiting = [test for test in tests if _waits(test)]
    for number, test in enumerate(waiting):
        inside = _overlap(usual, test)
        treated = np.array([geo in test.geos for geo in usual.geos])
        treated |= not test.geos
        for name in test.channels:
            if name not in planned or not inside.any() or not treated.any():
                continue
            owners = owner.setdefault(name, np.full(planned[name].shape, -1))
            cells = np.ix_(treated, inside > 0)
            _refuse_both(waiting, owners[cells], number, name)
            owners[cells] = number
            # Two tests may have their parts of one week.
            share = shares[name][cells] + inside[inside > 0]
            shares[name][cells] = np.minimum(share, 1.0)
            by = 1 + shares[name][cells] * (test.multiple - 1)
            planned[name][cells] = usual.spend[name][cells] * by
            planned_cells.append((test, name, inside))
    reserved, claimed = [], {}
    for test, name, inside in planned_cells:
        before = claimed.get(name, np.zeros(len(inside), dtype=bool))
        reserved.append(
            _reserved(usual, planned[name], (test, name), (inside > 0, before))
        )
        claimed[name] = before | (inside > 0)
    return tuple(reserved)


def _waits(test: KeptTest) -> bool:
    """Whether a test is planned or running, with all that a plan has to know."""
    is_over = test.in_model or test.readout is not None
    is_planned = test.is_dated and bool(test.kind) and test.multiple is not None
    return is_planned and not is_over


def _overlap(usual: UsualSpend, test: KeptTest) -> Float[np.ndarray, " period"]:
    """Share of each period of the plan that falls into a test."""
    try:
        first = np.datetime64(test.start, "D")
        last = np.datetime64(test.end, "D") + 1
    except ValueError:
        return np.zeros(len(usual.starts) - 1)
    begins, ends = usual.starts[:-1], usual.starts[1:]
    days = (np.minimum(ends, last) - np.maximum(begins, first)).astype(int)
    return np.maximum(days, 0) / (ends - begins).astype(int)


def _refuse_both(
    tests: Sequence[KeptTest], owners: np.ndarray, number: int, channel: str
) -> None:
    others = owners[owners >= 0]
    if not len(others) or tests[others[0]].multiple == tests[number].multiple:
        return
    first, second = tests[others[0]].name, tests[number].name
    raise SpecError(
        f"The tests {first} and {second} both change {channel} in the same geos and "
        "weeks.",
        hint="Move or delete one of them, or plan without planned tests.",
        where=channel,
    )


def _reserved(
    usual: UsualSpend,
    planned: Float[np.ndarray, "geo period"],
    about: tuple[KeptTest, str],
    periods: tuple[np.ndarray, np.ndarray],
) -> Reserved:
    """What a test fixes of a channel.

    Args:
        usual: Usual spend.
        planned: What all tests together spend of the channel.
        about: The test and the channel.
        periods: Those of the test, and those that an earlier test counts in its geos.
    """
    test, name = about
    touched, claimed = periods
    money, own = usual.spend[name], touched & ~claimed
    weeks = {
        str(usual.starts[place]): round(float(planned[:, place].sum()), 2)
        for place in np.flatnonzero(touched)
    }
    geos = {
        geo: (
            round(float(money[place, own].sum()), 2),
            round(float(planned[place, own].sum()), 2),
        )
        for place, geo in enumerate(usual.geos)
        if money[place].any()
    }
    return Reserved(test.name, name, weeks, geos)
