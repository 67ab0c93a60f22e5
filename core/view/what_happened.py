"""Words about a plan beside what happened: which causes are firm, and which are not."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from core import text as fmt

#: What the planned spend of these periods is, by what the plan is over.
_PLANNED = {
    "channels": "A plan says how much, not when: its weeks are those of a year "
    "earlier, multiplied.",
    "weeks": "Planned: the plan's weeks among these periods. Before it begins and "
    "after it ends, weeks are those from a year earlier.",
    "geos": "Planned: all geos together. A plan says how much, not when: its weeks are "
    "those from a year earlier, multiplied. Money that went to another geo than "
    "planned counts as response.",
}
_SPEND = "Spend: more, less or other timing than planned."
_REST = "The rest is baseline: demand, controls, unpaid channels, chance."
#: What a fit that saw these periods says about causes.
REFITTED = (
    "The new fit does not decide it: its effects hold for all periods, so that what "
    "changed in these hardly moves them."
)
#: Most pairs of channels that are named.
_MOST = 3
_BASELINE = "baseline"


def notes(against: Mapping[str, Any]) -> list[str]:
    """What the split means and how sure it is, in sentences.

    Args:
        against: What `actuals --json` prints.
    """
    priors = against["priors"]
    response, level = (fmt.share(priors[name]) for name in ("response", "level"))
    meaning = (
        "Response: what the actuals say about a change of a channel since the fit, "
        f"where ± {response} of its response and ± {level} of demand (standard "
        "deviations) were thought possible."
    )
    return [
        firm(against),
        *confused(against),
        f"{_SPEND} {meaning} {_REST}",
        _PLANNED[against["plan_of"]],
        *[
            f"{row['name']} did not run a year earlier, so what its spend brought is "
            "in the baseline."
            for row in against["channels"]
            if not row["is_valued"]
        ],
    ]


def of_refresh(against: Mapping[str, Any] | None) -> list[str]:
    """Causes beside a fit that saw these periods; nothing where no plan was compared.

    Args:
        against: The actuals of refresh.json.
    """
    if not against or "confused" not in against:  # or of a version that had no causes
        return []
    return [firm(against), *confused(against), REFITTED]


def firm(against: Mapping[str, Any]) -> str:
    """Causes beyond spend whose interval is on one side of zero."""
    (baseline,) = (one for one in against["parts"] if one["name"] == _BASELINE)
    causes = [
        *(
            (f"{row['name']}'s response", row["response"])
            for row in against["channels"]
        ),
        ("the baseline", baseline),
    ]
    found = [
        f"{name} {'rose' if part['mean'] > 0 else 'fell'}"
        for name, part in causes
        if part["is_firm"]
    ]
    if not found:
        return (
            "Beyond spend no cause is firm: every interval holds zero. A test of the "
            "channel in question tells more."
        )
    return f"Firm beyond spend: {fmt.listed(found)}."


def confused(against: Mapping[str, Any]) -> list[str]:
    """Which causes these periods cannot tell apart; nothing where they can."""
    pairs = against["confused"]
    with_demand = [one for one, other in pairs if other == _BASELINE]
    others = [(one, other) for one, other in pairs if other != _BASELINE][:_MOST]
    told = [f"{one}'s response from {other}'s" for one, other in others]
    if with_demand:
        told.insert(0, f"demand from the response of {fmt.listed(with_demand)}")
    if not told:
        return []
    periods = fmt.count(against["periods"], _period(against))
    shown = "; or ".join(told)
    return [
        f"{periods} cannot tell {shown}: the more one explains, the less the other."
    ]


def _period(against: Mapping[str, Any]) -> str:
    """What a period is called."""
    if against["periods"] < 2:
        return "period"
    first, last = (date.fromisoformat(against[key][:10]) for key in ("start", "end"))
    days = (last - first).days / (against["periods"] - 1)
    if 28 <= days <= 31:
        return "month"
    return {7: "week", 1: "day"}.get(round(days, 6), "period")
