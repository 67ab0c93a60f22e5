"""Scenario: what a plan must keep to, and what it is to make as large as possible."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from core.data.reading.findings import Finding
from core.plan.limits.asked import Switches
from core.plan.limits.channels import (
    DEFAULT_BOUNDS,
    ChannelLimits,
    Group,
    Money,
    group_faults,
    limit_faults,
)
from core.plan.limits.faults import Words, joint_faults, ways_of_cells, ways_of_rows
from core.plan.limits.findings import fault, refuse
from core.plan.limits.polytope import Polytope, dense_rows, polytope
from core.plan.money.elsewhere import in_plan_money, paying
from core.plan.response.belief import Belief, believed
from core.plan.response.curves import ResponseCurves
from core.plan.scenario.find import Find, find_faults
from core.plan.scenario.measure import measure_of

Range = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Request(Switches):
    """What every plan is asked for, whether over channels or over weeks.

    Attributes:
        budget: Currency; None where it is to be found, or is what the same periods cost
            a year earlier.
        objective: What is to be large, see `core.plan.scenario.measure`.
        groups: Joint limits of several channels.
        find: What the budget is found for; None for a fixed one.
        beliefs: Channels that the fit has never seen run.
        bought: Share of the demand of mediators that is bought and paid for, see
            `core.plan.money.elsewhere`; amounts then are what channels cost in all.
    """

    budget: float | None = None
    objective: str = "mean"
    groups: tuple[Group, ...] = ()
    find: Find | None = None
    beliefs: tuple[Belief, ...] = ()
    bought: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Scenario(Request):
    """A plan over channels: spend a budget so that an objective is largest.

    Its switches are those that amounts in money do not settle.

    Attributes:
        channels: Limits of every paid channel.
        currency: For messages.
    """

    channels: tuple[ChannelLimits, ...]
    currency: str = ""

    @property
    def gammas(self) -> dict[str, float]:
        """How much dearer channels get with volume; those that do."""
        return {each.name: each.gamma for each in self.channels if each.gamma}

    @property
    def prices(self) -> dict[str, float]:
        """What a unit of channels costs over last year's, where that differs."""
        return {each.name: each.price for each in self.channels if each.price != 1.0}

    @property
    def at_best_frequency(self) -> tuple[str, ...]:
        """Channels whose reach is bought at the frequency that pays most."""
        return tuple(each.name for each in self.channels if each.at_best_frequency)

    def as_bought(self, curves: ResponseCurves) -> ResponseCurves:
        """Curves in the money of the plan.

        Args:
            curves: At last year's prices, or in this money already.
        """
        prices = self.gammas, self.prices
        return in_plan_money(curves, self.bought, self.at_best_frequency, prices)

    @property
    def is_as_ran(self) -> bool:
        """Whether media is bought as it was: at last year's prices and frequency."""
        is_other = bool(self.at_best_frequency)
        is_other |= any(share != 1.0 for share in self.bought.values())
        return not self.prices and not is_other

    def check(self, names: tuple[str, ...]) -> None:
        """Refuse what cannot be met, with the smallest change that could be.

        Args:
            names: Channels that have response curves.

        Raises:
            PlanError: One fault or several; `findings` has every one.
        """
        refuse(self._faults(names, has_hints=True))

    def can_be_met(self, names: tuple[str, ...]) -> bool:
        """Whether `check` refuses nothing; changes that would help are not looked for.

        Args:
            names: Channels that have response curves.
        """
        return not self._faults(names, has_hints=False)

    def _faults(self, names: tuple[str, ...], *, has_hints: bool) -> list[Finding]:
        measure_of(self.objective)
        money = Money(self.currency)
        budget = self.budget if self.find is None else 1.0
        budget = math.nan if budget is None else budget
        faults = limit_faults(budget, self.channels, names, money)
        faults += group_faults(self.groups, names, money)
        if self.find is not None:
            faults += find_faults(self.find, self.objective)
        if not faults and not self._is_met_by_any:
            faults = self._joint_faults(names, money, has_hints=has_hints)
        return faults

    @property
    def _is_met_by_any(self) -> bool:
        """Whether any amounts of channels within their ranges keep to all limits."""
        find = self.find
        if find is None or find.least is not None or find.most is not None:
            return False
        return not self.groups and all(limits.is_whole for limits in self.channels)

    def _joint_faults(
        self, names: tuple[str, ...], money: Money, *, has_hints: bool
    ) -> list[Finding]:
        """What stands against the limits together."""
        limits = self.domain(names)
        locked = [limit.name for limit in self.channels if limit.locked is not None]
        ways = []
        if has_hints:
            ways = [*ways_of_rows(limits, money), *ways_of_cells(limits, locked, money)]
        return joint_faults(limits, ways, Words(money))

    def domain(self, names: tuple[str, ...]) -> Polytope:
        """The splits that are allowed, channels in the order of the names."""
        by_name = {limits.name: limits for limits in self.channels}
        limits = [by_name[name] for name in names]
        low, high = self.ranges(names)
        free = np.array([limit.locked is None for limit in limits])
        off = np.array([limit.may_be_off for limit in limits]) & free & (low > 0)
        step = np.array([limit.step for limit in limits], dtype=float) * free
        total = ("the budget", np.ones(len(names)), *self._total(low, high, off))
        text, weights, least, most = zip(
            total, *group_rows(self.groups, names), strict=True
        )
        joint = dense_rows(text, np.stack(weights), least, most)
        return polytope(names, low, high, joint, off=off, step=step)

    def _total(
        self, low: np.ndarray, high: np.ndarray, off: np.ndarray
    ) -> tuple[float, float]:
        """Least and most of the budget."""
        if self.find is None:
            return self.budget, self.budget
        floor, ceiling = float(low[~off].sum()), float(high.sum())
        least = self.find.least or 0.0
        most = max(ceiling, least) if self.find.most is None else self.find.most
        # Where minimums exceed the budget both ends stay as they were asked for, so
        # that what is wrong can be said.
        return max(floor, least) if floor <= most else least, most

    def ranges(
        self, names: tuple[str, ...]
    ) -> tuple[Float[np.ndarray, " channel"], Float[np.ndarray, " channel"]]:
        """Least and most spend in the order of the names."""
        by_name = {limits.name: limits.range for limits in self.channels}
        low, high = np.array([by_name[name] for name in names], dtype=float).T
        return low, high

    def kept_to_seen(self, curves: ResponseCurves) -> "Scenario":
        """The scenario with maximums at the most that a period ever cost.

        Raises:
            PlanError: A channel has to spend more than that.
        """
        if not self.within_seen:
            return self
        money = Money(self.currency)
        tops = dict(zip(curves.names, curves.spend * curves.highest_seen, strict=True))
        all_limits, faults = [], []
        for limits in self.channels:
            (least, most), name = limits.range, limits.name
            top = tops.get(name, math.nan)
            if not math.isfinite(top) or most <= top:
                all_limits.append(limits)
                continue
            if least > top * (1 + 1e-9):
                message = (
                    f"Channel {name} has to spend {money(least)}, but its most "
                    f"expensive period so far allows no more than {money(top)}."
                )
                hint = (
                    f"Lower its minimum to {money(math.floor(top))}, or allow spend "
                    "beyond what was seen."
                )
                faults.append(fault(name, message, hint))
            all_limits.append(replace(limits, high=max(float(top), limits.low)))
        refuse(faults)
        return replace(self, channels=tuple(all_limits))


def group_rows(
    groups: Sequence[Group], names: tuple[str, ...]
) -> list[tuple[str, np.ndarray, float, float]]:
    """Joint limits as rows: what they are called, weights, least, most.

    Args:
        groups: Of channels that are there.
        names: All channels, in order.
    """
    joint = []
    for group in groups:
        inside = np.array([name in group.channels for name in names], dtype=float)
        text = group.title
        if group.low > 0 or math.isfinite(group.high):
            joint.append((text, inside, group.low, group.high))
        if group.low_share > 0:
            joint.append((text, inside - group.low_share, 0.0, math.inf))
        if group.high_share < 1:
            joint.append((text, inside - group.high_share, -math.inf, 0.0))
    return joint


def scenario(
    curves: ResponseCurves,
    *,
    channels: Sequence[ChannelLimits] = (),
    bounds: Range = DEFAULT_BOUNDS,
    scaled: bool = False,
    budget: float | None = None,
    **rest: Any,
) -> Scenario:
    """A scenario, checked; channels that nothing is said of have the usual limits.

    Args:
        curves: The fit's response curves, of own spend or paying as is asked.
        channels: Limits of single channels.
        bounds: Of all others, multiples of current spend.
        scaled: Whether that is current spend scaled to the budget.
        budget: Currency; None for what was spent.
        rest: See `Scenario`.

    Raises:
        PlanError: It cannot be met.
    """
    own = {"channels": tuple(channels), "currency": curves.currency}
    request = Scenario(budget=budget, **own, **rest)
    _check_gammas(request)
    _check_frequencies(curves, request)
    curves = paying(curves, request.bought)
    to = budget if scaled else None
    usual = usual_limits(curves, request.beliefs, bounds, to)
    if budget is None:
        budget = float(curves.spend.sum())
    curves = believed(curves, request.beliefs)
    limits = {name: ChannelLimits(name, *usual[name][1:]) for name in curves.names}
    limits |= {each.name: each for each in channels}
    checked = replace(
        request,
        budget=float(budget) if request.find is None else None,
        channels=tuple(limits.values()),
    ).kept_to_seen(curves)
    checked.check(curves.names)
    return checked


class Usual(NamedTuple):
    """What a channel may spend where nothing else is said, currency.

    Attributes:
        base: What multiples and percentages are of.
        low: Least.
        high: Most.
    """

    base: float
    low: float
    high: float


def usual_limits(
    curves: ResponseCurves,
    beliefs: Sequence[Belief],
    bounds: Range,
    budget: float | None,
) -> dict[str, Usual]:
    """What channels may spend where nothing is said of them.

    Args:
        curves: Of channels that ran.
        beliefs: Channels that never ran: they spend nothing, or up to what is believed.
        bounds: Of the others, multiples of spend before.
        budget: Currency, that spend before is scaled to; None where it is not.
    """
    scale, (low, high) = 1.0, bounds
    if budget is not None and math.isfinite(budget):
        scale = budget / float(curves.spend.sum())
    bases = dict(zip(curves.names, (scale * curves.spend).tolist(), strict=True))
    usual = {name: Usual(base, base * low, base * high) for name, base in bases.items()}
    return usual | {each.name: Usual(each.spend, 0.0, each.spend) for each in beliefs}


def _check_gammas(request: Scenario) -> None:
    """Refuse a price by volume of a channel that never had one.

    Raises:
        PlanError: There is one.
    """
    refuse(
        [
            fault(
                belief.name,
                f"{belief.name} never ran, so it has no price that could rise.",
                "Leave gamma and price out: what is believed of it is in money.",
            )
            for belief in request.beliefs
            if request.gammas.get(belief.name) or request.prices.get(belief.name)
        ]
    )


def _check_frequencies(curves: ResponseCurves, request: Scenario) -> None:
    """Refuse a best frequency of a channel that has none.

    Raises:
        PlanError: There is one.
    """
    known = [each.channel for each in curves.frequencies]
    have = f"Those that have: {', '.join(known)}." if known else ""
    refuse(
        [
            fault(
                name,
                f"{name} has no reach and frequency here, so no best frequency.",
                f"Leave frequency out. {have}".strip(),
            )
            for name in request.at_best_frequency
            if name not in known
        ]
    )
