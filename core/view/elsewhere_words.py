"""What a plan pays beside its channels' own media, in words."""

from core import text as fmt
from core.plan.record.plan_record import PlanRecord
from core.text.languages.language import say


def elsewhere(plan: PlanRecord, units: fmt.Units) -> str:
    """What channels make us spend on mediators, in money and returns; or nothing.

    Args:
        plan: A plan over channels.
        units: Words for the units.
    """
    if plan.cash is None:
        return ""
    money = units.currency
    lines = [
        say(
            "The budget also pays for what channels make us spend elsewhere. "
            "Both together cost {cash}.",
            cash=fmt.estimate(plan.cash, "money", money),
        )
    ]
    for line in plan.channels:
        if line.induced is None or line.roi_of_own is None:
            continue
        lines.append(
            say(
                "{channel}: {own} of its own and {induced} elsewhere; ROI {plain} on "
                "its own spend, {both} with what it makes us spend elsewhere.",
                channel=line.name,
                own=fmt.money(line.own, money),
                induced=fmt.estimate(line.induced, "money", money),
                plain=fmt.estimate(line.roi_of_own, "ratio"),
                both=fmt.estimate(line.roi_with_induced, "ratio"),
            )
        )
    return " ".join(lines)
