"""Origin: which fit and which day a plan comes from, and what the newest fit says."""

from core import text as fmt
from core.plan.record.plan_record import PlanRecord
from core.project.refresh.standing import Standing
from core.text.languages.language import say


def fit_day(run_id: str) -> str:
    """The day of a fit, from its identifier; empty where it has none."""
    digits = run_id[:8]
    if len(digits) < 8 or not digits.isdigit():
        return ""
    return fmt.date(f"{digits[:4]}-{digits[4:6]}-{digits[6:]}")


def origin(plan: PlanRecord) -> str:
    """The day of a plan, and its fit, in a sentence.

    Empty where the plan was made with no fit that is kept.
    """
    fitted = fit_day(plan.run_id)
    if not fitted:
        return ""
    if not plan.created:
        return say("Planned with the fit of {fitted}.", fitted=fitted)
    return say(
        "Planned {day} with the fit of {fitted}.",
        day=fmt.date(plan.created[:10]),
        fitted=fitted,
    )


def origin_lines(plan: PlanRecord, standing: Standing, units: fmt.Units) -> list[str]:
    """The same, and where there is a newer fit, what that says of the plan.

    Args:
        plan: The plan.
        standing: Beside the newest fit.
        units: Words for the units.
    """
    lines = [line for line in [origin(plan)] if line]
    if not standing.is_older:
        return lines
    day = fit_day(standing.newest)
    if standing.gain is None:
        return [
            *lines,
            say(
                "There is a newer fit, of {day}: the numbers of this plan are of the "
                "older one. Plan these periods again, or score the plan on Compare.",
                day=day,
            ),
        ]
    said = units.estimate(standing.gain, bare=True, signed=True)
    odds = fmt.probability(standing.gain["probability_positive"])
    if standing.left is None:
        now = say(
            "There is a newer fit, of {day}: by it, this plan gains {gain} over the "
            "same split, with a probability of {odds}. Compare shows why that differs.",
            day=day,
            gain=said,
            odds=odds,
        )
        return [*lines, now]
    first, last = map(fmt.date, standing.left)
    now = say(
        "There is a newer fit, of {day}: by it, this plan gains {gain} in the weeks "
        "that are left, {first} to {last}, over the same split, with a probability of "
        "{odds}. Compare shows why that differs.",
        day=day,
        gain=said,
        first=first,
        last=last,
        odds=odds,
    )
    return [*lines, now]


def made_with(plan: PlanRecord, standing: Standing) -> str:
    """The fit of a plan in a cell of a table: `2 Jan 2026, older`."""
    day = fit_day(plan.run_id) or fmt.NONE
    return say("{day}, older", day=day) if standing.is_older else day


def odds_now(plan: PlanRecord, standing: Standing) -> str:
    """Odds of a gain by the newest fit, in a cell; a dash where nobody knows."""
    if not standing.is_older:
        return fmt.probability(plan.gain["probability_positive"])
    if standing.gain is None:
        return fmt.NONE
    return fmt.probability(standing.gain["probability_positive"])
