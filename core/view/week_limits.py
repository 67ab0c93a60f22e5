"""Limits of weeks in words: what a plan of weeks was asked to keep to, once."""

from collections.abc import Mapping
from typing import Any

from core import text as fmt
from core.plan.record.plan_record import PlanRecord
from core.toml.table import is_percent


def week_limits(plan: PlanRecord) -> str:
    """Pauses, steps, dates, budgets of periods and groups; empty for none.

    Args:
        plan: The plan.
    """
    if plan.over != "weeks":
        return ""
    symbol, asked = plan.units.symbol, plan.scenario
    said = [
        _of_channel(name, row, symbol)
        for name, row in (asked.get("channel") or {}).items()
    ]
    periods = (asked.get("weeks") or {}).get("budget") or {}
    said += [f"{period} gets {_ends(row, symbol)}" for period, row in periods.items()]
    said += [
        _of_group(name, row, symbol) for name, row in (asked.get("group") or {}).items()
    ]
    kept = [part for part in said if part]
    return f"Limits of weeks: {'; '.join(kept)}." if kept else ""


def _of_channel(name: str, row: Mapping[str, Any], symbol: str) -> str:
    parts = []
    if row.get("week_min"):
        least = _amount(row["week_min"], symbol)
        pauses = "pauses or spends" if row.get("may_be_off", True) else "spends"
        parts.append(f"{pauses} at least {least} a week")
    if "week_max" in row:
        parts.append(f"at most {_amount(row['week_max'], symbol)} a week")
    if row.get("step"):
        parts.append(f"in steps of {_amount(row['step'], symbol)}")
    for key, word in (("from", "from"), ("until", "until")):
        if row.get(key):
            parts.append(f"{word} {fmt.date(str(row[key])[:10])}")
    return f"{name} {', '.join(parts)}" if parts else ""


def _of_group(name: str, row: Mapping[str, Any], symbol: str) -> str:
    ends = [
        f"{word} {_amount(row[key], symbol)}"
        for key, word in (("min", "at least"), ("max", "at most"))
        if key in row
    ]
    ends += [
        f"{word} {fmt.share(row[key])}"
        for key, word in (("min_share", "at least"), ("max_share", "at most"))
        if key in row
    ]
    members = fmt.listed(list(row.get("channels", ())))
    return f"{name} ({members}) {' and '.join(ends)}" if ends else ""


def _ends(row: Any, symbol: str) -> str:
    if isinstance(row, list | tuple):
        return " to ".join(_amount(end, symbol) for end in row)
    return _amount(row, symbol)


def _amount(value: Any, symbol: str) -> str:
    if is_percent(value) or isinstance(value, str):
        return str(value)
    return fmt.exact(value, symbol)
