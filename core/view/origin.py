"""Origin: which fit and which day a plan comes from, and what the newest fit says."""

from collections.abc import Mapping
from typing import Any

from core import text as fmt
from core.plan.record.plan_record import PlanRecord
from core.project.refresh.standing import Standing
from core.view.advice import WORDS, advice_in_words

#: Why the response of a plan differs between two fits.
_CAUSES = {
    "data": "from other data",
    "model": "from another model",
    "data and model": "from other data and another model",
    "simulation": "within simulation error",
}

#: What a plan's media bring by its own fit and by the newest one.
_TWICE = ("before", "after")


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
    planned = f" {fmt.date(plan.created[:10])}" if plan.created else ""
    return f"Planned{planned} with the fit of {fitted}."


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
    newer = f"There is a newer fit, of {fit_day(standing.newest)}"
    if standing.gain is None:
        return [
            *lines,
            f"{newer}: the numbers of this plan are of the older one. Plan these "
            "periods again, or score the plan on Compare.",
        ]
    said = units.estimate(standing.gain, bare=True, signed=True)
    odds = fmt.probability(standing.gain["probability_positive"])
    left = ""
    if standing.left is not None:
        first, last = map(fmt.date, standing.left)
        left = f" in the weeks that are left, {first} to {last},"
    lines.append(
        f"{newer}: by it, this plan gains {said}{left} over the same split, with a "
        f"probability of {odds}. Compare shows why that differs."
    )
    if standing.again is not None and standing.is_changed:
        lines.append(changed(standing.again, units))
    return lines


def changed(again: Mapping[str, Any], units: fmt.Units) -> str:
    """How the advice on a plan changed with a fit, and why, in sentences.

    Args:
        again: The plan by that fit (plans.json).
        units: Words for the units.
    """
    was, now = WORDS[again["was"]], WORDS[again["advice"]]
    before, after = (units.estimate(again[key], bare=True) for key in _TWICE)
    most = max(again["channels"], key=lambda row: abs(row["response"]), default=None)
    why = ""
    if most is not None and most["response"]:
        moved = units.show(most["response"], signed=True)
        why = f", most of it {most['name']}'s response ({moved})"
    cause = _CAUSES.get(again["cause"], "")
    return (
        f"The advice changed: {was} by the plan's own fit, {now} by the newest. "
        f"{' '.join(again['reasons'])} What its media bring from "
        f"{fmt.date(again['start'])} to {fmt.date(again['end'])} was {before} and is "
        f"{after}, {cause}{why}."
    )


def advice_now(plan: PlanRecord, standing: Standing) -> str:
    """The advice on a plan in a cell, with the newer one where that differs."""
    said = advice_in_words(plan)
    if not standing.is_changed:
        return said
    return f"{said}; changed to {WORDS[standing.again['advice']]} by the newest fit"


def made_with(plan: PlanRecord, standing: Standing) -> str:
    """The fit of a plan in a cell of a table: `2 Jan 2026, older`."""
    day = fit_day(plan.run_id) or fmt.NONE
    return f"{day}, older" if standing.is_older else day


def odds_now(plan: PlanRecord, standing: Standing) -> str:
    """Odds of a gain by the newest fit, in a cell; a dash where nobody knows."""
    if not standing.is_older:
        return fmt.probability(plan.gain["probability_positive"])
    if standing.gain is None:
        return fmt.NONE
    return fmt.probability(standing.gain["probability_positive"])
