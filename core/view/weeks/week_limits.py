"""Limits of weeks in words: what a plan of weeks was asked to keep to, once."""

from collections.abc import Mapping
from typing import Any

from core import text as fmt
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
    symbol, asked = plan.units.symbol, plan.scenario
    lines = [
        _of_channel(name, row, symbol)
        for name, row in (asked.get("channel") or {}).items()
    ]
    periods = (asked.get("weeks") or {}).get("budget") or {}
    lines += [
        say("{period} gets {ends}", period=period, ends=_ends(row, symbol))
        for period, row in periods.items()
    ]
    lines += [
        _of_group(name, row, symbol) for name, row in (asked.get("group") or {}).items()
    ]
    kept = [part for part in lines if part]
    return say("Limits of weeks: {names}.", names="; ".join(kept)) if kept else ""


def _of_channel(name: str, row: Mapping[str, Any], symbol: str) -> str:
    parts = []
    if row.get("week_min"):
        least = _amount(row["week_min"], symbol)
        may_pause = row.get("may_be_off", True)
        parts.append(
            say("pauses or spends at least {amount} a week", amount=least)
            if may_pause
            else say("spends at least {amount} a week", amount=least)
        )
    if "week_max" in row:
        parts.append(
            say("at most {amount} a week", amount=_amount(row["week_max"], symbol))
        )
    if row.get("step"):
        parts.append(say("in steps of {amount}", amount=_amount(row["step"], symbol)))
    for key, text in (
        ("from", marked("from {day}")),
        ("until", marked("until {day}")),
    ):
        if row.get(key):
            parts.append(say(text, day=fmt.date(str(row[key])[:10])))
    return f"{name} {', '.join(parts)}" if parts else ""


def _of_group(name: str, row: Mapping[str, Any], symbol: str) -> str:
    ends = [
        say(text, amount=_amount(row[key], symbol))
        for key, text in (("min", _LEAST), ("max", _MOST))
        if key in row
    ]
    ends += [
        say(text, amount=fmt.share(row[key]))
        for key, text in (("min_share", _LEAST), ("max_share", _MOST))
        if key in row
    ]
    members = fmt.listed(list(row.get("channels", ())))
    return f"{name} ({members}) {say(' and ').join(ends)}" if ends else ""


def _ends(row: Any, symbol: str) -> str:
    if isinstance(row, list | tuple):
        return say(" to ").join(_amount(end, symbol) for end in row)
    return _amount(row, symbol)


def _amount(value: Any, symbol: str) -> str:
    if is_percent(value) or isinstance(value, str):
        return str(value)
    return fmt.exact(value, symbol)
