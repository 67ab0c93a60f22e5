"""The plan that is being worked on, in the address: F5 and a copied link keep it.

Periods, budget, objective, limits, targets and groups, as far as they are other than
what the form begins with. Whoever made the address may have typed anything: what it
has is read strictly.
"""

import math
import re
from collections.abc import Sequence
from typing import Any

from core.service.planning import switches
from core.service.planning.buying import Buying, bought_otherwise
from core.service.planning.scenario import KINDS, beliefs_of, beliefs_table
from core.service.records.plan import GROUPED, Belief, Find, Group, ResponseCurves
from pages.plan import goal as plan_goal
from pages.plan import limits as plan_limits
from pages.plan import more as plan_more
from pages.plan.limits import Limit, Limits
from pages.plan.more import More
from pages.plan.rare import dated
from pages.plan.rare.dated import Dated
from pages.plan.steps import Step
from pages.ui import state
from pages.ui.document import amount_in, document_in, is_day, keep_document

#: Name of the draft in the address.
_NAME = "draft"
_OBJECTIVE = re.compile(r"mean|p\d\d?|cvar\d\d?")
#: What the form begins with.
_HORIZON, _MEAN = "year", "mean"


def take_periods() -> None:
    """Bring back the periods of the address, once for each browser tab."""
    if state.draft("address.periods.read"):
        return
    state.keep("address.periods.read", True)
    content = document_in(_NAME)
    periods = content.get("for")
    if values := _values(content.get("value")):
        dated.put_values(values)
    if isinstance(periods, str):
        state.put("plan.horizon", periods)
    elif isinstance(periods, list) and len(periods) == 2:
        start, n = periods
        # A JSON true is an int, too, and no number of periods.
        if is_day(start) and type(n) is int:
            state.put("plan.horizon", "custom")
            state.put("plan.periods", n)
            state.put("plan.start", start)


def take(run_id: str, curves: ResponseCurves) -> None:
    """Bring back what the address has of the form, once for each browser tab.

    Args:
        run_id: The fit.
        curves: Of the periods planned.
    """
    if state.draft("address.read"):
        return
    state.keep("address.read", True)
    content = document_in(_NAME)
    if not content:
        return
    limits: Limits = dict(plan_limits.default(curves))
    limits |= {
        name: limit
        for name, limit in _limits(content.get("limits")).items()
        if name in limits
    }
    budget = amount_in(content.get("budget"))
    # As if the form had been drawn for this fit: `begin` would start it again and drop
    # what is taken here.
    state.keep("limits.run", run_id)
    spend = zip(curves.names, curves.spend, strict=True)
    state.keep("limits.spend", {name: float(cost) for name, cost in spend})
    if budget:
        state.put("plan.budget", budget)
    elif not state.has("plan.budget"):
        state.put("plan.budget", round(float(curves.spend.sum()), 2))
    plan_limits.rebase(limits)
    objective = content.get("objective", _MEAN)
    if isinstance(objective, str) and _OBJECTIVE.fullmatch(objective):
        state.put("plan.objective", objective)
    if (goal := amount_in(content.get("goal"))) is not None and goal >= 1:
        state.put(plan_goal.KEY, goal)
    plan_more.put(read(content.get("more"), curves.names))


def keep(curves: ResponseCurves, step: Step) -> None:
    """Have the address say what was typed; nothing where all is as it begins.

    Args:
        curves: Of the periods planned.
        step: What the form says.
    """
    usual = plan_limits.default(curves)
    content: dict[str, Any] = _periods()
    if step.budget != round(float(curves.spend.sum()), 2):
        content["budget"] = step.budget
    if step.objective != _MEAN:
        content["objective"] = step.objective
    if step.goal is not None:
        content["goal"] = step.goal
    typed = {
        name: [limit.low, limit.high, limit.locked]
        for name, limit in step.limits.items()
        if limit != usual.get(name)
    }
    if typed:
        content["limits"] = typed
    if values := dated.values_now():
        content["value"] = [list(row) for row in values]
    if more := written(step.more):
        content["more"] = more
    keep_document(_NAME, content)


def _periods() -> dict[str, Any]:
    horizon = state.widget("plan.horizon", _HORIZON)
    if horizon == "custom":
        periods = [state.widget("plan.start", ""), int(state.widget("plan.periods", 1))]
        return {"for": periods}
    return {} if horizon == _HORIZON else {"for": horizon}


def _values(content: Any) -> list[tuple[str, float]]:
    """Values of the KPI from a date on."""
    return [
        (row[0], float(row[1]))
        for row in (content if isinstance(content, list) else ())
        if isinstance(row, list)
        and len(row) == 2
        and is_day(row[0])
        and amount_in(row[1])
    ]


def _limits(content: Any) -> Limits:
    limits: Limits = {}
    for name, row in content.items() if isinstance(content, dict) else ():
        if isinstance(row, list) and len(row) == 3:
            low, high = amount_in(row[0]), amount_in(row[1])
            if low is not None and high is not None:
                limits[name] = Limit(low, high, row[2] is True)
    return limits


_GROUP = ("low", "high", "low_share", "high_share")
#: Letters of a group's name, and groups, that are read.
_LONGEST, _MOST = 80, 50


def written(more: More) -> dict[str, Any]:
    """What is other than usual, as JSON has it."""
    content: dict[str, Any] = {}
    if more.find is not None:
        is_profit = more.find.kind == "profit"
        size = more.find.margin if is_profit else more.find.target
        content["find"] = [more.find.kind, size]
        if is_profit and (more.find.least, more.find.most) != (None, None):
            content["find"] += [more.find.least, more.find.most]
    content |= more.chosen()
    if more.buying:
        content["buy"] = {name: row.chosen() for name, row in more.buying.items()}
    if more.dated:
        content["dated"] = [list(row) for row in more.dated]
    if more.beliefs:
        content["new"] = beliefs_table(more.beliefs)
    if more.bought:
        content["bought"] = dict(more.bought)
    if more.groups:
        content["groups"] = [_group(group) for group in more.groups]
    return content


def _group(group: Group) -> list[Any]:
    ends = [getattr(group, name) for name in _GROUP]
    # JSON has no infinity.
    bounds = [end if math.isfinite(end) else None for end in ends]
    of = [group.of] if group.of != Group.of else []
    return [group.name, list(group.channels), *bounds, *of]


def read(content: Any, names: Sequence[str]) -> More:
    """What was written, without what is not understood.

    Args:
        content: What the address has.
        names: The channels of the fit.
    """
    if not isinstance(content, dict):
        return More()
    buying, groups = content.get("buy"), content.get("groups")
    buying = buying if isinstance(buying, dict) else {}
    return More(
        find=_find(content.get("find")),
        buying=bought_otherwise(
            (name, Buying.of(row))
            for name, row in buying.items()
            if name in names and isinstance(row, dict)
        ),
        dated=_dated(content.get("dated"), names),
        beliefs=_beliefs(content.get("new"), names),
        bought=_shares(content.get("bought")),
        groups=tuple(
            _read_group(row, names)
            for row in (groups[:_MOST] if isinstance(groups, list) else ())
            if _is_group(row) and _known(row[1], names)
        ),
        **switches.of_table(content),
    )


def _shares(content: Any) -> tuple[tuple[str, float], ...]:
    """Shares of mediators' demand; those that the fit does not have are left out."""
    rows = content.items() if isinstance(content, dict) else ()
    return tuple(
        (str(name), float(share))
        for name, share in rows
        if isinstance(share, int | float) and 0 <= share <= 1
    )


def _dated(content: Any, names: Sequence[str]) -> tuple[Dated, ...]:
    """Prices from a date on."""
    return tuple(
        (row[0], row[1], float(row[2]))
        for row in (content[:_MOST] if isinstance(content, list) else ())
        if isinstance(row, list)
        and len(row) == 3
        and row[0] in names
        and is_day(row[1])
        and amount_in(row[2])
        and row[2] <= 100
    )


def _beliefs(content: Any, names: Sequence[str]) -> tuple[Belief, ...]:
    """Channels without history."""
    if not isinstance(content, dict):
        return ()
    beliefs = beliefs_of({"belief": dict(list(content.items())[:_MOST])})
    return tuple(
        each for each in beliefs if each.name.strip() and each.name not in names
    )


def _known(channels: Any, names: Sequence[str]) -> tuple[str, ...]:
    listed = channels if isinstance(channels, list) else []
    return tuple(name for name in names if name in listed)


def _find(content: Any) -> Find | None:
    if not (isinstance(content, list) and len(content) in (2, 4)):
        return None
    kind, size, *ends = content
    if kind not in KINDS or not amount_in(size):
        return None
    if kind == "profit":
        least, most = (
            float(end) if amount_in(end) is not None else None
            for end in (ends or (None, None))
        )
        return Find(kind, margin=float(size), least=least, most=most)
    return Find(kind, target=float(size))


def _is_group(row: Any) -> bool:
    if not isinstance(row, list) or len(row) < 2 + len(_GROUP):
        return False
    name, _, *rest = row
    ends, of = rest[: len(_GROUP)], rest[len(_GROUP) :]
    return (
        isinstance(name, str)
        and all(end is None or amount_in(end) is not None for end in ends)
        and (not of or (len(of) == 1 and of[0] in GROUPED))
    )


def _read_group(row: list[Any], names: Sequence[str]) -> Group:
    name, channels, *rest = row
    # `of` comes after the ends, where a group is of a project or a kind.
    ends = {
        key: float(end)
        for key, end in zip(_GROUP, rest, strict=False)
        if end is not None
    }
    of = rest[len(_GROUP) :] or [Group.of]
    return Group(name[:_LONGEST], _known(channels, names), **ends, of=of[0])
