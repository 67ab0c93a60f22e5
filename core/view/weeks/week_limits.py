"""Limits of weeks in words: what a plan of weeks was asked to keep to, once."""

from typing import Any

from core import text as fmt
from core.plan.limits.stated import StatedGroup, StatedRow, stated
from core.plan.record.plan_record import PlanRecord
from core.text.languages.language import marked, say
from core.toml.table import is_percent

_LEAST, _MOST = marked("at least {amount}"), marked("at most {amount}")


def week_limits(plan: PlanRecord) -> str:
    """Pauses, steps, dates, budgets of periods and groups; empty for none.

    Args:
        plan: The plan.
    """
    if plan.over != "weeks":
        return ""
    symbol, limits = plan.units.symbol, stated(plan.scenario)
    lines = [_of_channel(name, row, symbol) for name, row in limits.channel.items()]
    periods = limits.weeks.budget or {}
    lines += [
        say("{period} gets {ends}", period=period, ends=_ends(row, symbol))
        for period, row in periods.items()
    ]
    lines += [_of_group(name, row, symbol) for name, row in limits.group.items()]
    parts = [part for part in lines if part]
    return say("Limits of weeks: {names}.", names="; ".join(parts)) if parts else ""


def _of_channel(name: str, row: StatedRow, symbol: str) -> str:
    parts = []
    if row.week_low:
        least = _amount(row.week_low, symbol)
        may_pause = row.may_be_off is not False
        parts.append(
            say("pauses or spends at least {amount} a week", amount=least)
            if may_pause
            else say("spends at least {amount} a week", amount=least)
        )
    if row.week_high is not None:
        parts.append(
            say("at most {amount} a week", amount=_amount(row.week_high, symbol))
        )
    if row.step:
        parts.append(say("in steps of {amount}", amount=_amount(row.step, symbol)))
    for day, text in (
        (row.start, marked("from {day}")),
        (row.end, marked("until {day}")),
    ):
        if day:
            parts.append(say(text, day=fmt.date(str(day)[:10])))
    return f"{name} {', '.join(parts)}" if parts else ""


def _of_group(name: str, row: StatedGroup, symbol: str) -> str:
    ends = [
        say(text, amount=_amount(end, symbol))
        for end, text in ((row.min, _LEAST), (row.max, _MOST))
        if end is not None
    ]
    ends += [
        say(text, amount=fmt.share(end))
        for end, text in ((row.min_share, _LEAST), (row.max_share, _MOST))
        if end is not None
    ]
    members = fmt.listed(list(row.channels))
    return f"{name} ({members}) {say(' and ').join(ends)}" if ends else ""


def _ends(row: Any, symbol: str) -> str:
    if isinstance(row, list | tuple):
        return say(" to ").join(_amount(end, symbol) for end in row)
    return _amount(row, symbol)


def _amount(value: Any, symbol: str) -> str:
    if is_percent(value) or isinstance(value, str):
        return str(value)
    return fmt.exact(value, symbol)
